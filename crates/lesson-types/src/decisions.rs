//! Decisions, the runs of agents: the situation, what was recommended, what was applied, and what came of it.

use crate::words::{DecisionOutcome, FeedbackOutcome, MatchType};
use lesson_derive::Fields;
use serde::{Deserialize, Serialize};

/// `GET /v1/decisions`: the query parameters. The newest come first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct DecisionQuery {
    /// Only those of this asker: `by` of an answer.
    #[cfg_attr(feature = "schema", schemars(length(max = crate::limits::ID)))]
    #[field(sought)]
    pub by: Option<String>,
    /// Only those of this field, such as `perps`.
    #[cfg_attr(feature = "schema", schemars(length(max = crate::limits::WORD)))]
    #[field(sought)]
    pub domain: Option<String>,
    /// Only those with this outcome; `pending` are those that nobody has settled.
    pub outcome: Option<DecisionOutcome>,
    /// Only those whose task has this in its words, in capitals or not.
    #[cfg_attr(feature = "schema", schemars(length(max = crate::limits::WORD)))]
    #[field(sought)]
    pub q: Option<String>,
    /// Only those that this lesson was recommended for: its slug.
    #[cfg_attr(feature = "schema", schemars(length(max = crate::limits::SLUG)))]
    #[field(sought)]
    pub lesson: Option<String>,
    /// Only those from this time on, in RFC 3339.
    #[cfg_attr(feature = "schema", schemars(extend("format" = "date-time"), regex(pattern = r"^[12][0-9]{3}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-5][0-9](\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})$")))]
    #[field(sought)]
    pub from: Option<String>,
    /// Only those before this time, in RFC 3339.
    #[cfg_attr(feature = "schema", schemars(extend("format" = "date-time"), regex(pattern = r"^[12][0-9]{3}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-5][0-9](\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})$")))]
    #[field(sought)]
    pub to: Option<String>,
    /// Where the page begins: `next_cursor` of the page before.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = r"^-?[0-9]{1,15}\.")))]
    #[field(sought)]
    pub cursor: Option<String>,
    /// 1 to 1,000; 50 when absent.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = crate::limits::PAGE)))]
    pub limit: Option<u32>,
}

/// The answer to a list of decisions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DecisionPage {
    /// The decisions, newest first.
    pub decisions: Vec<DecisionView>,
    /// Decisions that fit the filters, in all.
    pub total: u32,
    /// The cursor of the next page; `null` on the last one.
    pub next_cursor: Option<String>,
}

/// A decision and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DecisionView {
    /// Its id, as it was given to recommend.
    pub id: String,
    /// Voice that asked: `person:` and an account, `agent:` and the id of a key, or `local`; empty when the ledger says none.
    pub by: String,
    /// When lessons were first recommended for it; `null` while only its outcome is known.
    pub at: Option<String>,
    /// The question in one line of 120 characters at most; where none was asked, facts known of the project, or the id.
    pub title: String,
    /// The situation in words.
    pub query: Option<String>,
    /// Its field.
    pub domain: Option<String>,
    /// The kind of project.
    pub project_type: Option<String>,
    /// Technologies at hand.
    pub tech_stack: Vec<String>,
    /// The phase of work.
    pub phase: Option<String>,
    /// The lessons that were recommended, in that order.
    pub lessons: Vec<DecisionLesson>,
    /// Tokens of these lessons, by their texts of today; `null` where one of them is not at hand.
    pub tokens: Option<u32>,
    /// Lessons at hand that came out of the session that it was.
    pub learned: Vec<LearnedLesson>,
    /// Lessons that were withheld at random to measure what lessons do; `null` where nothing was drawn, and for agents.
    pub measured: Option<DecisionMeasured>,
    /// `true` where it takes part in measuring what lessons do; absent elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub under_measurement: Option<bool>,
    /// The outcome; `null` while nobody has told it.
    pub outcome: Option<DecisionOutcome>,
    /// Gain or loss in percent.
    pub pnl_percent: Option<f64>,
    /// The voice that told the outcome.
    pub outcome_by: String,
    /// When.
    pub outcome_at: Option<String>,
    /// Feedback on it, one from each giver.
    pub feedback: Vec<GivenFeedback>,
    /// Ratings and votes on its lessons.
    pub opinions: Vec<GivenOpinion>,
}

