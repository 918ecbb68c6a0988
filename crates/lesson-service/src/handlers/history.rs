//! Records of one lesson in the ledger: its events in pages, the course of its numbers, where it was shown, its texts,
//! and its standing explained.

use crate::convert;
use crate::handlers::lessons::known;
use crate::handlers::lift_view::measured_of;
use crate::handlers::stats::count;
use crate::handlers::text_fields::fields;
use crate::host::Host;
use crate::http::answer::Answer;
use crate::http::context::RequestContext;
use crate::http::fault::no_lesson;
use crate::http::validate;
use crate::remote::ledger::LessonLedger;
use crate::state::service_struct::Service;
use lesson_core as core;
use lesson_core::learning::Belief;
use lesson_core::{RankPolicy, to_rfc3339};
use lesson_sync::Store;
use lesson_types::{
    ApiError, CoursePoint, ErrorCode, History, HistoryEntry, HistoryQuery, Impression, Mover,
    Revision, RevisionMark, StandingExplained, limits,
};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::Range;

/// Points of a course: about as many as a chart has room for.
const COURSE: usize = 240;
/// Revisions that are named.
const REVISIONS: usize = 100;

impl<S: Store, H: Host> Service<S, H> {
    pub(crate) async fn lesson_history(
        &self,
        context: &RequestContext,
        slug: &str,
        query: &HistoryQuery,
        body: &Value,
    ) -> Result<Answer<History>, ApiError> {
        validate::no_body(body)?;
        self.readable(context, slug)?;
        let most = u32::try_from(limits::PAGE).unwrap_or(u32::MAX);
        let limit = validate::limit(query.limit, most, limits::PAGE)?;
        let LessonLedger { events, lifts } = self.ledger_of(slug).await?;
        let account = core::account(&events, slug, &self.policy);
        let entries = &account.entries;
        let page = page_of(entries.len(), query.before, limit);
        let shown = page_of(account.shown.len(), query.shown_before, limit);
        let points = core::course(entries, &self.policy.rank, COURSE);
        let course: Vec<CoursePoint> = points
            .iter()
            .map(|at| point(at, lifts.as_ref(), &self.policy.rank))
            .collect();
        let mut revisions: Vec<RevisionMark> = entries
            .iter()
            .filter(|entry| {
                matches!(
                    entry.event.event,
                    core::EventKind::LessonAdded { .. } | core::EventKind::LessonEdited { .. }
                )
            })
            .rev()
            .take(REVISIONS)
            .map(|entry| RevisionMark {
                rev: entry.rev,
                at: to_rfc3339(entry.event.at),
                actor: entry.event.actor.clone(),
                by: entry.event.by.clone(),
                summary: entry.summary.clone(),
            })
            .collect();
        revisions.reverse();
        Ok(Answer::json(History {
            slug: slug.to_owned(),
            total: count(entries.len()),
            next_before: (page.start > 0).then(|| count(page.start)),
            events: entries
                .get(page)
                .unwrap_or_default()
                .iter()
                .map(entry)
                .collect(),
            course,
            shown_total: count(account.shown.len()),
            next_shown_before: (shown.start > 0).then(|| count(shown.start)),
            shown: account
                .shown
                .get(shown)
                .unwrap_or_default()
                .iter()
                .map(showing)
                .collect(),
            revisions,
            moved_by: core::movers(entries)
                .into_iter()
                .map(|mover| Mover {
                    by: mover.by,
                    moved: count(mover.moved),
                    uncounted: count(mover.uncounted),
                })
                .collect(),
        }))
    }

    pub(crate) async fn show_revision(
        &self,
        _: &RequestContext,
        slug: &str,
        rev: u32,
        body: &Value,
    ) -> Result<Answer<Revision>, ApiError> {
        validate::no_body(body)?;
        let events = self.ledger_of(slug).await?.events;
        let newest = known(&self.state.borrow(), slug)?.rev;
        let Some(found) = core::revision(&events, slug, rev, &self.policy) else {
            let message = format!(
                "`{slug}` has no revision {rev} in the ledger; its newest is {newest}, and GET /v1/lessons/{slug}/history names the others"
            );
            return Err(ApiError::new(ErrorCode::NotFound, message).at("rev"));
        };
        Ok(Answer::json(Revision {
            slug: slug.to_owned(),
            rev,
            at: to_rfc3339(found.at),
            actor: found.actor,
            by: found.by,
            fields: fields(&found.text, found.before.as_ref()),
        }))
    }

