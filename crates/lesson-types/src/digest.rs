//! Changes in a space over the last days.

use crate::insights::{RunTotals, SuccessRate};
use crate::report::HealthIssue;
use crate::review::ReviewCounts;
use crate::words::Trust;
use lesson_derive::Fields;
use serde::{Deserialize, Serialize};

/// `GET /v1/digest`: the query parameters.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct DigestQuery {
    /// The days of the range, 1 to 3,650; 7 when absent.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = crate::limits::INSIGHT_DAYS)))]
    pub days: Option<u32>,
    /// The last day of the range in UTC, such as `2026-11-22`; today when absent.
    #[cfg_attr(feature = "schema", schemars(extend("format" = "date"), regex(pattern = r"^[12][0-9]{3}-[0-9]{2}-[0-9]{2}$")))]
    #[field(sought)]
    pub until: Option<String>,
}

/// A share of successes, beside that of as many days before.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SuccessChange {
    /// In the range.
    pub now: SuccessRate,
    /// In as many days before it.
    pub before: SuccessRate,
    /// `now` less `before`, −1 to 1.
    pub change: f64,
    /// The lower end of Newcombe's interval of 95 % of the change.
    pub low: f64,
    /// Its upper end. Where both ends have one sign, the change is more than chance explains.
    pub high: f64,
}

/// A lesson whose runs succeed more or less often than before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DigestMover {
    /// Its slug.
    pub slug: String,
    /// Its title; empty of a lesson that is gone.
    pub title: String,
    /// Success of the runs that applied it; at least four in the range and four before it.
    pub success: SuccessChange,
}

/// A lesson that was added in the range.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DigestAdded {
    /// Its slug.
    pub slug: String,
    /// Its title.
    pub title: String,
    /// The voice that added it.
    pub by: String,
    /// When.
    pub created_at: String,
    /// Its trust today.
    pub trust: Trust,
    /// Runs of the range that applied it.
    pub applied: u32,
}

/// Runs of one agent, or of one domain, that succeed less often than before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DigestFalling {
    /// An agent's `by`, or the domain's name.
    pub name: String,
    /// Success of its runs with lessons; the whole interval of the change lies below 0.
    pub success: SuccessChange,
}

/// An agent that went silent in the range: its runs used to have outcomes, and by the end of the range none had come for a week.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DigestSilent {
    /// Its `by`.
    pub by: String,
    /// When an outcome of one of its runs was last told.
    pub last_at: String,
    /// Whole days since then, up to the end of the range.
    pub days: u32,
    /// Its runs in the range; an agent that still asks and tells no outcome has some.
    pub runs: u32,
    /// Its runs in as many days before the range.
    pub runs_before: u32,
}

/// Runs of the range, and the lessons, agents and domains that stand out in them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DigestRuns {
    /// Totals of the range.
    pub totals: RunTotals,
    /// Totals of as many days before it.
    pub before: RunTotals,
    /// Success of runs with lessons in the range; `null` while none has ended.
    pub success: Option<SuccessRate>,
    /// The same beside the days before it; `null` where one of both has no run with a final outcome.
    pub change: Option<SuccessChange>,
    /// Lessons whose runs succeed more often than before, the greatest change first; at most five.
    pub risers: Vec<DigestMover>,
    /// Lessons whose runs succeed less often; at most five.
    pub fallers: Vec<DigestMover>,
    /// Lessons that have enough runs for that in the range and before it.
    pub compared: u32,
    /// Agents whose runs succeed less often than before, by more than chance explains, the greatest fall first; at most 20.
    pub falling_agents: Vec<DigestFalling>,
    /// Domains, likewise.
    pub falling_domains: Vec<DigestFalling>,
    /// Agents that went silent in the range, those silent the longest first; at most 20.
    pub silent: Vec<DigestSilent>,
    /// Lessons that were added in the range and are there today, those applied most often first, then the newest; at most 20.
    pub added: Vec<DigestAdded>,
    /// Such lessons in all.
    pub added_total: u32,
}

/// Work that waits for a person today.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DigestWaiting {
    /// All that waits for a review, as the review queue counts it; `null` where the queue is not known.
    pub total: Option<u32>,
    /// Lessons in that total.
    pub lessons: Option<u32>,
    /// Changes in that total that agents propose.
    pub proposals: Option<u32>,
    /// Lessons held back.
    pub quarantined: u32,
    /// Lessons that outcomes keep from being recommended.
    pub disqualified: u32,
    /// Lessons that nobody has looked at.
    pub unreviewed: u32,
    /// Lessons of the queue by reason; `null` where the queue is not known.
    pub reasons: Option<ReviewCounts>,
    /// Suggested outcomes that wait for a word; `null` where they are not known.
    pub outcomes: Option<u32>,
}

/// The answer to `GET /v1/digest`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Digest {
    /// The first day of the range in UTC, such as `2026-11-16`.
    pub from: String,
    /// Its last day.
    pub to: String,
    /// Its days.
    pub days: u32,
    /// Outcomes of runs, and the part of lessons in them; `null` where the space is not kept here.
    pub runs: Option<DigestRuns>,
    /// The issue that stops the loop today, with its remedy: every lesson is left out for what came of it, or runs are given
    /// none and earlier ones were; `null` while it goes round.
    pub stopped: Option<HealthIssue>,
    /// Work that waits for a person today.
    pub waiting: DigestWaiting,
    /// Parts that are not known, each with the reason and the remedy, as a sentence.
    pub unknown: Vec<String>,
    /// All of it as Markdown.
    pub markdown: String,
}
