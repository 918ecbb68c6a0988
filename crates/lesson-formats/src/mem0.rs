//! Memories that were taken out of mem0: a statement each.

use super::fields::Fields;
use super::node::{Node, Value};
use super::record::{self, Place, sentence};
use super::record_texts::{text, texts};
use super::sink::Sink;
use lesson_core::Millis;

/// Reads all memories.
pub(super) fn take(records: Vec<Node>, now: Millis, sink: &mut Sink<'_>) {
    for record in records {
        let line = record.line;
        let Some(memory) = text(&record, "memory").map(str::to_owned) else {
            sink.reject(
                Some(line),
                "empty",
                "a memory of mem0 has no text in `memory`; fill or remove it",
            );
            continue;
        };
        let id = text(&record, "id").unwrap_or_default();
        let apart: String = id
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .take(8)
            .collect();
        let mut tags = texts(&record, "categories");
        if let Some(metadata) = record.get("metadata") {
            tags.extend(
                ["category", "type", "topic"]
                    .iter()
                    .filter_map(|name| Some(text(metadata, name)?.to_owned())),
            );
        }
        let title = sentence(&memory);
        let Value::Map(entries) = record.value else {
            continue;
        };
        let mut fields = Fields::lenient(entries);
        fields.drop(&["memory", "categories"]);
        fields.set("title", Node::text(line, title.clone()));
        fields.set("recommendation", Node::text(line, memory));
        for tag in tags {
            fields.push("tags", Node::text(line, tag));
        }
        let place = Place {
            slug: Some(&title),
            apart: Some(&apart),
            ..Place::at(line, "mem0", now)
        };
        record::take(fields, &place, sink);
    }
}
