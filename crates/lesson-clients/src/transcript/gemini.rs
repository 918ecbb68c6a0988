//! Gemini CLI's lines: a head `{"sessionId","projectHash",…}`, messages `{"id","timestamp","type":"user"|"gemini"|…,"content"}`,
//! and changes of state `{"$set":…}`, `{"$rewindTo":…}`. From `packages/core/src/services/chatRecordingService.ts`; seen in 0.61. A
//! message is written again, whole, when its calls were answered. A command that ended with 0 has no line about it.

use super::line::text;
use super::reading::Reading;
use super::{shown, sign};
use serde_json::Value;

/// Takes a line; false when its shape is another's.
pub(super) fn take(entry: &Value, reading: &mut Reading) -> bool {
    if entry.get("$set").is_some() || entry.get("$rewindTo").is_some() {
        return true;
    }
    if let Some(hash) = entry.get("projectHash") {
        if reading.read.project_hash.is_none() {
            reading.read.project_hash = hash.as_str().map(str::to_owned);
        }
        reading.about(entry.get("sessionId"), None);
        reading.read.subagent |= text(entry, "kind") == "subagent";
        return true;
    }
    // Claude Code's sidecars may have a content, and name their session in each line.
    if entry.get("sessionId").is_some() {
        return false;
    }
    let content = entry.get("content");
    match text(entry, "type") {
        "gemini" => {}
        // Words of a person, or of the client to them.
        kind => return !kind.is_empty() && content.is_some(),
    }
    let subagent = reading.read.subagent;
    let said: String = match content {
        Some(Value::String(said)) => said.clone(),
        Some(Value::Array(parts)) => {
            let texts = parts.iter().map(|part| text(part, "text"));
            texts.collect::<Vec<_>>().join("\n\n")
        }
        _ => return false,
    };
    if !said.trim().is_empty() && reading.is_new(text(entry, "id"), &said) {
        reading.say(&said, subagent);
    }
    let calls = entry.get("toolCalls").and_then(Value::as_array);
    for call in calls.into_iter().flatten() {
        let result = call.get("result").unwrap_or(&Value::Null);
        let name = text(call, "name");
        if call.get("result").is_none() || !reading.is_new(text(call, "id"), "") {
            continue;
        }
        reading.called(name, result);
        let input = call.get("args").unwrap_or(&Value::Null);
        reading.prompts(input);
        if !subagent && let Some((kind, command)) = sign::begun(name, input) {
            let code = exit_code(call, result);
            if let Some(code) = code {
                reading.sign(kind, command, code);
            }
        }
    }
    true
}

/// Reads a command's exit code. Lines are added to its output where it failed, was stopped or goes on in the background.
fn exit_code(call: &Value, result: &Value) -> Option<i64> {
    let said = shown::texts(result);
    if let Some(code) = said.iter().find_map(|said| sign::exit_code(said)) {
        return Some(code);
    }
    let is_open = |line: &str| {
        [
            "Signal:",
            "Error:",
            "Background PIDs:",
            "Command was cancelled",
        ]
        .iter()
        .any(|head| line.starts_with(head))
    };
    let whole = text(call, "status") == "success" && !said.is_empty();
    let open = said.iter().any(|said| said.lines().any(is_open));
    (whole && !open).then_some(0)
}
