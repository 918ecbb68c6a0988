//! What a hook prints: lessons in the form that a client reads.

use crate::client::Client;
use crate::event::HookEvent;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Most characters of output; clients cut what is longer, or keep it from the agent.
const MOST: usize = 10_000;

/// The form in which a client reads what a hook prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutputShape {
    /// Plain text, which becomes context at session start and prompt (Claude Code, Codex), or is handed on by a plugin
    /// (OpenCode). One that begins with `{` would be read as JSON.
    Text,
    /// `{"hookSpecificOutput":{"hookEventName":…,"additionalContext":…}}` (VS Code, Copilot CLI, Gemini CLI): the client's
    /// name of the event.
    HookSpecificOutput(String),
    /// `{"additional_context":…}` (Cursor).
    AdditionalContext,
}

impl OutputShape {
    /// What this client reads at this event.
    pub(crate) fn of(client: Client, event: HookEvent) -> Self {
        let start = event == HookEvent::SessionStart;
        match client {
            Client::Cursor => Self::AdditionalContext,
            Client::Vscode => Self::named(if start {
                "SessionStart"
            } else {
                "UserPromptSubmit"
            }),
            Client::Gemini => Self::named(if start { "SessionStart" } else { "BeforeAgent" }),
            Client::Claude | Client::Codex | Client::Opencode | Client::Other => Self::Text,
        }
    }

    fn named(event: &str) -> Self {
        Self::HookSpecificOutput(event.to_owned())
    }
}

/// The lessons' text as the client reads it; nothing for an empty text. At most 10,000 characters.
pub fn hook_output(shape: &OutputShape, text: &str) -> String {
    let text = text.trim();
    if text.is_empty() {
        return String::new();
    }
    let text: String = text.chars().take(MOST).collect();
    match shape {
        OutputShape::Text => text,
        OutputShape::HookSpecificOutput(event) => {
            json!({ "hookSpecificOutput": { "hookEventName": event, "additionalContext": text } })
                .to_string()
        }
        OutputShape::AdditionalContext => json!({ "additional_context": text }).to_string(),
    }
}
