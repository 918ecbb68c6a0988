//! The coding agents whose hooks and transcripts are known.

use serde::{Deserialize, Serialize};

/// A coding agent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Client {
    /// Claude Code: <https://code.claude.com/docs/en/hooks>.
    Claude,
    /// Codex CLI: <https://developers.openai.com/codex/hooks>.
    Codex,
    /// Cursor: <https://cursor.com/docs/agent/hooks>.
    Cursor,
    /// VS Code's agent mode: <https://code.visualstudio.com/docs/agents/reference/hooks-reference>.
    Vscode,
    /// GitHub Copilot CLI: <https://docs.github.com/en/copilot/reference/hooks-reference>.
    Copilot,
    /// Gemini CLI: <https://geminicli.com/docs/hooks>.
    Gemini,
    /// OpenCode, through its plugin: <https://opencode.ai/docs/plugins>.
    Opencode,
    /// Any other, which is taken to follow Claude Code.
    #[default]
    Other,
}

impl Client {
    /// The client with this name, as it stands after `--client`; in any case.
    pub fn named(name: &str) -> Self {
        match name.trim().to_ascii_lowercase().as_str() {
            "claude" | "claude-code" => Self::Claude,
            "codex" => Self::Codex,
            "cursor" => Self::Cursor,
            "vscode" | "vs-code" => Self::Vscode,
            "copilot" | "copilot-cli" => Self::Copilot,
            "gemini" | "gemini-cli" => Self::Gemini,
            "opencode" => Self::Opencode,
            _ => Self::Other,
        }
    }

    /// Why a hook can't put lessons before the agent at a prompt, where it can't.
    ///
    /// Cursor's `beforeSubmitPrompt` answers whether to go on, and no more (another program that calls in its name says
    /// `UserPromptSubmit`); VS Code's `UserPromptSubmit` takes the common
    /// fields only. Copilot CLI 1.0.102 takes context at `UserPromptSubmit`, whose payload names the event, and drops it at
    /// `userPromptSubmitted`, whose payload does not.
    pub(crate) fn deaf_at_prompts(self, event: Option<&str>) -> Option<&'static str> {
        match self {
            Self::Cursor if event != Some("UserPromptSubmit") => {
                Some("Cursor takes no context at a prompt; its agent asks by MCP")
            }
            Self::Vscode => Some("VS Code takes no context at a prompt; its agent asks by MCP"),
            Self::Copilot if event.is_none() => Some(
                "Copilot CLI takes no context at userPromptSubmitted; it does at UserPromptSubmit",
            ),
            _ => None,
        }
    }
}
