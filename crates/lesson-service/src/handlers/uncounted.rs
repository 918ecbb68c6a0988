//! Outcomes, feedback, ratings and votes that are recorded but do not count: see `fold/self_vote_guard.rs` of the core.

use crate::host::Host;
use crate::http::fault::of_fold;
use crate::state::plan::Plan;
use crate::state::service_struct::Service;
use crate::state::snapshot::State;
use lesson_core::{Event, EventKind, Millis, Uncounted, WhyUncounted, account};
use lesson_sync::Store;
use lesson_types::ApiError;

impl<S: Store, H: Host> Service<S, H> {
    /// A plan that writes `event`, and what of it will not count; where the `same` is in the ledger already, an empty plan
    /// and `None`.
    pub(crate) fn once(
        &self,
        state: &State,
        same: bool,
        event: EventKind,
        by: &str,
        at: Millis,
    ) -> Result<(Plan, Option<Vec<Uncounted>>), ApiError> {
        if same {
            return Ok((Plan::default(), None));
        }
        let events = std::slice::from_ref(&event);
        let uncounted = state
            .space
            .check(events, by, at, &self.policy)
            .map_err(|(_, error)| of_fold(&error))?;
        let plan = Plan {
            own: vec![event],
            checked: true,
            ..Plan::default()
        };
        Ok((plan, Some(uncounted)))
    }

    /// Returns what [`Service::once`] said of an event, or where it was written before, what does not count of that one;
    /// with whether it was written before.
    ///
    /// # Errors
    /// When the ledger can't be read.
    pub(crate) async fn or_before(
        &self,
        uncounted: Option<Vec<Uncounted>>,
        slugs: &[String],
        is_it: impl Fn(&Event) -> bool,
    ) -> Result<(Vec<Uncounted>, bool), ApiError> {
        match uncounted {
            Some(uncounted) => Ok((uncounted, false)),
            None => Ok((self.heard_before(slugs, is_it).await?, true)),
        }
    }

    /// Finds what does not count of an event in the ledger.
    pub(crate) async fn heard_before(
        &self,
        slugs: &[String],
        is_it: impl Fn(&Event) -> bool,
    ) -> Result<Vec<Uncounted>, ApiError> {
        let mut uncounted = Vec::new();
        for slug in slugs {
            if !self.may_be_uncounted(slug) {
                continue;
            }
            let events = self.ledger_of(slug).await?.events;
            let account = account(&events, slug, &self.policy);
            let entry = account.entries.iter().rfind(|entry| is_it(entry.event));
            let why = entry.and_then(|entry| entry.uncounted);
            // Events that waited count since the lesson was approved.
            let why = why.filter(|why| {
                let state = self.state.borrow();
                let waits = state
                    .space
                    .lesson(slug)
                    .is_some_and(|lesson| lesson.pending_standing.is_some());
                *why != WhyUncounted::UntilApproved || waits
            });
            uncounted.extend(why.map(|why| Uncounted {
                lesson: slug.clone(),
                why,
            }));
        }
        Ok(uncounted)
    }

    /// True if anything about a lesson may not count. When not, the ledger need not be read.
    fn may_be_uncounted(&self, slug: &str) -> bool {
        let state = self.state.borrow();
        let lesson = state.space.lesson(slug);
        state.space.is_shared(&self.policy.fold)
            && lesson
                .is_some_and(|one| one.pending_standing.is_some() || !one.counted_on.is_empty())
    }

    /// The lessons that were recommended for a decision.
    pub(crate) fn recommended_in(&self, decision_id: &str) -> Vec<String> {
        let state = self.state.borrow();
        state
            .space
            .decision(decision_id)
            .map_or_else(Vec::new, |held| {
                let records = held.records.iter();
                records.map(|record| record.lesson.clone()).collect()
            })
    }
}
