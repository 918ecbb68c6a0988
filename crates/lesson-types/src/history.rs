//! The history of a lesson, from its ledger: events, the course of its numbers, where it was shown, its texts, and its
//! standing explained.

use crate::lesson::StandingView;
use crate::lift::LessonLift;
use crate::proposals::RevisionField;
use crate::words::{BadgeKind, DecisionOutcome, MatchType};
use lesson_derive::Fields;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// `GET /v1/lessons/{slug}/history`: the query parameters. Pages go back in time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, Fields)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct HistoryQuery {
    /// Events, and retrievals, on a page: 1 to 1,000, and as many when absent.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = crate::limits::PAGE)))]
    pub limit: Option<u32>,
    /// Only events before this one; `next_before` of the page before.
    pub before: Option<u32>,
    /// Only retrievals before this one; `next_shown_before` of the page before.
    pub shown_before: Option<u32>,
}

/// The answer to a history.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct History {
    /// The lesson.
    pub slug: String,
    /// The latest events that touched it, oldest first.
    pub events: Vec<HistoryEntry>,
    /// Events that touched it, in all.
    pub total: u32,
    /// Where the page before these events begins; `null` on the last one.
    pub next_before: Option<u32>,
    /// The course of its numbers over its whole life, oldest first; at most 240 points.
    pub course: Vec<CoursePoint>,
    /// The latest retrievals that returned it, oldest first.
    pub shown: Vec<Impression>,
    /// Retrievals that returned it, in all.
    pub shown_total: u32,
    /// Where the page before these retrievals begins; `null` on the last one.
    pub next_shown_before: Option<u32>,
    /// Its latest texts, oldest first, at most 100: `GET /v1/lessons/{slug}/revisions/{rev}` shows one.
    pub revisions: Vec<RevisionMark>,
    /// The voices that moved its standing, those that did so most first.
    pub moved_by: Vec<Mover>,
}

/// A voice that moved a lesson's standing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Mover {
    /// `person:` and an account, `agent:` and the id of a key, or `local`; empty when the ledger does not say.
    pub by: String,
    /// Events of theirs that moved it.
    pub moved: u32,
    /// Events of theirs that were recorded only.
    pub uncounted: u32,
}

/// A lesson's numbers at a point of its life, and the event that brought them there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CoursePoint {
    /// When.
    pub at: String,
    /// The event's id; the last one's, when the point stands for several.
    pub op_id: String,
    /// The event's name, such as `Rated`.
    pub event: String,
    /// In words, such as `Rated helpful`.
    pub summary: String,
    /// Events that it stands for, each of which moved a number.
    pub events: u32,
    /// The lift that was believed then, −1 to 1; 0.08 is 8 points. `null` where that is not known: in a space on a server
    /// until the server has the event.
    pub lift: Option<f64>,
    /// The lower end of its interval of 95 %.
    pub lift_low: Option<f64>,
    /// Its upper end.
    pub lift_high: Option<f64>,
    /// 0 to 1.
    pub confidence: f64,
    /// Causal effectiveness, 0 to 1.
    pub effectiveness: f64,
    /// The same, lowered when the lesson was seldom a cause: what ranking uses.
    pub causal_adjusted: f64,
    /// Runs with a final outcome in which it was applied.
    pub times_applied: u32,
    /// The share of these that went well; `null` without any.
    pub success_rate: Option<f64>,
    /// Helpful ratings among all, from two on.
    pub effectiveness_score: Option<f64>,
    /// The badge then.
    pub badge: BadgeKind,
}

