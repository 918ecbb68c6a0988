//! Comparing a second set of ranking constants with the space's own on live traffic.

use crate::lift::LiftArm;
use crate::words::{LiftGuard, PolicySide, ShadowMode, ShadowVerdict};
use serde::{Deserialize, Serialize};

/// `POST /v1/policies/shadow`: begins a comparison; one that runs is replaced. The same mode and constants as those of the
/// last one go on with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NewShadow {
    /// How the policies are compared.
    pub mode: ShadowMode,
    /// Ranking constants of the second policy, by the names that `GET /v1/policy` shows under `rank`, but for `phases`; the
    /// others are the space's. At least one has to differ.
    #[cfg_attr(feature = "typescript", ts(type = "Record<string, unknown>"))]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "serde_json::Map<String, serde_json::Value>")
    )]
    pub rank: serde_json::Value,
}

/// Whose lessons were applied in decisions that each got lessons of both policies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShadowPreference {
    /// Decisions that got lessons of both.
    pub decisions: u32,
    /// Those that applied more lessons of the space's policy.
    pub first: u32,
    /// Those that applied more of the second one's.
    pub second: u32,
    /// Those that applied lessons, as many of each.
    pub ties: u32,
    /// The share that preferred the second less the share that preferred the first, ties aside, −1 to 1; `null` before
    /// there is one.
    pub estimate: Option<f64>,
    /// The lower end of an interval that holds however often one looks, with a chance of 95 %; `null` where none is given.
    pub low: Option<f64>,
    /// Its upper end.
    pub high: Option<f64>,
    /// Whether an interval is given: from 20 decisions on that preferred one, 5 for each.
    pub guard: LiftGuard,
    /// What may be said, by an e-value that is exact at every number of decisions.
    pub verdict: ShadowVerdict,
    /// About how many more decisions that prefer one it takes to know; `null` where something is said.
    pub more_runs: Option<u32>,
}

/// How decisions went that one policy or the other decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShadowOutcomes {
    /// Decisions of the space's policy.
    pub first: LiftArm,
    /// Decisions of the second.
    pub second: LiftArm,
    /// How much more often decisions go well with the second, −1 to 1; `null` while one has none, and where the guard turned
    /// it off.
    pub estimate: Option<f64>,
    /// The lower end of an interval that holds however often one looks, with a chance of 95 %; `null` where none is given.
    pub low: Option<f64>,
    /// Its upper end.
    pub high: Option<f64>,
    /// Whether an interval is given, and why not.
    pub guard: LiftGuard,
    /// What may be said, by e-values.
    pub verdict: ShadowVerdict,
    /// About how many more decisions with an outcome it takes to know; `null` where something is said, and where the guard
    /// turned the estimate off.
    pub more_runs: Option<u32>,
}

/// What a comparison has come to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShadowFigures {
    /// The comparison's id.
    pub id: String,
    /// When its first decision was; `null` before there is one.
    pub from: Option<String>,
    /// When its last one was.
    pub to: Option<String>,
    /// Whose lessons were applied; `null` where no decision got lessons of both.
    pub preference: Option<ShadowPreference>,
    /// Whose decisions went well; `null` where no decision went to one alone.
    pub outcomes: Option<ShadowOutcomes>,
}

/// A comparison whose constants are known: the one that runs, or the last one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShadowComparison {
    /// Whether it runs; else it has ended.
    pub running: bool,
    /// How the policies are compared.
    pub mode: ShadowMode,
    /// The constants of the second policy that were named.
    #[cfg_attr(feature = "typescript", ts(type = "Record<string, unknown>"))]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "serde_json::Map<String, serde_json::Value>")
    )]
    pub rank: serde_json::Value,
    /// What it has come to.
    pub figures: ShadowFigures,
}

/// The answer to `GET /v1/policies/shadow`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShadowReport {
    /// The comparison that runs, or the last one; `null` where there was none.
    pub comparison: Option<ShadowComparison>,
    /// Earlier ones, the one with the newest decision first; at most 20.
    pub earlier: Vec<ShadowFigures>,
}

/// How a decision takes part in comparing two policies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DecisionShadow {
    /// The comparison's id.
    pub comparison: String,
    /// The policy that decided alone; `null` where both drafted.
    pub decided: Option<PolicySide>,
    /// The lessons shown that the space's policy drafted.
    pub first: Vec<String>,
    /// Those that the second one did.
    pub second: Vec<String>,
}
