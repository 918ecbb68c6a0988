//! Approved lessons that one agent's key alone says fail.
//!
//! Derived from decisions, which say who told each outcome: a standing only counts.

use crate::lesson::is_agent;
use crate::space::Space;
use lesson_types::DecisionOutcome;
use std::collections::{BTreeMap, BTreeSet};

/// The approved lessons in use all of whose failures were told by one and the same agent's key: one key alone lowers such
/// a lesson, but does not keep it from being recommended. Failures of which no decision is known, as of an import, are
/// somebody else's. Costs a pass over the lessons, and where one of them has failed, one over the decisions.
pub fn failed_by_one_key(space: &Space) -> BTreeSet<String> {
    // So many failures are to be told by whom; and who told those that were met.
    let mut open: BTreeMap<&str, (u32, Option<&str>)> = BTreeMap::new();
    for (lesson, facts) in space.lessons.in_order() {
        let held = &facts.standing;
        let failures = held.times_applied.saturating_sub(held.success_count);
        if facts.vouched && !facts.archived && failures > 0 {
            open.insert(&lesson.slug, (failures, None));
        }
    }
    let mut found = BTreeSet::new();
    if open.is_empty() {
        return found;
    }
    for (_, decision) in space.decisions() {
        if decision.outcome != Some(DecisionOutcome::Failure) {
            continue;
        }
        let teller = decision.outcome_by.as_str();
        for record in decision.records.iter().filter(|record| record.settled) {
            let slug = record.lesson.as_str();
            let Some((failures, before)) = open.get_mut(slug) else {
                continue;
            };
            if !is_agent(teller) || before.is_some_and(|before| before != teller) {
                open.remove(slug);
                continue;
            }
            *before = Some(teller);
            *failures = failures.saturating_sub(1);
        }
    }
    let told = open.iter().filter(|(_, (failures, _))| *failures == 0);
    found.extend(told.map(|(slug, _)| (*slug).to_owned()));
    found
}
