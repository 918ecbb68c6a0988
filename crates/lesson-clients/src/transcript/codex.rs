//! Codex CLI's lines: `{"timestamp","type","payload"}` with `session_meta`, `turn_context`, `response_item`, `event_msg` and
//! `compacted`. What the agent said stands in `event_msg` in one of two dialects: `agent_message`, and `item_completed` with an
//! `AgentMessage`. The same text in `response_item` is what went over the wire; it is left out. From `codex-rs/protocol`, and seen
//! in 0.169.
//!
//! 0.169 forks by naming the forerunner (`forked_from_id`); older versions wrote its lines again into the new file, behind a
//! second `session_meta`, with the time of the copy. Threads and turns have ids of UUID version 7, which tell their time.

use super::age;
use super::line::{text, texts};
use super::reading::Reading;
use super::sign;
use serde_json::Value;

/// Lines of a copy are written at once: one that comes so much later is the session's own.
const COPIED_WITHIN_MS: u64 = 2_000;

/// Takes a line; false when its shape is another's.
pub(super) fn take(entry: &Value, reading: &mut Reading) -> bool {
    let Some(payload @ Value::Object(_)) = entry.get("payload") else {
        return false;
    };
    let kind = text(entry, "type");
    if kind == "session_meta" {
        began(payload, text(entry, "timestamp"), reading);
        return true;
    }
    if is_copy(payload, text(entry, "timestamp"), reading) {
        return true;
    }
    match kind {
        "turn_context" => reading.about(None, payload.get("cwd")),
        "event_msg" => event(payload, reading),
        "response_item" => item_sent(payload, reading),
        "compacted" | "world_state" | "token_usage_record" => {}
        _ => return false,
    }
    true
}

/// Where the session began: `source` is `cli`, `vscode`, `exec`, or an object for a subagent.
fn began(payload: &Value, time: &str, reading: &mut Reading) {
    let id = text(payload, "id");
    if let Some(own) = reading.read.session.as_deref()
        && !id.is_empty()
        && own != id
        && reading.read.began.is_some()
    {
        reading.read.copying = true;
        return;
    }
    reading.about(payload.get("id"), payload.get("cwd"));
    if reading.read.began.is_none() {
        reading.read.began = Some(time.to_owned());
    }
    match payload.get("source") {
        Some(Value::String(source)) => reading.read.headless |= source == "exec",
        Some(Value::Object(source)) => {
            reading.read.subagent |= source.keys().any(|name| name.starts_with("sub"));
        }
        _ => {}
    }
}

/// True if a line is a copy of another thread's.
fn is_copy(payload: &Value, time: &str, reading: &mut Reading) -> bool {
    let (Some(own), Some(began)) = (
        reading.read.session.as_deref(),
        reading.read.began.as_deref(),
    ) else {
        return false;
    };
    let thread = text(payload, "thread_id");
    let turn = [
        payload,
        payload
            .get("internal_chat_message_metadata_passthrough")
            .unwrap_or(&Value::Null),
    ]
    .into_iter()
    .map(|of| text(of, "turn_id"))
    .find(|turn| age::stamp(turn).is_some());
    if age::is_before(time, began) {
        return true;
    }
    if age::stamp(thread).is_some() {
        reading.read.copying = thread != own;
    } else if let Some(turn) = turn
        && age::stamp(own).is_some()
    {
        reading.read.copying = age::is_older(turn, own);
    } else if reading.read.copying
        && age::between(began, time).is_some_and(|ms| ms > COPIED_WITHIN_MS)
    {
        reading.read.copying = false;
    }
    reading.read.copying
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
                    let said = texts(content, &["Text", "text", "output_text"]).join("\n\n");
                    if reading.is_new(text(item, "id"), &said) {
                        reading.say(&said, subagent);
                    }
                }
                "CommandExecution" if !subagent => {
                    let command = item.get("command").and_then(sign::command);
                    let code = item.get("exit_code").and_then(Value::as_i64);
                    if let (Some((kind, command)), Some(code)) = (command, code) {
                        reading.sign(kind, command, code);
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
            let arguments = payload.get("arguments").unwrap_or(&Value::Null);
            reading.call(name, id);
            reading.prompts(arguments);
            if !reading.read.subagent {
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
