//! Session extraction (D): what a finished session's transcript teaches.

use crate::policy::SessionPolicy;
use crate::words::{Category, FeedbackOutcome};

/// What a transcript holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extracted {
    /// What came of the session, by its last outcome line.
    pub outcome: Option<FeedbackOutcome>,
    /// What the outcome lines say, a line each; empty without one.
    pub outcome_text: String,
    /// Names of the lessons that were shown, each once, in order.
    pub injected: Vec<String>,
    /// The lessons learned.
    pub insights: Vec<ExtractedInsight>,
    /// What the `BLOCKED:` lines say.
    pub blocked: Vec<String>,
    /// What the `DELIVERED:` and `PLAN_COMPLETE:` lines say.
    pub delivered: Vec<String>,
}

/// A lesson that a transcript holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtractedInsight {
    /// Made of its text: the same text gives the same slug.
    pub slug: String,
    /// One line.
    pub title: String,
    /// The whole text.
    pub text: String,
    /// By the words in the text; workflow when they say nothing.
    pub category: Category,
    /// Whether it was derived from a failure instead of being said.
    pub from_failure: bool,
}

/// Reads a transcript.
pub fn extract(transcript: &str, policy: &SessionPolicy) -> Extracted {
    let _ = (transcript, policy);
    Extracted::default()
}
