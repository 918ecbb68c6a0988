//! Finding lessons in two stores at once, such as a project's and a person's own: the best of both by score.
//!
//! Each store ranks its lessons by itself. A slug names one lesson: of two stores that have it, the first one's. Each
//! store records what was shown and what was withheld of its own, under the one decision. What is drawn is drawn once, by
//! the first store's policy, among the lessons of both; the first one keeps every decision.

use crate::convert;
use crate::handlers::measure::{Asked, Trial, measurable, places};
use crate::handlers::override_policy::fingerprint;
use crate::handlers::recommend::NONE_FITS;
use crate::handlers::recommend_request::{Checked, checked};
use crate::handlers::trace_part;
use crate::host::Host;
use crate::http::answer::{Answer, refusal};
use crate::http::context::RequestContext;
use crate::http::redact;
use crate::http::router::Route;
use crate::http::validate;
use crate::state::service_struct::Service;
use lesson_core::learning::NEXT;
use lesson_core::{
    Drawn, Lesson, Measured, Policy, Ranked, Ranking, RelevanceWord, SearchRanking, SurfacedItem,
};
use lesson_sync::Store;
use lesson_types::{
    ApiError, EndpointName, Patterns, Recommend, Recommendations, Request, Response, Search,
    SearchResults,
};

/// Whether a lesson is of the second store.
type IsSecond = bool;

/// Lessons behind the last place that a measured recommendation may try.
const TRIED: u32 = NEXT as u32;

impl<S: Store, H: Host> Service<S, H> {
    /// Answers a request to find or list lessons (recommend, search, patterns, lessons) from this store and another one; a
    /// request for anything else from this one alone. Never fails, as [`Service::handle`].
    pub async fn find_in_both(
        &self,
        other: &Self,
        context: &RequestContext,
        route: Route,
        request: Request,
    ) -> Response {
        let name = route.endpoint.name;
        if !matches!(
            name,
            EndpointName::recommend
                | EndpointName::search
                | EndpointName::patterns
                | EndpointName::list_lessons
        ) {
            return self.handle_for(context, route, request).await;
        }
        let answered = || {
            let mut body = request.body;
            validate::bounded_depth(&body)?;
            redact::body(&route, &mut body)?;
            match name {
                EndpointName::list_lessons => self
                    .list_with(Some(other), context, &route.query()?, &body)
                    .map(Answer::respond),
                EndpointName::recommend => self
                    .recommend_both(other, context, validate::body(body)?)
                    .map(Answer::respond),
                EndpointName::search => {
                    let asked: Search = validate::body(body)?;
                    let limit = asked
                        .limit
                        .unwrap_or(self.state.borrow().in_force(&self.policy).rank.top_search);
                    let rankings = (self.search_ranking(&asked)?, other.search_ranking(&asked)?);
                    let explain = asked.explain.unwrap_or(false);
                    self.results_of_both(other, context, rankings, (limit, explain))
                        .map(Answer::respond)
                }
                _ => {
                    let asked: Patterns = validate::body(body)?;
                    let limit = asked
                        .limit
                        .unwrap_or(self.state.borrow().in_force(&self.policy).rank.top_patterns);
                    let rankings = (
                        self.patterns_ranking(&asked)?,
                        other.patterns_ranking(&asked)?,
                    );
                    self.results_of_both(other, context, rankings, (limit, false))
                        .map(Answer::respond)
                }
            }
        };
        answered().unwrap_or_else(refusal)
    }

