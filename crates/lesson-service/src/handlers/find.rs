//! Finding lessons by a text: search and patterns, answered from memory. [`Service::results`] is how lessons that were found
//! are told.

use crate::handlers::joined::Rankings;
use crate::handlers::shorten::Room;
use crate::host::Host;
use crate::http::answer::Answer;
use crate::http::context::RequestContext;
use crate::http::validate::{self, filled, optional};
use crate::state::service_struct::Service;
use crate::state::snapshot::State;
use lesson_core::{PatternsFor, SearchOptions, SearchRanking};
use lesson_sync::Store;
use lesson_types::{ApiError, Found, LessonView, Patterns, Search, SearchResults, limits};

const NO_LESSONS: &str =
    "There are no lessons yet. Import lessons or load the samples, then ask again.";
pub(crate) const NONE_FITS: &str = "No lesson fits. Say more of the situation in `query`, or leave out the domain, phase or technologies that narrow it; `explain` shows why each lesson was left out.";
const NONE_FOUND: &str =
    "No lesson has these words. Try others, or load the model to find lessons by meaning.";
// Remedy for an agent, which neither imports lessons nor loads a model.
const NO_LESSONS_YET: &str = "There are no lessons yet. Go on without one, and add what you learn.";
const NONE_SAYS_SO: &str =
    "No lesson has these words. Try others, or say the same in more general ones.";

impl<S: Store, H: Host> Service<S, H> {
    /// Answers from `other`, too, where two stores answer as one.
    pub(crate) fn search(
        &self,
        other: Option<&Self>,
        context: &RequestContext,
        asked: Search,
    ) -> Result<Answer<SearchResults>, ApiError> {
        let first = self.search_ranking(&asked)?;
        let Some(other) = other else {
            let state = self.state.borrow();
            let explain = asked.explain.unwrap_or(false);
            return Ok(Answer::json(self.results(context, &state, first, explain)));
        };
        let in_force = self.state.borrow().in_force(&self.policy);
        let rankings = Rankings {
            first,
            second: other.search_ranking(&asked)?,
            limit: asked.limit.unwrap_or(in_force.rank.top_search),
            explain: asked.explain.unwrap_or(false),
        };
        Ok(Answer::json(self.results_of_both(other, context, rankings)))
    }

    /// Ranks what a search finds.
    fn search_ranking(&self, asked: &Search) -> Result<SearchRanking, ApiError> {
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

    /// Answers from `other`, too, where two stores answer as one.
    pub(crate) fn patterns(
        &self,
        other: Option<&Self>,
        context: &RequestContext,
        asked: Patterns,
    ) -> Result<Answer<SearchResults>, ApiError> {
        let first = self.patterns_ranking(&asked)?;
        let Some(other) = other else {
            let state = self.state.borrow();
            return Ok(Answer::json(self.results(context, &state, first, false)));
        };
        let in_force = self.state.borrow().in_force(&self.policy);
        let rankings = Rankings {
            first,
            second: other.patterns_ranking(&asked)?,
            limit: asked.limit.unwrap_or(in_force.rank.top_patterns),
            explain: false,
        };
        Ok(Answer::json(self.results_of_both(other, context, rankings)))
    }

    /// Ranks what helps to build a feature.
    fn patterns_ranking(&self, asked: &Patterns) -> Result<SearchRanking, ApiError> {
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

    /// Names the next step when there is nothing to show.
    pub(crate) fn hint(
        &self,
        context: &RequestContext,
        state: &State,
        otherwise: &'static str,
    ) -> String {
        let said = match (self.held.has_lessons(&state.space), context.is_agent()) {
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
                        badge: self.badge(lesson),
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
