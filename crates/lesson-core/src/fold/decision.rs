//! The fold of what happened with lessons in use: recommendations, what was applied, outcomes, feedback, ratings, votes.

use super::self_vote_guard::{Uncounted, Voice};
use super::uncounted;
use crate::counts::{bump, show};
use crate::event::{Detection, EventKind, Measured, SurfacedContext, SurfacedItem};
use crate::fold_error::{FoldError, conflict, invalid};
use crate::space::{Decision, DecisionFeedback, Opinion, Recommendation, Space, domain_key};
use lesson_types::{DecisionOutcome, FeedbackOutcome, MatchType};
use std::collections::{BTreeMap, BTreeSet};

/// A retrieval that was given.
struct Retrieval<'a> {
    id: &'a str,
    context: &'a SurfacedContext,
    items: &'a [SurfacedItem],
    measured: Option<&'a Measured>,
}

/// Feedback as it was given.
struct Given<'a> {
    outcome: FeedbackOutcome,
    lessons: &'a [String],
    causal: &'a [String],
    decision_id: Option<&'a str>,
}

impl Space {
    /// Folds an event of this file; another one changes nothing.
    pub(super) fn experience(
        &mut self,
        event: &EventKind,
        voice: Voice<'_>,
    ) -> Result<Vec<Uncounted>, FoldError> {
        match event {
            EventKind::Surfaced {
                retrieval_id,
                context,
                items,
                measured,
                ..
            } => {
                let retrieval = Retrieval {
                    id: retrieval_id,
                    context,
                    items,
                    measured: measured.as_ref(),
                };
                self.surface(&retrieval, voice)?;
                Ok(Vec::new())
            }
            EventKind::UsageTracked {
                decision_id,
                detections,
            } => self.track(decision_id, detections, voice),
            EventKind::OutcomeRecorded {
                decision_id,
                outcome,
                pnl_percent,
            } => {
                let decided = (*outcome, *pnl_percent);
                self.record_outcome(decision_id, decided, voice)
            }
            EventKind::FeedbackGiven {
                outcome,
                lessons,
                causal,
                decision_id,
            } => {
                let given = Given {
                    outcome: *outcome,
                    lessons,
                    causal,
                    decision_id: decision_id.as_deref(),
                };
                self.give_feedback(&given, voice)
            }
            EventKind::Rated {
                lesson,
                helpful,
                decision_id,
            } => {
                let opinion = opinion(voice, lesson, false, *helpful);
                self.hear(opinion, decision_id.as_deref(), voice)
            }
            EventKind::Voted {
                lesson,
                up,
                decision_id,
            } => {
                let opinion = opinion(voice, lesson, true, *up);
                self.hear(opinion, decision_id.as_deref(), voice)
            }
            _ => Ok(Vec::new()),
        }
    }

    fn surface(&mut self, given: &Retrieval<'_>, voice: Voice<'_>) -> Result<(), FoldError> {
        let Voice { by, at, policy, .. } = voice;
        let (context, items) = (given.context, given.items);
        if given.id.is_empty() {
            return Err(invalid("retrieval_id", "a retrieval needs an id"));
        }
        for item in items {
            let numbers = [item.score, item.relevance, item.likelihood.unwrap_or(0.0)];
            if !numbers.iter().all(|number| number.is_finite()) {
                return Err(invalid(
                    "items",
                    format!("the score of `{}` is not finite", item.lesson),
                ));
            }
            if !self.lessons.contains_key(&item.lesson) {
                return Err(FoldError::UnknownLesson(item.lesson.clone()));
            }
        }
        for drawn in given.measured.map_or(&[][..], |measured| &measured.drawn) {
            if !(0.0..=1.0).contains(&drawn.q) {
                return Err(invalid(
                    "measured",
                    format!(
                        "the probability of `{}` has to be between 0 and 1",
                        drawn.lesson
                    ),
                ));
            }
            if !self.lessons.contains_key(&drawn.lesson) {
                return Err(FoldError::UnknownLesson(drawn.lesson.clone()));
            }
        }
        if let Some(measured) = given.measured
            && !(0.0..=1.0).contains(&measured.control_q)
        {
            return Err(invalid(
                "measured",
                "the probability of a control run has to be between 0 and 1",
            ));
        }
        let is_muted = self.is_muted(by, at);
        let counted = self.retrievals.entry(given.id.to_owned()).or_default();
        for item in items {
            if counted.insert(item.lesson.clone())
                && !is_muted
                && let Some(mut lesson) = self.lessons.get_mut(&item.lesson)
            {
                lesson.move_standing(|held| show(held, at, policy));
            }
        }
        let Some(decision_id) = &context.decision_id else {
            return Ok(());
        };
        let decision = self.decisions.entry(decision_id.clone()).or_default();
        if decision.at.is_none() {
            decision.context = context.clone();
            decision.by = by.to_owned();
            decision.at = Some(at);
            decision.measured = given.measured.cloned();
        } else if decision.context.query.is_none() {
            // A session begins before anything is asked.
            decision.context.query.clone_from(&context.query);
        }
        for item in items {
            if decision.record(&item.lesson).is_none() {
                decision.records.push(Recommendation {
                    lesson: item.lesson.clone(),
                    domain: context.domain.clone().unwrap_or_default(),
                    relevance: item.relevance,
                    likelihood: item.likelihood,
                    was_presented: true,
                    was_applied: false,
                    match_type: MatchType::None,
                    confidence: 0.0,
                    agent_quote: None,
                    trade_outcome: decision.outcome,
                    pnl_percent: decision.pnl_percent,
                    contributed_to_success: false,
                    settled: false,
                    learned: false,
                    at,
                });
            }
        }
        Ok(())
    }

