//! The review queue: what a person should look at, and why.

use crate::lesson::Badge;
use crate::lift::{Lift, LiftBelief};
use crate::words::{DecisionOutcome, Measure, Qualification, ReviewReason, Trust};
use lesson_derive::Fields;
use serde::{Deserialize, Serialize};

/// `GET /v1/review`: the query parameters.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct ReviewQuery {
    /// Lessons in the answer, 0 to 1,000; 50 when absent. With 0 the answer counts only.
    pub limit: Option<u32>,
    /// Only lessons with this reason among theirs.
    pub reason: Option<ReviewReason>,
    /// Only lessons with this in their title or slug, in capitals or not.
    #[cfg_attr(feature = "schema", schemars(length(max = crate::limits::WORD)))]
    #[field(sought)]
    pub q: Option<String>,
}

/// A lesson that says almost the same as another one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NearDuplicate {
    /// Its slug.
    pub slug: String,
    /// Its title.
    pub title: String,
    /// Its badge.
    pub badge: Badge,
    /// State of its approval by a person.
    pub trust: Trust,
    /// Likeness of the two, 0 to 1.
    pub similarity: f64,
    /// The quantity that `similarity` is.
    pub measure: Measure,
    /// The word by which one of them denies what the other says, such as `not`; `null` where they say the same. Who merges
    /// them loses one of two opposite rules.
    pub contradicts: Option<String>,
    /// Names the two texts, from either side the same: a client that keeps it need not ask about the pair again.
    pub pair: String,
}

/// A lesson to look at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReviewItem {
    /// Names the question: another one once the text, the lessons in `duplicates` or the numbers
    /// that speak for a review have changed. A client that keeps it can leave out what a person
    /// has answered already.
    pub key: String,
    /// The lesson's slug.
    pub slug: String,
    /// Its title.
    pub title: String,
    /// Why it is here, the weightiest reason first; at least one.
    pub reasons: Vec<ReviewReason>,
    /// State of its approval by a person.
    pub trust: Trust,
    /// Its badge.
    pub badge: Badge,
    /// Why it is quarantined, or what was found in it.
    pub findings: Vec<String>,
    /// Lessons that say almost the same and have more behind them, most alike first; at most five.
    /// The lesson can be merged into one of them.
    pub duplicates: Vec<NearDuplicate>,
    /// Retrievals that returned it.
    pub times_surfaced: u32,
    /// Ratings: helpful.
    pub times_helpful: u32,
    /// Ratings: not helpful.
    pub times_not_helpful: u32,
    /// Its fitness to be recommended, by its outcomes.
    pub qualification: Qualification,
    /// Decisions with an outcome that applied it.
    pub times_applied: u32,
    /// Those of them that went well.
    pub success_count: u32,
    /// Causal effectiveness.
    pub effectiveness: f64,
    /// Uses in which it was a cause.
    pub causal_hits: u32,
    /// Gain in the success of runs that apply it, as far as seen.
    pub lift: LiftBelief,
    /// The remedy for a lesson that outcomes keep out or that is a candidate for pruning; `null`
    /// for others.
    pub remedy: Option<String>,
    /// When its text or life last changed.
    pub updated_at: String,
    /// Hash of the text; a review names the hash it saw.
    pub content_hash: String,
    /// The measured lift of a lesson that is said to hurt, with its interval; absent for others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub hurts: Option<Lift>,
}

/// Counts of the queue's lessons by reason; a lesson may have several.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReviewCounts {
    /// Held back.
    pub quarantined: u32,
    /// Measured to hurt; at most 200 at a time.
    pub hurts: u32,
    /// Much like another lesson; at most 200 at a time.
    pub near_duplicate: u32,
    /// Kept from being recommended by outcomes; at most 200 at a time.
    pub disqualified: u32,
    /// Candidates for pruning: causal effectiveness below 0.25 after five causal uses or more; at
    /// most 200 at a time.
    pub pruning: u32,
    /// Among the five worst, with more ratings of not helpful than of helpful.
    pub bottom_five: u32,
    /// Shown ten times or more and never rated; at most 200 at a time.
    pub never_rated: u32,
    /// Nobody has looked at them.
    pub unreviewed: u32,
}

/// `GET /v1/review`: held back lessons first, then those that hurt, near duplicates, those that outcomes keep out,
/// candidates for pruning, the five worst, those often shown and never rated, and those that nobody
/// has looked at. A lesson is here once, with all its
/// reasons. Edits that came too late are in [`crate::SetAsideList`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReviewQueue {
    /// The first lessons.
    pub items: Vec<ReviewItem>,
    /// All that waits, whatever the filters: lessons, and changes that agents propose.
    pub total: u32,
    /// Proposals in `total`, which `GET /v1/proposals` lists.
    pub proposals: u32,
    /// Lessons that fit the filters.
    pub fits: u32,
    /// Counts of lessons by reason, whatever the filters.
    pub counts: ReviewCounts,
    /// All lessons that wait though their text is approved: a person may keep such a lesson as it
    /// is, which is no event. At most 1,005.
    pub keepable: Vec<Keepable>,
    /// Outcomes of decisions that wait for a person's word, the newest first; at most 100.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outcomes: Vec<SuggestedOutcome>,
}

/// An outcome that a session's last test run or its commit points to, and that nobody has told. It counts once a person
/// says so: see [`SettleSuggestion`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SuggestedOutcome {
    /// The decision.
    pub decision_id: String,
    /// The outcome that it points to.
    pub outcome: DecisionOutcome,
    /// Why, in one sentence.
    pub because: String,
    /// When the session ended.
    pub at: String,
    /// The subject of the decision; `null` when that was not said.
    pub query: Option<String>,
    /// Lessons that were recommended for it.
    pub lessons: u32,
}

/// `POST /v1/decisions/{id}/suggestion`: a person's word on an outcome that was suggested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SettleSuggestion {
    /// True if it is so: the outcome is recorded then, as by `POST /v1/outcome`. Else it is not suggested again.
    pub accept: bool,
}

/// The answer to `POST /v1/decisions/{id}/suggestion`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SuggestionSettled {
    /// The decision.
    pub decision_id: String,
    /// The outcome that was recorded; `null` when the suggestion was dismissed.
    pub outcome: Option<DecisionOutcome>,
    /// Lessons that were recommended for the decision, as far as the outcome was recorded.
    pub lessons_updated: u32,
}

/// A lesson that may be kept as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Keepable {
    /// Its slug.
    pub slug: String,
    /// The key of its [`ReviewItem`].
    pub key: String,
    /// The `pair` of each lesson that is much like it, where nothing else is asked of it; else none.
    pub pairs: Vec<String>,
}
