//! Ledger events: everything that ever changes a lesson.

use crate::instant::{Millis, serde_rfc3339, serde_rfc3339_option};
use crate::lesson::Lesson;
use crate::text::Changes;
use lesson_types::{DecisionOutcome, FeedbackOutcome, MatchType, Trust, Verdict};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The version of the ledger: the one that is written, and the only one that is read. It counts from the first release on.
/// Ledgers of 0.1.0-pre had versions 1 to 4 of another mark, so a file says which [`LEDGER_FORMAT`] it is of, too.
pub const LEDGER_VERSION: u32 = 1;

/// The field `format` of a ledger's first line. Ledgers of 0.1.0-pre have none; they began with `"lessonloop":"ledger"`.
pub const LEDGER_FORMAT: &str = "lessonloop-ledger";

/// The remedy for a ledger of 0.1.0-pre, wherever one is found.
pub const OLD_LEDGER: &str = "Lessonloop 0.1.0-pre made it, and this version does not read it: open it with the build that made it, export the lessons there as JSON or markdown, and import them into an empty place here";

/// An event with its identity. Folding the same `op_id` twice changes nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// UUIDv7, unique for ever.
    pub op_id: String,
    /// The device or agent that made it.
    pub actor: String,
    /// Counts the actor's events, from 1.
    pub seq: u64,
    /// When it was made, by the actor's clock.
    #[serde(with = "serde_rfc3339")]
    pub at: Millis,
    /// Its maker: `person:` and an account's id, `agent:` and the id of an agent's key, or `local` where nobody
    /// signs in. Empty where nobody said. A server overwrites what a client claims.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub by: String,
    /// SHA-256 in hex of the request that it was made for, where that had an `Idempotency-Key`. The `op_id` is then made
    /// of the key, so that another `request` under a known `op_id` is a key that was used again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// The happening that it records.
    pub event: EventKind,
}

/// A happening that a ledger records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(
    clippy::large_enum_variant,
    reason = "most events of a ledger are the large one: a recommendation"
)]
pub enum EventKind {
    /// A lesson came in, with whatever standing it had where it came from.
    LessonAdded {
        /// The lesson.
        lesson: Box<Lesson>,
    },
    /// A person or agent changed the text. Trust is what screening says of the new text.
    LessonEdited {
        /// Slug of the edited lesson.
        lesson: String,
        /// The revision the edit started from.
        base_rev: u32,
        /// The fields that changed, with their new values.
        changes: Box<Changes>,
        /// Unreviewed, or quarantined by screening.
        trust: Trust,
        /// Findings of screening in the new text.
        #[serde(default)]
        findings: Vec<String>,
    },
    /// Taken out of use.
    LessonArchived {
        /// Slug of the archived lesson.
        lesson: String,
    },
    /// Taken into use again.
    LessonRestored {
        /// Slug of the restored lesson.
        lesson: String,
    },
    /// A person's verdict on a text.
    LessonReviewed {
        /// Slug of the reviewed lesson.
        lesson: String,
        /// The verdict.
        verdict: Verdict,
        /// The text that was seen.
        content_hash: String,
        /// Why, in the words of who reviewed it; a text that was held back is approved with one.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
    },
    /// Several lessons became one: `from` are archived, their counts added to `into`.
    LessonsMerged {
        /// The one that stays.
        into: String,
        /// The others.
        from: Vec<String>,
    },
    /// A recommendation was given.
    Surfaced {
        /// Names the retrieval.
        retrieval_id: String,
        /// Why, such as `recommend`.
        purpose: String,
        /// The situation.
        context: SurfacedContext,
        /// The lessons, best first.
        items: Vec<SurfacedItem>,
        /// Hash of the ranking policy that was in force.
        policy: String,
        /// Record of what was withheld at random, so that the effect of lessons can be measured.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        measured: Option<Measured>,
    },
    /// An agent's reasoning was searched for the lessons of a decision.
    UsageTracked {
        /// The decision.
        decision_id: String,
        /// Observations in that reasoning, each of one lesson.
        detections: Vec<Detection>,
    },
    /// A decision's outcome.
    OutcomeRecorded {
        /// The decision.
        decision_id: String,
        /// Its end: success, failure, or not known yet.
        outcome: DecisionOutcome,
        /// Gain or loss in percent; finite.
        #[serde(default)]
        pnl_percent: Option<f64>,
    },
    /// A session's outcome, for the lessons that were at hand.
    FeedbackGiven {
        /// Its end: delivered, plan complete, or blocked.
        outcome: FeedbackOutcome,
        /// The lessons at hand.
        lessons: Vec<String>,
        /// Those of them that were a cause.
        causal: Vec<String>,
        /// The decision that it is about: everybody gives feedback on one once.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        decision_id: Option<String>,
    },
    /// A lesson was found helpful, or not.
    Rated {
        /// Slug of the rated lesson.
        lesson: String,
        /// True if it helped.
        helpful: bool,
        /// The decision that it was recommended for: everybody says this of a lesson in a decision once.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        decision_id: Option<String>,
    },
    /// A lesson was voted up or down.
    Voted {
        /// Slug of the lesson that was voted on.
        lesson: String,
        /// Up or down.
        up: bool,
        /// The decision that it was recommended for: everybody says this of a lesson in a decision once.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        decision_id: Option<String>,
    },
    /// A tool server did what was asked.
    ToolSucceeded {
        /// The request, in the asker's words.
        query: String,
        /// The server.
        server: String,
    },
    /// A lesson that outcomes keep out gets another trial: its run of failures is forgiven, and outcomes have to keep it
    /// out anew. Its counters stay.
    TrialGranted {
        /// Slug of the lesson that is tried again.
        lesson: String,
    },
    /// An agent's key would change a lesson that is not its own unapproved one. Kept beside the lesson until a person
    /// decides; what is in force stays.
    ChangeProposed {
        /// Slug of the lesson that it would change.
        lesson: String,
        /// The proposal's id, unique among those of the lesson.
        proposal: String,
        /// The revision that it started from.
        base_rev: u32,
        /// The changes that it would make; none where it would archive the lesson.
        #[serde(default)]
        changes: Box<Changes>,
        /// True if it would take the lesson out of use.
        #[serde(default)]
        archive: bool,
        /// Result of screening the text as it would be: unreviewed, or quarantined.
        trust: Trust,
        /// Findings of screening in that text.
        #[serde(default)]
        findings: Vec<String>,
    },
    /// A person decided on a proposal, or who made it took it back. What an accepted one changes follows as events of its
    /// own, made against the text then in force.
    ProposalSettled {
        /// The lesson.
        lesson: String,
        /// The proposal.
        proposal: String,
        /// True if it was accepted.
        accepted: bool,
        /// Why, in the words of who decided.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
    },
    /// A person says that nothing of a voice counts, from a time on: its ratings, votes, feedback, tracking and outcomes; its
    /// lessons are archived, its proposals are gone. Another one of the same voice takes the place of this.
    VoiceWithdrawn {
        /// Whose: see [`Event::by`].
        voice: String,
        /// The time of its first event that does not count; absent for all of them.
        #[serde(
            default,
            with = "serde_rfc3339_option",
            skip_serializing_if = "Option::is_none"
        )]
        since: Option<Millis>,
    },
    /// A person takes the withdrawal of a voice back: all that it said counts, as if the withdrawal had never been.
    VoiceReinstated {
        /// Whose.
        voice: String,
    },
    /// Settings of the space were changed. The fold itself goes by none of them.
    PolicyChanged {
        /// The new values by name, such as `tools.core_servers`; `null` goes back to the default.
        changes: BTreeMap<String, Value>,
    },
}