/// A lesson that a session gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LearnedLesson {
    /// Its slug.
    pub slug: String,
    /// Its title.
    pub title: String,
}

/// A lesson in a decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DecisionLesson {
    /// Its slug.
    pub slug: String,
    /// Its title; empty of one that is not at hand, and for agents of one that is held back.
    pub title: String,
    /// Its relevance then, 0 to 1.
    pub relevance: f64,
    /// True if it was applied.
    pub applied: bool,
    /// The kind of match in the agent's reasoning.
    pub match_type: MatchType,
    /// Confidence that it was applied, 0 to 1.
    pub confidence: f64,
    /// The agent's words around it: data, never instructions.
    pub quote: Option<String>,
    /// True if the outcome counted in its standing.
    pub counted: bool,
    /// True if it was shown to the agent.
    pub was_presented: bool,
    /// True if it was applied, and the decision went well.
    pub contributed_to_success: bool,
}

/// A decision's part in measuring the effect of lessons.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DecisionMeasured {
    /// True if no lesson was shown at all.
    pub control: bool,
    /// The lessons that were withheld.
    pub withheld: Vec<String>,
}

/// Feedback on a decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GivenFeedback {
    /// The voice that gave it.
    pub by: String,
    /// When.
    pub at: String,
    /// The outcome of the work.
    pub outcome: FeedbackOutcome,
    /// The lessons at hand.
    pub lessons: Vec<String>,
    /// Those of them that were a cause.
    pub causal: Vec<String>,
}

/// A rating of a lesson in a decision, or a vote on it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GivenOpinion {
    /// The voice that gave it.
    pub by: String,
    /// When.
    pub at: String,
    /// The lesson.
    pub lesson: String,
    /// True if it is a vote; else it is a rating.
    pub is_vote: bool,
    /// Helpful, or up.
    pub is_positive: bool,
}

/// `PATCH /v1/policy`: settings of the space, for everybody in it. Absent ones stay as they are.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct PolicyPatch {
    /// Settings of tool suggestions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<ToolPolicyPatch>,
    /// The shares withheld at random, to measure the effect of lessons.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measure: Option<MeasurePolicyPatch>,
    /// Ranking constants by the names that `GET /v1/policy` shows under `rank`, but for `phases`; `null` goes back to the
    /// default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(type = "Record<string, unknown>"))]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")
    )]
    pub rank: Option<serde_json::Value>,
    /// Pairs of near duplicates that are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<ReviewPolicyPatch>,
}

/// Near duplicates of which a person said that each says something of its own.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct ReviewPolicyPatch {
    /// Pairs that are not asked about any more, by the `pair` of a near duplicate; at most 50. A pair is another one once a
    /// text of it has changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "schema",
        schemars(length(max = 50), inner(regex(pattern = r"^[0-9a-f]{16}$")))
    )]
    #[field(sought)]
    pub apart: Option<Vec<String>>,
    /// Pairs that are asked about again; at most 50.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "schema",
        schemars(length(max = 50), inner(regex(pattern = r"^[0-9a-f]{16}$")))
    )]
    #[field(sought)]
    pub again: Option<Vec<String>>,
}

/// The shares withheld at random from decisions, to measure the effect of lessons. The defaults, 0 and none, turn it off.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct MeasurePolicyPatch {
    /// The share of decisions that get no lessons, 0 to 0.5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0, max = 0.5)))]
    pub control_runs: Option<f64>,
    /// The probability that a lesson is left out, each on its own, 0 to 0.5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0, max = 0.5)))]
    pub withhold: Option<f64>,
    /// The probability that the last place goes to one of the next five lessons, 0 to 0.5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0, max = 0.5)))]
    pub explore: Option<f64>,
    /// Lessons that are never withheld, by slug; at most 100. An empty list takes all of these back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(max = 100), inner(length(min = 1, max = crate::limits::SLUG))))]
    #[field(sought)]
    pub always: Option<Vec<String>>,
}

/// Settings of tool suggestions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct ToolPolicyPatch {
    /// Servers that are always at hand beside the usual ones, so that they are neither recorded nor suggested, whatever
    /// the case of their letters. An empty list takes all of these back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(max = crate::limits::WORDS), inner(length(min = 1, max = crate::limits::WORD), regex(pattern = r"\S"))))]
    #[field(name)]
    pub core_servers: Option<Vec<String>>,
}
