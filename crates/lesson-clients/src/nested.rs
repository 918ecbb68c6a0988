//! Who started a run: a person, or a tool.
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

/// The environment variables that tell who started a run; a host hands them over in [`crate::HookInput::environment`].
pub const RUN_VARIABLES: [&str; 6] = [CHILD, SESSION, ENTRYPOINT, ATTENDED, EXECPATH, AGENT];

/// Why the run of this session counts as another's, by the environment of its hook; `None` for a person's.
pub(crate) fn nested(
    client: Client,
    session: &str,
    environment: &BTreeMap<String, String>,
) -> Option<&'static str> {
    let value = |name: &str| {
        let value = environment.get(name)?.trim();
        (!value.is_empty()).then_some(value)
    };
    if value(CHILD).is_some_and(|depth| depth != "0") {
        return Some("LESSONLOOP_CHILD is set: a tool started this run");
    }
    // Whoever sits at a session in an agent's shell is a person.
    if value(ATTENDED) == Some("1") {
        return None;
    }
    if value(SESSION).is_some_and(|outer| outer != session) {
        return Some("another session's tool started this run");
    }
    let claude = value(ENTRYPOINT).is_some_and(|entry| entry.starts_with("sdk-"))
        && value(ATTENDED) == Some("0")
        && value(EXECPATH).is_some();
    let in_claude = client != Client::Claude
        && value(AGENT)
            .is_some_and(|agent| agent.starts_with("claude-code") && agent.ends_with("_agent"));
    (claude || in_claude).then_some("a tool of Claude Code started this run")
}