impl EventKind {
    /// The event's name, as it stands in the ledger.
    pub fn name(&self) -> &'static str {
        match self {
            Self::LessonAdded { .. } => "LessonAdded",
            Self::LessonEdited { .. } => "LessonEdited",
            Self::LessonArchived { .. } => "LessonArchived",
            Self::LessonRestored { .. } => "LessonRestored",
            Self::LessonReviewed { .. } => "LessonReviewed",
            Self::LessonsMerged { .. } => "LessonsMerged",
            Self::Surfaced { .. } => "Surfaced",
            Self::UsageTracked { .. } => "UsageTracked",
            Self::OutcomeRecorded { .. } => "OutcomeRecorded",
            Self::FeedbackGiven { .. } => "FeedbackGiven",
            Self::Rated { .. } => "Rated",
            Self::Voted { .. } => "Voted",
            Self::ToolSucceeded { .. } => "ToolSucceeded",
            Self::TrialGranted { .. } => "TrialGranted",
            Self::ChangeProposed { .. } => "ChangeProposed",
            Self::ProposalSettled { .. } => "ProposalSettled",
            Self::VoiceWithdrawn { .. } => "VoiceWithdrawn",
            Self::VoiceReinstated { .. } => "VoiceReinstated",
            Self::PolicyChanged { .. } => "PolicyChanged",
        }
    }
}

/// The situation that a recommendation was given for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SurfacedContext {
    /// Ties the retrieval to a decision.
    pub decision_id: Option<String>,
    /// The situation in words.
    pub query: Option<String>,
    /// The field of the decision.
    pub domain: Option<String>,
    /// The kind of project.
    pub project_type: Option<String>,
    /// Technologies at hand.
    pub tech_stack: Vec<String>,
    /// The phase of work.
    pub phase: Option<String>,
}

/// A recommendation's part in measuring what lessons do.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Measured {
    /// True for a control run, in which no lesson was shown but those that are never withheld.
    pub control: bool,
    /// The probability of that when it was drawn, 0 to 1; 0 where it could not be.
    pub control_q: f64,
    /// The lessons that a draw was made for.
    pub drawn: Vec<Drawn>,
}

/// A draw whether a lesson is withheld from a recommendation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drawn {
    /// Slug of the lesson that was drawn for.
    pub lesson: String,
    /// The probability that it is withheld, 0 to 1.
    pub q: f64,
    /// True if it was withheld.
    pub withheld: bool,
}

/// A lesson in a recommendation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SurfacedItem {
    /// Slug of the recommended lesson.
    pub lesson: String,
    /// 1 is the best.
    pub rank: u32,
    /// The final score.
    pub score: f64,
    /// Relevance before standing.
    #[serde(default)]
    pub relevance: f64,
    /// Probability that it was the right one, 0 to 1, where something was asked in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub likelihood: Option<f64>,
}

/// An observation of one lesson in an agent's reasoning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Detection {
    /// Slug of the lesson that was looked for.
    pub lesson: String,
    /// True if it was applied: explicit or implicit.
    pub applied: bool,
    /// The kind of match by which it was seen.
    pub match_type: MatchType,
    /// 0 to 1.
    pub confidence: f64,
    /// 50 characters either side of the match.
    #[serde(default)]
    pub quote: Option<String>,
}
