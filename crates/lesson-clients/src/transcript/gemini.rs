//! Gemini CLI's lines: a head `{"sessionId","projectHash",…}`, messages `{"id","timestamp","type":"user"|"gemini"|…,"content"}`,
//! and changes of state `{"$set":…}`, `{"$rewindTo":…}`. From `packages/core/src/services/chatRecordingService.ts`.

use super::line::text;
use super::reading::Reading;
use super::{shown, sign};
use serde_json::Value;

/// Takes a line; false when its shape is another's.
pub(super) fn take(entry: &Value, reading: &mut Reading) -> bool {
    if entry.get("$set").is_some() || entry.get("$rewindTo").is_some() {
        return true;
    }
    if entry.get("projectHash").is_some() {
        reading.about(entry.get("sessionId"), None);
        reading.read.subagent |= text(entry, "kind") == "subagent";
        return true;
    }
    let content = entry.get("content");
    match text(entry, "type") {
        "gemini" => {}
        // What a person said, and what the client told them.
        kind => return !kind.is_empty() && content.is_some(),
    }
    let subagent = reading.read.subagent;
    match content {
        Some(Value::String(said)) => reading.say(said, subagent),
        Some(Value::Array(parts)) => {
            for part in parts {
                reading.say(text(part, "text"), subagent);
            }
        }
        _ => return false,
    }
    let calls = entry.get("toolCalls").and_then(Value::as_array);
    for call in calls.into_iter().flatten() {
        let result = call.get("result").unwrap_or(&Value::Null);
        let name = text(call, "name");
        reading.called(name, result);
        let input = call.get("args").unwrap_or(&Value::Null);
        if !subagent && let Some((kind, command)) = sign::begun(name, input) {
            let code = shown::texts(result)
                .iter()
                .find_map(|said| sign::exit_code(said));
            if let Some(code) = code {
                reading.sign(kind, command, code);
            }
        }
    }
    true
}
