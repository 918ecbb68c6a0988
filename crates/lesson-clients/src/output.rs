//! The output of a hook: lessons in the form that a client reads.

use crate::client::Client;
use crate::event::HookEvent;
use crate::framed;
use crate::said_once::{Given, GivenOnce};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Most characters of output, in UTF-16 units. Claude Code keeps what is longer in a file and shows the agent its beginning;
/// Codex cuts at about as many.
const MOST: usize = 10_000;

/// The form in which a client reads what a hook prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutputShape {
    /// Plain text, which becomes context at session start and prompt (Claude Code, Codex), or is handed on by a plugin
    /// (OpenCode). One that begins with `{` would be read as JSON.
    Text,
    /// `{"hookSpecificOutput":{"hookEventName":…,"additionalContext":…}}` with the client's name of the event (VS Code,
    /// Gemini CLI).
    HookSpecificOutput(String),
    /// `{"additional_context":…}` (Cursor).
    AdditionalContext,
    /// `{"additionalContext":…}` (Copilot CLI).
    BareContext,
    /// The two forms that readers of the same file take, in one: Copilot CLI reads the first, VS Code the second, and each
    /// passes over the other's.
    Both(String),
}

impl OutputShape {
    /// Returns the form that this client reads at this event.
    pub(crate) fn of(client: Client, event: HookEvent) -> Self {
        let start = event == HookEvent::SessionStart;
        let named = |name: &str| Self::HookSpecificOutput(name.to_owned());
        match client {
            Client::Cursor => Self::AdditionalContext,
            Client::Copilot | Client::Vscode if start => Self::Both("SessionStart".to_owned()),
            Client::Copilot => Self::Both("UserPromptSubmit".to_owned()),
            Client::Gemini if start => named("SessionStart"),
            Client::Vscode => named("UserPromptSubmit"),
            Client::Gemini => named("BeforeAgent"),
            Client::Claude | Client::Codex | Client::Opencode | Client::Other => Self::Text,
        }
    }

    /// Returns the form for this client after a tool; `event` is its own name of the event. Plain text would go to a log there.
    pub(crate) fn after_tool(client: Client, event: Option<&str>) -> Self {
        match client {
            Client::Cursor => Self::AdditionalContext,
            Client::Copilot => Self::BareContext,
            Client::Gemini => Self::HookSpecificOutput("AfterTool".to_owned()),
            _ => Self::HookSpecificOutput(event.unwrap_or("PostToolUse").to_owned()),
        }
    }

    fn rendered(&self, text: &str) -> String {
        match self {
            Self::Text if text.starts_with(['{', '[']) => format!("Lessons:\n{text}"),
            Self::Text => text.to_owned(),
            Self::HookSpecificOutput(event) => json!({
                "hookSpecificOutput": { "hookEventName": event, "additionalContext": text }
            })
            .to_string(),
            Self::AdditionalContext => json!({ "additional_context": text }).to_string(),
            Self::BareContext => json!({ "additionalContext": text }).to_string(),
            Self::Both(event) => json!({
                "additionalContext": text,
                "hookSpecificOutput": { "hookEventName": event, "additionalContext": text }
            })
            .to_string(),
        }
    }
}

/// The prompt text of a recommendation as the client reads it: at most 10,000 characters, by leaving out the last lessons, and
/// in facts, because clients warn their agents of context that gives orders. Nothing where no lesson is recommended.
///
/// ```
/// use lesson_clients::{OutputShape, hook_output};
/// assert_eq!(hook_output(&OutputShape::Text, ""), "");
/// ```
pub fn hook_output(shape: &OutputShape, text: &str) -> String {
    once(shape, text, &[]).output
}

/// The same, without the text of lessons that this context holds already: those are named in a line.
pub fn hook_output_once(shape: &OutputShape, text: &str, given: &[Given]) -> GivenOnce {
    once(shape, text, given)
}

fn once(shape: &OutputShape, text: &str, given: &[Given]) -> GivenOnce {
    let text = text.trim();
    if text.is_empty() || framed::recommends_nothing(text) {
        return GivenOnce::default();
    }
    let fits = |text: &str| {
        let rendered = shape.rendered(text);
        // A reader of two forms takes one of them.
        let forms = if matches!(shape, OutputShape::Both(_)) {
            2
        } else {
            1
        };
        (rendered.encode_utf16().count() <= MOST * forms).then_some(rendered)
    };
    if let Some(framed) = framed::framed(text, given, |text| fits(text).is_some())
        && let Some(output) = fits(&framed.text)
    {
        return GivenOnce {
            output,
            given: framed.given,
        };
    }
    GivenOnce {
        output: cut(text, fits),
        given: Vec::new(),
    }
}

fn cut(text: &str, fits: impl Fn(&str) -> Option<String>) -> String {
    // A text of another form, or a lesson whose frame alone is too long.
    let mut most = MOST;
    loop {
        let head: String = text.chars().take(most).collect();
        if let Some(rendered) = fits(head.trim_end()) {
            return rendered;
        }
        // Escaping makes a character six at most.
        most = most * 3 / 4;
    }
}
