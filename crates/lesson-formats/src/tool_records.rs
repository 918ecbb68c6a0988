//! Records of tools that worked, as `maitre_d_feedback.json` keeps them: a JSON list of
//! `{query, server, timestamp, query_hash}`.

use super::fields::Fields;
use super::node::{Node, Value};
use super::sink::Sink;
use lesson_core::Millis;

/// True if an object is such a record: it names a query and a server, and no title as lessons do.
pub(super) fn is_record(node: &Node) -> bool {
    let has = |name| node.get(name).is_some_and(|value| !value.is_null());
    matches!(node.value, Value::Map(_)) && has("query") && has("server") && !has("title")
}

/// Reads one record. The hash is made anew, so a file's is not needed; a time ahead of `now` is
/// taken as now, as suggestions do.
pub(super) fn take(node: Node, now: Millis, sink: &mut Sink<'_>) {
    let line = node.line;
    let mut fields = Fields::of(node);
    let read = (|| {
        let query = fields.text(&["query"])?.unwrap_or_default();
        let server = fields.text(&["server"])?.unwrap_or_default();
        let at = fields.time(&["timestamp", "at"])?;
        Ok((query, server, at))
    })();
    let (query, server, at) = match read {
        Ok(read) => read,
        Err(error) => {
            let error: super::fields::FieldError = error;
            return sink.reject(Some(error.line), error.code, error.message);
        }
    };
    if query.trim().is_empty() || server.trim().is_empty() {
        return sink.reject(
            Some(line),
            "empty",
            "a tool record needs a query and a server; fill both or remove it",
        );
    }
    fields.drop(&["query_hash"]);
    let left = fields.left();
    if !left.is_empty() {
        let message = format!(
            "fields that tool records don't have were left out: {}",
            left.join(", ")
        );
        sink.warn(Some(line), "unknown_field", message);
    }
    let server = server.trim().to_owned();
    sink.tool(line, query, server, at.unwrap_or(now).min(now));
}
