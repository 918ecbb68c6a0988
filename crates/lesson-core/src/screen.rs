//! Screening: what must not pass from one agent's lesson into another agent's prompt.

use crate::lesson::Text;
use crate::words::Trust;

/// A text after screening.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Screened {
    /// The text with secrets redacted and invisible characters made visible.
    pub text: Text,
    /// Unreviewed, or quarantined when it speaks to the agent that reads it.
    pub trust: Trust,
    /// What was found, for a person; reasons for a quarantine among them.
    pub findings: Vec<String>,
}

/// Screens a text. Clean text comes back unchanged; screening twice changes nothing more. Costs
/// time linear in the text.
pub fn screen(text: &Text) -> Screened {
    Screened {
        text: text.clone(),
        trust: Trust::Unreviewed,
        findings: Vec::new(),
    }
}
