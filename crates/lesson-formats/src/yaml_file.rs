//! A whole file of YAML: a playbook, or records such as JSON has.

use super::node::{Node, Value};
use super::sink::Sink;
use super::{ace, cass, json, yaml};
use lesson_core::Millis;

/// More values than this in one file are refused.
const VALUES: usize = 1_000_000;
/// Fields by which a record states something.
const STATED: &[&str] = &[
    "recommendation",
    "lesson",
    "content",
    "advice",
    "solution",
    "insight",
    "action",
    "body",
    "text",
    "trigger",
];

/// True if a text is several YAML documents that are records each, without text between them.
pub(super) fn is_documents(content: &str) -> bool {
    documents(content).is_some()
}

fn documents(content: &str) -> Option<Vec<Node>> {
    let mut found = Vec::new();
    let (mut at, mut start, mut first_line) = (0, 0, 1_u32);
    let mut ends = Vec::new();
    for (number, line) in (1_u32..).zip(content.split_inclusive('\n')) {
        let begin = at;
        at += line.len();
        if line.trim_end() == "---" {
            ends.push((start, begin, first_line));
            (start, first_line) = (at, number.saturating_add(1));
        }
    }
    ends.push((start, content.len(), first_line));
    for (start, end, line) in ends {
        match yaml::read(&content[start..end], line, VALUES).ok()? {
            Some(node) if is_stated(&node) => found.push(node),
            Some(_) => return None,
            None => {}
        }
    }
    (found.len() > 1).then_some(found)
}

/// Reads one file.
pub(super) fn read(content: &str, now: Millis, sink: &mut Sink<'_>) {
    if let Some(records) = documents(content) {
        for record in records {
            json::take(record, now, sink);
        }
        return;
    }
    let root = match yaml::read(content, 1, VALUES) {
        Ok(Some(root)) => root,
        Ok(None) => return sink.reject(None, "not_a_lesson", NONE),
        Err(fault) => {
            let message = format!("{}; nothing of this file was taken", fault.message);
            return sink.reject(Some(fault.line), fault.code, message);
        }
    };
    if cass::is_playbook(&root) {
        return cass::take(root, now, sink);
    }
    if matches!(
        root.get("bullets"),
        Some(Node {
            value: Value::List(_) | Value::Map(_),
            ..
        })
    ) {
        return ace::records(root, now, sink);
    }
    let is_lessons = match &root.value {
        Value::List(records) => records.iter().any(is_stated),
        Value::Map(_) => {
            is_stated(&root)
                || matches!(
                    root.get("lessons"),
                    Some(Node {
                        value: Value::List(_),
                        ..
                    })
                )
        }
        _ => false,
    };
    if is_lessons {
        return json::records(root, now, sink);
    }
    sink.reject(None, "not_a_lesson", NONE);
}

fn is_stated(node: &Node) -> bool {
    let has = |name: &&str| -> bool {
        node.get(name)
            .is_some_and(|said| matches!(&said.value, Value::Text(_) | Value::Plain(_)))
    };
    STATED.iter().any(has)
        && ["title", "name", "id", "slug", "description"]
            .iter()
            .any(has)
}

const NONE: &str = "this YAML holds no lesson that is known here: neither a playbook with `bullets`, nor records with a `title` and a `recommendation`, nor front matter between `---`";
