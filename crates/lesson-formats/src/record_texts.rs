//! Texts of records that other programs wrote.

use super::json_tree;
use super::node::{Node, Value};

/// A text of a record.
pub(super) fn text<'a>(record: &'a Node, name: &str) -> Option<&'a str> {
    match record.get(name) {
        Some(Node {
            value: Value::Text(text),
            ..
        }) => Some(text.trim()).filter(|text| !text.is_empty()),
        _ => None,
    }
}

/// The texts of a list, which some write as JSON within a string.
pub(super) fn texts(record: &Node, name: &str) -> Vec<String> {
    let of = |items: &[Node]| {
        items
            .iter()
            .filter_map(|item| match &item.value {
                Value::Text(text) | Value::Plain(text) => Some(text.trim().to_owned()),
                // Newer exports of server-memory may keep each with its time.
                Value::Map(_) => ["content", "text", "observation"]
                    .iter()
                    .find_map(|name| Some(text(item, name)?.to_owned())),
                Value::List(_) => None,
            })
            .filter(|text| !text.is_empty())
            .collect()
    };
    match record.get(name).map(|node| (&node.value, node.line)) {
        Some((Value::List(items), _)) => of(items),
        Some((Value::Text(text), line)) if text.trim_start().starts_with('[') => {
            match json_tree::read(text, line) {
                Ok(Node {
                    value: Value::List(items),
                    ..
                }) => of(&items),
                _ => vec![text.clone()],
            }
        }
        Some((Value::Text(text), _)) if !text.trim().is_empty() => vec![text.trim().to_owned()],
        _ => Vec::new(),
    }
}

/// Statements one below the other.
pub(super) fn bullets(texts: &[String]) -> String {
    match texts {
        [one] => one.clone(),
        many => many
            .iter()
            .map(|text| format!("- {text}"))
            .collect::<Vec<_>>()
            .join("\n"),
    }
}
