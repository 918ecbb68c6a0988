//! A space: all lessons and what is known of them, as the fold of a ledger.

use crate::event::{Measured, SurfacedContext};
use crate::fold::Withdrawal;
use crate::instant::{Millis, serde_rfc3339, serde_rfc3339_option};
use crate::learning::lift::Base;
use crate::lesson::Lesson;
use crate::lessons::Lessons;
use crate::policy::FoldPolicy;
use crate::tools::ToolBook;
use lesson_types::{DecisionOutcome, FeedbackOutcome, MatchType};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The state that a ledger folds into. Equal ledgers give equal spaces, to the bit.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Space {
    pub(crate) lessons: Lessons,
    pub(crate) decisions: BTreeMap<String, Decision>,
    /// Lessons that each retrieval has been counted for.
    pub(crate) retrievals: BTreeMap<String, BTreeSet<String>>,
    pub(crate) tools: ToolBook,
    /// Settings by name.
    pub(crate) settings: BTreeMap<String, Value>,
    /// Times of feedback, for health; in the ledger's order.
    pub(crate) feedback_at: Vec<Millis>,
    /// Events per UTC day (days since the epoch).
    pub(crate) activity: BTreeMap<i64, u32>,
    pub(crate) seen: BTreeSet<String>,
    /// Highest sequence number folded, per actor.
    pub(crate) last_seq: BTreeMap<String, u64>,
    /// Agents' keys that have written, in the order in which they came; no more than it takes to know that the space is
    /// shared.
    pub(crate) agents: Vec<String>,
    /// Rates at which runs go well, by domain: see [`domain_key`].
    pub(crate) bases: BTreeMap<String, DomainBase>,
    /// Voices that count for nothing.
    pub(crate) withdrawn: BTreeMap<String, Withdrawal>,
    /// While a ledger is folded anew, its events that were refused when they came: id, actor and number.
    pub(crate) refused: BTreeSet<(String, String, u64)>,
}

/// The base rate of a domain, with the runs behind it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DomainBase {
    /// Rate at which runs go well without any lesson, 0 to 1; see [`Base`].
    pub rate: f64,
    /// The variance of that.
    pub variance: f64,
    /// Runs that taught something.
    pub runs: u32,
    /// Those of them that went well.
    pub successes: u32,
}

impl DomainBase {
    /// The base rate.
    pub fn base(self) -> Base {
        Base {
            rate: self.rate,
            variance: self.variance,
        }
    }
}

/// The domain of these words: trimmed, in lower case; empty where none was said, which is a domain, too.
pub fn domain_key(words: &str) -> String {
    words.trim().to_lowercase()
}

/// A decision that lessons were recommended for: what an agent did in one situation, and what came of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Decision {
    /// The situation of its first recommendation.
    pub context: SurfacedContext,
    /// The person or agent's key that asked for that; empty when the ledger does not say.
    pub by: String,
    /// When; `None` while only its outcome is known.
    #[serde(with = "serde_rfc3339_option")]
    pub at: Option<Millis>,
    /// The draws that were made for that.
    pub measured: Option<Measured>,
    /// Outcome of the decision.
    pub outcome: Option<DecisionOutcome>,
    /// Gain or loss in percent.
    pub pnl_percent: Option<f64>,
    /// The person or agent's key that told the outcome.
    pub outcome_by: String,
    /// When.
    #[serde(with = "serde_rfc3339_option")]
    pub outcome_at: Option<Millis>,
    /// True if lifts have learned of it: by its outcome, or by the first feedback on it while that was open.
    pub taught: bool,
    /// Feedback on it, one from each giver, in the ledger's order.
    pub feedback: Vec<DecisionFeedback>,
    /// Ratings and votes on its lessons, one of a kind from each giver for a lesson, in the ledger's order.
    pub opinions: Vec<Opinion>,
    /// One record per recommended lesson, in order of recommendation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub records: Vec<Recommendation>,
}

