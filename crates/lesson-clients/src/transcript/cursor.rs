//! Cursor's lines: `{"role","message":{"content":[…]}}`, without times, and `{"type":"turn_ended"}` between them. Parts are
//! those of Claude's interface; calls need not have an id. Not documented.

use super::line::{text, texts};
use super::reading::Reading;
use serde_json::Value;

/// Takes a line; false when its shape is another's.
pub(super) fn take(entry: &Value, reading: &mut Reading) -> bool {
    let role = text(entry, "role");
    let content = entry
        .get("message")
        .and_then(|message| message.get("content"));
    let (false, Some(content)) = (role.is_empty(), content) else {
        return false;
    };
    if role == "assistant" {
        for said in texts(content, &["text"]) {
            reading.say(said, false);
        }
    }
    for part in content.as_array().into_iter().flatten() {
        match text(part, "type") {
            "tool_use" if role == "assistant" => {
                reading.call(text(part, "name"), text(part, "id"));
                reading.prompts(part.get("input").unwrap_or(&Value::Null));
            }
            "tool_result" => {
                let content = part.get("content").unwrap_or(&Value::Null);
                reading.answer(text(part, "tool_use_id"), content);
            }
            _ => {}
        }
    }
    content.is_string() || content.is_array()
}
