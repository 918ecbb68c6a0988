//! Finding lessons: recommend, search and patterns. None of them waits for the store.

use crate::convert;
use crate::handlers::measure::{Asked, Trial, measurable, places};
use crate::handlers::override_policy::fingerprint;
use crate::handlers::recommend_request::{Checked, checked, explained, of_rank, situation};
use crate::handlers::shorten::Room;
use crate::handlers::stats::count;
use crate::handlers::trace_part;
use crate::host::Host;
use crate::http::answer::Answer;
use crate::http::context::RequestContext;
use crate::http::redact::readable;
use crate::http::validate::{self, filled, optional};
use crate::state::plan::Draft;
use crate::state::service_struct::Service;
use crate::state::snapshot::State;
use lesson_core::learning::Effects;
use lesson_core::{
    EventKind, Explain, Lesson, Measured, PatternsFor, RankPolicy, Ranked, Ranking, RelevanceWord,
    SearchOptions, SearchRanking, Situation, StandingRule, SurfacedContext, SurfacedItem,
    TracePart,
};
use lesson_sync::Store;
use lesson_types::{
    ApiError, Found, LessonView, Patterns, Recommend, Recommendations, Recommended, Search,
    SearchResults, limits,
};

const NO_LESSONS: &str =
    "There are no lessons yet. Import lessons or load the samples, then ask again.";
pub(crate) const NONE_FITS: &str = "No lesson fits. Say more of the situation in `query`, or leave out the domain, phase or technologies that narrow it; `explain` shows why each lesson was left out.";
const NONE_FOUND: &str =
    "No lesson has these words. Try others, or load the model to find lessons by meaning.";
// What an agent can do about it: it neither imports lessons nor loads a model.
const NO_LESSONS_YET: &str = "There are no lessons yet. Go on without one, and add what you learn.";
const NONE_SAYS_SO: &str =
    "No lesson has these words. Try others, or say the same in more general ones.";

impl<S: Store, H: Host> Service<S, H> {
    pub(crate) fn recommend(
        &self,
        context: &RequestContext,
        asked: Recommend,
    ) -> Result<Answer<Recommendations>, ApiError> {
        let in_force = self.state.borrow().in_force(&self.policy);
        let Checked {
            policy,
            part,
            budget,
        } = checked(&asked, &in_force)?;
        let mut situation = situation(&asked);
        let at = self.host.now();
        let vector = self.situation_vector(&situation);
        let embedded = self.host.now();
        let state = self.state.borrow();
        let of_decision = Asked {
            decision_id: measurable(context, &asked.decision_id),
            is_dry_run: asked.dry_run.unwrap_or(false),
            places: places(asked.limit, &in_force),
        };
        let trial = Trial::of(&state, &in_force, &of_decision);
        if let Some(trial) = &trial {
            trial.widen(&mut situation);
        }
        let explain = explained(&asked, part.as_ref());
        let mut ranking = self.rank(&state, &situation, vector.as_deref(), (&policy, explain))?;
        let measured = trial
            .as_ref()
            .map(|trial| trial.select(&state, &mut ranking, budget));
        let retrieval_id = self.id(at);
        let mut answer =
            self.recommendations(context, &state, retrieval_id.clone(), &ranking, budget);
        drop(state);
        if let Some(trace) = ranking.trace.take() {
            let readable = trace
                .into_iter()
                .filter(|entry| !self.withheld(context, &entry.slug));
            answer.trace = Some(
                readable
                    .map(|entry| convert::trace(entry, context.is_agent()))
                    .collect(),
            );
            answer.left_out = part.is_some().then(|| trace_part::left_out(&ranking));
        }
        if let (Some(trial), Some(drawn)) = (&trial, &measured) {
            trial.tell(context, &mut answer, drawn);
        }
        let ranked = self.host.now();
        let records = !asked.dry_run.unwrap_or(false);
        let fingerprint = match records {
            true => fingerprint(&policy),
            false => String::new(),
        };
        if records && (!ranking.items.is_empty() || asked.decision_id.is_some()) {
            let shown = ranking.items.iter().zip(&answer.recommended);
            let items = shown
                .filter(|(_, recommended)| recommended.tokens > 0)
                .map(|(item, _)| SurfacedItem {
                    lesson: item.slug.clone(),
                    rank: item.rank,
                    score: item.score,
                    relevance: item.relevance,
                })
                .collect();
            let happened = (asked, items, measured);
            self.surface(context, retrieval_id, at, happened, fingerprint);
        }
        let queued = self.host.now();
        let timing = format!(
            "embed;dur={}, rank;dur={}, store;dur={}",
            embedded - at,
            ranked - embedded,
            queued - ranked
        );
        Ok(Answer::json(&answer)?.with("server-timing", timing))
    }