    /// A detection only ever adds: a record once applied stays so, and the surest match is kept.
    fn track(
        &mut self,
        decision_id: &str,
        detections: &[Detection],
        voice: Voice<'_>,
    ) -> Result<Vec<Uncounted>, FoldError> {
        let decision = known_decision(&mut self.decisions, decision_id)?;
        for detection in detections {
            if !(0.0..=1.0).contains(&detection.confidence) {
                return Err(invalid(
                    "detections",
                    format!(
                        "the confidence of `{}` has to be between 0 and 1",
                        detection.lesson
                    ),
                ));
            }
            if decision.record(&detection.lesson).is_none() {
                return Err(not_recommended(
                    "detections",
                    &detection.lesson,
                    decision_id,
                ));
            }
        }
        for detection in detections {
            let Some(record) = decision
                .records
                .iter_mut()
                .find(|record| record.lesson == detection.lesson)
            else {
                continue;
            };
            let surer = detection.confidence > record.confidence
                || (record.match_type == MatchType::None && !record.was_applied);
            if surer && (detection.applied || !record.was_applied) {
                record.match_type = detection.match_type;
                record.confidence = detection.confidence;
                record.agent_quote.clone_from(&detection.quote);
            }
            record.was_applied |= detection.applied;
        }
        Ok(self.settle(decision_id, voice))
    }

    fn record_outcome(
        &mut self,
        decision_id: &str,
        (outcome, pnl_percent): (DecisionOutcome, Option<f64>),
        voice: Voice<'_>,
    ) -> Result<Vec<Uncounted>, FoldError> {
        if pnl_percent.is_some_and(|pnl| !pnl.is_finite()) {
            return Err(invalid(
                "pnl_percent",
                "pnl_percent has to be a finite number",
            ));
        }
        // It may come before the recommendation: from another device, or after one that the server did not take.
        let decision = self.decisions.entry(decision_id.to_owned()).or_default();
        if decision.is_final() {
            return if outcome.is_final() && decision.outcome != Some(outcome) && !voice.anew {
                let held = decision.outcome.map_or("", DecisionOutcome::as_str);
                Err(conflict(
                    "outcome",
                    format!(
                        "decision `{decision_id}` is settled as {held}; a settled outcome can't be changed"
                    ),
                ))
            } else {
                Ok(Vec::new())
            };
        }
        decision.outcome = Some(outcome);
        decision.pnl_percent = pnl_percent;
        decision.outcome_by = voice.by.to_owned();
        decision.outcome_at = Some(voice.at);
        for record in &mut decision.records {
            record.trade_outcome = Some(outcome);
            record.pnl_percent = pnl_percent;
        }
        Ok(self.settle(decision_id, voice))
    }

