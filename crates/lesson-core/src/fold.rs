//! The fold: how each ledger event changes a space.
//!
//! Floats here use only `+ - * /` and comparisons, so that the same ledger gives the same bits
//! natively, in wasm and in SQL. An event that is refused changes nothing.

use crate::counts::{add_counts, bump, qualify, rate, settle, vote};
use crate::event::{Detection, Event, Happening, SurfacedContext, SurfacedItem};
use crate::fold_error::{FoldError, conflict, invalid};
use crate::instant::{DAY, Millis};
use crate::lesson::{Lesson, is_slug};
use crate::lessons::Changing;
use crate::policy::{FoldPolicy, Policy};
use crate::space::{Decision, Recommendation, Space};
use crate::words::{FeedbackOutcome, MatchType, TradeOutcome, Trust, Verdict};
use std::collections::BTreeSet;

/// What the fold did with an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Folded {
    /// It was new and took effect.
    Applied,
    /// Its `op_id` had been folded before; nothing changed.
    Duplicate,
}

impl Space {
    /// Folds a whole ledger in its order; events that are refused are returned with their reason.
    pub fn of_ledger<'a>(
        events: impl IntoIterator<Item = &'a Event>,
        policy: &Policy,
    ) -> (Self, Vec<(&'a Event, FoldError)>) {
        let mut space = Self::new();
        let mut refused = Vec::new();
        for event in events {
            if let Err(error) = space.fold(event, policy) {
                refused.push((event, error));
            }
        }
        (space, refused)
    }

    /// Folds one event.
    ///
    /// # Errors
    /// When the event contradicts the space or holds a value out of bounds; nothing has changed
    /// then.
    pub fn fold(&mut self, event: &Event, policy: &Policy) -> Result<Folded, FoldError> {
        if self.seen.contains(&event.op_id) {
            return Ok(Folded::Duplicate);
        }
        if event.op_id.is_empty() {
            return Err(invalid("op_id", "an event needs an op_id; use a UUIDv7"));
        }
        self.apply(&event.event, event.at, policy)?;
        self.seen.insert(event.op_id.clone());
        let last = self.last_seq.entry(event.actor.clone()).or_insert(0);
        *last = (*last).max(event.seq);
        *self.activity.entry(event.at.div_euclid(DAY)).or_insert(0) += 1;
        Ok(Folded::Applied)
    }

    pub(crate) fn apply(
        &mut self,
        event: &Happening,
        at: Millis,
        policy: &Policy,
    ) -> Result<(), FoldError> {
        match event {
            Happening::LessonAdded { lesson } => self.add(lesson),
            Happening::LessonEdited {
                lesson,
                base_rev,
                changes,
                trust,
                findings,
            } => {
                let mut held = self.known_mut(lesson)?;
                if held.rev != *base_rev {
                    return Err(conflict(
                        "base_rev",
                        format!(
                            "the edit started from revision {base_rev}, but `{lesson}` is at revision {}; read it again and repeat the edit",
                            held.rev
                        ),
                    ));
                }
                if changes
                    .title
                    .as_ref()
                    .is_some_and(|title| title.trim().is_empty())
                {
                    return Err(invalid("title", "a lesson needs a title"));
                }
                held.text = changes.applied_to(&held.text);
                held.rev = held.rev.saturating_add(1);
                held.trust = *trust;
                held.findings.clone_from(findings);
                held.updated_at = at;
                Ok(())
            }
            Happening::LessonArchived { lesson } => self.known_mut(lesson).map(|mut held| {
                held.archived = true;
                held.updated_at = at;
            }),
            Happening::LessonRestored { lesson } => self.known_mut(lesson).map(|mut held| {
                held.archived = false;
                held.merged_into = None;
                held.updated_at = at;
            }),
            Happening::LessonReviewed {
                lesson,
                verdict,
                content_hash,
            } => {
                let mut held = self.known_mut(lesson)?;
                if held.text.content_hash() != *content_hash {
                    return Err(conflict(
                        "content_hash",
                        format!(
                            "`{lesson}` has changed since it was read; read it again before reviewing it"
                        ),
                    ));
                }
                held.trust = match verdict {
                    Verdict::Approve => Trust::Approved,
                    Verdict::Quarantine => Trust::Quarantined,
                };
                held.updated_at = at;
                Ok(())
            }
            Happening::LessonsMerged { into, from } => self.merge(into, from, at, &policy.fold),
            Happening::Surfaced {
                retrieval_id,
                context,
                items,
                ..
            } => self.surface(retrieval_id, context, items, at),
            Happening::UsageTracked {
                decision_id,
                detections,
            } => self.track(decision_id, detections, at, &policy.fold),
            Happening::OutcomeRecorded {
                decision_id,
                outcome,
                pnl_percent,
            } => self.record_outcome(decision_id, *outcome, *pnl_percent, at, &policy.fold),
            Happening::FeedbackGiven {
                outcome,
                lessons,
                causal,
            } => self.give_feedback(*outcome, lessons, causal, at, &policy.fold),
            Happening::Rated { lesson, helpful } => {
                let mut held = self.known_mut(lesson)?;
                rate(&mut held.standing, *helpful, &policy.fold);
                Ok(())
            }
            Happening::Voted { lesson, up } => {
                let mut held = self.known_mut(lesson)?;
                vote(&mut held.standing, *up, &policy.fold);
                Ok(())
            }
            Happening::ToolSucceeded { query, server } => {
                self.tools.record(query, server, at, &policy.tools);
                Ok(())
            }
        }
    }

    fn known(&self, slug: &str) -> Result<&Lesson, FoldError> {
        self.lessons
            .get(slug)
            .ok_or_else(|| FoldError::UnknownLesson(slug.to_owned()))
    }

    fn known_mut(&mut self, slug: &str) -> Result<Changing<'_>, FoldError> {
        self.lessons
            .get_mut(slug)
            .ok_or_else(|| FoldError::UnknownLesson(slug.to_owned()))
    }

    fn add(&mut self, lesson: &Lesson) -> Result<(), FoldError> {
        if !is_slug(&lesson.slug) {
            return Err(invalid(
                "slug",
                format!(
                    "`{}` is not a slug; use lower-case letters, digits and single hyphens, at most 128",
                    lesson.slug
                ),
            ));
        }
        if lesson.text.title.trim().is_empty() {
            return Err(invalid("title", "a lesson needs a title"));
        }
        for (field, value) in [
            ("confidence", lesson.standing.confidence),
            ("effectiveness", lesson.standing.effectiveness),
        ] {
            if !(0.0..=1.0).contains(&value) {
                return Err(invalid(
                    field,
                    format!("{field} is {value}; it has to be between 0 and 1"),
                ));
            }
        }
        if self.lessons.contains_key(&lesson.slug) {
            return Err(FoldError::SlugTaken(lesson.slug.clone()));
        }
        self.lessons.insert(lesson.clone());
        Ok(())
    }

    fn merge(
        &mut self,
        into: &str,
        from: &[String],
        at: Millis,
        policy: &FoldPolicy,
    ) -> Result<(), FoldError> {
        let from: BTreeSet<&String> = from.iter().collect();
        if from.is_empty() {
            return Err(invalid("from", "name at least one lesson to merge"));
        }
        if from.iter().any(|slug| *slug == into) {
            return Err(invalid(
                "from",
                format!("`{into}` can't be merged into itself"),
            ));
        }
        let target = self.known(into)?;
        if target.archived {
            return Err(conflict(
                "into",
                format!("`{into}` is archived; restore it before merging into it"),
            ));
        }
        let mut sum = target.standing.clone();
        for slug in &from {
            let other = self.known(slug)?;
            if other.archived {
                return Err(conflict(
                    "from",
                    format!("`{slug}` is archived; restore it before merging it"),
                ));
            }
            add_counts(&mut sum, &other.standing);
        }
        for slug in from {
            let mut other = self.known_mut(slug)?;
            other.archived = true;
            other.merged_into = Some(into.to_owned());
            other.updated_at = at;
        }
        let mut target = self.known_mut(into)?;
        target.standing = sum;
        qualify(&mut target.standing, at, policy);
        target.updated_at = at;
        Ok(())
    }

    fn surface(
        &mut self,
        retrieval_id: &str,
        context: &SurfacedContext,
        items: &[SurfacedItem],
        at: Millis,
    ) -> Result<(), FoldError> {
        if retrieval_id.is_empty() {
            return Err(invalid("retrieval_id", "a retrieval needs an id"));
        }
        for item in items {
            if !item.score.is_finite() || !item.relevance.is_finite() {
                return Err(invalid(
                    "items",
                    format!("the score of `{}` is not finite", item.lesson),
                ));
            }
            if !self.lessons.contains_key(&item.lesson) {
                return Err(FoldError::UnknownLesson(item.lesson.clone()));
            }
        }
        let counted = self.retrievals.entry(retrieval_id.to_owned()).or_default();
        for item in items {
            if counted.insert(item.lesson.clone())
                && let Some(mut lesson) = self.lessons.get_mut(&item.lesson)
            {
                bump(&mut lesson.standing.times_surfaced);
            }
        }
        let Some(decision_id) = &context.decision_id else {
            return Ok(());
        };
        let decision = self.decisions.entry(decision_id.clone()).or_default();
        for item in items {
            if decision.record(&item.lesson).is_none() {
                decision.records.push(Recommendation {
                    lesson: item.lesson.clone(),
                    domain: context.domain.clone().unwrap_or_default(),
                    relevance: item.relevance,
                    was_presented: true,
                    was_applied: false,
                    match_type: MatchType::None,
                    confidence: 0.0,
                    agent_quote: None,
                    trade_outcome: decision.outcome,
                    pnl_percent: decision.pnl_percent,
                    contributed_to_success: false,
                    settled: false,
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
        at: Millis,
        policy: &FoldPolicy,
    ) -> Result<(), FoldError> {
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
                return Err(conflict(
                    "detections",
                    format!(
                        "`{}` was not recommended for decision `{decision_id}`",
                        detection.lesson
                    ),
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
        settle(decision, &mut self.lessons, at, policy);
        Ok(())
    }

    fn record_outcome(
        &mut self,
        decision_id: &str,
        outcome: TradeOutcome,
        pnl_percent: Option<f64>,
        at: Millis,
        policy: &FoldPolicy,
    ) -> Result<(), FoldError> {
        if pnl_percent.is_some_and(|pnl| !pnl.is_finite()) {
            return Err(invalid(
                "pnl_percent",
                "pnl_percent has to be a finite number",
            ));
        }
        let decision = known_decision(&mut self.decisions, decision_id)?;
        if decision.is_final() {
            return if outcome.is_final() && decision.outcome != Some(outcome) {
                let held = decision.outcome.map_or("", TradeOutcome::as_str);
                Err(conflict(
                    "outcome",
                    format!(
                        "decision `{decision_id}` is settled as {held}; a settled outcome can't be changed"
                    ),
                ))
            } else {
                Ok(())
            };
        }
        decision.outcome = Some(outcome);
        decision.pnl_percent = pnl_percent;
        for record in &mut decision.records {
            record.trade_outcome = Some(outcome);
            record.pnl_percent = pnl_percent;
        }
        settle(decision, &mut self.lessons, at, policy);
        Ok(())
    }

    fn give_feedback(
        &mut self,
        outcome: FeedbackOutcome,
        lessons: &[String],
        causal: &[String],
        at: Millis,
        policy: &FoldPolicy,
    ) -> Result<(), FoldError> {
        let named: BTreeSet<&String> = lessons.iter().collect();
        let causal: BTreeSet<&String> = causal.iter().collect();
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
        let value = if outcome == FeedbackOutcome::Blocked {
            0.0
        } else {
            1.0
        };
        for slug in named {
            let mut lesson = self.known_mut(slug)?;
            let held = &mut lesson.standing;
            bump(&mut held.use_count);
            held.last_used_at = Some(at);
            if causal.contains(slug) {
                held.effectiveness = held.effectiveness * policy.effectiveness_keep
                    + value * policy.effectiveness_gain;
                bump(&mut held.causal_hits);
                held.last_feedback_at = Some(at);
            } else {
                held.effectiveness += (policy.neutral - held.effectiveness) * policy.erosion;
            }
        }
        self.feedback_at.push(at);
        Ok(())
    }
}

fn known_decision<'a>(
    decisions: &'a mut std::collections::BTreeMap<String, Decision>,
    id: &str,
) -> Result<&'a mut Decision, FoldError> {
    decisions
        .get_mut(id)
        .ok_or_else(|| FoldError::UnknownDecision(id.to_owned()))
}
