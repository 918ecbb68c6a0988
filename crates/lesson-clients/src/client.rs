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
    /// VS Code's agent mode and Copilot CLI: <https://code.visualstudio.com/docs/copilot/customization/hooks>.
    Vscode,
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
            "vscode" | "vs-code" | "copilot" | "copilot-cli" => Self::Vscode,
            "gemini" | "gemini-cli" => Self::Gemini,
            "opencode" => Self::Opencode,
            _ => Self::Other,
        }
    }
}
