//! Lines, counts and fields of an answer, as texts have them.

use lesson_core::one_line;
use serde_json::Value;
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

pub(super) fn word<'a>(of: &'a Value, name: &str) -> &'a str {
    of.get(name).and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn number(of: &Value, name: &str) -> f64 {
    of.get(name).and_then(Value::as_f64).unwrap_or_default()
}

pub(super) fn count(of: &Value, name: &str) -> usize {
    let count = of.get(name).and_then(Value::as_u64).unwrap_or_default();
    usize::try_from(count).unwrap_or(usize::MAX)
}

pub(super) fn list<'a>(of: &'a Value, name: &str) -> &'a [Value] {
    of.get(name)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// Names on one line.
pub(super) fn names(of: &Value, name: &str) -> String {
    let names: Vec<String> = list(of, name)
        .iter()
        .filter_map(Value::as_str)
        .map(one_line)
        .collect();
    names.join(", ")
}
