//! Reports of what happened next: tracking, outcomes, feedback, ratings and votes.

use crate::convert;
use crate::handlers::lessons::known;
use crate::handlers::repeated_request::detection;
use crate::handlers::stats::count;
use crate::host::Host;
use crate::http::answer::Answer;
use crate::http::context::RequestContext;
use crate::http::fault::{clip, of_fold};
use crate::http::validate::{self, filled, optional};
use crate::state::plan::Plan;
use crate::state::service_struct::Service;
use crate::state::snapshot::State;
use lesson_core::{
    Decision, DecisionOutcome, Event, EventKind, FoldError, Lesson, MatchType, ResolveError,
    Uncounted, find_lesson,
};
use lesson_sync::Store;
use lesson_types::{
    ApiError, ErrorCode, Feedback, FeedbackGiven, FeedbackUpdate, Outcome, OutcomeRecorded, Rate,
    Rated, Track, Tracked, Vote, limits,
};
use std::collections::BTreeSet;

impl<S: Store, H: Host> Service<S, H> {
    pub(crate) async fn track(
        &self,
        context: &RequestContext,
        asked: Track,
    ) -> Result<Answer<Tracked>, ApiError> {
        filled("decision_id", &asked.decision_id, limits::ID)?;
        filled("reasoning", &asked.reasoning, limits::TEXT)?;
        let detections = self
            .commit(context, |state, _| {
                let decision = decision(state, &asked.decision_id)?;
                // A key that asks again and again in one decision moves no more lessons than fit one answer.
                let most = if context.is_key() {
                    limits::AGENT_FEEDBACK
                } else {
                    usize::MAX
                };
                let lessons: Vec<&Lesson> = decision
                    .records
                    .iter()
                    .take(most)
                    .filter_map(|record| state.space.lesson(&record.lesson))
                    .collect();
                let detections =
                    lesson_core::detect(&lessons, &asked.reasoning, &self.policy.usage);
                let detections = crate::http::redact::quotes(detections);
                let plan = if detections.is_empty() {
                    Plan::default()
                } else {
                    Plan::one(EventKind::UsageTracked {
                        decision_id: asked.decision_id.clone(),
                        detections: detections.clone(),
                    })
                };
                Ok((plan, detections))
            })
            .await?;
        Ok(Answer::json(Tracked {
            recorded: !detections.is_empty(),
            detections: detections.into_iter().map(detection).collect(),
        }))
    }

    pub(crate) async fn outcome(
        &self,
        context: &RequestContext,
        asked: Outcome,
    ) -> Result<Answer<OutcomeRecorded>, ApiError> {
        filled("decision_id", &asked.decision_id, limits::ID)?;
        let outcome: DecisionOutcome = asked.outcome;
        let by = context.by();
        let (before, uncounted) = self
            .commit(context, |state, at| {
                let held = decision(state, &asked.decision_id)?;
                let same = if held.is_final() {
                    !outcome.is_final() || held.outcome == Some(outcome)
                } else {
                    held.outcome == Some(outcome) && held.pnl_percent == asked.pnl_percent
                };
                let told = EventKind::OutcomeRecorded {
                    decision_id: asked.decision_id.clone(),
                    outcome,
                    pnl_percent: asked.pnl_percent,
                };
                let before = settled(held);
                let (plan, uncounted) = self.once(state, same, told, by, at)?;
                Ok((plan, (before, uncounted)))
            })
            .await?;
        let lessons = self.recommended_in(&asked.decision_id);
        let told = |event: &Event| matches!(&event.event, EventKind::OutcomeRecorded { decision_id, .. } if *decision_id == asked.decision_id);
        let (uncounted, repeated) = self.or_before(uncounted, &lessons, told).await?;
        self.outcome_recorded(&asked.decision_id, &before, &uncounted, repeated)
    }

    /// Sums up what a decision's outcome moved; `before` are the lessons that it had counted in already.
    pub(crate) fn outcome_recorded(
        &self,
        decision_id: &str,
        before: &[String],
        uncounted: &[Uncounted],
        repeated: bool,
    ) -> Result<Answer<OutcomeRecorded>, ApiError> {
        let state = self.state.borrow();
        let decision = decision(&state, decision_id)?;
        let mut moved = settled(decision);
        moved.retain(|slug| {
            !before.contains(slug) && !uncounted.iter().any(|one| one.lesson == *slug)
        });
        Ok(Answer::json(OutcomeRecorded {
            lessons_updated: count(decision.records.len()),
            effectiveness_recalculated: moved,
            uncounted: uncounted
                .iter()
                .map(|one| lesson_types::Uncounted {
                    slug: one.lesson.clone(),
                    reason: convert::reason(one.why),
                })
                .collect(),
            repeated,
        }))
    }

