//! An insight that is written as a JSON object: `{"content": "…", "tags": ["…"]}`.

use super::line::{LONGEST_TEXT, cut, marked};
use serde_json::{Deserializer, Value};

/// Most lines that one object covers.
const MOST_LINES: usize = 50;
/// Most tags that are taken.
const MOST_TAGS: usize = 16;
/// Longest tag, in characters; a longer one is left out.
const LONGEST_TAG: usize = 60;

/// An insight as its object gives it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Object {
    pub content: String,
    pub tags: Vec<String>,
    /// Number of lines that it covers after the one with the marker.
    pub lines: usize,
}

/// True if an object is meant, well written or not. `{name} is …` is text.
pub(super) fn opens(said: &str) -> bool {
    said.strip_prefix('{').is_some_and(|rest| {
        rest.trim_start().is_empty() || rest.trim_start().starts_with(['"', '\'', '}'])
    })
}

/// Reads the object that begins `said` and may go on in the lines `ahead`, up to the next marker.
/// `None` when it can't be read or has no content. What stands after the object is left out.
pub(super) fn read<'a>(said: &str, ahead: impl Iterator<Item = &'a str>) -> Option<Object> {
    let mut text = said.to_owned();
    for line in ahead
        .take(MOST_LINES)
        .take_while(|line| marked(line).is_none())
    {
        text.push('\n');
        text.push_str(line);
    }
    let mut values = Deserializer::from_str(&text).into_iter::<Value>();
    let value = values.next()?.ok()?;
    let read = text.get(..values.byte_offset()).unwrap_or_default();
    let content = value.get("content")?.as_str()?.trim();
    let content: String = content
        .chars()
        .filter(|c| !c.is_control() || matches!(c, '\n' | '\t'))
        .collect();
    Some(Object {
        content: cut(&content, LONGEST_TEXT).to_owned(),
        tags: value.get("tags").map(tags).unwrap_or_default(),
        lines: read.matches('\n').count(),
    })
}

/// The words of a list, or of a text with commas between.
fn tags(value: &Value) -> Vec<String> {
    let words: Vec<&str> = match value {
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        Value::String(text) => text.split(',').collect(),
        _ => Vec::new(),
    };
    let mut tags: Vec<String> = Vec::new();
    for word in words {
        let tag: String = word.chars().filter(|c| !c.is_control()).collect();
        let tag = tag.trim();
        let fits = !tag.is_empty() && tag.chars().count() <= LONGEST_TAG;
        if fits && tags.len() < MOST_TAGS && !tags.iter().any(|held| held == tag) {
            tags.push(tag.to_owned());
        }
    }
    tags
}
