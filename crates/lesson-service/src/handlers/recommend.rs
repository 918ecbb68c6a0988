//! A recommendation: the situation, ranked; lessons withheld to measure what they do; the answer; what is recorded of it.
//! It is made from memory and waits for no store.

use crate::convert;
use crate::handlers::find::{NONE_FITS, merged};
use crate::handlers::joined::{IsSecond, States, beside_each_other, best};
use crate::handlers::measure::{Asked, Trial, measurable, places};
use crate::handlers::override_policy::fingerprint;
use crate::handlers::recommend_request::{Checked, checked, explained, of_rank, situation};
use crate::handlers::shorten::Budget;
use crate::handlers::stats::count;
use crate::handlers::trace_part;
use crate::host::Host;
use crate::http::answer::Answer;
use crate::http::context::RequestContext;
use crate::http::redact::readable;
use crate::state::plan::Draft;
use crate::state::service_struct::Service;
use crate::state::snapshot::State;
use lesson_core::{
    BadgeWords, Drawn, EventKind, Explain, Known, Lesson, Measured, Policy, RankPolicy, Ranked,
    Ranking, RelevanceWord, Situation, SurfacedContext, SurfacedItem,
};
use lesson_sync::Store;
use lesson_types::{ApiError, Recommend, Recommendations, Recommended, TraceEntry};

/// The lessons that fit a situation.
struct Fitting {
    /// The ranking of the first store.
    first: Ranking,
    /// The ranking of the second one, where two stores answer as one.
    second: Option<Ranking>,
    /// The best of both, ranked anew.
    best: Vec<(IsSecond, Ranked)>,
    /// Number of lessons of either that are left out as the other's match so much better.
    unlikely: u32,
}

/// The lessons that are given, and the draws that measure what lessons do.
struct Given {
    items: Vec<(IsSecond, Ranked)>,
    measured: Option<Measured>,
}

/// The query's vector, for this store and for the other one.
type Vectors = (Option<Vec<f32>>, Option<Vec<f32>>);

impl<S: Store, H: Host> Service<S, H> {
    /// Recommends from `other`, too, where two stores answer as one.
    pub(crate) fn recommend(
        &self,
        other: Option<&Self>,
        context: &RequestContext,
        asked: Recommend,
    ) -> Result<Answer<Recommendations>, ApiError> {
        let in_force = self.state.borrow().in_force(&self.policy);
        let request = checked(&asked, &in_force)?;
        let at = self.host.now();
        let trial = self.trial(other, context, &asked, &in_force);
        let mut situation = situation(&asked);
        if let Some(trial) = &trial {
            trial.widen(&mut situation);
        }
        let vectors = (
            self.situation_vector(&situation),
            other.and_then(|other| other.situation_vector(&situation)),
        );
        let embedded = self.host.now();
        let states = States::of(self, other);
        let mut fitting = self.fitting(
            other,
            &states,
            (&situation, vectors),
            (&asked, &request),
            trial.as_ref(),
        )?;
        let given = withhold(
            trial.as_ref(),
            &states,
            &fitting,
            (request.budget, &|lesson| self.badge(lesson).text),
        );
        let retrieval_id = self.id(at);
        let mut answer = self.answer_with(other, context, &states, (&fitting, &given), &request);
        answer.retrieval_id.clone_from(&retrieval_id);
        drop(states);
        answer.servers = [Some(self), other]
            .into_iter()
            .flatten()
            .find_map(|service| service.servers_for(asked.query.as_deref(), at));
        answer.trace = self.told_trace(other, context, &mut fitting);
        if answer.trace.is_some() && request.part.is_some() {
            answer.left_out = Some(trace_part::left_out(&fitting.first));
        }
        if let (Some(trial), Some(drawn)) = (&trial, &given.measured) {
            trial.tell(context, &mut answer, drawn);
        }
        let ranked = self.host.now();
        if !asked.dry_run.unwrap_or(false) {
            answer.recommendations_created = self.new_records(other, &asked, &answer);
            let policy = fingerprint(&request.policy);
            self.record(other, context, (asked, policy), given, &answer, at);
        }
        let timing = format!(
            "embed;dur={}, rank;dur={}, store;dur={}",
            embedded - at,
            ranked - embedded,
            self.host.now() - ranked
        );
        Ok(Answer::json(answer).with("server-timing", timing))
    }

