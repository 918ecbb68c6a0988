//! Lessons that a text hands out: the structured answer of a tool, or the headings of a prompt text outside its fences.

use crate::framed::{HEAD, opened};
use lesson_core::is_slug;
use serde_json::Value;

/// Fields that a client wraps a tool's answer in.
const WRAPS: [&str; 7] = [
    "Ok",
    "content",
    "output",
    "text",
    "response",
    "functionResponse",
    "result",
];
/// Most levels that answers are wrapped in: a list of parts of a response of a function of a result.
const DEEPEST: usize = 8;

/// The lessons in a tool's answer.
pub(super) fn in_answer(content: &Value) -> Vec<String> {
    texts(content).into_iter().flat_map(of_text).collect()
}

/// The lessons in what our hook printed; another's hook prints other things.
pub(super) fn in_hook(content: &Value) -> Vec<String> {
    texts(content)
        .into_iter()
        .filter(|text| text.trim_start().starts_with(HEAD))
        .flat_map(of_text)
        .collect()
}

/// The texts of a content, however it is wrapped.
pub(super) fn texts(content: &Value) -> Vec<&str> {
    let mut found = Vec::new();
    collect(content, DEEPEST, &mut found);
    found
}

fn collect<'a>(content: &'a Value, deep: usize, found: &mut Vec<&'a str>) {
    match content {
        Value::String(text) => found.push(text),
        Value::Array(parts) if deep > 0 => {
            for part in parts {
                collect(part, deep - 1, found);
            }
        }
        Value::Object(fields) if deep > 0 => {
            for name in WRAPS {
                if let Some(part) = fields.get(name) {
                    collect(part, deep - 1, found);
                }
            }
        }
        _ => {}
    }
}

fn of_text(text: &str) -> Vec<String> {
    if text.trim_start().starts_with('{')
        && let Ok(answer) = serde_json::from_str::<Value>(text)
    {
        return of_answer(&answer);
    }
    headings(text)
}

fn of_answer(answer: &Value) -> Vec<String> {
    let list = answer.get("recommended").or_else(|| answer.get("results"));
    list.and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|one| one.get("slug")?.as_str())
        .filter(|slug| is_slug(slug))
        .map(str::to_owned)
        .collect()
}

/// The headings outside the fences, which lesson text can't close.
fn headings(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        if let Some(end) = fence {
            if line == end {
                fence = None;
            }
        } else if let Some(end) = opened(line) {
            fence = Some(end);
        } else if let Some(slug) = line.strip_prefix("### ")
            && is_slug(slug)
        {
            found.push(slug.to_owned());
        }
    }
    found
}
