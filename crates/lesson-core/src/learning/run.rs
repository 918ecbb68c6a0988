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
        }
    }
}