/// Feedback on a decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DecisionFeedback {
    /// The person or agent's key that gave it.
    pub by: String,
    /// When.
    #[serde(with = "serde_rfc3339")]
    pub at: Millis,
    /// Outcome of the work.
    pub outcome: FeedbackOutcome,
    /// The lessons at hand, in the order of their slugs.
    pub lessons: Vec<String>,
    /// Those of them that were a cause, in the order of their slugs.
    pub causal: Vec<String>,
}

/// A rating of a lesson in a decision, or a vote on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opinion {
    /// The person or agent's key that gave it.
    pub by: String,
    /// When.
    #[serde(with = "serde_rfc3339")]
    pub at: Millis,
    /// The lesson.
    pub lesson: String,
    /// True for a vote, false for a rating.
    pub is_vote: bool,
    /// Helpful, or up.
    pub is_positive: bool,
}

impl Decision {
    /// True if its outcome can no longer change.
    pub fn is_final(&self) -> bool {
        self.outcome.is_some_and(DecisionOutcome::is_final)
    }

    /// True if it went well, by its outcome, else by the first feedback on it; `None` while nobody said.
    pub fn went_well(&self) -> Option<bool> {
        match self.outcome {
            Some(outcome) if outcome.is_final() => Some(outcome == DecisionOutcome::Success),
            _ => {
                let first = self.feedback.first()?;
                Some(first.outcome != FeedbackOutcome::Blocked)
            }
        }
    }

    /// True if it was given no lesson on purpose.
    pub fn is_control(&self) -> bool {
        self.measured.as_ref().is_some_and(|held| held.control)
    }

    /// The domain that it was in.
    pub(crate) fn domain(&self) -> String {
        domain_key(self.context.domain.as_deref().unwrap_or_default())
    }

    /// Returns the certainty that a lesson was at work in it, 0 to 1: 1 where feedback names it as a cause, 0 where feedback
    /// names others only or where it was not seen applied, else what the detection says.
    pub(crate) fn weight_of(&self, record: &Recommendation) -> f64 {
        let names = |given: &DecisionFeedback| given.causal.binary_search(&record.lesson).is_ok();
        let mut credits = self
            .feedback
            .iter()
            .filter(|given| !given.causal.is_empty());
        if credits.clone().any(names) {
            1.0
        } else if credits.next().is_some() || !record.was_applied {
            0.0
        } else {
            record.confidence
        }
    }

    /// The record of a lesson.
    pub fn record(&self, slug: &str) -> Option<&Recommendation> {
        self.records.iter().find(|record| record.lesson == slug)
    }

    /// The feedback that `by` gave on it.
    pub fn feedback_by(&self, by: &str) -> Option<&DecisionFeedback> {
        self.feedback.iter().find(|given| given.by == by)
    }

    /// The rating, or vote, that `by` gave a lesson in it.
    pub fn opinion_by(&self, by: &str, lesson: &str, is_vote: bool) -> Option<&Opinion> {
        self.opinions
            .iter()
            .find(|held| held.by == by && held.lesson == lesson && held.is_vote == is_vote)
    }
}

/// That a lesson was recommended for a decision, and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recommendation {
    /// The lesson.
    pub lesson: String,
    /// The field of the decision.
    pub domain: String,
    /// Relevance when it was recommended.
    pub relevance: f64,
    /// Likelihood then that it was the right one, 0 to 1, where something was asked in words.
    #[serde(default)]
    pub likelihood: Option<f64>,
    /// True if it was presented; always so for a record made by a recommendation.
    pub was_presented: bool,
    /// True if it was applied.
    pub was_applied: bool,
    /// The kind of match by which that was seen.
    pub match_type: MatchType,
    /// 0 to 1.
    pub confidence: f64,
    /// The agent's words around the match.
    pub agent_quote: Option<String>,
    /// Outcome of the decision.
    pub trade_outcome: Option<DecisionOutcome>,
    /// Gain or loss in percent.
    pub pnl_percent: Option<f64>,
    /// Applied, and a success.
    pub contributed_to_success: bool,
    /// True if the outcome has been counted in the lesson's standing.
    pub settled: bool,
    /// True if the lesson's lift has learned of the decision.
    #[serde(default)]
    pub learned: bool,
    /// When it was recommended.
    #[serde(with = "serde_rfc3339")]
    pub at: Millis,
}

