//! OpenCode's messages, as its plugin gets them from the client's interface: `{"info":{"id","role","sessionID",…},"parts":[…]}`.
//! Seen in 1.18.33: parts `text`, and `tool` with `state.status`, `.input`, `.output` and, of a shell, `.metadata.exit`.

use super::line::text;
use super::reading::Reading;
use super::sign;
use serde_json::Value;

/// Takes a message; false when its shape is another's.
pub(super) fn take(entry: &Value, reading: &mut Reading) -> bool {
    let (Some(info @ Value::Object(_)), Some(parts)) = (entry.get("info"), entry.get("parts"))
    else {
        return false;
    };
    let Some(parts) = parts.as_array() else {
        return false;
    };
    // Summaries are the client's.
    if text(info, "role") != "assistant" || info.get("summary") == Some(&Value::Bool(true)) {
        return true;
    }
    reading.about(info.get("sessionID"), info.pointer("/path/cwd"));
    let subagent = reading.read.subagent;
    for part in parts {
        match text(part, "type") {
            "text"
                if part.get("synthetic") != Some(&Value::Bool(true))
                    && reading.is_new(text(part, "id"), text(part, "text")) =>
            {
                reading.say(text(part, "text"), subagent);
            }
            "tool" if reading.is_new(text(part, "callID"), "") => used(part, subagent, reading),
            _ => {}
        }
    }
    true
}

fn used(part: &Value, subagent: bool, reading: &mut Reading) {
    let state = part.get("state").unwrap_or(&Value::Null);
    let output = state.get("output").unwrap_or(&Value::Null);
    let tool = text(part, "tool");
    reading.called(tool, output);
    let input = state.get("input").unwrap_or(&Value::Null);
    reading.prompts(input);
    let code = state.pointer("/metadata/exit").and_then(Value::as_i64);
    if !subagent && let (Some((kind, command)), Some(code)) = (sign::begun(tool, input), code) {
        reading.sign(kind, command, code);
    }
}
