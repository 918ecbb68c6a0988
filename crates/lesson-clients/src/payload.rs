//! A hook's payload: one JSON object on standard input, whose fields clients spell differently.

use serde_json::Value;

/// The fields by which a client describes the event to its hook.
#[derive(Debug, Default)]
pub(crate) struct Payload {
    fields: Value,
}

impl Payload {
    /// Reads a payload: the first JSON value, whatever follows it. The error says what is wrong with it.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let text = text.trim_start_matches('\u{feff}');
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
        match values.next() {
            Some(Ok(fields @ Value::Object(_))) => Ok(Self { fields }),
            Some(Ok(_)) => Err("the payload is not a JSON object".to_owned()),
            Some(Err(cause)) => Err(format!("the payload is not JSON: {cause}")),
            None => Err("the payload is empty".to_owned()),
        }
    }

    /// The first of these fields that holds a text with something in it.
    pub(crate) fn text(&self, names: &[&str]) -> Option<&str> {
        names
            .iter()
            .filter_map(|name| self.fields.get(name)?.as_str())
            .find(|text| !text.trim().is_empty())
    }

    /// True if this field is an empty text.
    pub(crate) fn is_blank(&self, name: &str) -> bool {
        self.fields.get(name).and_then(Value::as_str) == Some("")
    }

    /// The messages of a session, where a plugin hands them over.
    pub(crate) fn messages(&self) -> &[Value] {
        let messages = self.fields.get("messages").and_then(Value::as_array);
        messages.map_or(&[], Vec::as_slice)
    }

    /// The session that began this one for a part of its work (OpenCode).
    pub(crate) fn parent(&self) -> Option<&str> {
        self.text(&["parent_id", "parentID"])
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.fields.get(name).is_some()
    }

    pub(crate) fn field(&self, name: &str) -> Option<&Value> {
        self.fields.get(name)
    }

    /// The session whose agent began the subagent in which the event happened, where the subagent has an id of its own
    /// as the session (Copilot CLI).
    pub(crate) fn parent_agent(&self) -> Option<&str> {
        self.text(&["parent_agent_id", "parentAgentId"])
    }

    /// The subagent in which the event happened.
    pub(crate) fn agent(&self) -> Option<String> {
        self.text(&["agent_id", "agentId"]).map(str::to_owned)
    }

    /// The call of a tool that the event is about.
    pub(crate) fn tool_use(&self) -> Option<&str> {
        self.text(&["tool_use_id", "toolUseId", "toolCallId", "call_id"])
    }

    /// The client's own name of the event.
    pub(crate) fn event(&self) -> Option<&str> {
        self.text(&["hook_event_name", "hookEventName", "event", "type"])
    }

    /// The session, or the conversation where a client has no other word for it.
    pub(crate) fn session(&self) -> Option<&str> {
        self.text(&["session_id", "sessionId", "conversation_id", "sessionID"])
    }

    /// The folder that the session is about.
    pub(crate) fn cwd(&self) -> Option<String> {
        if let Some(cwd) = self.text(&["cwd", "directory", "workspaceFolder"]) {
            return Some(cwd.to_owned());
        }
        // Cursor names the roots of its workspace.
        let roots = self.fields.get("workspace_roots")?.as_array()?;
        roots.first()?.as_str().map(str::to_owned)
    }

    /// The prompt that a session begins with, which Copilot CLI knows at its start.
    pub(crate) fn first_prompt(&self) -> Option<&str> {
        self.text(&["initialPrompt", "initial_prompt"])
    }

    pub(crate) fn prompt(&self) -> Option<&str> {
        self.text(&["prompt", "user_prompt", "userPrompt"])
    }

    pub(crate) fn transcript(&self) -> Option<&str> {
        self.text(&["transcript_path", "transcriptPath"])
    }

    pub(crate) fn agent_transcript(&self) -> Option<&str> {
        self.text(&["agent_transcript_path", "agentTranscriptPath"])
    }

    /// Finds the agent's last message: Gemini CLI names it `prompt_response`, Copilot CLI `response` of a subagent, Cursor
    /// `text` after an answer.
    pub(crate) fn last_message(&self) -> Option<&str> {
        self.text(&[
            "last_assistant_message",
            "lastAssistantMessage",
            "prompt_response",
            "response",
            "text",
        ])
    }
}
