//! Import and export: what is taken from each kind of file, what is refused and why, and that
//! what goes out comes back.

mod agents;
mod extra;
mod hostile;
mod long;
mod people;
mod properties;
mod reading;
mod refused;
mod writing;

use lesson_core::Lesson;
use lesson_formats::{Format, Parsed, parse};

const NOW: i64 = 1_795_336_200_123;

fn read(file: (&str, &str)) -> Parsed {
    parse(file.0, file.1, Format::Auto, NOW)
}

/// Every lesson of a file that has to be taken whole.
fn lessons(file: (&str, &str)) -> Vec<Lesson> {
    let parsed = read(file);
    assert_eq!(parsed.rejected, [], "{}", file.0);
    parsed.lessons.into_iter().map(|read| read.lesson).collect()
}

fn one(file: (&str, &str)) -> Lesson {
    let mut all = lessons(file);
    assert_eq!(all.len(), 1, "{}", file.0);
    all.remove(0)
}
