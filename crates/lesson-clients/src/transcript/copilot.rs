//! Copilot CLI's and VS Code's lines: `{"type":"assistant.message","data":{…},"id","parentId","timestamp"}`. Not documented as
//! a format to rely on; seen in 1.0.102, which tells a command's exit code in `shellExecution`.

use super::line::text;
use super::reading::Reading;
use serde_json::Value;

/// Takes a line; false when its shape is another's.
pub(super) fn take(entry: &Value, reading: &mut Reading) -> bool {
    let Some(data @ Value::Object(_)) = entry.get("data") else {
        return false;
    };
    match text(entry, "type") {
        "session.start" => {
            let context = data.get("context").unwrap_or(data);
            reading.about(data.get("sessionId"), context.get("cwd"));
        }
        "assistant.message" if !reading.is_new(text(entry, "id"), text(data, "content")) => {}
        "assistant.message" => {
            // A subagent's message names the call that began it.
            let by_subagent = !text(data, "parentToolCallId").is_empty();
            reading.say(text(data, "content"), by_subagent);
            let calls = data.get("toolRequests").and_then(Value::as_array);
            for call in calls.into_iter().flatten() {
                let (name, id) = (text(call, "name"), text(call, "toolCallId"));
                let arguments = call.get("arguments").unwrap_or(&Value::Null);
                reading.call(name, id);
                reading.prompts(arguments);
                if !by_subagent {
                    reading.runs(name, id, arguments);
                }
            }
        }
        "tool.execution_complete" => {
            let result = data.get("result").unwrap_or(&Value::Null);
            let id = text(data, "toolCallId");
            reading.answer(id, result);
            let code = data.pointer("/shellExecution/exitCode");
            reading.ran(id, code.and_then(Value::as_i64));
        }
        kind => return kind.contains('.'),
    }
    true
}