    pub(crate) fn explain_standing(
        &self,
        _: &RequestContext,
        slug: &str,
        body: &Value,
    ) -> Result<Answer<StandingExplained>, ApiError> {
        validate::no_body(body)?;
        let state = self.state.borrow();
        let terms = core::explain(
            known(&state, slug)?,
            &state.in_force(&self.policy),
            self.host.now(),
        );
        Ok(Answer::json(StandingExplained {
            slug: slug.to_owned(),
            terms,
            measured: self
                .held
                .measured(|| measured_of(&state, &self.reading(&state), slug)),
        }))
    }

    /// The events that a lesson's account needs: the store's, or of a linked space the server's.
    pub(crate) async fn ledger_of(&self, slug: &str) -> Result<LessonLedger, ApiError> {
        if self.state.borrow().space.lesson(slug).is_none() {
            return Err(no_lesson(slug));
        }
        match self.link() {
            Some(link) => self.events_of(link, slug).await,
            None => Ok(LessonLedger {
                events: self.own_events(0).await?,
                lifts: None,
            }),
        }
    }
}

/// The latest `limit` places before `before`.
fn page_of(all: usize, before: Option<u32>, limit: usize) -> Range<usize> {
    let end = before.map_or(all, |before| all.min(before as usize));
    end.saturating_sub(limit)..end
}

fn entry(entry: &core::HistoryEntry<'_>) -> HistoryEntry {
    HistoryEntry {
        at: to_rfc3339(entry.event.at),
        event: entry.event.event.name().to_owned(),
        summary: entry.summary.clone(),
        actor: entry.event.actor.clone(),
        by: entry.event.by.clone(),
        op_id: entry.event.op_id.clone(),
        before: entry.before.as_ref().map(convert::standing),
        after: convert::standing(&entry.after),
        rev: entry.rev,
        counted: entry.uncounted.is_none(),
        reason: entry.uncounted.map(convert::reason),
    }
}

fn point(
    point: &core::CoursePoint<'_, '_>,
    lifts: Option<&BTreeMap<String, Belief>>,
    policy: &RankPolicy,
) -> CoursePoint {
    let entry = point.entry;
    let held = &entry.after;
    let belief = match lifts {
        None => Some(held.lift()),
        Some(lifts) => lifts.get(&entry.event.op_id).copied(),
    };
    let belief = belief.map(|held| held.at(entry.event.at));
    let interval = belief.map(|held| held.interval());
    CoursePoint {
        at: to_rfc3339(entry.event.at),
        op_id: entry.event.op_id.clone(),
        event: entry.event.event.name().to_owned(),
        summary: entry.summary.clone(),
        events: count(point.events),
        lift: belief.map(|held| held.mean),
        lift_low: interval.map(|(low, _)| low),
        lift_high: interval.map(|(_, high)| high),
        confidence: held.confidence,
        effectiveness: held.effectiveness,
        causal_adjusted: held.causal_adjusted(policy),
        times_applied: held.times_applied,
        success_rate: held.success_rate(),
        effectiveness_score: held.effectiveness_score(),
        badge: held.badge_at(policy, entry.event.at).kind,
    }
}

fn showing(showing: &core::Impression<'_>) -> Impression {
    let record = showing.record.as_ref();
    Impression {
        at: to_rfc3339(showing.at),
        retrieval_id: showing.retrieval_id.to_owned(),
        purpose: showing.purpose.to_owned(),
        rank: showing.item.rank,
        score: showing.item.score,
        relevance: showing.item.relevance,
        query: showing.context.query.clone(),
        project_type: showing.context.project_type.clone(),
        tech_stack: showing.context.tech_stack.clone(),
        phase: showing.context.phase.clone(),
        domain: showing.context.domain.clone(),
        decision_id: showing.context.decision_id.clone(),
        applied: record.map(|record| record.was_applied),
        match_type: record.map(|record| record.match_type),
        confidence: record.map(|record| record.confidence),
        quote: record.and_then(|record| record.agent_quote.clone()),
        outcome: record.and_then(|record| record.trade_outcome),
        pnl_percent: record.and_then(|record| record.pnl_percent),
        counted: showing.is_counted,
    }
}
