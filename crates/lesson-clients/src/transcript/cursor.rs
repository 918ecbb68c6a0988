//! Cursor's lines: `{"role","message":{"content":[…]}}`, without times.

use super::line::Reading;
use serde_json::Value;

/// Takes a line; false when its shape is another's.
pub(super) fn take(entry: &Value, reading: &mut Reading) -> bool {
    let Some(role) = entry.get("role").and_then(Value::as_str) else {
        return false;
    };
    let content = entry
        .get("message")
        .and_then(|message| message.get("content"));
    match content {
        Some(Value::String(text)) if role == "assistant" => reading.say(text),
        Some(Value::Array(parts)) if role == "assistant" => {
            for part in parts {
                if part.get("type").and_then(Value::as_str) == Some("text")
                    && let Some(text) = part.get("text").and_then(Value::as_str)
                {
                    reading.say(text);
                }
            }
        }
        Some(_) => {}
        None => return false,
    }
    true
}
