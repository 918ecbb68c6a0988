//! Exports of beads (`bd`): its memories are lessons; its issues are work, and are refused once a file.

use super::fields::Fields;
use super::node::Node;
use super::record::{self, Place, sentence};
use super::record_texts::text;
use super::sink::Sink;
use lesson_core::Millis;

/// Reads the memories among the records.
pub(super) fn take(records: &[Node], now: Millis, sink: &mut Sink<'_>) {
    let mut issues = 0;
    let mut is_any = false;
    for record in records {
        let said = ["value", "content", "text", "memory"]
            .iter()
            .find_map(|name| text(record, name));
        let (true, Some(said)) = (text(record, "_type") == Some("memory"), said) else {
            issues += 1;
            continue;
        };
        is_any = true;
        let line = record.line;
        let mut fields = Fields::lenient(vec![
            ("title".to_owned(), Node::text(line, sentence(said))),
            ("recommendation".to_owned(), Node::text(line, said)),
        ]);
        for name in ["created_at", "updated_at"] {
            if let Some(at) = record.get(name) {
                fields.push(name, at.clone());
            }
        }
        let title = sentence(said);
        let place = Place {
            slug: text(record, "key").or(Some(&title)),
            ..Place::at(line, "beads", now)
        };
        record::take(fields, &place, sink);
    }
    if !is_any {
        let message = format!(
            "{issues} issues of beads are work to do, no lessons; write what was learnt from them as markdown, or import an export with `bd remember`'s memories"
        );
        sink.reject(None, "not_a_lesson", message);
    } else if issues > 0 {
        sink.warn(
            None,
            "not_a_lesson",
            format!("{issues} issues of beads are work to do, no lessons, and were left out"),
        );
    }
}
