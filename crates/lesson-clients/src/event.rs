//! The moments at which clients call a hook.

use serde::{Deserialize, Serialize};

/// Event in a client that its hook is called for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HookEvent {
    /// A session began, was resumed, cleared or compacted.
    SessionStart,
    /// A person sent a prompt.
    Prompt,
    /// The agent finished its answer.
    Stop,
    /// A subagent finished.
    SubagentStop,
    /// The session ended.
    SessionEnd,
    /// A tool came back, perhaps with an error.
    Moment,
    /// The client shortens what its agent remembers of the session.
    Compact,
}

impl HookEvent {
    /// The event with this name: ours, or a client's own. Letters and digits count, whatever their case.
    ///
    /// Claude Code, Codex and VS Code say `SessionStart`, `UserPromptSubmit`, `Stop`, `SubagentStop`, `SessionEnd`; Cursor
    /// `sessionStart`, `beforeSubmitPrompt`, `afterAgentResponse`; Copilot CLI `userPromptSubmitted`, `agentStop`; Gemini
    /// CLI `BeforeAgent`, `AfterAgent`, `AfterTool`; OpenCode `session.created`, `chat.message`, `session.idle`, `session.deleted`.
    pub fn named(name: &str) -> Option<Self> {
        let plain: String = name
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .map(|c| c.to_ascii_lowercase())
            .collect();
        Some(match plain.as_str() {
            "sessionstart" | "sessioncreated" => Self::SessionStart,
            "prompt"
            | "userpromptsubmit"
            | "userpromptsubmitted"
            | "beforesubmitprompt"
            | "beforeagent"
            | "chatmessage" => Self::Prompt,
            "stop" | "agentstop" | "afteragent" | "afteragentresponse" | "sessionidle" => {
                Self::Stop
            }
            "subagentstop" => Self::SubagentStop,
            "sessionend" | "sessiondeleted" => Self::SessionEnd,
            "moment" | "posttooluse" | "posttoolusefailure" | "aftertool" => Self::Moment,
            // Gemini CLI's `PreCompress` comes before every request of its model, and tells of no compaction.
            "compact" | "precompact" | "postcompact" => Self::Compact,
            _ => return None,
        })
    }

    /// Its name in our words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SessionStart => "session-start",
            Self::Prompt => "prompt",
            Self::Stop => "stop",
            Self::SubagentStop => "subagent-stop",
            Self::SessionEnd => "session-end",
            Self::Moment => "moment",
            Self::Compact => "compact",
        }
    }
}
