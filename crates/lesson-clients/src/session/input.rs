//! Input for recording a session: what was read now, and the state kept from before.

use crate::transcript::{Sign, TranscriptRead};
use lesson_types::FeedbackOutcome;
use serde::{Deserialize, Serialize};

/// A session to record, with its reads. Other fields are passed over, so that a host hands in the plan with what it read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionInput {
    /// The session, from [`crate::HookPlan::Record`].
    pub session: String,
    /// Its decision, from the same place.
    pub decision_id: String,
    /// True if it is over. Only then an outcome is told, and feedback given.
    pub done: bool,
    /// The agent's last message, from the same place.
    pub last_message: Option<String>,
    /// True if a subagent said it, from the same place.
    pub subagent: bool,
    /// Pieces of transcripts that were read now, in the order of reading.
    pub reads: Vec<TranscriptRead>,
    /// The state that [`crate::Recorded`] said to keep of this session when it was recorded before.
    pub kept: Kept,
    /// Slugs of the lessons that were shown, where the host knows better than the transcript: a client that keeps no
    /// context of hooks in it.
    pub shown: Vec<String>,
}

/// State that the end of a session needs of earlier reads: a few lines, to be kept with the positions of its transcripts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Kept {
    /// The paragraphs that hold a marker, or name a lesson that was shown.
    pub said: String,
    /// The lessons that were shown.
    pub shown: Vec<String>,
    /// The lessons that prompts to subagents named.
    pub prompted: Vec<String>,
    /// True if the agent gave feedback itself.
    pub gave_feedback: bool,
    /// The last outcome that the agent itself told, not a subagent.
    pub outcome: Option<FeedbackOutcome>,
    /// The outcome that was told at an end before, of a session that went on.
    pub told: Option<FeedbackOutcome>,
    /// The lessons that got feedback with it: a session that ends again in the same way credits or blames them once.
    pub rated: Vec<String>,
    /// The last test run and the last commit, in the order in which they ended.
    pub signs: Vec<Sign>,
}
