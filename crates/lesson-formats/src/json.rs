//! JSON records of the source systems: one lesson, an array, or `{"lessons": […]}`; records of tools
//! that worked in the same places.

use super::fields::Fields;
use super::node::{Node, Value};
use super::record::{self, Place};
use super::sink::Sink;
use super::{cass, exports, json_tree, tool_records};
use lesson_core::Millis;

/// Reads all records of a file.
pub(super) fn read(content: &str, now: Millis, sink: &mut Sink<'_>) {
    let root = match json_tree::read(content, 1) {
        Ok(root) => root,
        Err(fault) => {
            return sink.reject(
                Some(fault.line),
                fault.code,
                format!(
                    "not valid JSON: {}; nothing of this file was taken",
                    fault.message
                ),
            );
        }
    };
    if let Some(export) = exports::of_root(&root) {
        return exports::take(export, root, now, sink);
    }
    if cass::is_playbook(&root) {
        return cass::take(root, now, sink);
    }
    if is_settings(&root) {
        return sink.reject(
            None,
            "not_a_lesson",
            "the file holds a program's settings, not lessons; remove it from the import",
        );
    }
    records(root, now, sink);
}

/// True if an object is the settings of a package or a program, which have a name and a description, too.
fn is_settings(root: &Node) -> bool {
    let is_said = ["lessons", "title", "bullets", "slug", "reference_name"]
        .iter()
        .chain(record::CONTEXT)
        .chain(record::RECOMMENDATION)
        .any(|name| root.get(name).is_some());
    let is_set = [
        "$schema",
        "dependencies",
        "devDependencies",
        "compilerOptions",
        "scripts",
        "mcpServers",
        "lockfileVersion",
        "engines",
        "plugins",
        "version",
        "author",
        "license",
        "permissions",
        "hooks",
        "env",
        "properties",
        "definitions",
        "$id",
        "$defs",
    ]
    .iter()
    .any(|name| root.get(name).is_some());
    is_set && !is_said
}

/// Reads the records of a tree.
pub(super) fn records(root: Node, now: Millis, sink: &mut Sink<'_>) {
    let records = match root.value {
        Value::List(records) => records,
        Value::Map(ref entries)
            if entries
                .iter()
                .any(|(name, node)| name == "lessons" && matches!(node.value, Value::List(_))) =>
        {
            unwrap(root, sink)
        }
        Value::Map(_) => vec![root],
        _ => {
            return sink.reject(
                Some(root.line),
                "json",
                format!("the file holds {}, but lessons are objects: one, `[…]` or {{\"lessons\": […]}}", root.kind()),
            );
        }
    };
    if records.is_empty() {
        sink.warn(None, "empty", "the file holds no lesson");
    }
    let objects = records
        .iter()
        .any(|node| matches!(node.value, Value::Map(_)));
    if !objects && let Some(first) = records.first() {
        let message = format!("a lesson is an object, but the list holds {}", first.kind());
        return sink.reject(Some(first.line), "json", message);
    }
    for node in records {
        take(node, now, sink);
    }
}

/// The records of `{"lessons": […]}`; other fields are listed.
fn unwrap(root: Node, sink: &mut Sink<'_>) -> Vec<Node> {
    let line = root.line;
    let mut fields = Fields::of(root);
    let records = match fields.take(&["lessons"]).map(|node| node.value) {
        Some(Value::List(records)) => records,
        _ => Vec::new(),
    };
    let left = fields.left();
    if !left.is_empty() {
        let message = format!(
            "besides `lessons`, these were left out: {}",
            left.join(", ")
        );
        sink.warn(Some(line), "unknown_field", message);
    }
    records
}

/// One record.
pub(super) fn take(node: Node, now: Millis, sink: &mut Sink<'_>) {
    let line = node.line;
    if tool_records::is_record(&node) {
        return tool_records::take(node, now, sink);
    }
    if !matches!(node.value, Value::Map(_)) {
        let message = format!("a lesson is an object, but here is {}", node.kind());
        return sink.reject(Some(line), "json", message);
    }
    let place = Place::at(line, "json", now);
    record::take(Fields::of(node), &place, sink);
}
