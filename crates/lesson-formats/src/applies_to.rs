//! Patterns of files that a rule is for: its context, and tags by their extensions.

use super::fields::Fields;
use super::front_matter_names::PATTERNS;
use super::node::{Node, Value};
use super::record::CONTEXT;
use super::words::distinct;

/// Most tags that patterns give.
const TAGS: usize = 16;

/// Puts the patterns of a rule's front matter into its context and tags; a rule for every request gets the tag `always`.
pub(super) fn take(fields: &mut Fields) {
    let mut patterns = Vec::new();
    let mut line = 1;
    while let Some(node) = fields.take(PATTERNS) {
        line = node.line;
        patterns_of(node, &mut patterns);
    }
    let patterns = distinct(patterns);
    let mut tags = distinct(patterns.iter().flat_map(|pattern| extensions(pattern)));
    tags.truncate(TAGS);
    if is_always(fields) {
        tags.push("always".to_owned());
    }
    fields.drop(PATTERNS);
    if !patterns.is_empty() {
        let mut context = format!("applies to {}", patterns.join(", "));
        if let Ok(Some(said)) = fields.text(CONTEXT) {
            context = format!("{said}\n\n{context}");
        }
        fields.set("context", Node::text(line, context));
    }
    for tag in tags {
        fields.push("tags", Node::text(line, tag));
    }
}

/// Cursor's, Windsurf's and Kiro's ways of saying that a rule always counts.
fn is_always(fields: &mut Fields) -> bool {
    let is_applied = fields.flag(&["always_apply"]).ok().flatten() == Some(true);
    fields.drop(&["always_apply"]);
    let mut is_triggered = false;
    for (name, word) in [("trigger", "always_on"), ("inclusion", "always")] {
        let Some(node) = fields.take(&[name]) else {
            continue;
        };
        match &node.value {
            Value::Text(said) | Value::Plain(said) if said.trim() == word => is_triggered = true,
            // Windsurf's other triggers say what its patterns and description say.
            Value::Text(said) | Value::Plain(said)
                if matches!(
                    said.trim(),
                    "glob" | "manual" | "model_decision" | "fileMatch" | "auto"
                ) => {}
            _ => fields.push(name, node),
        }
    }
    is_applied || is_triggered
}

fn patterns_of(node: Node, found: &mut Vec<String>) {
    match node.value {
        Value::List(items) => {
            for item in items {
                patterns_of(item, found);
            }
        }
        Value::Text(text) | Value::Plain(text) => {
            let text = text.trim();
            let inner = text
                .strip_prefix('[')
                .and_then(|rest| rest.strip_suffix(']'))
                .filter(|inner| inner.contains(['"', '\'', ',']));
            found.extend(split(inner.unwrap_or(text)));
        }
        Value::Map(_) => {}
    }
}

/// Patterns between commas; a comma within braces is a part of one.
fn split(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0_usize;
    for c in text.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' | '\n' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    parts
        .iter()
        .map(|part| part.trim().trim_matches(['"', '\'']).trim().to_owned())
        .filter(|part| !part.is_empty())
        .collect()
}

/// `ts` and `tsx` of `src/**/*.{ts,tsx}`.
fn extensions(pattern: &str) -> Vec<String> {
    let name = pattern.rsplit('/').next().unwrap_or(pattern);
    let Some((_, extension)) = name.rsplit_once('.') else {
        return Vec::new();
    };
    extension
        .trim_start_matches('{')
        .trim_end_matches('}')
        .split(',')
        .map(|word| word.trim().to_ascii_lowercase())
        .filter(|word| {
            (1..=12).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_alphanumeric())
        })
        .collect()
}
