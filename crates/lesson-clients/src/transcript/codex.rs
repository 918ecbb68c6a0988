//! Codex CLI's lines: `{"timestamp","type","payload"}` with `session_meta`, `turn_context`, `response_item`, `event_msg` and
//! `compacted`. What the agent said stands in `event_msg` in one of two dialects: `agent_message`, and `item_completed` with an
//! `AgentMessage`. The same text in `response_item` is what went over the wire; it is left out. From `codex-rs/protocol`.

use super::line::{text, texts};
use super::reading::Reading;
use super::sign;
use serde_json::Value;

/// Takes a line; false when its shape is another's.
pub(super) fn take(entry: &Value, reading: &mut Reading) -> bool {
    let Some(payload @ Value::Object(_)) = entry.get("payload") else {
        return false;
    };
    match text(entry, "type") {
        "session_meta" => began(payload, reading),
        "turn_context" => reading.about(None, payload.get("cwd")),
        "event_msg" => event(payload, reading),
        "response_item" => item_sent(payload, reading),
        "compacted" => {}
        _ => return false,
    }
    true
}

/// Where the session began: `source` is `cli`, `vscode`, `exec`, or an object for a subagent.
fn began(payload: &Value, reading: &mut Reading) {
    reading.about(payload.get("id"), payload.get("cwd"));
    match payload.get("source") {
        Some(Value::String(source)) => reading.read.headless |= source == "exec",
        Some(Value::Object(source)) => {
            reading.read.subagent |= source.keys().any(|name| name.starts_with("sub"));
        }
        _ => {}
    }
}

fn event(payload: &Value, reading: &mut Reading) {
    let subagent = reading.read.subagent;
    match text(payload, "type") {
        "agent_message" => reading.say(text(payload, "message"), subagent),
        "exec_command_end" if !subagent => {
            let command = payload.get("command").and_then(sign::command);
            let code = payload.get("exit_code").and_then(Value::as_i64);
            if let (Some((kind, command)), Some(code)) = (command, code) {
                reading.sign(kind, command, code);
            }
        }
        "mcp_tool_call_end" => {
            let result = payload.get("result").unwrap_or(&Value::Null);
            let invocation = payload.get("invocation").unwrap_or(&Value::Null);
            reading.called(text(invocation, "tool"), result);
        }
        "item_completed" => {
            let item = payload.get("item").unwrap_or(&Value::Null);
            match text(item, "type") {
                "AgentMessage" => {
                    let content = item.get("content").unwrap_or(&Value::Null);
                    for said in texts(content, &["Text", "text", "output_text"]) {
                        reading.say(said, subagent);
                    }
                }
                "McpToolCall" => {
                    let result = item.get("result").unwrap_or(&Value::Null);
                    reading.called(text(item, "tool"), result);
                }
                _ => {}
            }
        }
        _ => {}
    }
}

fn item_sent(payload: &Value, reading: &mut Reading) {
    match text(payload, "type") {
        // Hooks speak as the developer; tools and people do not.
        "message" if text(payload, "role") == "developer" => {
            reading.injected(payload.get("content").unwrap_or(&Value::Null));
        }
        "function_call" => {
            let (name, id) = (text(payload, "name"), text(payload, "call_id"));
            reading.call(name, id);
            if !reading.read.subagent {
                let arguments = payload.get("arguments").unwrap_or(&Value::Null);
                reading.runs(name, id, arguments);
            }
        }
        "function_call_output" => {
            let output = payload.get("output").unwrap_or(&Value::Null);
            let id = text(payload, "call_id");
            reading.answer(id, output);
            let said = texts(output, &["text", "input_text", "output_text"]).concat();
            reading.ran(id, sign::exit_code(&said));
        }
        _ => {}
    }
}
