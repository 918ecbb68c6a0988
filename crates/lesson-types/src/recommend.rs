//! Finding lessons: recommend, search, patterns, and the trace that explains a ranking.

use crate::decisions::DecisionMeasured;
use crate::lesson::{Badge, LessonView};
use crate::words::{RelevanceWord, Trend, Volatility};
use lesson_derive::Fields;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A trading agent's view of its market.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct Market {
    /// The size of price moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volatility: Option<Volatility>,
    /// Where prices go.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trend: Option<Trend>,
    /// True if positions are open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub has_open_positions: Option<bool>,
    /// Losses in the recent past.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = u32::MAX)))]
    pub recent_loss_count: Option<u32>,
}

/// `POST /v1/recommend`: at least one of query, project type, tech stack or domain.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct Recommend {
    /// The situation in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(max = crate::limits::QUERY)))]
    #[field(stored)]
    pub query: Option<String>,
    /// The kind of project, such as `web-app`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(max = crate::limits::WORD)))]
    #[field(stored)]
    pub project_type: Option<String>,
    /// Technologies at hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(max = crate::limits::WORDS), inner(length(min = 1, max = crate::limits::WORD), regex(pattern = r"\S"))))]
    #[field(stored)]
    pub tech_stack: Option<Vec<String>>,
    /// The phase of work; limits the categories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(max = crate::limits::WORD)))]
    #[field(stored)]
    pub phase: Option<String>,
    /// The field of a decision, such as `perps`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(max = crate::limits::WORD)))]
    #[field(stored)]
    pub domain: Option<String>,
    /// The market, for decision relevance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub market: Option<Market>,
    /// 1 to 100; 5 for decisions, 15 for project context when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = crate::limits::LIMIT)))]
    pub limit: Option<u32>,
    /// The most tokens of the prompt text, 200 to 32,000; 6,000 when absent. A token is reckoned as four bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = crate::limits::PROMPT_TOKENS_MIN, max = crate::limits::PROMPT_TOKENS_MAX)))]
    pub max_tokens: Option<u32>,
    /// Shortens each lesson that is too long to its share of `max_tokens`; else the first one is, and later ones
    /// that don't fit are left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shorten_each: Option<bool>,
    /// Ties this retrieval to a decision, so that usage and outcome can be tracked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = crate::limits::ID), regex(pattern = r"\S")))]
    #[field(name)]
    pub decision_id: Option<String>,
    /// Set to get the trace with the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explain: Option<bool>,
    /// Ranking constants to use instead of the space's: an object with the names that
    /// `GET /v1/policy` shows under `rank`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(type = "Record<string, unknown>"))]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")
    )]
    pub policy: Option<serde_json::Value>,
    /// Set to only look: nothing is counted as shown, and no decision begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
    /// The lessons left out that the trace is to hold; all when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_part: Option<TracePart>,
}

/// A part of a trace: of the lessons that were left out, best score first, those from `offset` on of each reason.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct TracePart {
    /// Only those left out for this reason; a word of [`TraceEntry::excluded`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[field(sought)]
    pub reason: Option<String>,
    /// Only those with this in their slug or title, whatever the case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[field(sought)]
    pub text: Option<String>,
    /// 0 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u32>,
    /// 1 to 1,000 of each reason; 50 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// The count of lessons left out for a reason.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LeftOut {
    /// A word of [`TraceEntry::excluded`].
    pub reason: String,
    /// Lessons left out, of those that [`TracePart::text`] asks for.
    pub count: u32,
}

/// The answer to `POST /v1/recommend/compare`, which takes what a recommend takes, with a `policy`: the same situation
/// ranked by the space's constants and by these. Nothing is counted as shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Comparison {
    /// True if the model took part.
    pub semantic: bool,
    /// Lessons that have another rank, came in or fell out.
    pub moved: u32,
    /// Every lesson of either answer: in the second one's order, then those that fell out.
    pub lessons: Vec<Compared>,
}

/// A lesson in two answers to one situation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Compared {
    /// The lesson.
    pub slug: String,
    /// Its title.
    pub title: String,
    /// With the space's constants.
    pub before: Placed,
    /// With those of the request.
    pub after: Placed,
    /// Effects of the factors in each, the greatest difference first; those without one are left out.
    pub factors: Vec<FactorChange>,
    /// The cause that moved its score most, in words.
    pub sentence: String,
}

/// A lesson's place in an answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Placed {
    /// Its rank; `null` when it is not in it.
    pub rank: Option<u32>,
    /// Its score, 0 to 1.
    pub score: f64,
    /// Its relevance before standing, 0 to 1.
    pub relevance: f64,
    /// Why it is not in it: a word of [`TraceEntry::excluded`].
    pub excluded: Option<String>,
    /// The same in words.
    pub reason: Option<String>,
}

/// A factor's effect on a score in two answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FactorChange {
    /// The factor.
    pub name: Cow<'static, str>,
    /// By how much it moved the running score in the first answer; 0 when it took no part.
    pub before: f64,
    /// The same in the second one.
    pub after: f64,
}

/// A recommended lesson.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct Recommended {
    /// Its slug.
    pub slug: String,
    /// Its title.
    pub title: String,
    /// Its badge.
    pub badge: Badge,
    /// Its relevance in words.
    pub relevance: RelevanceWord,
    /// 1 is the best.
    pub rank: u32,
    /// The tokens that it takes in the prompt text; 0 when it did not fit there.
    pub tokens: u32,
    /// The lesson.
    pub lesson: LessonView,
    /// True if its texts are cut, because those of all lessons together take more than `max_tokens`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shortened: Option<bool>,
    /// Lessons of the answer, by slug, of which one denies what the other says: only one of them can be right here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contradicts: Option<Vec<String>>,
}

