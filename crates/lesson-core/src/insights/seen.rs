//! The facts that are counted of a run.

use crate::instant::{DAY, Millis};
use crate::learning::Run;
use crate::policy::RankPolicy;
use crate::prompt::given_tokens;
use crate::space::{Decision, Recommendation, Space};
use lesson_types::{RunEnds, RunTotals};
use std::collections::BTreeMap;

/// True if a lesson read *medium* or better in a run.
fn fits(record: &Recommendation, from: f64, policy: &RankPolicy) -> bool {
    record
        .likelihood
        .map_or(record.relevance >= from, |likelihood| {
            likelihood >= policy.likely_medium
        })
}

/// The relevance from which a lesson fits a run in which nothing was asked in words. A run keeps each lesson's relevance, and that of a field begins at
/// `decision_base` whatever the lesson says; where words or a project were given as well, it is the mean of both. With a
/// field alone, every lesson of it fits.
fn fits_from(decision: &Decision, policy: &RankPolicy) -> f64 {
    let asked = &decision.context;
    let given = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.trim().is_empty());
    if !given(&asked.domain) {
        return policy.word_medium;
    }
    let project = given(&asked.query) || given(&asked.project_type) || !asked.tech_stack.is_empty();
    if project {
        f64::midpoint(policy.decision_base, policy.word_medium)
    } else {
        policy.decision_base
    }
}

/// The facts that are counted of a decision.
pub(crate) struct Seen {
    pub day: i64,
    pub at: Millis,
    pub outcome: Option<(Millis, bool)>,
    pub control: bool,
    pub covered: bool,
    pub given: u32,
    pub applied: u32,
    pub tokens: u32,
    pub judged: bool,
}

impl Seen {
    pub fn of(decision: &Decision, run: &Run<'_>, tokens: u32, policy: &RankPolicy) -> Self {
        let from = fits_from(decision, policy);
        let many = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let applied = decision.records.iter().filter(|record| record.was_applied);
        Self {
            day: run.at.div_euclid(DAY),
            at: run.at,
            outcome: run.outcome,
            control: run.measured.is_some_and(|measured| measured.control),
            covered: decision
                .records
                .iter()
                .any(|record| fits(record, from, policy)),
            given: many(decision.records.len()),
            applied: many(applied.count()),
            tokens,
            judged: !decision.feedback.is_empty() || !decision.opinions.is_empty(),
        }
    }

    pub fn end(&self, ends: &mut RunEnds) {
        let counted = match self.outcome {
            Some((_, true)) => &mut ends.successes,
            Some((_, false)) => &mut ends.failures,
            None => &mut ends.pending,
        };
        *counted = counted.saturating_add(1);
    }

    pub fn add(&self, totals: &mut RunTotals) {
        if self.control {
            self.end(&mut totals.control);
            return;
        }
        self.end(&mut totals.shown);
        totals.covered += u32::from(self.covered);
        totals.judged += u32::from(self.judged);
        totals.lessons = totals.lessons.saturating_add(self.given);
        totals.applied = totals.applied.saturating_add(self.applied);
        totals.tokens = totals.tokens.saturating_add(self.tokens);
    }
}

/// The tokens of a decision's lessons by their texts of today; `known` keeps each lesson's.
pub(crate) fn tokens_of<'a>(
    space: &'a Space,
    decision: &'a Decision,
    known: &mut BTreeMap<&'a str, u32>,
) -> u32 {
    let each = decision.records.iter().map(|record| {
        *known.entry(&record.lesson).or_insert_with(|| {
            space.lesson(&record.lesson).map_or(0, |lesson| {
                u32::try_from(given_tokens(lesson)).unwrap_or(u32::MAX)
            })
        })
    });
    each.fold(0, u32::saturating_add)
}
