//! A run: what learning reads of a decision.

use crate::event::Measured;
use crate::instant::Millis;
use crate::space::{Decision, Space};
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
    /// The one who asked: see [`crate::Event::by`].
    pub by: &'a str,
    /// The record of its draws; `None` where none were made.
    pub measured: Option<&'a Measured>,
}

impl<'a> Run<'a> {
    /// The runs of a space, with their decisions by id: one definition for every number that counts runs. A decision of which
    /// only the outcome is known yet is none.
    pub fn all(space: &'a Space) -> impl Iterator<Item = (&'a str, &'a Decision, Self)> {
        let begun = |(_, decision): &(&str, &Decision)| decision.at.is_some();
        let each = space.decisions().filter(begun);
        each.map(|(id, decision)| (id, decision, Self::of(decision)))
    }

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
