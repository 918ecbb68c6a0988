//! The graph of the reference server for memory (`@modelcontextprotocol/server-memory`): an entity with what was observed of it is
//! a lesson; relations stand in it as text.

use super::fields::Fields;
use super::node::Node;
use super::record::{self, Place};
use super::record_texts::{bullets, text, texts};
use super::sink::Sink;
use lesson_core::Millis;
use std::collections::BTreeMap;

/// Names that are told of those left out.
const TOLD: usize = 10;

/// Reads entities and relations.
pub(super) fn take(records: Vec<Node>, now: Millis, sink: &mut Sink<'_>) {
    let mut relations: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for record in &records {
        if let (Some(from), Some(to)) = (text(record, "from"), text(record, "to")) {
            let how = text(record, "relationType").unwrap_or("relates to");
            relations
                .entry(from)
                .or_default()
                .push(format!("{how} {to}"));
        }
    }
    let mut silent = Vec::new();
    let mut is_any = false;
    for record in &records {
        let Some(name) = text(record, "name") else {
            continue;
        };
        let observed = texts(record, "observations");
        if observed.is_empty() {
            silent.push(name);
            continue;
        }
        is_any = true;
        let line = record.line;
        let mut said = bullets(&observed);
        if let Some(related) = relations.get(name) {
            said.push_str(&format!("\n\nRelations of {name}:\n"));
            said.push_str(
                &related
                    .iter()
                    .map(|related| format!("- {related}"))
                    .collect::<Vec<_>>()
                    .join("\n"),
            );
        }
        let mut fields = Fields::lenient(vec![
            ("title".to_owned(), Node::text(line, name)),
            ("recommendation".to_owned(), Node::text(line, said)),
        ]);
        if let Some(kind) = text(record, "entityType") {
            fields.push("tags", Node::text(line, kind.replace(',', " ")));
        }
        let kind = text(record, "entityType");
        let place = Place {
            slug: Some(name),
            apart: kind,
            ..Place::at(line, "server-memory", now)
        };
        record::take(fields, &place, sink);
    }
    if !is_any {
        let message = "an export of server-memory without observations holds no statement; add observations to its entities, or write what was learnt as markdown";
        return sink.reject(None, "not_a_lesson", message);
    }
    if !silent.is_empty() {
        let more = if silent.len() > TOLD { ", …" } else { "" };
        let names = silent
            .iter()
            .take(TOLD)
            .copied()
            .collect::<Vec<_>>()
            .join(", ");
        let message = format!(
            "{} entities without observations were left out: {names}{more}",
            silent.len()
        );
        sink.warn(None, "empty", message);
    }
}
