//! Runs and lessons over time.

use crate::lift::LiftBelief;
use lesson_derive::Fields;
use serde::{Deserialize, Serialize};

/// `GET /v1/insights`: the query parameters.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct InsightsQuery {
    /// The days up to now that are looked at, 1 to 3,650; all when absent.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = crate::limits::INSIGHT_DAYS)))]
    pub days: Option<u32>,
}

/// Counts of runs by how they ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunEnds {
    /// Successes.
    pub successes: u32,
    /// Failures.
    pub failures: u32,
    /// Runs without a final outcome.
    pub pending: u32,
}

/// A share of successes among runs with a final outcome.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SuccessRate {
    /// 0 to 1.
    pub share: f64,
    /// The lower end of Wilson's interval of 95 %.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// The runs that it is of.
    pub runs: u32,
}

/// Totals of runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunTotals {
    /// Runs that got lessons, or would have: all but control runs.
    pub shown: RunEnds,
    /// Control runs, which get none.
    pub control: RunEnds,
    /// Runs but control runs for which a lesson of medium relevance or better was there.
    pub covered: u32,
    /// Lessons that were given, over all runs.
    pub lessons: u32,
    /// Lessons that were applied, over all runs.
    pub applied: u32,
    /// Tokens of the lessons that were given, by their texts of today.
    pub tokens: u32,
    /// Runs but control runs with feedback on them, or a rating or vote in them.
    pub judged: u32,
}

/// A step along time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InsightStep {
    /// Its last day, such as `2026-11-22`, in UTC.
    pub day: String,
    /// Totals of the runs that began in it.
    pub totals: RunTotals,
    /// Success of the runs with lessons of the `window_days` up to its end; `null` without one.
    pub shown: Option<SuccessRate>,
    /// The same of control runs.
    pub control: Option<SuccessRate>,
    /// Lessons that were added in it and are there today.
    pub added: u32,
}

/// Runs of one kind: a domain, an agent or a project type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InsightGroup {
    /// Its name; of an agent its `by`. Empty where none was said.
    pub name: String,
    /// Totals of its runs.
    pub totals: RunTotals,
    /// Success of its runs with lessons; `null` while none has ended.
    pub success: Option<SuccessRate>,
    /// When its latest run began.
    pub last_at: String,
    /// The share of successes of its runs with lessons by tenths of the range, oldest first; `null` where none ended.
    pub course: Vec<Option<f64>>,
    /// Days since an outcome of one of its runs was told, where its runs used to have outcomes and none came for a week;
    /// of agents alone, `null` elsewhere.
    pub silent_days: Option<u32>,
}

/// A lesson in the runs of the range.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LessonInsight {
    /// Its slug.
    pub slug: String,
    /// Its title; empty of a lesson that is gone.
    pub title: String,
    /// Runs that it was given to.
    pub given: u32,
    /// Runs that applied it.
    pub applied: u32,
    /// Its lift now, whatever the range; `null` of a lesson that is gone.
    pub lift: Option<LiftBelief>,
    /// Success of the runs that applied it; `null` while none has ended.
    pub success: Option<SuccessRate>,
    /// Tokens that it took over all its runs, by its text of today.
    pub tokens: u32,
    /// Gain in the success of the runs that applied it, from the earlier half of the range to the later one, −1 to 1;
    /// `null` where a half has fewer than four.
    pub change: Option<f64>,
    /// The share of successes by tenths of the range, oldest first; `null` where no run that applied it ended.
    pub course: Vec<Option<f64>>,
    /// When it was last given.
    pub last_at: String,
}

/// A lesson in use that no run of the range was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StaleLesson {
    /// Its slug.
    pub slug: String,
    /// Its title.
    pub title: String,
    /// When it was added.
    pub created_at: String,
    /// Retrievals that returned it, ever.
    pub times_surfaced: u32,
}

/// A task of the range that no lesson fitted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UncoveredTask {
    /// The task in the words of its latest run.
    pub query: String,
    /// Its field; empty where none was said.
    pub domain: String,
    /// The runs that asked for it and had no lesson of medium relevance or better, and how they ended.
    pub ends: RunEnds,
    /// The relevance of the best lesson that any of them was given, 0 to 1; `null` where none was.
    pub best: Option<f64>,
    /// When the latest of them began.
    pub last_at: String,
    /// The id of that run.
    pub last_run: String,
}

/// The answer to `GET /v1/insights`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Insights {
    /// The days that are looked at.
    pub days: u32,
    /// The days of a step.
    pub step_days: u32,
    /// The days up to a step's end whose runs its success is of.
    pub window_days: u32,
    /// The range in steps, oldest first.
    pub steps: Vec<InsightStep>,
    /// Totals of the range.
    pub totals: RunTotals,
    /// Totals of as many days before it; `null` where all days are looked at.
    pub before: Option<RunTotals>,
    /// By domain, most runs first; at most 50.
    pub by_domain: Vec<InsightGroup>,
    /// By who asked, most runs first; at most 50.
    pub by_agent: Vec<InsightGroup>,
    /// By project type, most runs first; at most 50.
    pub by_project: Vec<InsightGroup>,
    /// Lessons that were given, those applied most often first; at most 200.
    pub lessons: Vec<LessonInsight>,
    /// Lessons that were given, in all.
    pub given: u32,
    /// Lessons in use whose lift lies above 0 with its whole interval, whatever the range.
    pub helping: u32,
    /// Those whose lift lies below 0.
    pub harming: u32,
    /// The five lessons whose runs succeed more often than before, the greatest change first.
    pub risers: Vec<LessonInsight>,
    /// The five whose runs succeed less often.
    pub fallers: Vec<LessonInsight>,
    /// Lessons in use from before the range that no run of it was given, those added first; at most 50.
    pub stale: Vec<StaleLesson>,
    /// Such lessons in all.
    pub stale_total: u32,
    /// Tasks that no lesson fitted, those with most runs first; at most 50. Control runs and runs from which a lesson was
    /// withheld are left out, as nobody knows what they would have had.
    pub uncovered: Vec<UncoveredTask>,
    /// Such tasks in all.
    pub uncovered_total: u32,
}