    /// The trial of a recommendation, by the policy that is in force in the first store.
    fn trial(
        &self,
        other: Option<&Self>,
        context: &RequestContext,
        asked: &Recommend,
        in_force: &Policy,
    ) -> Option<Trial> {
        let of_decision = Asked {
            decision_id: measurable(context, &asked.decision_id),
            is_dry_run: asked.dry_run.unwrap_or(false),
            places: places(asked.limit, in_force),
        };
        let mut trial = Trial::of(&self.state.borrow(), in_force, &of_decision)?;
        if let Some(other) = other {
            trial.and_of(&other.state.borrow());
        }
        Some(trial)
    }

    /// Ranks the lessons of each store, and takes the best of both.
    fn fitting(
        &self,
        other: Option<&Self>,
        states: &States<'_>,
        (situation, vectors): (&Situation, Vectors),
        (asked, request): (&Recommend, &Checked<'_>),
        trial: Option<&Trial>,
    ) -> Result<Fitting, ApiError> {
        let by = (&*request.policy, explained(asked, request.part.as_ref()));
        let first = self.rank(&states.here, situation, vectors.0.as_deref(), by)?;
        let (Some(other), Some(there)) = (other, &states.there) else {
            let best = first
                .items
                .iter()
                .map(|item| (false, item.clone()))
                .collect();
            return Ok(Fitting {
                first,
                second: None,
                best,
                unlikely: 0,
            });
        };
        let mut second = other.rank(there, situation, vectors.1.as_deref(), by)?;
        second.items.retain(|item| !states.is_first(&item.slug));
        let mut first = first;
        let unlikely = beside_each_other([&mut first, &mut second], situation, by.0);
        let most = trial.map_or_else(
            || {
                let most = by.0.top_decision;
                if situation.is_for_decision() {
                    asked.limit.map_or(most, |limit| limit.min(most))
                } else {
                    asked.limit.unwrap_or(by.0.top_project)
                }
            },
            Trial::most,
        );
        let best = best(&first.items, &second.items, |item| item.score, most);
        let best = (1..)
            .zip(best)
            .map(|(rank, (is_second, item))| {
                (
                    is_second,
                    Ranked {
                        rank,
                        ..item.clone()
                    },
                )
            })
            .collect();
        Ok(Fitting {
            first,
            second: Some(second),
            best,
            unlikely,
        })
    }

    /// Ranks the lessons of this store.
    pub(crate) fn rank(
        &self,
        state: &State,
        situation: &Situation,
        vector: Option<&[f32]>,
        (policy, explain): (&RankPolicy, Explain<'_>),
    ) -> Result<Ranking, ApiError> {
        let one_key = state.failed_by_one_key();
        let one_key = Some(&*one_key);
        let now = self.today();
        state
            .with_similarity(vector, |similarity| {
                lesson_core::recommend_with(
                    &state.space,
                    situation,
                    similarity,
                    &state.index,
                    policy,
                    explain,
                    Known { now, one_key },
                )
            })
            .map_err(|error| of_rank(error, policy))
    }

    /// The answer, but for its trace and its word on measuring.
    fn answer_with(
        &self,
        other: Option<&Self>,
        context: &RequestContext,
        states: &States<'_>,
        (fitting, given): (&Fitting, &Given),
        request: &Checked<'_>,
    ) -> Recommendations {
        let shown: Vec<(&Lesson, &Ranked)> = given
            .items
            .iter()
            .filter_map(|(second, item)| Some((states.lesson(*second, &item.slug)?, item)))
            .collect();
        let (mut recommended, prompt) = self.given(&shown, request.budget);
        for ((is_second, _), given) in given.items.iter().zip(&mut recommended) {
            given.lesson.store = match other {
                Some(other) if *is_second => other.name,
                _ => self.name,
            };
        }
        let second = fitting.second.as_ref();
        let sum = |of: fn(&Ranking) -> u32| of(&fitting.first) + second.map_or(0, of);
        let semantic = fitting.first.semantic || second.is_some_and(|ranking| ranking.semantic);
        let without_vector = sum(|ranking| ranking.without_vector);
        Recommendations {
            retrieval_id: String::new(),
            semantic,
            semantic_reason: self.semantic_reason(&states.here, semantic, without_vector),
            stale: self.is_stale(context) || other.is_some_and(|other| other.is_stale(context)),
            recommended,
            total_considered: sum(|ranking| ranking.total_considered),
            candidates_of: self.candidates_of(),
            excluded_low_effectiveness: sum(|ranking| ranking.excluded_low_effectiveness),
            excluded_low_relevance: sum(|ranking| ranking.excluded_low_relevance),
            excluded_unlikely: sum(|ranking| ranking.excluded_unlikely) + fitting.unlikely,
            prompt,
            hint: given
                .items
                .is_empty()
                .then(|| match (other, &states.there) {
                    (Some(other), Some(there)) if states.here.space.lessons().len() == 0 => {
                        other.hint(context, there, NONE_FITS)
                    }
                    _ => self.hint(context, &states.here, NONE_FITS),
                }),
            servers: None,
            trace: None,
            left_out: None,
            under_measurement: None,
            measured: None,
            recommendations_created: None,
        }
    }

    /// True if the lessons may be older than they should be.
    fn is_stale(&self, context: &RequestContext) -> bool {
        context.is_stale() || self.writer.trouble.borrow().is_some()
    }

    /// Lessons as an answer has them, best first, and the text that gives them to an agent.
    fn given(&self, shown: &[(&Lesson, &Ranked)], budget: Budget) -> (Vec<Recommended>, String) {
        let lessons: Vec<(&Lesson, RelevanceWord)> = shown
            .iter()
            .map(|(lesson, item)| (*lesson, item.word))
            .collect();
        let mut prompt = budget.prompt(&lessons, &|lesson| self.badge(lesson).text);
        let mut recommended: Vec<Recommended> = shown
            .iter()
            .zip(&prompt.tokens)
            .map(|((lesson, item), tokens)| Recommended {
                slug: lesson.slug.clone(),
                title: lesson.text.title.clone(),
                badge: self.badge(lesson),
                relevance: item.word,
                rank: item.rank,
                tokens: count(*tokens),
                shortened: None,
                contradicts: None,
                lesson: merged(self.view(lesson), item.confidence, item.frequency),
            })
            .collect();
        for (one, others) in recommended.iter_mut().zip(&prompt.contradicts) {
            let slugs = others.iter().map(|at| shown[*at].0.slug.clone());
            one.contradicts = Some(slugs.collect()).filter(|slugs: &Vec<_>| !slugs.is_empty());
        }
        let views = recommended.iter_mut().map(|one| &mut one.lesson);
        let cut = budget.shorten(&mut prompt, views);
        for (one, is_cut) in recommended.iter_mut().zip(cut) {
            one.shortened = is_cut;
        }
        (recommended, prompt.text)
    }

    /// The steps of the ranking, where they were asked for, without lessons that are withheld from who asks.
    fn told_trace(
        &self,
        other: Option<&Self>,
        context: &RequestContext,
        fitting: &mut Fitting,
    ) -> Option<Vec<TraceEntry>> {
        let mut told = Vec::new();
        let rankings = [
            (Some(self), Some(&mut fitting.first)),
            (other, fitting.second.as_mut()),
        ];
        for (service, ranking) in rankings {
            let (Some(service), Some(ranking)) = (service, ranking) else {
                continue;
            };
            let entries = ranking.trace.take()?.into_iter();
            let readable = entries.filter(|entry| !service.withheld(context, &entry.slug));
            told.extend(readable.map(|entry| convert::trace(entry, context.is_agent())));
        }
        if fitting.second.is_some() {
            for entry in &mut told {
                let place = fitting
                    .best
                    .iter()
                    .find(|(_, item)| item.slug == entry.slug);
                entry.rank = place.map(|(_, item)| item.rank);
            }
        }
        Some(told)
    }

    /// The vector of a situation's text, when it has one and a model is loaded.
    pub(crate) fn situation_vector(&self, situation: &Situation) -> Option<Vec<f32>> {
        self.query_vector(&lesson_core::situation_text(situation)?)
    }

    /// Counts the given lessons that are new to the request's decision; `None` without one.
    fn new_records(
        &self,
        other: Option<&Self>,
        asked: &Recommend,
        answer: &Recommendations,
    ) -> Option<u32> {
        let id = asked.decision_id.as_deref()?;
        let states = States::of(self, other);
        let is_known = |slug: &str| {
            let stores = [Some(&states.here), states.there.as_ref()];
            let mut decisions = stores
                .into_iter()
                .flatten()
                .filter_map(|state| state.space.decision(id));
            decisions.any(|decision| decision.record(slug).is_some())
        };
        let given = answer.recommended.iter().filter(|one| one.tokens > 0);
        Some(count(given.filter(|one| !is_known(&one.slug)).count()))
    }

    /// Records in each store the lessons of its own that were given. The first store knows of every decision.
    fn record(
        &self,
        other: Option<&Self>,
        context: &RequestContext,
        (asked, policy): (Recommend, String),
        given: Given,
        answer: &Recommendations,
        at: i64,
    ) {
        let surfaced = |of_second: IsSecond| -> Vec<SurfacedItem> {
            given
                .items
                .iter()
                .zip(&answer.recommended)
                .filter(|((is_second, _), given)| *is_second == of_second && given.tokens > 0)
                .map(|((_, item), _)| SurfacedItem {
                    lesson: item.slug.clone(),
                    rank: item.rank,
                    score: item.score,
                    relevance: item.relevance,
                    likelihood: item.likelihood,
                })
                .collect()
        };
        let (here, there) = (surfaced(false), surfaced(true));
        let (ours, theirs) = self.parted(other, given.measured);
        let id = &answer.retrieval_id;
        if let Some(other) = other
            && (!there.is_empty() || theirs.as_ref().is_some_and(|held| !held.drawn.is_empty()))
        {
            other.surface(context, (id, at), &asked, (there, theirs), policy.clone());
        }
        if !here.is_empty() || asked.decision_id.is_some() {
            self.surface(context, (id, at), &asked, (here, ours), policy);
        }
    }

    /// The draws, parted by the stores whose lessons they are about.
    fn parted(
        &self,
        other: Option<&Self>,
        measured: Option<Measured>,
    ) -> (Option<Measured>, Option<Measured>) {
        let (Some(measured), true) = (&measured, other.is_some()) else {
            return (measured, None);
        };
        let state = self.state.borrow();
        let (ours, theirs): (Vec<Drawn>, Vec<Drawn>) = measured
            .drawn
            .iter()
            .cloned()
            .partition(|drawn| state.space.lesson(&drawn.lesson).is_some());
        let of = |drawn: Vec<Drawn>| Measured {
            drawn,
            ..measured.clone()
        };
        (Some(of(ours)), Some(of(theirs)))
    }

    /// Queues the event that says what was recommended.
    fn surface(
        &self,
        context: &RequestContext,
        (retrieval_id, at): (&str, i64),
        asked: &Recommend,
        (items, measured): (Vec<SurfacedItem>, Option<Measured>),
        policy: String,
    ) {
        let stored = |text: &Option<String>| text.clone().map(readable);
        let tech_stack = asked.tech_stack.iter().flatten();
        let event = EventKind::Surfaced {
            retrieval_id: retrieval_id.to_owned(),
            purpose: "recommend".to_owned(),
            context: SurfacedContext {
                decision_id: asked.decision_id.clone(),
                query: self.query_kept(asked.query.as_deref(), &items),
                domain: stored(&asked.domain),
                project_type: stored(&asked.project_type),
                tech_stack: tech_stack.cloned().map(readable).collect(),
                phase: stored(&asked.phase),
            },
            items,
            policy,
            measured,
        };
        self.enqueue(Draft {
            op_id: self.id(at),
            at,
            by: context.by().to_owned(),
            event,
        });
    }
}

/// Takes out of the lessons that fit those that are not shown, so that what lessons do can be measured. Ranks stay, so that
/// gaps are seen.
fn withhold(
    trial: Option<&Trial>,
    states: &States<'_>,
    fitting: &Fitting,
    (budget, badge): (Budget, BadgeWords<'_>),
) -> Given {
    let Some(trial) = trial else {
        return Given {
            items: fitting.best.clone(),
            measured: None,
        };
    };
    let lessons: Vec<(&Lesson, RelevanceWord)> = fitting
        .best
        .iter()
        .filter_map(|(second, item)| Some((states.lesson(*second, &item.slug)?, item.word)))
        .collect();
    let (shown, last, measured) = trial.among(&lessons, budget, badge);
    let items = shown
        .into_iter()
        .filter_map(|at| fitting.best.get(at).cloned())
        .map(|(is_second, mut item)| {
            item.rank = item.rank.min(last);
            (is_second, item)
        })
        .collect();
    Given {
        items,
        measured: Some(measured),
    }
}