    pub(crate) async fn feedback(
        &self,
        context: &RequestContext,
        asked: Feedback,
    ) -> Result<Answer<FeedbackGiven>, ApiError> {
        validate::slugs("lessons", &asked.lessons, 1)?;
        if context.is_key() && sorted(&asked.lessons).len() > limits::AGENT_FEEDBACK {
            return Err(ApiError::invalid(
                "lessons",
                format!(
                    "an agent gives feedback on at most {} lessons at once, those that were recommended to it; leave the others out",
                    limits::AGENT_FEEDBACK
                ),
            ));
        }
        validate::slugs("causal", asked.causal.as_deref().unwrap_or_default(), 0)?;
        optional("outcome_text", asked.outcome_text.as_ref(), limits::TEXT)?;
        about(asked.decision_id.as_ref())?;
        let outcome = asked.outcome;
        let text = asked.outcome_text.as_deref().unwrap_or_default();
        let vector = match asked.causal {
            None if !text.trim().is_empty() => {
                self.query_vector(&lesson_core::outcome_said(text, &self.policy.session))
            }
            _ => None,
        };
        // Naming a lesson in the list of what was shown is not using it.
        let said = lesson_core::without_shown(text);
        let by = context.by();
        let uncounted = self
            .commit(context, |state, at| {
                let causal = match &asked.causal {
                    Some(causal) => causal.clone(),
                    // Nothing tells them apart, so all of them were at work.
                    None if text.trim().is_empty() => asked.lessons.clone(),
                    None => {
                        let about = asked.decision_id.as_ref();
                        let about = about.and_then(|id| state.space.decision(id));
                        self.causes(state, &asked.lessons, vector.as_deref(), &said, about)
                    }
                };
                let before = match &asked.decision_id {
                    Some(id) => decision(state, id)?.feedback_by(by),
                    None => None,
                };
                let same = before.is_some_and(|held| {
                    held.outcome == outcome
                        && held.lessons == sorted(&asked.lessons)
                        && held.causal == sorted(&causal)
                });
                let given = EventKind::FeedbackGiven {
                    outcome,
                    lessons: asked.lessons.clone(),
                    causal,
                    decision_id: asked.decision_id.clone(),
                };
                self.once(state, same, given, by, at)
            })
            .await?;
        let given = |event: &Event| {
            matches!(&event.event, EventKind::FeedbackGiven { decision_id, .. } if *decision_id == asked.decision_id)
                && event.by == by
        };
        let (uncounted, repeated) = self.or_before(uncounted, &asked.lessons, given).await?;
        Ok(Answer::json(self.feedback_given(
            &asked.lessons,
            &uncounted,
            repeated,
        )?))
    }

    /// The numbers of these lessons, each once, as they are after feedback.
    pub(crate) fn feedback_given(
        &self,
        slugs: &[String],
        uncounted: &[Uncounted],
        repeated: bool,
    ) -> Result<FeedbackGiven, ApiError> {
        let state = self.state.borrow();
        let mut met = BTreeSet::new();
        let updated = slugs
            .iter()
            .filter(|slug| met.insert(slug.as_str()))
            .map(|slug| {
                let why = uncounted.iter().find(|one| one.lesson == *slug);
                let why = why.map(|one| one.why);
                known(&state, slug).map(|lesson| convert::feedback_update(lesson, why))
            })
            .collect::<Result<Vec<FeedbackUpdate>, _>>()?;
        Ok(FeedbackGiven { updated, repeated })
    }

    /// Those of the lessons that are a cause: named in `said` as applied, applied by name in the decision that it is about,
    /// or as like the outcome's vector as the policy asks. Without a vector nothing tells the others apart, so all of them
    /// are (causal feedback's rule): what helped is never taken for what did not.
    ///
    /// A lesson that has no vector yet is embedded for it.
    pub(crate) fn causes(
        &self,
        state: &State,
        slugs: &[String],
        vector: Option<&[f32]>,
        said: &str,
        about: Option<&Decision>,
    ) -> Vec<String> {
        let lessons: Vec<&Lesson> = slugs
            .iter()
            .filter_map(|slug| state.space.lesson(slug))
            .collect();
        let Some(vector) = vector else {
            return each_once(lessons.into_iter());
        };
        let named: BTreeSet<String> = lesson_core::detect(&lessons, said, &self.policy.usage)
            .into_iter()
            .filter(|seen| seen.applied && seen.match_type == MatchType::Explicit)
            .map(|seen| seen.lesson)
            .collect();
        let applied = |lesson: &Lesson| {
            let record = about.and_then(|decision| decision.record(&lesson.slug));
            record.is_some_and(|record| {
                record.was_applied && record.match_type == MatchType::Explicit
            })
        };
        let least = self.policy.session.causal_cosine_min;
        state.with_similarity(Some(vector), |similarity| {
            let alike = |lesson: &Lesson| {
                let known = similarity.and_then(|similarity| similarity.of(lesson));
                known
                    .or_else(|| self.cosine_to_text(vector, &lesson.text.embedded()))
                    .is_some_and(|cosine| cosine >= least)
            };
            each_once(
                lessons.into_iter().filter(|lesson| {
                    named.contains(&lesson.slug) || applied(lesson) || alike(lesson)
                }),
            )
        })
    }

