//! Stats, health and policy.

use crate::lesson::Badge;
use crate::lift::LiftCounts;
use crate::words::{ConstantKind, HealthStatus, Severity};
use serde::{Deserialize, Serialize};

/// A lesson in a top or bottom list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LessonRank {
    /// Its slug.
    pub slug: String,
    /// Its title.
    pub title: String,
    /// Its badge.
    pub badge: Badge,
    /// helpful / (helpful + not helpful), from two ratings on.
    pub effectiveness_score: Option<f64>,
    /// Ratings, which that share is of.
    pub ratings: u32,
    /// Causal effectiveness.
    pub effectiveness: f64,
    /// Retrievals that returned it.
    pub times_surfaced: u32,
}

/// Events on one day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DayActivity {
    /// The day, such as `2026-11-22`, in UTC.
    pub day: String,
    /// Events of that day.
    pub events: u32,
}

/// `GET /v1/stats`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stats {
    /// Lessons in use.
    pub lessons: u32,
    /// Lessons out of use.
    pub archived: u32,
    /// Lessons nobody has looked at.
    pub unreviewed: u32,
    /// Lessons held back.
    pub quarantined: u32,
    /// Lessons with a proven badge.
    pub proven: u32,
    /// Sum of `times_surfaced`.
    pub total_surfaced: u32,
    /// Sum of ratings.
    pub total_rated: u32,
    /// Lessons surfaced at least once.
    pub lessons_surfaced: u32,
    /// Lessons rated at least once.
    pub lessons_rated: u32,
    /// The five best by effectiveness score.
    pub top: Vec<LessonRank>,
    /// The five worst of those below neutral.
    pub bottom: Vec<LessonRank>,
    /// Candidates for pruning: causal effectiveness below 0.25 after five causal uses or more.
    pub pruning: Vec<LessonRank>,
    /// Lessons in use that outcomes keep from being recommended; they wait in the review queue.
    pub disqualified: u32,
    /// Surfaced ten times or more and never rated.
    pub never_rated: Vec<LessonRank>,
    /// The last 30 days with events, oldest first.
    pub activity: Vec<DayActivity>,
    /// Of how many lessons withholding them at random has shown what they do; absent where nothing was ever measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub measured: Option<LiftCounts>,
}

/// A constant that a space may change, in the answer to `GET /v1/policy` under `constants`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Constant {
    /// Its section and name, such as `rank.match_weight`: where `PATCH /v1/policy` takes it.
    pub name: String,
    /// Its effect, in a sentence.
    pub about: String,
    /// The kind of its value.
    pub kind: ConstantKind,
    /// Its value where the space has set none.
    #[cfg_attr(feature = "typescript", ts(type = "unknown"))]
    pub default: serde_json::Value,
    /// The least value of a number.
    pub least: Option<f64>,
    /// The greatest value of a number.
    pub most: Option<f64>,
    /// The words to choose from, of a word.
    pub words: Vec<String>,
}

/// Lessons per band of causal effectiveness.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Bands {
    /// To 0.25.
    pub consistently_unhelpful: u32,
    /// Above 0.25, to 0.5: where a new lesson stands.
    pub mixed_or_new: u32,
    /// Above 0.5, to 0.75.
    pub generally_helpful: u32,
    /// Above 0.75.
    pub consistently_helpful: u32,
}

/// From shown to settled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Funnel {
    /// Recommendation records.
    pub surfaced: u32,
    /// Of those, applied.
    pub applied: u32,
    /// Of those, with a final outcome.
    pub outcome: u32,
    /// Of those, that went well.
    pub success: u32,
}

/// The model's condition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelHealth {
    /// True if a model is loaded.
    pub loaded: bool,
    /// Its id, empty without one.
    pub id: String,
    /// Lessons with a vector of this model.
    pub embedded: u32,
    /// Lessons still without one.
    pub pending: u32,
}

/// The store's condition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StoreHealth {
    /// `memory` or `indexed_db`.
    pub kind: String,
    /// Events in the ledger; with a server connected, those made here that its rows may not hold yet.
    pub events: u32,
    /// Events shown, but not stored yet.
    pub unsaved: u32,
    /// The last failure to store, if storing fails now.
    pub error: Option<String>,
}

/// Something about a space that a person should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HealthIssue {
    /// A stable code, such as `no_feedback`.
    pub code: String,
    /// The weight of the issue.
    pub severity: Severity,
    /// The problem in words.
    pub message: String,
    /// The step to take about it.
    pub remedy: String,
}

/// Reports from the sessions that lessons were recommended in.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionFeedback {
    /// Decisions of the last seven days for which lessons were recommended.
    pub in_last_7_days: u32,
    /// Those of them that began more than half an hour ago and have no feedback, rating, vote or outcome.
    pub silent: u32,
    /// The latest of these; `null` without any.
    pub last_silent: Option<String>,
}

/// Counts of a space's runs by how they ended: `runs` is `with_outcome`, `pending` and `control` together. Success is told
/// one way everywhere: of the runs with a final outcome, the share that went well, `successes / with_outcome`. Control runs,
/// which the others are compared with, are told apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunCounts {
    /// Decisions that lessons were asked for, whether any was given.
    pub runs: u32,
    /// Those of them with a final outcome, control runs aside.
    pub with_outcome: u32,
    /// Those of these that went well.
    pub successes: u32,
    /// Runs whose outcome is open, control runs aside.
    pub pending: u32,
    /// Runs that were given no lesson on purpose, to compare the others with, however they ended.
    pub control: u32,
}

/// The supply of lessons for agents.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Supply {
    /// Lessons in use that are not held back.
    pub lessons: u32,
    /// Those of them that are left out for what came of them.
    pub left_out: u32,
    /// The newest runs in a row that were given no lesson, control runs aside; 0 where none ever was given one.
    pub empty_runs: u32,
    /// The step to take where all are left out, or where runs stay empty for that; `null` else.
    pub remedy: Option<String>,
}

/// `GET /v1/health`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Health {
    /// The condition of the space: as its weightiest issue says.
    pub status: HealthStatus,
    /// Issues to look at, the weightiest first.
    pub issues: Vec<HealthIssue>,
    /// The engine's version.
    pub version: String,
    /// Counts of its runs by how they ended.
    pub runs: RunCounts,
    /// The supply of lessons for agents.
    pub supply: Supply,
    /// Feedback in the last seven days.
    pub feedback_last_7_days: u32,
    /// Reports from the sessions of the last seven days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub sessions: Option<SessionFeedback>,
    /// Uses of lessons that feedback names: Σ use_count.
    pub uses: u32,
    /// The share of these that were a cause, Σ causal_hits / Σ use_count; `null` without uses.
    pub causal_ratio: Option<f64>,
    /// Lessons per band.
    pub bands: Bands,
    /// Surfaced → applied → outcome.
    pub funnel: Funnel,
    /// The model.
    pub model: ModelHealth,
    /// The store.
    pub store: StoreHealth,
    /// The phase of [`crate::SyncStatus`]: `off` without a server.
    pub sync: String,
}
