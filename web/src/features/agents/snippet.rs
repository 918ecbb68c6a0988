//! What to paste where, so that an agent comes with its key.

/// An agent that can be set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agent {
    /// Claude Code, by its command.
    ClaudeCode,
    /// Cursor, by its file.
    Cursor,
    /// VS Code, by its file.
    VsCode,
    /// Anything that sends requests.
    Http,
}

/// What stands in for a key that is not at hand.
pub const NO_KEY: &str = "YOUR_KEY";
/// What stands in for an address that is not known.
pub const NO_ADDRESS: &str = "https://YOUR_EDGE";

impl Agent {
    /// Every one, in the order shown.
    pub const ALL: [Self; 4] = [Self::ClaudeCode, Self::Cursor, Self::VsCode, Self::Http];

    /// Names it in the page.
    pub fn word(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Cursor => "cursor",
            Self::VsCode => "vs-code",
            Self::Http => "http",
        }
    }

    /// Its name.
    pub fn label(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::Cursor => "Cursor",
            Self::VsCode => "VS Code",
            Self::Http => "Any other, over HTTP",
        }
    }

    /// Where the text goes.
    pub fn about(self) -> &'static str {
        match self {
            Self::ClaudeCode => {
                "Run this in a terminal, once. It holds for all your projects; the key is kept in your own settings."
            }
            Self::Cursor => {
                "Put this into ~/.cursor/mcp.json, beside the servers that are there already."
            }
            Self::VsCode => {
                "Put this into .vscode/mcp.json of a project, or run “MCP: Open User Configuration” for all of them. VS Code asks for the key once, and keeps it out of the file."
            }
            Self::Http => {
                "Try this in a terminal. In the answer, “prompt” is the text to put before the model."
            }
        }
    }

    /// The text. Both come without characters that a shell or JSON would read as their own.
    pub fn text(self, address: &str, key: &str) -> String {
        match self {
            Self::ClaudeCode => format!(
                r#"claude mcp add --scope user --transport http lessonloop {address}/mcp --header "Authorization: Bearer {key}""#
            ),
            Self::Cursor => format!(
                r#"{{
  "mcpServers": {{
    "lessonloop": {{
      "url": "{address}/mcp",
      "headers": {{ "Authorization": "Bearer {key}" }}
    }}
  }}
}}"#
            ),
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
            Self::Http => format!(
                r#"curl {address}/v1/recommend \
  -H "Authorization: Bearer {key}" \
  -H "Content-Type: application/json" \
  -d '{{"query": "database security"}}'"#
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Agent;
    use serde_json::{Value, json};

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
