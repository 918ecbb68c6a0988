//! Reports on lessons after they were recommended: tracking, outcomes, feedback, ratings, votes, sessions.

use crate::words::{DecisionOutcome, FeedbackOutcome, MatchType};
use lesson_derive::Fields;
use serde::{Deserialize, Serialize};

/// `POST /v1/track`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Track {
    /// The decision that lessons were recommended for.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = crate::limits::ID), regex(pattern = r"\S")))]
    #[field(name)]
    pub decision_id: String,
    /// The agent's reasoning.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = crate::limits::TEXT), regex(pattern = r"\S")))]
    #[field(stored)]
    pub reasoning: String,
}

/// The detection of one lesson in the reasoning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DetectionView {
    /// The lesson.
    pub slug: String,
    /// True if it was applied.
    pub applied: bool,
    /// The kind of match.
    pub match_type: MatchType,
    /// 0.95 explicit, 0.60 implicit, 0 when not applied.
    pub confidence: f64,
    /// 50 characters either side of the match.
    pub quote: Option<String>,
}

/// The answer to a track: one detection per lesson recommended for the decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tracked {
    /// The detections, in order of recommendation.
    pub detections: Vec<DetectionView>,
    /// True if the ledger took them.
    pub recorded: bool,
}

/// `POST /v1/outcome`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct Outcome {
    /// The decision.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = crate::limits::ID), regex(pattern = r"\S")))]
    #[field(name)]
    pub decision_id: String,
    /// The outcome. `profit` and `loss` are read as `success` and `failure`.
    pub outcome: DecisionOutcome,
    /// Gain or loss in percent; finite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pnl_percent: Option<f64>,
}

/// A lesson of which something is recorded, but does not count.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Uncounted {
    /// The lesson.
    pub slug: String,
    /// Why.
    pub reason: String,
}

/// The answer to an outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OutcomeRecorded {
    /// Lessons of the decision that have this outcome now.
    pub lessons_updated: u32,
    /// Those of them whose standing moved by this request: the applied ones.
    pub effectiveness_recalculated: Vec<String>,
    /// Applied ones in which it does not count.
    pub uncounted: Vec<Uncounted>,
    /// True if the decision had this outcome before, so that nothing was done.
    pub repeated: bool,
}

/// `POST /v1/feedback`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct Feedback {
    /// The lessons that were at hand.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = crate::limits::SLUGS), inner(length(min = 1, max = crate::limits::SLUG), regex(pattern = r"^[a-z0-9]+(-[a-z0-9]+)*$"))))]
    #[field(sought)]
    pub lessons: Vec<String>,
    /// The outcome of the session.
    pub outcome: FeedbackOutcome,
    /// Those of them that were a cause; absent with `outcome_text`: those that it names as applied
    /// or is alike; absent without it: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(min = 0, max = crate::limits::SLUGS), inner(length(min = 1, max = crate::limits::SLUG), regex(pattern = r"^[a-z0-9]+(-[a-z0-9]+)*$"))))]
    #[field(sought)]
    pub causal: Option<Vec<String>>,
    /// The outcome in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(max = crate::limits::TEXT)))]
    #[field(stored)]
    pub outcome_text: Option<String>,
    /// The decision that it is about: everybody gives feedback on one once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = crate::limits::ID), regex(pattern = r"\S")))]
    #[field(name)]
    pub decision_id: Option<String>,
}

/// A lesson's numbers after feedback.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FeedbackUpdate {
    /// The lesson.
    pub slug: String,
    /// Its causal effectiveness.
    pub effectiveness: f64,
    /// Feedbacks that named it.
    pub use_count: u32,
    /// Feedbacks in which it was a cause.
    pub causal_hits: u32,
    /// True if it counts.
    pub counted: bool,
    /// Why not.
    pub reason: Option<String>,
}

/// The answer to feedback.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FeedbackGiven {
    /// The lessons named, after it.
    pub updated: Vec<FeedbackUpdate>,
    /// True if the same was given before for this decision, so that nothing was done.
    pub repeated: bool,
}

/// `POST /v1/rate`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rate {
    /// A slug, or part of a title.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = crate::limits::TITLE), regex(pattern = r"\S")))]
    #[field(sought)]
    pub lesson: String,
    /// True if it helped.
    pub helpful: bool,
    /// The decision that the lesson was recommended for: everybody says this of it once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = crate::limits::ID), regex(pattern = r"\S")))]
    #[field(name)]
    pub decision_id: Option<String>,
}

/// `POST /v1/vote`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Vote {
    /// A slug, or part of a title.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = crate::limits::TITLE), regex(pattern = r"\S")))]
    #[field(sought)]
    pub lesson: String,
    /// Up or down.
    pub up: bool,
    /// The decision that the lesson was recommended for: everybody says this of it once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = crate::limits::ID), regex(pattern = r"\S")))]
    #[field(name)]
    pub decision_id: Option<String>,
}

/// The answer to a rating or a vote.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rated {
    /// The lesson.
    pub slug: String,
    /// Its confidence now.
    pub confidence: f64,
    /// Ratings: helpful.
    pub times_helpful: u32,
    /// Ratings: not helpful.
    pub times_not_helpful: u32,
    /// Votes up.
    pub upvotes: u32,
    /// Votes down.
    pub downvotes: u32,
    /// helpful / (helpful + not helpful), from two ratings on.
    pub effectiveness_score: Option<f64>,
    /// True if the same was said before in this decision, so that nothing was done.
    pub repeated: bool,
    /// True if it counts.
    pub counted: bool,
    /// Why not.
    pub reason: Option<String>,
}

/// `POST /v1/sessions`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct Session {
    /// A finished session with its `INSIGHT:`, `BLOCKED:`, `DELIVERED:` and `INJECTED:` lines.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = crate::limits::TEXT), regex(pattern = r"\S")))]
    #[field(stored)]
    pub transcript: String,
    /// The decision that the session is: the feedback on lessons that were recommended for it is about it. Feedback that
    /// was given on it before stays; one that nobody knows is passed over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = crate::limits::ID), regex(pattern = r"\S")))]
    #[field(name)]
    pub decision_id: Option<String>,
}

/// A lesson that a session gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Insight {
    /// The lesson's slug.
    pub slug: String,
    /// The line it came from.
    pub text: String,
    /// True if it is new; a line that was learned before is not stored again.
    pub added: bool,
}

/// The answer to a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct SessionRecorded {
    /// The session's outcome, when the transcript says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<FeedbackOutcome>,
    /// The lessons that were shown.
    pub injected: Vec<String>,
    /// Names in `INJECTED:` that are no lesson here.
    pub unknown: Vec<String>,
    /// The lessons learned.
    pub insights: Vec<Insight>,
    /// Those of the shown that were a cause.
    pub causal: Vec<String>,
    /// The feedback given, when there was an outcome and something was shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<FeedbackGiven>,
}
