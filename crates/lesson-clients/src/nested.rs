//! Telling runs that a person started from runs that a tool started.
//!
//! A person's runs get lessons and are recorded, with a terminal or without one (`claude -p`, `codex exec`). A run that
//! another agent's tool started, or that we started, gets and records nothing: its words are part of the work of the run
//! that asked for it, and a hook that answers what a hook began never ends.
//!
//! Seen in Claude Code 2.1.332: `CLAUDE_CODE_CHILD_SESSION=1`, `CLAUDECODE=1` and `CLAUDE_CODE_SESSION_ID` are set for
//! *every* hook, a person's included, so they tell nothing; `CLAUDE_CODE_SESSION_ATTENDED` is 0 for a person's `-p`, too.
//! The shell of the agent's tools, and whatever is started from it, has `CLAUDE_CODE_EXECPATH` and what hooks wrote to
//! `CLAUDE_ENV_FILE`; hooks of the session itself have neither.

use crate::client::Client;
use std::collections::BTreeMap;

/// Set to a number above 0, or to any word, for what a tool of ours or another's starts and that is to stay unrecorded.
const CHILD: &str = "LESSONLOOP_CHILD";
/// The session in whose tools' shell a process runs: the session start's hook writes it to `CLAUDE_ENV_FILE`.
const SESSION: &str = "LESSONLOOP_SESSION";
const ENTRYPOINT: &str = "CLAUDE_CODE_ENTRYPOINT";
const ATTENDED: &str = "CLAUDE_CODE_SESSION_ATTENDED";
/// Claude Code's own path, which the shell of its tools knows.
const EXECPATH: &str = "CLAUDE_CODE_EXECPATH";
/// The agent for which a process runs: Claude Code's ends with `_agent` for tools, with `_harness` for hooks.
const AGENT: &str = "AI_AGENT";

/// Marks that other clients leave in the shell of their tools, and not in their own hooks: Codex 0.169 and Copilot CLI
/// 1.0.102 the session, Gemini CLI 0.61 and OpenCode 1.18 a 1.
const CODEX_SESSION: &str = "CODEX_THREAD_ID";
const COPILOT_SESSION: &str = "COPILOT_AGENT_SESSION_ID";
const GEMINI: &str = "GEMINI_CLI";
const OPENCODE: &str = "OPENCODE";

/// Set in Copilot CLI's hooks, also where it runs those of others' settings.
pub(crate) const COPILOT: &str = "COPILOT_CLI";
/// Where Copilot CLI keeps its sessions, if not below the home.
pub(crate) const COPILOT_HOME: &str = "COPILOT_HOME";
/// Homes, on Unix and on Windows.
pub(crate) const HOMES: [&str; 2] = ["HOME", "USERPROFILE"];

/// The environment variables that plans are made by; a host hands those that are set over in
/// [`crate::HookInput::environment`]. None holds a secret.
pub const RUN_VARIABLES: [&str; 14] = [
    CHILD,
    SESSION,
    ENTRYPOINT,
    ATTENDED,
    EXECPATH,
    AGENT,
    CODEX_SESSION,
    COPILOT_SESSION,
    GEMINI,
    OPENCODE,
    COPILOT,
    COPILOT_HOME,
    HOMES[0],
    HOMES[1],
];

/// A variable with something in it.
pub(crate) fn value<'a>(environment: &'a BTreeMap<String, String>, name: &str) -> Option<&'a str> {
    let value = environment.get(name)?.trim();
    (!value.is_empty()).then_some(value)
}

/// Why the run of this session counts as another's, by the environment of its hook; `None` for a person's.
pub(crate) fn nested(
    client: Client,
    session: &str,
    environment: &BTreeMap<String, String>,
) -> Option<&'static str> {
    let value = |name: &str| value(environment, name);
    if value(CHILD).is_some_and(|depth| depth != "0") {
        return Some("LESSONLOOP_CHILD is set: a tool started this run");
    }
    // Whoever sits at a session in an agent's shell is a person.
    if value(ATTENDED) == Some("1") {
        return None;
    }
    if [SESSION, CODEX_SESSION, COPILOT_SESSION]
        .iter()
        .any(|mark| value(mark).is_some_and(|outer| outer != session))
    {
        return Some("another session's tool started this run");
    }
    if value(GEMINI) == Some("1") {
        return Some("a tool of Gemini CLI started this run");
    }
    // Its plugins run in its own process, which may have the mark.
    if client != Client::Opencode && value(OPENCODE) == Some("1") {
        return Some("a tool of OpenCode started this run");
    }
    let claude = value(ENTRYPOINT).is_some_and(|entry| entry.starts_with("sdk-"))
        && value(ATTENDED) == Some("0")
        && value(EXECPATH).is_some();
    let in_claude = client != Client::Claude
        && value(AGENT)
            .is_some_and(|agent| agent.starts_with("claude-code") && agent.ends_with("_agent"));
    (claude || in_claude).then_some("a tool of Claude Code started this run")
}
