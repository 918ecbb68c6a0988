//! Text to paste and its place, so that an agent comes with its key; the command that sets a client up on its own machine.

/// An agent that can be set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agent {
    /// Claude Code, by its command.
    ClaudeCode,
    /// Codex, by its file.
    Codex,
    /// Cursor, by its file.
    Cursor,
    /// VS Code, by its file.
    VsCode,
    /// Copilot CLI, by its file.
    Copilot,
    /// Gemini CLI, by its file.
    Gemini,
    /// OpenCode, by its file.
    OpenCode,
    /// Anything that sends requests.
    Http,
}

/// Placeholder for a key that is not at hand.
pub const NO_KEY: &str = "YOUR_KEY";
/// Placeholder for a folder that is not known.
pub const NO_FOLDER: &str = "/YOUR_FOLDER";
/// Placeholder for an address that is not known.
pub const NO_ADDRESS: &str = "https://YOUR_EDGE";

impl Agent {
    /// Every one, in the order shown.
    pub const ALL: [Self; 8] = [
        Self::ClaudeCode,
        Self::Codex,
        Self::Cursor,
        Self::VsCode,
        Self::Copilot,
        Self::Gemini,
        Self::OpenCode,
        Self::Http,
    ];

    /// Names it in the page.
    pub fn word(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::VsCode => "vs-code",
            Self::Copilot => "copilot",
            Self::Gemini => "gemini",
            Self::OpenCode => "opencode",
            Self::Http => "http",
        }
    }

    /// Its name.
    pub fn label(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::Codex => "Codex",
            Self::Cursor => "Cursor",
            Self::VsCode => "VS Code",
            Self::Copilot => "Copilot CLI",
            Self::Gemini => "Gemini CLI",
            Self::OpenCode => "OpenCode",
            Self::Http => "Any other",
        }
    }

    /// Returns the name that `lessonloop init` has for it; nothing where that command can't set it up.
    pub fn init(self) -> Option<&'static str> {
        match self {
            Self::ClaudeCode => Some("claude"),
            Self::VsCode => Some("vscode"),
            Self::Http => None,
            other => Some(other.word()),
        }
    }

    /// Where the text goes.
    pub fn about(self) -> &'static str {
        match self {
            Self::ClaudeCode => {
                "Run this once in a terminal. It applies to all your projects; the key is stored in your user settings."
            }
            Self::Codex => {
                "Add this to ~/.codex/config.toml, and set the environment variable LESSONLOOP_KEY to the key."
            }
            Self::Cursor => {
                "Add this to ~/.cursor/mcp.json, next to the servers that are already there."
            }
            Self::VsCode => {
                "Add this to .vscode/mcp.json of a project, or run “MCP: Open User Configuration” for all projects. VS Code asks for the key once and keeps it out of the file."
            }
            Self::Copilot => {
                "Add this to ~/.copilot/mcp-config.json, next to the servers that are already there."
            }
            Self::Gemini => {
                "Add this to ~/.gemini/settings.json, next to the settings that are already there."
            }
            Self::OpenCode => {
                "Add this to ~/.config/opencode/opencode.json, next to the settings that are already there."
            }
            Self::Http => {
                "Try this in a terminal. In the response, “prompt” is the text for the model."
            }
        }
    }

    /// The text. Both come without characters that a shell or JSON would read as their own.
    pub fn text(self, address: &str, key: &str) -> String {
        match self {
            Self::ClaudeCode => format!(
                r#"claude mcp add --scope user --transport http lessonloop {address}/mcp --header "Authorization: Bearer {key}""#
            ),
            Self::Codex => format!(
                r#"# export LESSONLOOP_KEY={key}
[mcp_servers.lessonloop]
url = "{address}/mcp"
bearer_token_env_var = "LESSONLOOP_KEY""#
            ),
            Self::Cursor => servers(&format!(r#""url": "{address}/mcp","#), key),
            Self::VsCode => format!(
                r#"{{
  "inputs": [
    {{ "type": "promptString", "id": "lessonloop-key", "description": "Lessonloop key", "password": true }}
  ],
  "servers": {{
    "lessonloop": {{
      "type": "http",
      "url": "{address}/mcp",
      "headers": {{ "Authorization": "Bearer ${{input:lessonloop-key}}" }}
    }}
  }}
}}"#
            ),
            Self::Copilot => servers(
                &format!(
                    "\"type\": \"http\",\n      \"url\": \"{address}/mcp\",\n      \"tools\": [\"*\"],"
                ),
                key,
            ),
            Self::Gemini => servers(&format!(r#""httpUrl": "{address}/mcp","#), key),
            Self::OpenCode => format!(
                r#"{{
  "mcp": {{
    "lessonloop": {{
      "type": "remote",
      "url": "{address}/mcp",
      "headers": {{ "Authorization": "Bearer {key}" }}
    }}
  }}
}}"#
            ),
            Self::Http => format!(
                r#"curl {address}/v1/recommend \
  -H "Authorization: Bearer {key}" \
  -H "Content-Type: application/json" \
  -d '{{"query": "database security"}}'"#
            ),
        }
    }
}

/// A file of `mcpServers` with one server, whose fields come before its headers.
fn servers(fields: &str, key: &str) -> String {
    format!(
        r#"{{
  "mcpServers": {{
    "lessonloop": {{
      {fields}
      "headers": {{ "Authorization": "Bearer {key}" }}
    }}
  }}
}}"#
    )
}

#[cfg(test)]
mod tests {
    use super::Agent;
    use serde_json::{Value, json};
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn files_are_json_that_names_address_and_key() {
        let file = |agent: Agent| -> Value {
            serde_json::from_str(&agent.text("https://a.dev", "llk_1")).unwrap()
        };
        let cursor = &file(Agent::Cursor)["mcpServers"]["lessonloop"];
        assert_eq!(
            *cursor,
            json!({"url": "https://a.dev/mcp", "headers": {"Authorization": "Bearer llk_1"}})
        );
        for (agent, field) in [(Agent::Copilot, "url"), (Agent::Gemini, "httpUrl")] {
            let server = &file(agent)["mcpServers"]["lessonloop"];
            assert_eq!(server[field], "https://a.dev/mcp");
            assert_eq!(server["headers"]["Authorization"], "Bearer llk_1");
        }
        assert_eq!(
            file(Agent::OpenCode)["mcp"]["lessonloop"]["url"],
            "https://a.dev/mcp"
        );
        let code = file(Agent::VsCode);
        let server = &code["servers"]["lessonloop"];
        assert_eq!(server["url"], "https://a.dev/mcp");
        assert_eq!(
            server["headers"]["Authorization"],
            format!(
                "Bearer ${{input:{}}}",
                code["inputs"][0]["id"].as_str().unwrap()
            )
        );
    }
}