    /// Ranks the lessons, as far as a trial goes.
    pub(crate) fn ranking_alone(
        &self,
        asked: &Recommend,
        policy: &RankPolicy,
        part: Option<&TracePart>,
        trial: Option<&Trial>,
    ) -> Result<Ranking, ApiError> {
        let mut situation = situation(asked);
        if let Some(trial) = trial {
            trial.widen(&mut situation);
        }
        let vector = self.situation_vector(&situation);
        let explain = explained(asked, part);
        let state = self.state.borrow();
        self.rank(&state, &situation, vector.as_deref(), (policy, explain))
    }

    /// Ranks the lessons; by what is known of their effects where the policy says so.
    pub(crate) fn rank(
        &self,
        state: &State,
        situation: &Situation,
        vector: Option<&[f32]>,
        (policy, explain): (&RankPolicy, Explain<'_>),
    ) -> Result<Ranking, ApiError> {
        let rank = |effects: Option<&Effects>| {
            state.with_similarity(vector, |similarity| {
                lesson_core::recommend_with(
                    &state.space,
                    situation,
                    similarity,
                    &state.index,
                    policy,
                    explain,
                    effects,
                )
            })
        };
        match policy.standing {
            StandingRule::Seeds => rank(None),
            StandingRule::Evidence => state.with_effects(|effects| rank(Some(effects))),
        }
        .map_err(|error| of_rank(error, policy))
    }

    pub(crate) fn recommendations(
        &self,
        context: &RequestContext,
        state: &State,
        retrieval_id: String,
        ranking: &Ranking,
        budget: usize,
    ) -> Recommendations {
        let shown: Vec<(&Lesson, &Ranked)> = ranking
            .items
            .iter()
            .filter_map(|item| Some((state.space.lesson(&item.slug)?, item)))
            .collect();
        let (recommended, prompt) = self.given(&shown, budget);
        Recommendations {
            retrieval_id,
            semantic: ranking.semantic,
            semantic_reason: self.semantic_reason(state, ranking.semantic, ranking.without_vector),
            stale: self.is_stale(context),
            recommended,
            total_considered: ranking.total_considered,
            candidates_of: self.candidates_of(),
            excluded_low_effectiveness: ranking.excluded_low_effectiveness,
            excluded_low_relevance: ranking.excluded_low_relevance,
            prompt,
            hint: ranking
                .items
                .is_empty()
                .then(|| self.hint(context, state, NONE_FITS)),
            trace: None,
            left_out: None,
            under_measurement: None,
            measured: None,
        }
    }

    /// Whether the lessons may be older than they should be.
    pub(crate) fn is_stale(&self, context: &RequestContext) -> bool {
        context.is_stale() || self.trouble.borrow().is_some()
    }

    /// Lessons as an answer has them, best first, and the text that gives them to an agent.
    pub(crate) fn given(
        &self,
        shown: &[(&Lesson, &Ranked)],
        budget: usize,
    ) -> (Vec<Recommended>, String) {
        let lessons: Vec<(&Lesson, RelevanceWord)> = shown
            .iter()
            .map(|(lesson, item)| (*lesson, item.word))
            .collect();
        let prompt = lesson_core::prompt_text(&lessons, Some(budget));
        let mut room = Room::of_tokens(budget);
        let recommended = shown
            .iter()
            .zip(&prompt.tokens)
            .map(|((lesson, item), tokens)| {
                let mut view = merged(self.view(lesson), item.confidence, item.frequency);
                Recommended {
                    slug: lesson.slug.clone(),
                    title: lesson.text.title.clone(),
                    badge: lesson.standing.badge(),
                    relevance: item.word,
                    rank: item.rank,
                    tokens: count(*tokens),
                    shortened: room.take(&mut view),
                    lesson: view,
                }
            })
            .collect();
        (recommended, prompt.text)
    }

    /// The vector of a situation's text, when it has one and a model is loaded.
    pub(crate) fn situation_vector(&self, situation: &Situation) -> Option<Vec<f32>> {
        self.query_vector(&lesson_core::situation_text(situation)?)
    }

    /// Queues the event that says what was recommended.
    pub(crate) fn surface(
        &self,
        context: &RequestContext,
        retrieval_id: String,
        at: i64,
        (asked, items, measured): (Recommend, Vec<SurfacedItem>, Option<Measured>),
        policy: String,
    ) {
        let event = EventKind::Surfaced {
            retrieval_id,
            purpose: "recommend".to_owned(),
            context: SurfacedContext {
                decision_id: asked.decision_id,
                query: asked.query.map(readable),
                domain: asked.domain.map(readable),
                project_type: asked.project_type.map(readable),
                tech_stack: asked
                    .tech_stack
                    .into_iter()
                    .flatten()
                    .map(readable)
                    .collect(),
                phase: asked.phase.map(readable),
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

    pub(crate) fn search(
        &self,
        context: &RequestContext,
        asked: Search,
    ) -> Result<Answer<SearchResults>, ApiError> {
        let ranking = self.search_ranking(&asked)?;
        let state = self.state.borrow();
        let explain = asked.explain.unwrap_or(false);
        Answer::json(&self.results(context, &state, ranking, explain))
    }

    /// Ranks what a search finds.
    pub(crate) fn search_ranking(&self, asked: &Search) -> Result<SearchRanking, ApiError> {
        filled("query", &asked.query, limits::QUERY)?;
        let rank = &self.state.borrow().in_force(&self.policy).rank;
        let options = SearchOptions {
            limit: Some(validate::limit(
                asked.limit,
                rank.top_search,
                limits::LIMIT,
            )?),
            explain: asked.explain.unwrap_or(false),
            ..SearchOptions::default()
        };
        let vector = self.query_vector(&asked.query);
        let state = self.state.borrow();
        Ok(state.with_similarity(vector.as_deref(), |similarity| {
            lesson_core::search(
                &state.space,
                &asked.query,
                similarity,
                &state.index,
                rank,
                options,
            )
        }))
    }

    pub(crate) fn patterns(
        &self,
        context: &RequestContext,
        asked: Patterns,
    ) -> Result<Answer<SearchResults>, ApiError> {
        let ranking = self.patterns_ranking(&asked)?;
        let state = self.state.borrow();
        Answer::json(&self.results(context, &state, ranking, false))
    }

    /// Ranks what helps to build a feature.
    pub(crate) fn patterns_ranking(&self, asked: &Patterns) -> Result<SearchRanking, ApiError> {
        filled("feature", &asked.feature, limits::QUERY)?;
        optional("project_type", asked.project_type.as_ref(), limits::WORD)?;
        validate::words("tech_stack", asked.tech_stack.as_ref())?;
        let rank = &self.state.borrow().in_force(&self.policy).rank;
        let limit = validate::limit(asked.limit, rank.top_patterns, limits::LIMIT)?;
        let vector = self.query_vector(&lesson_core::patterns_text(&asked.feature));
        let state = self.state.borrow();
        Ok(state.with_similarity(vector.as_deref(), |similarity| {
            let wanted = PatternsFor {
                feature: &asked.feature,
                project_type: asked.project_type.as_deref(),
                tech_stack: asked.tech_stack.as_deref().unwrap_or_default(),
                limit: Some(limit),
                explain: false,
            };
            lesson_core::patterns(&state.space, wanted, similarity, &state.index, rank)
        }))
    }

    /// What to do next when there is nothing to show.
    pub(crate) fn hint(
        &self,
        context: &RequestContext,
        state: &State,
        otherwise: &'static str,
    ) -> String {
        let elsewhere = self
            .part_of
            .borrow()
            .as_ref()
            .is_some_and(|space| space.lessons > 0);
        let in_use = elsewhere || state.space.lessons().any(|lesson| !lesson.archived);
        let said = match (in_use, context.is_agent()) {
            (false, false) => NO_LESSONS,
            (false, true) => NO_LESSONS_YET,
            (true, true) if otherwise == NONE_FOUND => NONE_SAYS_SO,
            (true, _) => otherwise,
        };
        said.to_owned()
    }

    pub(crate) fn results(
        &self,
        context: &RequestContext,
        state: &State,
        ranking: SearchRanking,
        explain: bool,
    ) -> SearchResults {
        // A page shows what it asked for; an agent reads all of it.
        let tokens = if context.is_agent() {
            limits::PROMPT_TOKENS_MAX
        } else {
            usize::MAX
        };
        let mut room = Room::of_tokens(tokens);
        SearchResults {
            semantic: ranking.semantic,
            semantic_reason: self.semantic_reason(state, ranking.semantic, ranking.without_vector),
            hint: ranking
                .items
                .is_empty()
                .then(|| self.hint(context, state, NONE_FOUND)),
            results: ranking
                .items
                .into_iter()
                .filter_map(|item| {
                    let lesson = state.space.lesson(&item.slug)?;
                    let mut view = merged(
                        self.measured_view(context.is_agent(), state, lesson),
                        item.confidence,
                        item.frequency,
                    );
                    room.take(&mut view);
                    Some(Found {
                        slug: item.slug,
                        title: lesson.text.title.clone(),
                        badge: lesson.standing.badge(),
                        relevance: item.word,
                        rank: item.rank,
                        lesson: view,
                        factors: explain.then(|| item.factors.clone()),
                    })
                })
                .collect(),
        }
    }
}

/// A lesson with the numbers of all lessons of its title, of which it is the one shown.
pub(crate) fn merged(mut lesson: LessonView, confidence: f64, frequency: u32) -> LessonView {
    lesson.standing.confidence = confidence;
    lesson.standing.frequency = frequency;
    lesson
}
