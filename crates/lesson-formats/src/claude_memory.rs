//! Claude Code's own memory: a folder of notes with an index, `MEMORY.md`, that is no lesson.

use super::fields::Fields;
use super::file_name::{file_name, folder, stem};
use super::front_matter::next_block;
use super::markdown::{Document, Titles, document, finish};
use super::node::{Node, Value};
use super::plain_yaml;
use super::record::{self, Place};
use super::sink::Sink;
use lesson_core::Millis;

/// The kinds of a memory.
const TYPES: &[&str] = &["feedback", "project", "reference", "user"];

/// True if a file is such a memory, by its folder, its name or its front matter.
pub(super) fn is_memory(path: &str, content: &str) -> bool {
    let name = file_name(path);
    if !name.to_ascii_lowercase().ends_with(".md") {
        return false;
    }
    name == "MEMORY.md"
        || folder(path).is_some_and(|folder| folder == "memory")
        || next_block(&content.replace('\r', ""), false).is_some_and(|block| {
            block.text.lines().any(|line| {
                plain_yaml::key(line.trim_start()).is_some_and(|(key, value)| {
                    (key == "type" && TYPES.contains(&value))
                        || (key == "node_type" && value == "memory")
                })
            })
        })
}

/// True if a text is an index: most of its lines point to files.
fn is_index(content: &str) -> bool {
    let said = content
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let (mut links, mut others) = (0, 0);
    for line in said {
        let is_link =
            line.trim_start_matches(['-', '*', ' ']).starts_with('[') && line.contains("](");
        if is_link || (line.contains(".md") && line.starts_with('-')) {
            links += 1;
        } else {
            others += 1;
        }
    }
    links > 0 && links >= others
}

/// Reads one memory.
pub(super) fn read(content: &str, now: Millis, sink: &mut Sink<'_>) {
    let path = sink.path;
    if file_name(path) == "MEMORY.md" && is_index(content) {
        let message = "MEMORY.md is the index of a memory, no lesson, and was left out; the files that it names are lessons";
        return sink.warn(None, "not_a_lesson", message);
    }
    let Document {
        mut fields,
        title,
        body,
        line,
    } = document(content, 1, Titles::Any, sink);
    kind(&mut fields);
    finish(&mut fields, title, &body, line);
    let place = Place {
        slug: Some(stem(path)),
        ..Place::at(1, "claude-memory", now)
    };
    record::take(fields, &place, sink);
}

/// `type: feedback` as a tag; newer files have it in `metadata`.
fn kind(fields: &mut Fields) {
    if let Some(node) = fields.take(&["metadata"]) {
        let line = node.line;
        if let Value::Map(entries) = node.value {
            let mut rest = Vec::new();
            for (name, node) in entries {
                match name.as_str() {
                    "node_type" => {}
                    "type" => fields.push("type", node),
                    _ => rest.push((name, node)),
                }
            }
            if !rest.is_empty() {
                let value = Value::Map(rest);
                fields.push("metadata", Node { line, value });
            }
        } else {
            fields.push("metadata", Node { line, ..node });
        }
    }
    if let Some(kind) = fields.peek("type").filter(|kind| TYPES.contains(kind)) {
        let tag = Node::text(1, kind);
        fields.drop(&["type"]);
        fields.push("tags", tag);
    }
}