    pub(crate) async fn rate(
        &self,
        context: &RequestContext,
        asked: Rate,
    ) -> Result<Answer<Rated>, ApiError> {
        let opinion = Opinion {
            is_vote: false,
            is_positive: asked.helpful,
            decision_id: asked.decision_id,
        };
        self.give_opinion(context, &asked.lesson, opinion).await
    }

    pub(crate) async fn vote(
        &self,
        context: &RequestContext,
        asked: Vote,
    ) -> Result<Answer<Rated>, ApiError> {
        let opinion = Opinion {
            is_vote: true,
            is_positive: asked.up,
            decision_id: asked.decision_id,
        };
        self.give_opinion(context, &asked.lesson, opinion).await
    }

    async fn give_opinion(
        &self,
        context: &RequestContext,
        name: &str,
        given: Opinion,
    ) -> Result<Answer<Rated>, ApiError> {
        filled("lesson", name, limits::TITLE)?;
        about(given.decision_id.as_ref())?;
        let by = context.by();
        let (slug, uncounted) = self
            .commit(context, |state, at| {
                let lesson = meant(state, name, |lesson| !context.withholds(lesson))?;
                let before = match &given.decision_id {
                    Some(id) => decision(state, id)?.opinion_by(by, &lesson, given.is_vote),
                    None => None,
                };
                let same = before.is_some_and(|held| held.is_positive == given.is_positive);
                let said = given.of(lesson.clone());
                let (plan, uncounted) = self.once(state, same, said, by, at)?;
                Ok((plan, (lesson, uncounted)))
            })
            .await?;
        let said = given.of(slug.clone());
        let said = |event: &Event| event.event == said && event.by == by;
        let lessons = std::slice::from_ref(&slug);
        let (uncounted, repeated) = self.or_before(uncounted, lessons, said).await?;
        self.rated(&slug, &uncounted, repeated)
    }

    /// The numbers of a lesson after a rating or a vote.
    pub(crate) fn rated(
        &self,
        slug: &str,
        uncounted: &[Uncounted],
        repeated: bool,
    ) -> Result<Answer<Rated>, ApiError> {
        let state = self.state.borrow();
        let why = uncounted.iter().find(|one| one.lesson == slug);
        let why = why.map(|one| one.why);
        Ok(Answer::json(convert::rated(
            known(&state, slug)?,
            repeated,
            why,
        )))
    }
}

/// A rating or a vote.
struct Opinion {
    is_vote: bool,
    is_positive: bool,
    decision_id: Option<String>,
}

impl Opinion {
    fn of(&self, lesson: String) -> EventKind {
        let decision_id = self.decision_id.clone();
        if self.is_vote {
            EventKind::Voted {
                lesson,
                up: self.is_positive,
                decision_id,
            }
        } else {
            EventKind::Rated {
                lesson,
                helpful: self.is_positive,
                decision_id,
            }
        }
    }
}

/// The slugs of lessons, each once, in order.
fn each_once<'a>(lessons: impl Iterator<Item = &'a Lesson>) -> Vec<String> {
    let mut met = BTreeSet::new();
    lessons
        .filter(|lesson| met.insert(lesson.slug.as_str()))
        .map(|lesson| lesson.slug.clone())
        .collect()
}

/// The decision that a request is about, if it is about one.
fn about(decision_id: Option<&String>) -> Result<(), ApiError> {
    decision_id.map_or(Ok(()), |id| filled("decision_id", id, limits::ID))
}

/// Slugs, each once, in the order in which a decision keeps them.
fn sorted(slugs: &[String]) -> Vec<String> {
    let unique: BTreeSet<&String> = slugs.iter().collect();
    unique.into_iter().cloned().collect()
}

/// A decision that something was recommended for.
fn decision<'a>(state: &'a State, id: &str) -> Result<&'a Decision, ApiError> {
    state
        .space
        .decision(id)
        .ok_or_else(|| of_fold(&FoldError::UnknownDecision(clip(id))))
}

/// The lessons whose standing has this decision's outcome in it.
fn settled(decision: &Decision) -> Vec<String> {
    decision
        .records
        .iter()
        .filter(|record| record.settled)
        .map(|record| record.lesson.clone())
        .collect()
}

/// The slug of the lesson that a person names.
fn meant(
    state: &State,
    name: &str,
    may_mean: impl Fn(&Lesson) -> bool,
) -> Result<String, ApiError> {
    find_lesson(&state.space, name, may_mean)
        .map(|lesson| lesson.slug.clone())
        .map_err(|error| {
            let message = error.to_string();
            let (code, candidates) = match error {
                ResolveError::Unknown(_) => (ErrorCode::NotFound, Vec::new()),
                ResolveError::Ambiguous { candidates, .. } => (ErrorCode::Ambiguous, candidates),
            };
            let mut error = ApiError::new(code, message).at("lesson");
            error.candidates = candidates;
            error
        })
}
