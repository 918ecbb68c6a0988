//! Lines, counts and names, as texts have them.

use lesson_core::one_line;
use std::fmt::Write;

/// Characters of one part of a found lesson that are shown; the structured part has all of it.
const SHOWN: usize = 2_000;

/// Adds a line, on a line of its own.
pub(super) fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
    // Writing to a String can't fail.
    let _ = writeln!(out, "{text}");
}

/// A text that is not too long to be shown.
pub(super) fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{} … (shortened)", &text[..end]),
        None => text.to_owned(),
    }
}

pub(super) fn many(count: usize, thing: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {thing}{ending}")
}

/// Names on one line.
pub(super) fn names(of: &[String]) -> String {
    let names: Vec<String> = of.iter().map(|name| one_line(name)).collect();
    names.join(", ")
}
