//! The moment of need: a command or a test that failed asks for a lesson with its error text.

use crate::payload::Payload;
use crate::private::without_private;
use lesson_types::RelevanceWord;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Characters of the command and of the end of its error that are asked with: an error's cause stands in its last lines.
const COMMAND: usize = 300;
const ERROR: usize = 1_500;
/// Words that an error needs to be looked up by; `grep` that finds nothing has none.
const WORDS: usize = 3;
/// Milliseconds for which a lesson is not given again at a moment.
const AGAIN_MS: f64 = 3_600_000.0;
/// Beginnings of lines that tell an error where no exit code does: compilers, package managers, test runners, interpreters.
const ERRORS: [&str; 14] = [
    "error:",
    "error[",
    "fatal:",
    "fatal error:",
    "traceback (most recent call last)",
    "npm err!",
    "npm error",
    "fail ",
    "failed ",
    "test result: failed",
    "make: ***",
    "panic:",
    "thread '",
    "uncaught ",
];
/// Most levels of nesting that results are looked through.
const DEEPEST: usize = 6;

/// A lesson that may be given at a moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Needed {
    /// Its relevance, of the answer to the request.
    pub relevance: RelevanceWord,
    /// When it was last given at a moment of this session, in milliseconds since the Unix epoch; `None` for never.
    pub last: Option<f64>,
    /// The time now.
    pub now: f64,
}

/// True if a lesson is worth an interruption: relevance *high* or better, and not within an hour of the last time. A time
/// in the future is one from before the clock was set back.
pub fn helps_now(needed: &Needed) -> bool {
    let rested = needed
        .last
        .is_none_or(|last| (needed.now - last).abs() >= AGAIN_MS);
    let relevant = matches!(
        needed.relevance,
        RelevanceWord::VeryHigh | RelevanceWord::High
    );
    relevant && rested
}

/// The query of a failed tool; the error says why there is none.
pub(crate) fn query_of(payload: &Payload) -> Result<String, String> {
    if payload.field("is_interrupt").and_then(Value::as_bool) == Some(true) {
        return Err("a person interrupted the tool".to_owned());
    }
    let mut result = Outcome::default();
    for name in [
        "error",
        "tool_response",
        "toolResult",
        "tool_output",
        "tool_result",
    ] {
        if let Some(value) = payload.field(name) {
            result.read(name, value, DEEPEST);
        }
    }
    // Codex hands on the output alone.
    let plain = payload.field("tool_response").and_then(Value::as_str);
    result.failed |= plain.is_some_and(|text| exit_code(text).is_none() && tells_an_error(text));
    let told = payload
        .event()
        .is_some_and(|event| event.to_ascii_lowercase().ends_with("failure"));
    if !(told || result.failed) {
        return Err("the tool did not fail".to_owned());
    }
    let text = without_private(result.text.trim());
    let words = text
        .split_whitespace()
        .filter(|word| word.chars().filter(|c| c.is_alphabetic()).count() > 1)
        .count();
    if words < WORDS {
        return Err("the error has no words to look lessons up by".to_owned());
    }
    let command = without_private(command(payload).unwrap_or_default().trim());
    let head: String = command.chars().take(COMMAND).collect();
    let count = text.chars().count();
    let tail: String = text.chars().skip(count.saturating_sub(ERROR)).collect();
    Ok(format!("{head}\n{tail}").trim().to_owned())
}

/// The command that ran: clients hand the tool's arguments as an object, Copilot CLI as JSON in a text.
fn command(payload: &Payload) -> Option<String> {
    let input = ["tool_input", "toolArgs", "toolInput"]
        .iter()
        .find_map(|name| payload.field(name))?;
    let parsed = input
        .as_str()
        .and_then(|text| serde_json::from_str::<Value>(text).ok());
    match parsed.as_ref().unwrap_or(input).get("command")? {
        Value::String(text) => Some(text.clone()),
        Value::Array(words) => Some(
            words
                .iter()
                .filter_map(Value::as_str)
                .collect::<Vec<_>>()
                .join(" "),
        ),
        _ => None,
    }
}

/// A tool's end, as far as it is known: whether it failed, and the texts of its result.
#[derive(Default)]
struct Outcome {
    failed: bool,
    text: String,
}

impl Outcome {
    fn read(&mut self, name: &str, value: &Value, deep: usize) {
        let plain: String = name
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .map(|c| c.to_ascii_lowercase())
            .collect();
        match value {
            Value::Number(code) if matches!(plain.as_str(), "exitcode" | "code" | "status") => {
                self.failed |= code.as_i64() != Some(0);
            }
            Value::Bool(is) => match plain.as_str() {
                "iserror" | "failed" => self.failed |= is,
                "success" | "ok" => self.failed |= !is,
                _ => {}
            },
            Value::String(text) => {
                match plain.as_str() {
                    "resulttype" => self.failed |= matches!(text.as_str(), "failure" | "error"),
                    "error" => self.failed |= !text.trim().is_empty(),
                    _ => self.failed |= exit_code(text).is_some_and(|code| code != 0),
                }
                // A text that is handed on for display stands in another field, too.
                if plain != "resulttype" && !self.text.contains(text.trim()) {
                    self.text.push_str(text);
                    self.text.push('\n');
                }
            }
            Value::Array(parts) if deep > 0 => {
                for part in parts {
                    self.read(name, part, deep - 1);
                }
            }
            Value::Object(fields) if deep > 0 => {
                self.failed |= plain == "error" && !fields.is_empty();
                for (name, part) in fields {
                    self.read(name, part, deep - 1);
                }
            }
            _ => {}
        }
    }
}

/// True if a text without an exit code tells of an error.
fn tells_an_error(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim().to_ascii_lowercase();
        // `thread 'main' panicked at …`: a thread that is only named is none.
        ERRORS.iter().any(|begin| line.starts_with(begin))
            && (!line.starts_with("thread '") || line.contains("panicked"))
    })
}

/// The exit code that a line of a result tells: `Exit code 3`, `Exit Code: 1`, `Process exited with code 101`,
/// `<shellId: 0 completed with exit code 3>`. What stands in the middle of other words is the command's own output.
fn exit_code(text: &str) -> Option<i64> {
    text.lines().find_map(|line| {
        let line = line.trim().to_ascii_lowercase();
        let is_own = ["exit", "process exited", "command exited", "<", "[", "("]
            .iter()
            .any(|begin| line.starts_with(begin));
        let after = ["exit code", "exited with code", "exit status"]
            .iter()
            .find_map(|words| line.split_once(words));
        let (_, rest) = after.filter(|_| is_own)?;
        let rest = rest.trim_start_matches([':', ' ']);
        let end = rest
            .find(|c: char| !(c.is_ascii_digit() || c == '-'))
            .unwrap_or(rest.len());
        rest[..end].parse().ok()
    })
}
