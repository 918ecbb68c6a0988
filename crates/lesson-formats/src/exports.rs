//! Exports of other memories, as JSON or as JSON lines, whatever the file is called: told by the shape of their records.

use super::node::{Node, Value};
use super::record_texts::text;
use super::sink::Sink;
use super::{basic_memory, beads, claude_mem, json_tree, mem0, server_memory};
use lesson_core::Millis;

/// A memory that others use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Export {
    ServerMemory,
    Mem0,
    BasicMemory,
    Beads,
    ClaudeMem,
}

impl Export {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::ServerMemory => "server-memory",
            Self::Mem0 => "mem0",
            Self::BasicMemory => "basic-memory",
            Self::Beads => "beads",
            Self::ClaudeMem => "claude-mem",
        }
    }
}

/// Finds the program that wrote a JSON value, if it is known.
pub(super) fn of_root(root: &Node) -> Option<Export> {
    match &root.value {
        Value::List(records) => records
            .iter()
            .find(|record| is_map(record))
            .and_then(of_record),
        Value::Map(_) if list(root, "entities").is_some() && root.get("lessons").is_none() => {
            Some(Export::ServerMemory)
        }
        Value::Map(_)
            if list(root, "observations").is_some()
                && ["sessions", "summaries", "prompts", "exportedAt"]
                    .iter()
                    .any(|name| root.get(name).is_some()) =>
        {
            Some(Export::ClaudeMem)
        }
        Value::Map(_) => ["results", "memories", "issues", "observations", "data"]
            .iter()
            .filter_map(|name| list(root, name))
            .find_map(|records| {
                records
                    .iter()
                    .find(|record| is_map(record))
                    .and_then(of_record)
            })
            .or_else(|| of_record(root)),
        _ => None,
    }
}

/// Finds the program that wrote a file of JSON lines, by its first line.
pub(super) fn of_lines(content: &str) -> Option<Export> {
    let first = content.lines().find(|line| !line.trim().is_empty())?;
    of_record(&json_tree::read(first, 1).ok()?)
}

/// Reads a JSON value.
pub(super) fn take(export: Export, root: Node, now: Millis, sink: &mut Sink<'_>) {
    let records = match root.value {
        Value::List(records) => records,
        Value::Map(_) if of_record(&root).is_some() => vec![root],
        Value::Map(entries) => entries
            .into_iter()
            .flat_map(|(name, node)| named(&name, node))
            .collect(),
        _ => Vec::new(),
    };
    all(export, records, now, sink);
}

/// Reads a file of JSON lines.
pub(super) fn lines(export: Export, content: &str, now: Millis, sink: &mut Sink<'_>) {
    let mut records = Vec::new();
    for (number, line) in (1_u32..).zip(content.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        match json_tree::read(line, number) {
            Ok(record) => records.push(record),
            Err(fault) => sink.reject(
                Some(fault.line),
                fault.code,
                format!("not valid JSON: {}", fault.message),
            ),
        }
    }
    all(export, records, now, sink);
}

fn all(export: Export, records: Vec<Node>, now: Millis, sink: &mut Sink<'_>) {
    sink.format = export.name();
    match export {
        Export::ServerMemory => server_memory::take(records, now, sink),
        Export::Mem0 => mem0::take(records, now, sink),
        Export::BasicMemory => basic_memory::take(records, now, sink),
        Export::Beads => beads::take(&records, now, sink),
        Export::ClaudeMem => claude_mem::take(records, now, sink),
    }
}

/// The records of a list, which say what they are where only the list's name does.
fn named(name: &str, node: Node) -> Vec<Node> {
    let Value::List(mut records) = node.value else {
        return Vec::new();
    };
    let kind = match name {
        "entities" => "entity",
        "relations" => "relation",
        "summaries" => "summary",
        "prompts" | "sessions" => "other",
        _ => return records,
    };
    for record in &mut records {
        let line = record.line;
        if let Value::Map(entries) = &mut record.value {
            entries.push(("_list".to_owned(), Node::text(line, kind)));
        }
    }
    records
}

fn is_map(node: &Node) -> bool {
    matches!(node.value, Value::Map(_))
}

fn list<'a>(root: &'a Node, name: &str) -> Option<&'a [Node]> {
    match root.get(name) {
        Some(Node {
            value: Value::List(records),
            ..
        }) => Some(records),
        _ => None,
    }
}

/// Finds the program that wrote a record.
fn of_record(record: &Node) -> Option<Export> {
    let has = |names: &[&str]| {
        names
            .iter()
            .any(|name| record.get(name).is_some_and(|node| !node.is_null()))
    };
    let is = |name: &str, word: &str| text(record, name) == Some(word);
    if (is("type", "entity") && has(&["entityType", "observations"]))
        || (is("type", "relation") && has(&["relationType"]))
    {
        return Some(Export::ServerMemory);
    }
    if is("_type", "issue") || is("_type", "memory") || has(&["issue_type"]) && has(&["title"]) {
        return Some(Export::Beads);
    }
    if is_text(record, "memory")
        && has(&[
            "id",
            "hash",
            "user_id",
            "created_at",
            "categories",
            "metadata",
        ])
    {
        return Some(Export::Mem0);
    }
    if has(&["permalink"]) && has(&["title", "content", "file_path"]) {
        return Some(Export::BasicMemory);
    }
    let is_observed = has(&["narrative", "facts"]) && has(&["title"]);
    (is_observed && has(&["concepts", "memory_session_id", "sdk_session_id", "project"]))
        .then_some(Export::ClaudeMem)
}

fn is_text(record: &Node, name: &str) -> bool {
    matches!(
        record.get(name),
        Some(Node {
            value: Value::Text(_),
            ..
        })
    )
}
