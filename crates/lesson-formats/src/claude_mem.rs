//! Exports of claude-mem: its observations are lessons, and so is what its summaries say was learned.

use super::fields::Fields;
use super::node::Node;
use super::record::{self, Place, sentence};
use super::record_texts::{bullets, text, texts};
use super::sink::Sink;
use lesson_core::Millis;

/// Reads observations and summaries; prompts and sessions are left out.
pub(super) fn take(records: Vec<Node>, now: Millis, sink: &mut Sink<'_>) {
    let mut silent = 0;
    let mut is_any = false;
    for record in &records {
        let Some((title, description, said)) = statement(record) else {
            silent += 1;
            continue;
        };
        is_any = true;
        let line = record.line;
        let mut fields = Fields::lenient(vec![
            ("title".to_owned(), Node::text(line, title.clone())),
            ("description".to_owned(), Node::text(line, description)),
            ("recommendation".to_owned(), Node::text(line, said)),
        ]);
        if text(record, "_list") == Some("summary")
            && let Some(request) = text(record, "request")
        {
            fields.set("context", Node::text(line, request));
        }
        if let Some(at) = record.get("created_at").filter(|at| !at.is_null()) {
            fields.push("created_at", at.clone());
        }
        for tag in texts(record, "concepts")
            .into_iter()
            .chain(text(record, "type").map(str::to_owned))
        {
            fields.push("tags", Node::text(line, tag.replace(',', " ")));
        }
        let id = record.get("id").and_then(|id| match &id.value {
            super::node::Value::Plain(id) | super::node::Value::Text(id) => Some(id.as_str()),
            _ => None,
        });
        let place = Place {
            slug: Some(&title),
            apart: id,
            ..Place::at(line, "claude-mem", now)
        };
        record::take(fields, &place, sink);
    }
    if !is_any {
        let message = "an export of claude-mem without observations holds no statement; export observations, or write what was learnt as markdown";
        sink.reject(None, "not_a_lesson", message);
    } else if silent > 0 {
        sink.warn(
            None,
            "empty",
            format!("{silent} prompts, sessions and records without a statement were left out"),
        );
    }
}

/// Title, description and words of a record that states something.
fn statement(record: &Node) -> Option<(String, String, String)> {
    match text(record, "_list") {
        Some("other") => None,
        Some("summary") => {
            let learned = text(record, "learned")?;
            Some((sentence(learned), String::new(), learned.to_owned()))
        }
        _ => {
            let mut parts: Vec<String> = ["narrative", "text"]
                .iter()
                .filter_map(|name| Some(text(record, name)?.to_owned()))
                .collect();
            let facts = texts(record, "facts");
            if !facts.is_empty() {
                parts.push(bullets(&facts));
            }
            let said = parts.join("\n\n");
            let title = text(record, "title")
                .map(str::to_owned)
                .or_else(|| (!said.is_empty()).then(|| sentence(&said)))?;
            let subtitle = text(record, "subtitle").unwrap_or_default().to_owned();
            (!said.is_empty() || !subtitle.is_empty()).then_some((title, subtitle, said))
        }
    }
}
