//! Signs in a session that speak for an outcome although nobody has told one.

use super::line::text;
use super::shell::{self, SignKind};
use lesson_types::DecisionOutcome;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Most characters of a command that are kept.
const SHOWN: usize = 120;
/// Names of the tools that run a command in a shell, by Claude Code, Codex, Gemini CLI and Copilot CLI.
const SHELLS: [&str; 8] = [
    "Bash",
    "shell",
    "shell_command",
    "exec_command",
    "local_shell",
    "run_shell_command",
    "bash",
    "powershell",
];

/// A command that ended, and how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sign {
    /// Purpose of the command.
    pub kind: SignKind,
    /// True if it ended with 0.
    pub passed: bool,
    /// The command, in one line.
    pub command: String,
}

/// A command whose end stands further on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Running {
    /// The call.
    pub id: String,
    /// Purpose of the command.
    pub kind: SignKind,
    /// The command, in one line.
    pub command: String,
}

impl Sign {
    /// Puts a sign behind others, of which one of a kind is kept: the last.
    pub(crate) fn put(signs: &mut Vec<Self>, sign: Self) {
        // A commit that failed changed nothing.
        if sign.kind == SignKind::Commit && !sign.passed {
            return;
        }
        signs.retain(|held| held.kind != sign.kind);
        signs.push(sign);
    }

    /// Returns the outcome that signs suggest, and why: by the last test run, or else by a commit.
    pub(crate) fn suggests(signs: &[Self]) -> Option<(DecisionOutcome, String)> {
        let of = |kind| signs.iter().find(|sign| sign.kind == kind);
        let because = |sign: &Self, how: &str| format!("{how}: `{}`", sign.command);
        match (of(SignKind::Tests), of(SignKind::Commit)) {
            (Some(tests), _) if tests.passed => Some((
                DecisionOutcome::Success,
                because(tests, "The last test run passed"),
            )),
            // A commit after a failed run may have been right: nobody knows.
            (Some(_), Some(_))
                if signs
                    .last()
                    .is_some_and(|last| last.kind == SignKind::Commit) =>
            {
                None
            }
            (Some(tests), _) => Some((
                DecisionOutcome::Failure,
                because(tests, "The last test run failed"),
            )),
            (None, Some(commit)) => Some((
                DecisionOutcome::Success,
                because(commit, "The work was committed"),
            )),
            (None, None) => None,
        }
    }
}

/// The command that a call of a tool runs, and what it is for; `None` where its exit code will tell nothing.
pub(super) fn begun(tool: &str, input: &Value) -> Option<(SignKind, String)> {
    if !SHELLS.contains(&tool) || input.get("run_in_background") == Some(&Value::Bool(true)) {
        return None;
    }
    // Codex writes its arguments as text.
    let parsed: Value;
    let input = match input {
        Value::String(text) => {
            parsed = serde_json::from_str(text).ok()?;
            &parsed
        }
        other => other,
    };
    command(input.get("command").or_else(|| input.get("cmd"))?)
}

/// A command: a line, or its words, of which the last is the line of a shell that is called for it.
pub(super) fn command(command: &Value) -> Option<(SignKind, String)> {
    let line = match command {
        Value::String(line) => line.clone(),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            match words.as_slice() {
                [_, flag, line] if flag.starts_with('-') && flag.ends_with('c') => {
                    (*line).to_owned()
                }
                words => words.join(" "),
            }
        }
        _ => return None,
    };
    let kind = shell::purpose(&line)?;
    let words: Vec<&str> = line.split_whitespace().collect();
    let line = words.join(" ");
    let mut shown: String = line.chars().take(SHOWN).collect();
    if shown.len() < line.len() {
        shown.push('…');
    }
    Some((kind, shown))
}

/// The exit code that a tool's answer tells of; `None` where it tells none.
///
/// Claude Code says that a command failed by `is_error` and "Exit code 1"; Codex by "Exit code: 1", "Process exited with
/// code 1" or `metadata.exit_code`; Gemini CLI by "Exit Code: 1".
pub(super) fn exit_code(content: &str) -> Option<i64> {
    if content.trim_start().starts_with('{')
        && let Ok(answer) = serde_json::from_str::<Value>(content)
    {
        let metadata = answer.get("metadata").unwrap_or(&answer);
        if let Some(code) = metadata.get("exit_code").and_then(Value::as_i64) {
            return Some(code);
        }
        return exit_code(text(&answer, "output"));
    }
    // It stands before the output, or after it.
    let lines: Vec<&str> = content.lines().collect();
    let (head, tail) = lines.split_at(lines.len().min(6));
    let tail = &tail[tail.len().saturating_sub(6)..];
    head.iter().chain(tail).find_map(|line| of_line(line))
}

fn of_line(line: &str) -> Option<i64> {
    let line = line.trim().to_ascii_lowercase();
    let rest = line
        .strip_prefix("exit code")
        .or_else(|| line.strip_prefix("process exited with code"))?;
    let rest = rest.trim_start_matches([':', ' ']);
    let end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    rest[..end].parse().ok()
}
