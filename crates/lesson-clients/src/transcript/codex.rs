//! Codex CLI's lines: `{"timestamp","type","payload"}`.

use super::line::Reading;
use serde_json::Value;

/// Takes a line; false when its shape is another's.
pub(super) fn take(entry: &Value, reading: &mut Reading) -> bool {
    let (Some(kind), Some(payload)) = (
        entry.get("type").and_then(Value::as_str),
        entry.get("payload"),
    ) else {
        return false;
    };
    let inner = payload.get("type").and_then(Value::as_str);
    match (kind, inner) {
        ("session_meta", _) => {
            reading.about(payload.get("id"), payload.get("cwd"));
            if payload.get("source").and_then(Value::as_str) == Some("exec") {
                reading.read.headless = true;
            }
        }
        ("event_msg", Some("agent_message")) => {
            if let Some(text) = payload.get("message").and_then(Value::as_str) {
                reading.say(text);
            }
        }
        _ => {}
    }
    true
}
