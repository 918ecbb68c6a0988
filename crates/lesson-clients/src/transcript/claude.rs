//! Claude Code's lines: `{"type":"user"|"assistant","message":{…},"sessionId","cwd","entrypoint","isSidechain",…}`, and
//! sidecars of many types without a message (about a quarter of a file). Observed in 2.1.229 to 2.1.248; not documented.

use super::line::{text, texts};
use super::reading::Reading;
use super::sign;
use serde_json::Value;

/// What `entrypoint` says of a run that no person sees.
const HEADLESS: &str = "sdk-cli";
/// How the answer begins of a command that goes on by itself.
const BACKGROUND: &str = "Command running in background";
/// What a subagent's prompt says its task is.
const TASK: [&str; 2] = ["task", "objective"];

/// Takes a line; false when its shape is unknown.
pub(super) fn take(entry: &Value, reading: &mut Reading) -> bool {
    let kind = text(entry, "type");
    // What has a payload is Codex's, of a kind that is not known.
    if kind.is_empty() || entry.get("payload").is_some() {
        return false;
    }
    reading.about(entry.get("sessionId"), entry.get("cwd"));
    if text(entry, "entrypoint") == HEADLESS {
        reading.read.headless = true;
    }
    let content = entry
        .get("message")
        .and_then(|message| message.get("content"));
    match kind {
        "assistant" | "user" => {
            // The main conversation may hold subagents' lines; a subagent's own file holds no other.
            let sidechain = entry.get("isSidechain").and_then(Value::as_bool) == Some(true);
            let own_file = !text(entry, "agentId").is_empty();
            reading.read.subagent |= sidechain && own_file;
            match content {
                Some(content) if kind == "user" => answered(content, sidechain, reading),
                Some(content) => said(content, sidechain, reading),
                None => false,
            }
        }
        "attachment" => {
            if let Some(attachment) = entry.get("attachment") {
                hooked(attachment, reading);
            }
            true
        }
        // A sidecar: titles, snapshots of files, queues, progress.
        _ => true,
    }
}

fn said(content: &Value, sidechain: bool, reading: &mut Reading) -> bool {
    match content {
        Value::String(said) => reading.say(said, sidechain),
        Value::Array(parts) => {
            for part in parts {
                match text(part, "type") {
                    "text" => reading.say(text(part, "text"), sidechain),
                    "tool_use" => {
                        let (name, id) = (text(part, "name"), text(part, "id"));
                        reading.call(name, id);
                        if !sidechain {
                            reading.runs(name, id, part.get("input").unwrap_or(&Value::Null));
                        }
                    }
                    _ => {}
                }
            }
        }
        _ => return false,
    }
    true
}

fn answered(content: &Value, sidechain: bool, reading: &mut Reading) -> bool {
    match content {
        // A subagent's prompt is what the agent wrote.
        Value::String(prompt) if sidechain => reading.say(&tasks(prompt), true),
        Value::String(_) => {}
        Value::Array(parts) => {
            for part in parts {
                match text(part, "type") {
                    "text" if sidechain => reading.say(&tasks(text(part, "text")), true),
                    "tool_result" => {
                        let content = part.get("content").unwrap_or(&Value::Null);
                        let id = text(part, "tool_use_id");
                        reading.answer(id, content);
                        reading.ran(id, exit_code(part, content));
                    }
                    _ => {}
                }
            }
        }
        _ => return false,
    }
    true
}

/// How a command ended: a failure says its code, and what was refused, stopped or left in the background says none.
fn exit_code(part: &Value, content: &Value) -> Option<i64> {
    let said = texts(content, &["text"]).concat();
    if part.get("is_error") == Some(&Value::Bool(true)) {
        return sign::exit_code(&said).filter(|code| *code != 0);
    }
    (!said.starts_with(BACKGROUND)).then_some(0)
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
