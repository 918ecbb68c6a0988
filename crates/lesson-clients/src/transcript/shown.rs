//! Which lessons a text hands out: the structured answer of a tool, or the headings of a prompt text outside its fences.

use lesson_core::is_slug;
use serde_json::Value;

/// How the text of our hook begins: `lesson_core::prompt_text`.
const HEAD: &str = "## Lessons learned";

/// The lessons in a tool's answer.
pub(super) fn in_answer(content: &Value) -> Vec<String> {
    texts(content).into_iter().flat_map(of_text).collect()
}

/// The lessons in what a hook printed; another's hook prints other things.
pub(super) fn in_hook(content: &Value) -> Vec<String> {
    texts(content)
        .into_iter()
        .filter(|text| text.trim_start().starts_with(HEAD))
        .flat_map(of_text)
        .collect()
}

/// The texts of a content: one, or a list of texts or of parts with a text.
fn texts(content: &Value) -> Vec<&str> {
    match content {
        Value::String(text) => vec![text],
        Value::Array(parts) => parts
            .iter()
            .filter_map(|part| part.as_str().or_else(|| part.get("text")?.as_str()))
            .collect(),
        _ => Vec::new(),
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
        } else if let Some(ticks) = line.strip_suffix("text")
            && ticks.len() >= 4
            && ticks.bytes().all(|byte| byte == b'`')
        {
            fence = Some(ticks);
        } else if let Some(slug) = line.strip_prefix("### ")
            && is_slug(slug)
        {
            found.push(slug.to_owned());
        }
    }
    found
}
