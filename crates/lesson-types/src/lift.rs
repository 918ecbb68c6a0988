//! The measured effect of lessons: the lift of the loop and of each lesson.

use crate::words::{LiftGuard, LiftVerdict, LiftWord};
use lesson_derive::Fields;
use serde::{Deserialize, Serialize};

/// `GET /v1/lift`: the query parameters.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct LiftQuery {
    /// Only this lesson: its slug.
    #[cfg_attr(feature = "schema", schemars(length(max = crate::limits::SLUG)))]
    #[field(sought)]
    pub lesson: Option<String>,
    /// Only lessons of which this is said.
    pub verdict: Option<LiftVerdict>,
    /// Lessons in the answer, 0 to 1,000; 50 when absent.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = crate::limits::PAGE)))]
    pub limit: Option<u32>,
}

/// A lesson's lift as it is believed now: how much more often runs go well in which it is applied.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LiftBelief {
    /// −1 to 1; 0.08 is 8 points. 0.03 of a lesson that nothing was seen of.
    pub mean: f64,
    /// The lower end of the interval that holds it with a chance of 95 %.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// Runs with a final outcome in which it was applied.
    pub runs: u32,
    /// `helps` and `hurts` only where the interval leaves 0 out.
    pub verdict: LiftWord,
    /// When anything was last learned of it; `null` before that. From then on it is believed less, half after 180 days.
    pub at: Option<String>,
}

/// Counts of an arm's decisions by how they ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LiftArm {
    /// Successes.
    pub successes: u32,
    /// Failures.
    pub failures: u32,
    /// Decisions whose outcome is still open; they take no part.
    pub open: Option<u32>,
}

/// A lift: how much more often decisions go well with than without, −1 to 1.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Lift {
    /// Decisions with.
    pub shown: LiftArm,
    /// Decisions without.
    pub withheld: LiftArm,
    /// The estimate; `null` while an arm has none, and where the guard turned it off.
    pub estimate: Option<f64>,
    /// The lower end of an interval that holds however often one looks, with a chance of 95 %; `null` where none is given.
    pub low: Option<f64>,
    /// Its upper end.
    pub high: Option<f64>,
    /// State of the interval: given, or the reason why it is not.
    pub guard: LiftGuard,
}

/// The lift of the loop in a part of the space.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LiftGroup {
    /// The domain, or who asked; empty where none was said.
    pub name: String,
    /// Its lift.
    pub lift: Lift,
}

/// A lesson's effect, as far as it is known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LessonLift {
    /// Its slug.
    pub slug: String,
    /// Its title; empty of a lesson that is gone.
    pub title: String,
    /// The verdict: `helps` and `hurts` by e-values over all lessons, so that at most 5 % of what is said is false.
    pub verdict: LiftVerdict,
    /// The same in words: *helps*, *no difference seen*, *hurts*, *not known yet: about N more runs*.
    pub badge: String,
    /// The lift that withholding it at random has shown.
    pub lift: Lift,
    /// The belief behind ranking: learned from every run, without randomisation. Of a lesson that is gone it says nothing.
    pub belief: LiftBelief,
    /// About how many more decisions with an outcome it takes to know; `null` where something is said, where the lesson is
    /// not withheld, and where the guard turned the estimate off.
    pub more_runs: Option<u32>,
}

/// A lesson's effect, as far as it is known, in short. Agents are told the verdict and no number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LessonMeasured {
    /// The verdict that the measurement allows.
    pub verdict: LiftVerdict,
    /// The same in words: *helps*, *no difference seen*, *hurts*, *not known yet: about N more runs*.
    pub badge: String,
    /// About how many more decisions with an outcome it takes to know; `null` where something is said, where the lesson is
    /// not withheld, and where the guard turned the estimate off.
    pub more_runs: Option<u32>,
    /// Gain in the share of decisions that go well, with it against without, −1 to 1; `null` where that is not known.
    pub estimate: Option<f64>,
    /// The lower end of its interval; `null` where none is given.
    pub low: Option<f64>,
    /// Its upper end.
    pub high: Option<f64>,
}

/// Counts of lessons by verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LiftCounts {
    /// Lessons that help.
    pub helps: u32,
    /// Lessons of which no difference is seen.
    pub no_difference: u32,
    /// Lessons that hurt.
    pub hurts: u32,
    /// Lessons that are not known yet.
    pub unknown: u32,
}

/// The answer to `GET /v1/lift`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LiftReport {
    /// The share of decisions that get no lessons, 0 to 0.5.
    pub control_runs: f64,
    /// The probability that a lesson is left out, 0 to 0.5.
    pub withhold: f64,
    /// The lift of the loop: decisions that got lessons against control runs, by the probability of a control run that was
    /// in force for each; decisions that could be none take no part.
    pub whole: Lift,
    /// The same by domain, most decisions first; at most 50.
    pub by_domain: Vec<LiftGroup>,
    /// The same by who asked, most decisions first; at most 50.
    pub by_agent: Vec<LiftGroup>,
    /// Lessons that were drawn for: those that hurt first, then those that help, then by what is known of them.
    pub lessons: Vec<LessonLift>,
    /// Lessons that fit the query, in all.
    pub total: u32,
    /// Counts of all lessons by verdict.
    pub counts: LiftCounts,
}