impl Space {
    /// A space with nothing in it.
    pub fn new() -> Self {
        Self::default()
    }

    /// A lesson by its slug, archived ones too.
    pub fn lesson(&self, slug: &str) -> Option<&Lesson> {
        self.lessons.get(slug)
    }

    /// Counts the lessons in use that this agent's key wrote and no person stands behind; 0 where `by` is no agent's key. Costs
    /// a pass over the lessons.
    pub fn unvouched_of(&self, by: &str) -> usize {
        let theirs = |lesson: &&Lesson| !lesson.archived && lesson.unvouched_key() == Some(by);
        self.lessons().filter(theirs).count()
    }

    /// All lessons in the order of their slugs, archived ones too.
    pub fn lessons(&self) -> impl ExactSizeIterator<Item = &Lesson> {
        self.lessons.values()
    }

    /// A number that tells sets of slugs apart: another one as soon as a lesson comes or goes.
    pub fn slugs(&self) -> u64 {
        self.lessons.slugs()
    }

    /// A decision by its id.
    pub fn decision(&self, id: &str) -> Option<&Decision> {
        self.decisions.get(id)
    }

    /// All decisions in the order of their ids.
    pub fn decisions(&self) -> impl ExactSizeIterator<Item = (&str, &Decision)> {
        self.decisions
            .iter()
            .map(|(id, decision)| (id.as_str(), decision))
    }

    /// Returns the book of tool servers that worked, by request.
    pub fn tools(&self) -> &ToolBook {
        &self.tools
    }

    /// A setting by its name, when it differs from the default.
    pub fn setting(&self, name: &str) -> Option<&Value> {
        self.settings.get(name)
    }

    /// All settings that differ from their defaults, in the order of their names.
    pub fn settings(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        self.settings
            .iter()
            .map(|(name, value)| (name.as_str(), value))
    }

    /// The first agents' keys that wrote, such as `agent:` and an id, as many as it takes to make the space shared.
    pub fn agents(&self) -> &[String] {
        &self.agents
    }

    /// True if so many agents' keys have written that none of them moves a standing alone.
    pub fn is_shared(&self, policy: &FoldPolicy) -> bool {
        self.agents.len() >= policy.shared_from_keys as usize
    }

    /// Returns the rate at which runs of a domain go well without any lesson: the space's where nothing was seen of it.
    pub fn base_of(&self, domain: &str) -> Base {
        if let Some(held) = self.bases.get(domain) {
            return held.base();
        }
        let (runs, successes) = self.bases.values().fold((0_u64, 0_u64), |sum, held| {
            (
                sum.0.saturating_add(u64::from(held.runs)),
                sum.1.saturating_add(u64::from(held.successes)),
            )
        });
        // The space's rate, drawn towards one half by ten runs.
        Base::first((5.0 + successes as f64) / (10.0 + runs as f64))
    }

    /// Returns the base rates, in the order of their domains.
    pub fn bases(&self) -> impl ExactSizeIterator<Item = (&str, &DomainBase)> {
        self.bases
            .iter()
            .map(|(domain, base)| (domain.as_str(), base))
    }

    /// Counts the different events that have been folded.
    pub fn events(&self) -> usize {
        self.seen.len()
    }

    /// True if an event has been folded.
    pub fn has_seen(&self, op_id: &str) -> bool {
        self.seen.contains(op_id)
    }

    /// The highest sequence number of an actor, 0 when it has none.
    pub fn last_seq(&self, actor: &str) -> u64 {
        self.last_seq.get(actor).copied().unwrap_or(0)
    }

    /// Times of all feedback, in the ledger's order.
    pub fn feedback_times(&self) -> &[Millis] {
        &self.feedback_at
    }

    /// Events per day, as (days since the epoch, count), oldest first.
    pub fn activity(&self) -> impl Iterator<Item = (i64, u32)> {
        self.activity.iter().map(|(day, count)| (*day, *count))
    }
}
