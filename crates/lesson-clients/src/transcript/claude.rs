//! Claude Code's lines: `{"type":"user"|"assistant","message":{…},"sessionId","cwd","entrypoint","isSidechain",…}`, and
//! sidecars of many types without a message (about a quarter of a file). Observed in 2.1.229 to 2.1.332; not documented.
//!
//! A fork begins with a copy of its forerunner: `/branch` marks each line of it by `forkedFrom`; older versions left the
//! forerunner's `sessionId` in it; 2.1.332's `--fork-session` writes the new one, but the agent's lines name the session that
//! asked for them (`requestSessionId`), and under `-p` the first line says when the session began, and what is copied is
//! older. Everywhere a line that is written again keeps its `uuid`.

use super::age;
use super::line::{self, text, texts};
use super::reading::Reading;
use super::sign;
use serde_json::Value;

/// Value of `entrypoint` for a run that no person sees.
const HEADLESS: &str = "sdk-cli";
/// Beginning of the answer to a command that goes on by itself.
const BACKGROUND: &str = "Command running in background";
/// Words before the colon that a subagent's task stands behind in its prompt.
const TASK: [&str; 2] = ["task", "objective"];

/// So much older than the beginning what a hook said may be and still be the session's: hooks at its start come before.
const BEFORE_START_MS: u64 = 60_000;

/// The session whose transcript this is: the one of its last line, because copies come first. `None` for another client's.
pub(super) fn own_session(bytes: &[u8]) -> Option<String> {
    let lines = bytes
        .rsplit(|byte| *byte == b'\n')
        .filter(|line| !line.trim_ascii().is_empty());
    // Sidecars name the session, too; a line or two may be torn.
    for line in lines.take(8) {
        let Some(entry) = line::parsed(line.trim_ascii()) else {
            continue;
        };
        let session = text(&entry, "sessionId");
        let is_ours = !text(&entry, "type").is_empty() && entry.get("payload").is_none();
        if is_ours && entry.get("data").is_none() && !session.is_empty() {
            return Some(session.to_owned());
        }
    }
    None
}

/// Field that marks an agent's line as copied to another session.
const REQUESTED_BY: &str = "requestSessionId";

/// Where the last line ends that another session asked for; 0 for none.
pub(super) fn end_of_copy(bytes: &[u8], own: &str) -> usize {
    let mut end = bytes.len();
    for line in bytes.rsplit(|byte| *byte == b'\n') {
        let mark = REQUESTED_BY.as_bytes();
        let marked = line.windows(mark.len()).any(|window| window == mark);
        if marked && let Some(entry) = line::parsed(line.trim_ascii()) {
            let by = text(&entry, REQUESTED_BY);
            if !by.is_empty() && by != own {
                return end;
            }
        }
        end = end.saturating_sub(line.len() + 1);
    }
    0
}

/// Takes a line; false when its shape is unknown.
pub(super) fn take(entry: &Value, reading: &mut Reading) -> bool {
    let kind = text(entry, "type");
    // A line with a payload is Codex's, of a kind that is not known.
    if kind.is_empty() || entry.get("payload").is_some() {
        return false;
    }
    if is_copy(entry, reading) {
        return true;
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
            let id = text(entry, "uuid");
            match content {
                Some(content)
                    if (kind == "assistant" || sidechain)
                        && !reading.is_new(id, &told(content)) =>
                {
                    true
                }
                Some(content) if kind == "user" => answered(content, sidechain, reading),
                Some(content) => said(content, sidechain, reading),
                None => false,
            }
        }
        "attachment" => {
            if let Some(attachment) = entry.get("attachment")
                && text(attachment, "type").starts_with("hook_")
                && reading.is_new(text(entry, "uuid"), &attachment.to_string())
            {
                hooked(attachment, reading);
            }
            true
        }
        // A sidecar: titles, snapshots of files, queues, progress.
        _ => true,
    }
}

/// The texts and calls of a content, which tell it from another's.
fn told(content: &Value) -> String {
    if let Value::String(said) = content {
        return said.clone();
    }
    let parts = content.as_array().into_iter().flatten();
    parts
        .map(|part| format!("{}\n{}\n", text(part, "id"), text(part, "text")))
        .collect()
}

/// True if a line is a copy of another session's.
fn is_copy(entry: &Value, reading: &mut Reading) -> bool {
    let session = text(entry, "sessionId");
    let own = reading.read.session.as_deref().unwrap_or(session);
    if entry.get("forkedFrom").is_some() || (!session.is_empty() && session != own) {
        return true;
    }
    let time = text(entry, "timestamp");
    let is_message = !text(entry, "uuid").is_empty();
    if reading.read.began.is_none() && !time.is_empty() {
        // A message tells when it was said, and not when this file began: empty stands for "not told".
        let began = if is_message { "" } else { time };
        reading.read.began = Some(began.to_owned());
    }
    let began = reading.read.began.as_deref().unwrap_or_default();
    let is_older = age::is_before(time, began);
    match text(entry, "type") {
        "assistant" | "user" => reading.read.copying = is_older,
        "attachment" if is_older => {
            let much = age::between(time, began).is_none_or(|ms| ms > BEFORE_START_MS);
            return reading.read.copying || much;
        }
        _ => {}
    }
    is_message && reading.read.copying
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
                        let input = part.get("input").unwrap_or(&Value::Null);
                        reading.call(name, id);
                        reading.prompts(input);
                        if !sidechain {
                            reading.runs(name, id, input);
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
        Value::String(prompt) if sidechain => {
            reading.prompt(prompt);
            reading.say(&tasks(prompt), true);
        }
        Value::String(_) => {}
        Value::Array(parts) => {
            for part in parts {
                match text(part, "type") {
                    "text" if sidechain => {
                        reading.prompt(text(part, "text"));
                        reading.say(&tasks(text(part, "text")), true);
                    }
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

/// Reads a command's exit code: a failure says its code, and what was refused, stopped or left in the background says none.
fn exit_code(part: &Value, content: &Value) -> Option<i64> {
    let said = texts(content, &["text"]).concat();
    if part.get("is_error") == Some(&Value::Bool(true)) {
        return sign::exit_code(&said).filter(|code| *code != 0);
    }
    (!said.starts_with(BACKGROUND)).then_some(0)
}

/// Takes what a hook said, ours or another's: `hook_success` has its output, `hook_additional_context` the context.
fn hooked(attachment: &Value, reading: &mut Reading) {
    for field in ["content", "stdout"] {
        if let Some(content) = attachment.get(field) {
            reading.injected(content);
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
