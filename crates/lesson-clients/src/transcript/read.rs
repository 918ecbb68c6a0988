//! The contents of a piece of a transcript.

use super::sign::{Running, Sign};
use lesson_types::FeedbackOutcome;
use serde::{Deserialize, Serialize};

/// Contents of a piece of a transcript, and where to read on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TranscriptRead {
    /// The agent's words, and the tasks that it gave its subagents; without what is marked as private. A blank line ends
    /// each message.
    pub said: String,
    /// The lessons that our hook or our MCP tools showed, each once.
    pub shown: Vec<String>,
    /// The lessons that `INJECTED:` lines of prompts to subagents name, each once.
    pub prompted: Vec<String>,
    /// True if the agent gave feedback on lessons itself.
    pub gave_feedback: bool,
    /// Outcome by the last outcome line that the agent itself said, not a subagent of it.
    pub outcome: Option<FeedbackOutcome>,
    /// True if no person took part: `claude -p`, `codex exec`.
    pub headless: bool,
    /// True if it is a subagent's.
    pub subagent: bool,
    /// The folder that the session began in.
    pub cwd: Option<String>,
    /// All folders that it worked in, each once.
    pub folders: Vec<String>,
    /// SHA-256 of the project's folder, where that is all that it says of it (Gemini CLI).
    pub project_hash: Option<String>,
    /// The session, as the transcript names it.
    pub session: Option<String>,
    /// Where to read on: the byte after the last whole line. When it is where this piece began although the file goes on,
    /// a line is longer than the piece; read a longer one.
    pub next: u64,
    /// Lines that are no JSON or of an unknown shape.
    pub skipped: u32,
    /// Calls of our tools whose answer stands further on.
    pub open: Vec<String>,
    /// The last test run and the last commit of the agent itself, in the order in which they ended.
    pub signs: Vec<Sign>,
    /// Those whose end stands further on.
    pub running: Vec<Running>,
    /// Hashes of the ids of the lines that counted, so that a line that is written again counts once.
    pub counted: Vec<String>,
    /// Such hashes of other sessions, from the host: a fork begins with a copy of its forerunner's lines.
    pub known: Vec<String>,
    /// When the session began, where its first line tells: what is older is a copy.
    pub began: Option<String>,
    /// Where the copy of another session's lines ends that it begins with, as far as its first piece tells: a byte.
    pub copied_to: u64,
    /// True if the lines that come now are a copy of another session's.
    pub copying: bool,
}
