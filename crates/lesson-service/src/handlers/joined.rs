//! Two stores that answer as one, such as a project's and a person's own: the best of both by score.
//!
//! Each store ranks its lessons by itself. A slug names one lesson: of two stores that have it, the first one's. Each
//! store records what was shown and what was withheld of its own, under the one decision. What is drawn is drawn once, by
//! the first store's policy, among the lessons of both; the first one keeps every decision.

use crate::host::Host;
use crate::http::context::RequestContext;
use crate::state::service_struct::Service;
use crate::state::snapshot::State;
use lesson_core::{Lesson, RankPolicy, Ranking, SearchRanking, Situation, likelihood_beside};
use lesson_sync::Store;
use lesson_types::SearchResults;
use std::cell::Ref;

/// Tells a lesson of the second store from one of the first.
pub(crate) type IsSecond = bool;

/// The lessons that two stores found for one text.
pub(crate) struct Rankings {
    pub first: SearchRanking,
    pub second: SearchRanking,
    /// Lessons in the answer.
    pub limit: u32,
    /// Set where the answer says how each score came about.
    pub explain: bool,
}

/// The states of the stores that answer: one, or two as one.
pub(crate) struct States<'a> {
    pub here: Ref<'a, State>,
    pub there: Option<Ref<'a, State>>,
}

impl<'a> States<'a> {
    /// Borrows them. No store may be written to meanwhile.
    pub fn of<S, H>(first: &'a Service<S, H>, second: Option<&'a Service<S, H>>) -> Self {
        Self {
            here: first.state.borrow(),
            there: second.map(|second| second.state.borrow()),
        }
    }

    /// A lesson of one of them.
    pub fn lesson(&self, is_second: IsSecond, slug: &str) -> Option<&Lesson> {
        let state = match &self.there {
            Some(there) if is_second => there,
            _ => &self.here,
        };
        state.space.lesson(slug)
    }

    /// Says if the first store has a lesson of this slug, which then stands for the second one's.
    pub fn is_first(&self, slug: &str) -> bool {
        self.here.space.lesson(slug).is_some()
    }
}

impl<S: Store, H: Host> Service<S, H> {
    /// One answer of the lessons that this store and another one found.
    pub(crate) fn results_of_both(
        &self,
        other: &Self,
        context: &RequestContext,
        rankings: Rankings,
    ) -> SearchResults {
        let Rankings {
            mut first,
            mut second,
            limit,
            explain,
        } = rankings;
        let (here, there) = (self.state.borrow(), other.state.borrow());
        second
            .items
            .retain(|item| here.space.lesson(&item.slug).is_none());
        let policy = here.in_force(&self.policy).rank.clone();
        let all = first.items.iter().chain(&second.items);
        let most = all.map(|item| item.matched).fold(0.0, f64::max);
        for ranking in [&mut first, &mut second] {
            let is_semantic = ranking.semantic;
            for item in &mut ranking.items {
                if let Some((_, word, _)) =
                    likelihood_beside(item.matched, most, is_semantic, &policy)
                {
                    item.word = word;
                }
            }
        }
        let order: Vec<IsSecond> = best(&first.items, &second.items, |item| item.score, limit)
            .into_iter()
            .map(|(is_second, _)| is_second)
            .collect();
        let (one, two) = (
            self.results(context, &here, first, explain),
            other.results(context, &there, second, explain),
        );
        let hint = if here.space.lessons().len() == 0 {
            two.hint.or(one.hint)
        } else {
            one.hint.or(two.hint)
        };
        let (mut ours, mut theirs) = (one.results.into_iter(), two.results.into_iter());
        let results = (1..)
            .zip(order)
            .filter_map(|(rank, is_second)| {
                let mut found = if is_second {
                    theirs.next()
                } else {
                    ours.next()
                }?;
                found.rank = rank;
                Some(found)
            })
            .collect::<Vec<_>>();
        SearchResults {
            semantic: one.semantic || two.semantic,
            semantic_reason: one.semantic_reason.or(two.semantic_reason),
            hint: hint.filter(|_| results.is_empty()),
            results,
        }
    }
}

/// Up to `limit` of two lists that go down by score, the best first; of equal ones the first list's.
pub(crate) fn best<'a, T>(
    first: &'a [T],
    second: &'a [T],
    score: impl Fn(&T) -> f64,
    limit: u32,
) -> Vec<(IsSecond, &'a T)> {
    let (mut first, mut second) = (first.iter().peekable(), second.iter().peekable());
    let mut found = Vec::new();
    while found.len() < limit as usize {
        let takes_second = match (first.peek(), second.peek()) {
            (Some(one), Some(two)) => score(two) > score(one),
            (one, _) => one.is_none(),
        };
        let next = if takes_second {
            second.next()
        } else {
            first.next()
        };
        let Some(next) = next else { break };
        found.push((takes_second, next));
    }
    found
}

/// Reckons anew how likely the lessons of two stores are beside each other, and takes out those that are not; how many.
pub(crate) fn beside_each_other(
    rankings: [&mut Ranking; 2],
    situation: &Situation,
    policy: &RankPolicy,
) -> u32 {
    let all = rankings.iter().flat_map(|ranking| &ranking.items);
    let best = all.map(|item| item.matched).fold(0.0, f64::max);
    let keeps_all = situation.domain.is_some() || situation.market.is_some();
    let mut unlikely = 0;
    for ranking in rankings {
        let is_semantic = ranking.semantic;
        ranking.items.retain_mut(|item| {
            if item.likelihood.is_none() {
                return true;
            }
            let Some((likelihood, word, is_likely)) =
                likelihood_beside(item.matched, best, is_semantic, policy)
            else {
                return true;
            };
            (item.likelihood, item.word) = (Some(likelihood), word);
            let stays = keeps_all || is_likely;
            unlikely += u32::from(!stays);
            stays
        });
    }
    unlikely
}