/// A retrieval that returned a lesson, and what followed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Impression {
    /// When.
    pub at: String,
    /// Names the retrieval.
    pub retrieval_id: String,
    /// Its purpose, such as `recommend`.
    pub purpose: String,
    /// The lesson's rank in it.
    pub rank: u32,
    /// Its score, 0 to 1.
    pub score: f64,
    /// Its relevance before standing, 0 to 1.
    pub relevance: f64,
    /// The situation in words.
    pub query: Option<String>,
    /// The kind of project.
    pub project_type: Option<String>,
    /// Technologies at hand.
    pub tech_stack: Vec<String>,
    /// The phase of work.
    pub phase: Option<String>,
    /// The field of the decision.
    pub domain: Option<String>,
    /// The decision it was for.
    pub decision_id: Option<String>,
    /// True if it was applied; `null` when there is no decision that says.
    pub applied: Option<bool>,
    /// The kind of match in the agent's reasoning.
    pub match_type: Option<MatchType>,
    /// Confidence that it was applied, 0 to 1.
    pub confidence: Option<f64>,
    /// The agent's words around it.
    pub quote: Option<String>,
    /// The decision's outcome; `null` while nobody has told it.
    pub outcome: Option<DecisionOutcome>,
    /// Gain or loss in percent.
    pub pnl_percent: Option<f64>,
    /// True if the outcome moved this lesson's standing.
    pub counted: bool,
}

/// A revision of a lesson's text, by its number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RevisionMark {
    /// Its number, from 1.
    pub rev: u32,
    /// When.
    pub at: String,
    /// By which device.
    pub actor: String,
    /// By whom: `person:` and an account, `agent:` and the id of a key, or `local`; empty when the ledger does not say.
    pub by: String,
    /// In words, such as `Edited title; now revision 2`.
    pub summary: String,
}

/// `GET /v1/lessons/{slug}/revisions/{rev}`: a text as it was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Revision {
    /// The lesson.
    pub slug: String,
    /// The revision.
    pub rev: u32,
    /// When it was made.
    pub at: String,
    /// By which device.
    pub actor: String,
    /// By whom: `person:` and an account, `agent:` and the id of a key, or `local`; empty when the ledger does not say.
    pub by: String,
    /// Every field of the text.
    pub fields: Vec<RevisionField>,
}

/// `GET /v1/lessons/{slug}/standing`: each number, how it comes about, and what it says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StandingExplained {
    /// The lesson.
    pub slug: String,
    /// The numbers: `proven`, `qualification`, `success_rate`, `effectiveness_score`, `confidence`,
    /// `effective_confidence`, `effectiveness`, `causal_adjusted` and `rank_factor`.
    pub terms: Vec<Term>,
    /// The effect that withholding it at random has shown; absent where nothing was ever measured in the space.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub measured: Option<LessonLift>,
}

/// A number or a state of a lesson, explained.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Term {
    /// Its name.
    pub name: Cow<'static, str>,
    /// Its value, for a state 1 or 0; `null` while there is nothing to compute it of.
    pub value: Option<f64>,
    /// The formula in words, with the policy's constants.
    pub formula: String,
    /// The numbers that went in.
    pub numbers: Vec<TermNumber>,
    /// Its meaning for this lesson, as a sentence.
    pub sentence: String,
}

/// A number that goes into a formula.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TermNumber {
    /// Its name, such as `times_applied`.
    pub name: Cow<'static, str>,
    /// Its value; `null` while there is none.
    pub value: Option<f64>,
    /// The condition on it, such as `at least 3`; `null` when there is none.
    pub wanted: Option<String>,
    /// True if it meets the condition.
    pub met: Option<bool>,
}

/// One event that touched a lesson.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HistoryEntry {
    /// When.
    pub at: String,
    /// The event's name, such as `Rated`.
    pub event: String,
    /// In words, such as `Rated helpful`.
    pub summary: String,
    /// The device that it came from.
    pub actor: String,
    /// By whom: `person:` and an account, `agent:` and the id of a key, or `local`; empty when the ledger does not say.
    pub by: String,
    /// The event's id.
    pub op_id: String,
    /// The standing before it; `null` for the event that added the lesson.
    pub before: Option<StandingView>,
    /// The standing after it.
    pub after: StandingView,
    /// The text's revision after it.
    pub rev: u32,
    /// True if its word on the lesson counted when it was said.
    pub counted: bool,
    /// Why not, where it was recorded only.
    pub reason: Option<String>,
}
