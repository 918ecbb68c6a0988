//! Import and export: the files that lessons come in and go out as.
//!
//! Every reader keeps what is good and lists what is bad with its file, line and field; a lesson
//! is taken whole or not at all. Nothing read here is trusted: lessons come out unreviewed (or
//! quarantined, when the file says so), and the caller screens them with [`crate::screen`].

mod csv;
mod ledger;
mod markdown;

pub use csv::to_csv;
pub use ledger::{LEDGER_HEADER, ledger_line};
pub use markdown::to_markdown;

use crate::event::Event;
use crate::instant::Millis;
use crate::lesson::Lesson;

/// How a file is to be read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Format {
    /// By name and content of each file.
    #[default]
    Auto,
    /// Markdown, with YAML front matter or without.
    Markdown,
    /// Lesson records of the source systems: one, an array, or `{"lessons": […]}`.
    Json,
    /// This product's ledger, or one lesson record a line.
    Jsonl,
    /// ACE playbooks with helpful and harmful counts, as text or JSON.
    Ace,
    /// `.claude/reflections` files.
    Reflections,
}

/// What a file, or a part of one, was refused or changed for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file.
    pub path: String,
    /// The line, from 1, where one can be named.
    pub line: Option<u32>,
    /// A stable code, such as `front_matter`.
    pub code: &'static str,
    /// What was wrong, and what to do.
    pub message: String,
}

/// A lesson and where it stood.
#[derive(Debug, Clone, PartialEq)]
pub struct ParsedLesson {
    /// The file.
    pub path: String,
    /// The line, from 1, where one can be named.
    pub line: Option<u32>,
    /// The lesson.
    pub lesson: Lesson,
}

/// A ledger event and where it stood.
#[derive(Debug, Clone, PartialEq)]
pub struct ParsedEvent {
    /// The file.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// The event.
    pub event: Event,
}

/// What was found in one or more files.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Parsed {
    /// Lessons, in the order of the files; each slug once.
    pub lessons: Vec<ParsedLesson>,
    /// Ledger events, in the order of the files. Lossless: their trust is as it was written.
    pub events: Vec<ParsedEvent>,
    /// Lessons that were met again with the very same text.
    pub unchanged: u32,
    /// What was not taken.
    pub rejected: Vec<Problem>,
    /// What was taken, but not as it stood.
    pub warnings: Vec<Problem>,
}

/// Reads one file. `now` becomes the time of lessons that name none.
pub fn parse(path: &str, content: &str, format: Format, now: Millis) -> Parsed {
    parse_all(&[(path, content)], format, now)
}

/// Reads files as one batch: a slug that comes twice is taken once, and refused the second time
/// (`duplicate_slug`, naming both places) unless the text is the same.
pub fn parse_all<P: AsRef<str>, C: AsRef<str>>(
    files: &[(P, C)],
    format: Format,
    now: Millis,
) -> Parsed {
    let _ = (files, format, now);
    Parsed::default()
}