    fn give_feedback(
        &mut self,
        given: &Given<'_>,
        voice: Voice<'_>,
    ) -> Result<Vec<Uncounted>, FoldError> {
        let Voice { by, at, policy, .. } = voice;
        let named: BTreeSet<&String> = given.lessons.iter().collect();
        let causal: BTreeSet<&String> = given.causal.iter().collect();
        if named.is_empty() {
            return Err(invalid("lessons", "name at least one lesson"));
        }
        if let Some(slug) = causal.iter().find(|slug| !named.contains(**slug)) {
            return Err(invalid(
                "causal",
                format!("`{slug}` is causal, but not among the lessons; add it to lessons"),
            ));
        }
        if let Some(slug) = named.iter().find(|slug| !self.lessons.contains_key(slug)) {
            return Err(FoldError::UnknownLesson((**slug).clone()));
        }
        let listed = |slugs: &BTreeSet<&String>| slugs.iter().map(|slug| (*slug).clone()).collect();
        let given_now = DecisionFeedback {
            by: by.to_owned(),
            at,
            outcome: given.outcome,
            lessons: listed(&named),
            causal: listed(&causal),
        };
        if let Some(decision_id) = given.decision_id {
            let decision = known_decision(&mut self.decisions, decision_id)?;
            if let Some(slug) = named.iter().find(|slug| decision.record(slug).is_none()) {
                return Err(not_recommended("lessons", slug, decision_id));
            }
            if let Some(held) = decision.feedback_by(by) {
                let same = (&held.lessons, &held.causal, held.outcome)
                    == (&given_now.lessons, &given_now.causal, given_now.outcome);
                return if same || voice.anew {
                    Ok(Vec::new())
                } else {
                    Err(conflict(
                        "decision_id",
                        format!(
                            "feedback on decision `{decision_id}` was given before, as {}; it is given once",
                            held.outcome.as_str()
                        ),
                    ))
                };
            }
            decision.feedback.push(given_now);
        }
        let value = if given.outcome == FeedbackOutcome::Blocked {
            0.0
        } else {
            1.0
        };
        let mut waiting = Vec::new();
        for slug in named {
            let mut lesson = self.known_mut(slug)?;
            let why = voice.moves(&mut lesson, |held| {
                bump(&mut held.use_count);
                held.last_used_at = Some(at);
                if causal.contains(slug) {
                    held.effectiveness = held.effectiveness * policy.effectiveness_keep
                        + value * policy.effectiveness_gain;
                    bump(&mut held.causal_hits);
                    held.last_feedback_at = Some(at);
                } else {
                    held.effectiveness += (policy.neutral - held.effectiveness) * policy.erosion;
                    if !causal.is_empty() {
                        held.believe(held.lift().unheeded(at));
                    }
                }
            });
            waiting.extend(uncounted(slug, why));
        }
        self.feedback_at.push(at);
        if let Some(decision_id) = given.decision_id {
            self.teach(decision_id, voice);
        }
        Ok(waiting)
    }

    /// A rating or a vote.
    fn hear(
        &mut self,
        opinion: Opinion,
        decision_id: Option<&str>,
        voice: Voice<'_>,
    ) -> Result<Vec<Uncounted>, FoldError> {
        if !self.takes_opinion(&opinion, decision_id, voice.anew)? {
            return Ok(Vec::new());
        }
        let decision = decision_id.and_then(|id| self.decisions.get(id));
        let domain = match decision.filter(|decision| decision.at.is_some()) {
            Some(decision) => decision.domain(),
            None => domain_key(&self.known(&opinion.lesson)?.text.domain),
        };
        let base = self.base_of(&domain);
        let mut held = self.known_mut(&opinion.lesson)?;
        let why = voice.gives_opinion(&mut held, (opinion.is_vote, opinion.is_positive), base);
        drop(held);
        let uncounted = uncounted(&opinion.lesson, why);
        self.keep_opinion(opinion, decision_id);
        Ok(uncounted)
    }

    /// True if an opinion is new; with a decision, everybody has one of a kind on a lesson in it.
    fn takes_opinion(
        &mut self,
        opinion: &Opinion,
        decision_id: Option<&str>,
        anew: bool,
    ) -> Result<bool, FoldError> {
        self.known(&opinion.lesson)?;
        let Some(decision_id) = decision_id else {
            return Ok(true);
        };
        let decision = known_decision(&mut self.decisions, decision_id)?;
        if decision.record(&opinion.lesson).is_none() {
            return Err(not_recommended("lesson", &opinion.lesson, decision_id));
        }
        match decision.opinion_by(&opinion.by, &opinion.lesson, opinion.is_vote) {
            None => Ok(true),
            Some(held) if anew || held.is_positive == opinion.is_positive => Ok(false),
            Some(held) => Err(conflict(
                "decision_id",
                format!(
                    "`{}` was {} in decision `{decision_id}` before; this is said once",
                    held.lesson,
                    match (held.is_vote, held.is_positive) {
                        (true, true) => "voted up",
                        (true, false) => "voted down",
                        (false, true) => "rated helpful",
                        (false, false) => "rated not helpful",
                    }
                ),
            )),
        }
    }

    fn keep_opinion(&mut self, opinion: Opinion, decision_id: Option<&str>) {
        if let Some(decision) = decision_id.and_then(|id| self.decisions.get_mut(id)) {
            decision.opinions.push(opinion);
        }
    }
}

fn opinion(voice: Voice<'_>, lesson: &str, is_vote: bool, is_positive: bool) -> Opinion {
    Opinion {
        by: voice.by.to_owned(),
        at: voice.at,
        lesson: lesson.to_owned(),
        is_vote,
        is_positive,
    }
}

fn not_recommended(field: &'static str, slug: &str, decision_id: &str) -> FoldError {
    conflict(
        field,
        format!("`{slug}` was not recommended for decision `{decision_id}`"),
    )
}

fn known_decision<'a>(
    decisions: &'a mut BTreeMap<String, Decision>,
    id: &str,
) -> Result<&'a mut Decision, FoldError> {
    decisions
        .get_mut(id)
        .ok_or_else(|| FoldError::UnknownDecision(id.to_owned()))
}
