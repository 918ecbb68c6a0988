//! Fields that lessons lack, kept as one JSON object and written out again as front matter.

use super::json_tree;
use super::node::{Node, Value};
use super::quoted::quote;
use lesson_types::limits::{EXTRA, EXTRA_FIELDS};
use std::collections::BTreeMap;

/// Fields that lessons lack, as they are kept.
pub(super) struct Kept {
    /// A JSON object with the names in order; empty where nothing is kept.
    pub text: String,
    /// Names of what is kept.
    pub names: Vec<String>,
    /// Names of what had no room.
    pub beyond: Vec<String>,
}

/// Keeps fields, as many as have room. A name that comes again with another value gets a number behind it.
pub(super) fn keep(fields: Vec<(String, Node)>) -> Kept {
    let mut kept: BTreeMap<String, String> = BTreeMap::new();
    let mut beyond = Vec::new();
    let mut size = "{}".len();
    for (name, node) in fields {
        let mut value = String::new();
        json(&mut value, &node.value);
        if kept.get(&name) == Some(&value) {
            continue;
        }
        let name = match kept.contains_key(&name) {
            false => name,
            // More names than there are fields, so one is free.
            true => (2..=EXTRA_FIELDS + 2)
                .map(|n| format!("{name} {n}"))
                .find(|name| !kept.contains_key(name))
                .unwrap_or(name),
        };
        let more = text(&name).chars().count() + value.chars().count() + ":,".len();
        if size + more > EXTRA || kept.len() >= EXTRA_FIELDS {
            beyond.push(name);
            continue;
        }
        size += more;
        kept.insert(name, value);
    }
    let pairs: Vec<String> = kept
        .iter()
        .map(|(name, value)| format!("{}:{value}", text(name)))
        .collect();
    Kept {
        text: match pairs.is_empty() {
            true => String::new(),
            false => format!("{{{}}}", pairs.join(",")),
        },
        names: kept.into_keys().collect(),
        beyond,
    }
}

/// The fields of a JSON object that was kept; none where it is no object.
pub(super) fn entries(extra: &str) -> Vec<(String, Node)> {
    match json_tree::read(extra, 1).map(|node| node.value) {
        Ok(Value::Map(entries)) => entries,
        _ => Vec::new(),
    }
}

fn json(out: &mut String, value: &Value) {
    match value {
        Value::Plain(word) if is_literal(word) => out.push_str(word),
        Value::Plain(word) if matches!(word.as_str(), "" | "~" | "Null" | "NULL") => {
            out.push_str("null");
        }
        Value::Plain(word) | Value::Text(word) => out.push_str(&text(word)),
        Value::List(nodes) => {
            out.push('[');
            for (place, node) in nodes.iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                json(out, &node.value);
            }
            out.push(']');
        }
        Value::Map(entries) => {
            out.push('{');
            for (place, (name, node)) in entries.iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                out.push_str(&text(name));
                out.push(':');
                json(out, &node.value);
            }
            out.push('}');
        }
    }
}

/// True if a bare word of YAML is one of JSON.
fn is_literal(word: &str) -> bool {
    matches!(word, "null" | "true" | "false")
        || serde_json::from_str::<serde_json::Number>(word).is_ok()
}

fn text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Writes a field as lines of YAML, `indent` blanks before its name.
pub(super) fn yaml(out: &mut String, indent: usize, name: &str, node: &Node) {
    out.extend(std::iter::repeat_n(' ', indent));
    scalar(out, name);
    out.push(':');
    match &node.value {
        Value::Map(entries) if !entries.is_empty() => {
            out.push('\n');
            for (name, node) in entries {
                yaml(out, indent + 2, name, node);
            }
        }
        Value::List(nodes) if !nodes.is_empty() => {
            out.push('\n');
            for node in nodes {
                out.extend(std::iter::repeat_n(' ', indent + 2));
                out.push('-');
                inline(out, node);
            }
        }
        _ => inline(out, node),
    }
}

/// Writes a value in the rest of a line; JSON is YAML, too.
fn inline(out: &mut String, node: &Node) {
    out.push(' ');
    match &node.value {
        Value::Text(text) => scalar(out, text),
        other => json(out, other),
    }
    out.push('\n');
}

/// Writes a text without quotes where every reader takes it for the same text.
fn scalar(out: &mut String, text: &str) {
    match is_plain(text) {
        true => out.push_str(text),
        false => quote(out, text),
    }
}

fn is_plain(text: &str) -> bool {
    const MOST: usize = 200;
    const WORDS: [&str; 8] = ["null", "true", "false", "yes", "no", "on", "off", "nan"];
    let is_number = text.parse::<f64>().is_ok()
        || text.starts_with(|c: char| c.is_ascii_digit())
            && text
                .chars()
                .all(|c| c.is_ascii_hexdigit() || matches!(c, '_' | ':' | 'x' | 'o'));
    let is_url = |at: usize| text[at..].starts_with("://");
    text.len() <= MOST
        && text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '/')
        && !text.ends_with(' ')
        && !is_number
        && !WORDS.contains(&text.to_ascii_lowercase().as_str())
        && text.char_indices().all(|(at, c)| {
            c.is_ascii_alphanumeric() || "_-./()+@ ".contains(c) || (c == ':' && is_url(at))
        })
}