    fn recommend_both(
        &self,
        other: &Self,
        context: &RequestContext,
        asked: Recommend,
    ) -> Result<Answer<Recommendations>, ApiError> {
        let in_force = self.state.borrow().in_force(&self.policy);
        let Checked {
            policy,
            part,
            budget,
        } = checked(&asked, &in_force)?;
        let at = self.host.now();
        let trial = self.trial_of_both(other, context, &asked, &in_force);
        let mut first = self.ranking_alone(&asked, &policy, part.as_ref(), trial.as_ref())?;
        let mut second = other.ranking_alone(&asked, &policy, part.as_ref(), trial.as_ref())?;
        let limit = asked.limit.unwrap_or(match asked.decision_id {
            Some(_) => policy.top_decision,
            None => policy.top_project,
        });
        let limit = limit + if trial.is_some() { TRIED } else { 0 };
        let (here, there) = (self.state.borrow(), other.state.borrow());
        second
            .items
            .retain(|item| here.space.lesson(&item.slug).is_none());
        let items = best(&first.items, &second.items, |item| item.score, limit);
        let ranked: Vec<(IsSecond, Ranked)> = (1..)
            .zip(items)
            .map(|(rank, (is_second, item))| {
                let item = Ranked {
                    rank,
                    ..item.clone()
                };
                (is_second, item)
            })
            .collect();
        let lesson = |is_second: IsSecond, slug: &str| {
            let state = if is_second { &there } else { &here };
            state.space.lesson(slug)
        };
        let (items, measured) = match &trial {
            Some(trial) => {
                let lessons: Vec<(&Lesson, RelevanceWord)> = ranked
                    .iter()
                    .filter_map(|(second, item)| Some((lesson(*second, &item.slug)?, item.word)))
                    .collect();
                let (shown, last, measured) = trial.among(&lessons, budget);
                let items = shown.into_iter().filter_map(|at| ranked.get(at).cloned());
                let items = items.map(|(is_second, mut item)| {
                    item.rank = item.rank.min(last);
                    (is_second, item)
                });
                (items.collect(), Some(measured))
            }
            None => (ranked.clone(), None),
        };
        let shown: Vec<(&Lesson, &Ranked)> = items
            .iter()
            .filter_map(|(is_second, item)| Some((lesson(*is_second, &item.slug)?, item)))
            .collect();
        let (mut recommended, prompt) = self.given(&shown, budget);
        for ((is_second, _), given) in items.iter().zip(&mut recommended) {
            given.lesson.store = if *is_second { other.name } else { self.name };
        }
        let retrieval_id = self.id(at);
        let semantic = first.semantic || second.semantic;
        let without = first.without_vector + second.without_vector;
        let sum = |of: fn(&Ranking) -> u32| of(&first) + of(&second);
        let mut answer = Recommendations {
            retrieval_id: retrieval_id.clone(),
            semantic,
            semantic_reason: self.semantic_reason(&here, semantic, without),
            stale: self.is_stale(context) || other.is_stale(context),
            recommended,
            total_considered: sum(|ranking| ranking.total_considered),
            candidates_of: None,
            excluded_low_effectiveness: sum(|ranking| ranking.excluded_low_effectiveness),
            excluded_low_relevance: sum(|ranking| ranking.excluded_low_relevance),
            prompt,
            hint: items.is_empty().then(|| {
                let empty = here.space.lessons().len() == 0;
                let hinting = if empty {
                    (other, &there)
                } else {
                    (self, &here)
                };
                hinting.0.hint(context, hinting.1, NONE_FITS)
            }),
            trace: None,
            left_out: None,
            under_measurement: None,
            measured: None,
        };
        let drawn = measured.clone().map(|measured| {
            let of_second = |drawn: &Drawn| here.space.lesson(&drawn.lesson).is_none();
            let (control, control_q) = (measured.control, measured.control_q);
            let (theirs, ours) = measured.drawn.into_iter().partition(of_second);
            let of = |drawn: Vec<Drawn>| Measured {
                control,
                control_q,
                drawn,
            };
            (of(ours), of(theirs))
        });
        drop((here, there));
        if first.trace.is_some() {
            let mut trace = Vec::new();
            for (service, ranking) in [(self, &mut first), (other, &mut second)] {
                let entries = ranking.trace.take().into_iter().flatten();
                let readable = entries.filter(|entry| !service.withheld(context, &entry.slug));
                let told = readable.map(|entry| convert::trace(entry, context.is_agent()));
                trace.extend(told);
            }
            for entry in &mut trace {
                let place = ranked.iter().find(|(_, item)| item.slug == entry.slug);
                entry.rank = place.map(|(_, item)| item.rank);
            }
            answer.trace = Some(trace);
            answer.left_out = part.is_some().then(|| trace_part::left_out(&first));
        }
        if let (Some(trial), Some(measured)) = (&trial, &measured) {
            trial.tell(context, &mut answer, measured);
        }
        if !asked.dry_run.unwrap_or(false) {
            let surfaced = |of_second: IsSecond| -> Vec<SurfacedItem> {
                items
                    .iter()
                    .zip(&answer.recommended)
                    .filter(|((is_second, _), given)| *is_second == of_second && given.tokens > 0)
                    .map(|((_, item), _)| SurfacedItem {
                        lesson: item.slug.clone(),
                        rank: item.rank,
                        score: item.score,
                        relevance: item.relevance,
                    })
                    .collect()
            };
            let (here, there) = (surfaced(false), surfaced(true));
            let (ours, theirs) = drawn.unzip();
            let is_drawn = |held: &Measured| !held.drawn.is_empty();
            if !there.is_empty() || theirs.as_ref().is_some_and(is_drawn) {
                let id = retrieval_id.clone();
                other.surface(
                    context,
                    id,
                    at,
                    (asked.clone(), there, theirs),
                    fingerprint(&policy),
                );
            }
            // The first one knows of every decision.
            if !here.is_empty() || asked.decision_id.is_some() {
                self.surface(
                    context,
                    retrieval_id,
                    at,
                    (asked, here, ours),
                    fingerprint(&policy),
                );
            }
        }
        Answer::json(&answer)
    }

    /// How a recommendation of both is measured: by what is in force in the first store.
    fn trial_of_both(
        &self,
        other: &Self,
        context: &RequestContext,
        asked: &Recommend,
        in_force: &Policy,
    ) -> Option<Trial> {
        let state = self.state.borrow();
        let of_decision = Asked {
            decision_id: measurable(context, &asked.decision_id),
            is_dry_run: asked.dry_run.unwrap_or(false),
            places: places(asked.limit, in_force),
        };
        let mut trial = Trial::of(&state, in_force, &of_decision)?;
        trial.and_of(&other.state.borrow());
        Some(trial)
    }

    fn results_of_both(
        &self,
        other: &Self,
        context: &RequestContext,
        (first, mut second): (SearchRanking, SearchRanking),
        (limit, explain): (u32, bool),
    ) -> Result<Answer<SearchResults>, ApiError> {
        let (here, there) = (self.state.borrow(), other.state.borrow());
        second
            .items
            .retain(|item| here.space.lesson(&item.slug).is_none());
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
        Answer::json(&SearchResults {
            semantic: one.semantic || two.semantic,
            semantic_reason: one.semantic_reason.or(two.semantic_reason),
            hint: hint.filter(|_| results.is_empty()),
            results,
        })
    }
}

/// Up to `limit` of two lists that go down by score, the best first; of equal ones the first list's.
fn best<'a, T>(
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
