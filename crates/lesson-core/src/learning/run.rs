//! A run: what learning reads of a decision.

use crate::event::Measured;
use crate::instant::Millis;
use crate::space::Decision;
use lesson_types::DecisionOutcome;

/// A decision, as far as it teaches.
#[derive(Debug, Clone, Copy)]
pub struct Run<'a> {
    /// When lessons were first recommended for it, or would have been.
    pub at: Millis,
    /// When its outcome came, and whether it was a success; `None` while there is none that is final.
    pub outcome: Option<(Millis, bool)>,
    /// Its field; empty where none was said.
    pub domain: &'a str,
    /// Who asked.
    pub by: &'a str,
    /// What was drawn for it.
    pub measured: Option<&'a Measured>,
    /// The lessons that were recommended.
    pub lessons: Given<'a>,
}

/// The lessons of a run, as (slug, whether it was applied).
#[derive(Debug, Clone, Copy)]
pub enum Given<'a> {
    /// Those of a decision.
    Records(&'a Decision),
    /// A list.
    List(&'a [(&'a str, bool)]),
}

impl<'a> Run<'a> {
    /// The run that a decision is.
    pub fn of(decision: &'a Decision) -> Self {
        let outcome = decision.outcome.filter(|outcome| outcome.is_final());
        Self {
            at: decision.at.unwrap_or_default(),
            outcome: outcome.map(|outcome| {
                let at = decision.outcome_at.unwrap_or_default();
                (at, outcome == DecisionOutcome::Success)
            }),
            domain: decision.context.domain.as_deref().unwrap_or_default(),
            by: &decision.by,
            measured: decision.measured.as_ref(),
            lessons: Given::Records(decision),
        }
    }

    /// The slugs of the lessons that were applied.
    pub(super) fn applied(&self) -> Vec<&'a str> {
        match self.lessons {
            Given::Records(decision) => decision
                .records
                .iter()
                .filter(|record| record.was_applied)
                .map(|record| record.lesson.as_str())
                .collect(),
            Given::List(list) => list
                .iter()
                .filter(|(_, applied)| *applied)
                .map(|(slug, _)| *slug)
                .collect(),
        }
    }
}
