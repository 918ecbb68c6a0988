//! Claude Code's lines: `{"type":"user"|"assistant","message":{…},"sessionId","cwd","entrypoint","isSidechain",…}`, and
//! sidecars of many types without a message (about a quarter of a file). Observed in 2.1.229 to 2.1.248; not documented.

use super::line::Reading;
use serde_json::Value;

/// What `entrypoint` says of a run that no person sees.
const HEADLESS: &str = "sdk-cli";
/// What a subagent's prompt says its task is.
const TASK: [&str; 2] = ["task", "objective"];

/// Takes a line; false when its shape is another's.
pub(super) fn take(entry: &Value, reading: &mut Reading) -> bool {
    let Some(kind) = entry.get("type").and_then(Value::as_str) else {
        return false;
    };
    reading.about(entry.get("sessionId"), entry.get("cwd"));
    if entry.get("entrypoint").and_then(Value::as_str) == Some(HEADLESS) {
        reading.read.headless = true;
    }
    let sidechain = entry.get("isSidechain").and_then(Value::as_bool) == Some(true);
    match kind {
        "assistant" => said(entry, sidechain, reading),
        "user" => answered(entry, sidechain, reading),
        "attachment" => {
            if let Some(attachment) = entry.get("attachment") {
                hooked(attachment, reading);
            }
            true
        }
        // A sidecar: titles, snapshots of files, queues, progress.
        _ => entry.get("payload").is_none() && entry.get("role").is_none(),
    }
}

fn parts(entry: &Value) -> Option<&Value> {
    entry.get("message")?.get("content")
}

fn text<'a>(part: &'a Value, field: &str) -> &'a str {
    part.get(field).and_then(Value::as_str).unwrap_or_default()
}

fn said(entry: &Value, sidechain: bool, reading: &mut Reading) -> bool {
    reading.read.subagent |= sidechain;
    match parts(entry) {
        Some(Value::String(text)) => reading.say(text),
        Some(Value::Array(parts)) => {
            for part in parts {
                match text(part, "type") {
                    "text" => reading.say(text(part, "text")),
                    "tool_use" => reading.call(text(part, "name"), text(part, "id")),
                    _ => {}
                }
            }
        }
        _ => return false,
    }
    true
}

fn answered(entry: &Value, sidechain: bool, reading: &mut Reading) -> bool {
    reading.read.subagent |= sidechain;
    match parts(entry) {
        Some(Value::String(text)) => {
            if sidechain {
                reading.say(&tasks(text));
            }
        }
        Some(Value::Array(parts)) => {
            for part in parts {
                match text(part, "type") {
                    // A subagent's prompt is what the agent wrote.
                    "text" if sidechain => reading.say(&tasks(text(part, "text"))),
                    "tool_result" => {
                        let content = part.get("content").unwrap_or(&Value::Null);
                        reading.answer(text(part, "tool_use_id"), content);
                    }
                    _ => {}
                }
            }
        }
        _ => return false,
    }
    true
}

/// What a hook said, ours or another's: `hook_success` with its output, `hook_additional_context` with the context.
fn hooked(attachment: &Value, reading: &mut Reading) {
    if text(attachment, "type").starts_with("hook_") {
        for field in ["content", "stdout"] {
            if let Some(content) = attachment.get(field) {
                reading.injected(content);
            }
        }
    }
}

/// The lines of a prompt that name a task.
fn tasks(prompt: &str) -> String {
    let names_task = |line: &&str| {
        let plain = line.trim_start_matches(|c: char| {
            c.is_whitespace() || matches!(c, '>' | '*' | '_' | '`' | '#' | '+' | '•' | '-')
        });
        TASK.iter().any(|word| {
            let head = plain.get(..word.len());
            head.is_some_and(|head| head.eq_ignore_ascii_case(word))
                && plain[word.len()..]
                    .trim_start_matches(['*', '_', '`', ' '])
                    .starts_with(':')
        })
    };
    let lines: Vec<&str> = prompt.lines().filter(names_task).collect();
    lines.join("\n")
}