/// The answer to a recommend.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct Recommendations {
    /// Names this retrieval.
    pub retrieval_id: String,
    /// True if the model took part.
    pub semantic: bool,
    /// Why it took no part, or which lessons it left to their words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub semantic_reason: Option<String>,
    /// True if the lessons may be older than the store's.
    pub stale: bool,
    /// The lessons, best first.
    pub recommended: Vec<Recommended>,
    /// Lessons in the pool.
    pub total_considered: u32,
    /// Of how many lessons, where the store chose the candidates that were ranked: then all counts are of these candidates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidates_of: Option<u32>,
    /// Lessons that fell to their outcomes.
    pub excluded_low_effectiveness: u32,
    /// Lessons that fell to their relevance.
    pub excluded_low_relevance: u32,
    /// With a `query`: how many match so much less than the best one that they are hardly the right ones.
    pub excluded_unlikely: u32,
    /// The text to give the agent.
    pub prompt: String,
    /// The next step when nothing was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The tool servers that worked for requests like `query`, best first: two at most, by the names that agents gave them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub servers: Option<Vec<String>>,
    /// One entry per lesson in the space, when asked for; with `trace_part` that part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Vec<TraceEntry>>,
    /// With `trace_part`: how many lessons were left out for each reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<Vec<LeftOut>>,
    /// `true` where the decision takes part in measuring what lessons do, so that lessons may be missing; absent elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub under_measurement: Option<bool>,
    /// The lessons withheld for that; people are told, agents are not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<DecisionMeasured>,
    /// With a `decision_id`: how many of the lessons were not recommended for it before, so that a record was made of each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recommendations_created: Option<u32>,
}

/// The operation by which a factor takes part in a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum FactorKind {
    /// `contribution` = input · weight is added to the running score.
    Add,
    /// The running score is multiplied by `contribution`.
    Multiply,
    /// The running score becomes at most `contribution`.
    Cap,
}

/// One factor of a score, in the order it was applied.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Factor {
    /// Its name, such as `similarity`.
    pub name: Cow<'static, str>,
    /// The operation.
    pub kind: FactorKind,
    /// The value that went in.
    pub input: f64,
    /// The weight of that value.
    pub weight: f64,
    /// The result: the addend, the multiplier or the cap.
    pub contribution: f64,
    /// The running score after it.
    pub running: f64,
    /// Why, in words.
    pub note: String,
}

/// The course of one lesson through the ranking.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TraceEntry {
    /// The lesson.
    pub slug: String,
    /// Its title.
    pub title: String,
    /// Its rank in the answer; `null` when it is not in it.
    pub rank: Option<u32>,
    /// Relevance, 0 to 1, before standing.
    pub relevance: f64,
    /// Chance that it is the right one, 0 to 1, by its match and the best one's; `null` without a query, where no lesson
    /// matches, and of a lesson that was left out before.
    pub likelihood: Option<f64>,
    /// The formula behind that chance.
    pub likelihood_formula: Option<String>,
    /// The final score: the factors' running value after the last one.
    pub score: f64,
    /// Every factor in order of application.
    pub factors: Vec<Factor>,
    /// Why it is not in the answer: `archived`, `quarantined`, `unapproved`, `domain`, `category`,
    /// `low_effectiveness`, `harms`, `low_relevance`, `unlikely`, `duplicate_title`, `near_duplicate`, `key_limit`, `beyond_limit` or
    /// `withheld`.
    pub excluded: Option<String>,
    /// The same in words.
    pub reason: Option<String>,
}

/// `POST /v1/search`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct Search {
    /// The text to look for.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = crate::limits::QUERY), regex(pattern = r"\S")))]
    #[field(sought)]
    pub query: String,
    /// 1 to 100; 10 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = crate::limits::LIMIT)))]
    pub limit: Option<u32>,
    /// Set to get the factors with each result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explain: Option<bool>,
}

/// One result of a search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct Found {
    /// Its slug.
    pub slug: String,
    /// Its title.
    pub title: String,
    /// Its badge.
    pub badge: Badge,
    /// Its relevance in words.
    pub relevance: RelevanceWord,
    /// 1 is the best.
    pub rank: u32,
    /// The lesson.
    pub lesson: LessonView,
    /// The factors, when asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub factors: Option<Vec<Factor>>,
}

/// The answer to a search or to patterns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct SearchResults {
    /// True if the model took part.
    pub semantic: bool,
    /// Why it took no part, or which lessons it left to their words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub semantic_reason: Option<String>,
    /// The results, best first.
    pub results: Vec<Found>,
    /// The next step when nothing was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// `POST /v1/patterns`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct Patterns {
    /// The feature to be built.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = crate::limits::QUERY), regex(pattern = r"\S")))]
    #[field(sought)]
    pub feature: String,
    /// The kind of project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(max = crate::limits::WORD)))]
    #[field(sought)]
    pub project_type: Option<String>,
    /// Technologies at hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(max = crate::limits::WORDS), inner(length(min = 1, max = crate::limits::WORD), regex(pattern = r"\S"))))]
    #[field(sought)]
    pub tech_stack: Option<Vec<String>>,
    /// 1 to 100; 3 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = crate::limits::LIMIT)))]
    pub limit: Option<u32>,
}
