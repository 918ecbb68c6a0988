//! Requests repeated with the same `Idempotency-Key` in another process, such as another isolate or after a restart.
//!
//! The ids of a request's events are derived from its key, and the events hold a hash of what was asked. So the server
//! tells whether a request was done: a repeated one gets the facts of the first, and a key that was used for another
//! request is refused before anything is written.

use crate::host::Host;
use crate::http::answer::Answer;
use crate::http::idempotency::used_again;
use crate::http::idempotency_key::Keyed;
use crate::http::router::Route;
use crate::http::validate;
use crate::remote::network::Network;
use crate::state::service_struct::Service;
use lesson_core::{Detection, Event, EventKind, Uncounted};
use lesson_sync::{Link, RemoteError, Store, Supabase};
use lesson_types::{
    ApiError, DetectionView, EndpointName, Insight, Request, Response, Session, SessionRecorded,
    ToolRecorded, Tracked,
};
use serde::Deserialize;

/// Events of a request that are looked for. Only a session makes more than one: its lessons, and its feedback last, on its
/// decision and on what was not recommended for it.
const SESSION_EVENTS: usize = 64;

#[derive(Deserialize)]
struct EventRow {
    payload: Event,
}

impl<S: Store, H: Host> Service<S, H> {
    /// The answer to a request that was done before, as the server knows; `None` when it is new.
    ///
    /// # Errors
    /// When its key was used for another request.
    pub async fn done_before(
        &self,
        route: &Route,
        request: &Request,
        keyed: &Keyed,
    ) -> Result<Result<Option<Response>, ApiError>, RemoteError> {
        let Some(link) = self.link() else {
            return Ok(Ok(None));
        };
        let events = self.events_of_request(&link, route, keyed).await?;
        let Some(first) = events.first() else {
            return Ok(Ok(None));
        };
        if first.request.as_ref() != Some(&keyed.request()) {
            return Ok(Err(used_again()));
        }
        let uncounted = match self.uncounted_of(&events).await {
            Ok(uncounted) => uncounted,
            Err(error) => return Ok(Err(error)),
        };
        let answer = self.answer_of(route, request, &events, &uncounted);
        Ok(answer.map(Some))
    }

    /// As [`Service::done_before`], for a ledger that is all in the store.
    ///
    /// # Errors
    /// When the key was used for another request, or the store can't be read.
    pub async fn done_here(
        &self,
        route: &Route,
        request: &Request,
        keyed: &Keyed,
    ) -> Result<Option<Response>, ApiError> {
        if !self.state.borrow().space.has_seen(&keyed.event_id(0)) {
            return Ok(None);
        }
        let ids: Vec<String> = (0..SESSION_EVENTS)
            .map(|place| keyed.event_id(place))
            .collect();
        let mut events = self.own_events(0).await?;
        events.retain(|event| ids.contains(&event.op_id));
        let Some(first) = events.first() else {
            return Ok(None);
        };
        if first.request.as_ref() != Some(&keyed.request()) {
            return Err(used_again());
        }
        let uncounted = self.uncounted_of(&events).await?;
        let answer = self.answer_of(route, request, &events, &uncounted)?;
        Ok(Some(answer))
    }

    async fn events_of_request(
        &self,
        link: &Link,
        route: &Route,
        keyed: &Keyed,
    ) -> Result<Vec<Event>, RemoteError> {
        let most = if route.is(EndpointName::record_session) {
            SESSION_EVENTS
        } else {
            1
        };
        let ids: Vec<String> = (0..most).map(|place| keyed.event_id(place)).collect();
        let query = format!(
            "events?select=payload&space=eq.{}&op_id=in.({})&order=version",
            link.space.id,
            ids.join(",")
        );
        let network = Network(&self.host);
        let rows: Vec<EventRow> = Supabase::new(&network).get(link, &query).await?;
        Ok(rows.into_iter().map(|row| row.payload).collect())
    }

    /// Collects what of these events does not count.
    async fn uncounted_of(&self, events: &[Event]) -> Result<Vec<Uncounted>, ApiError> {
        let mut uncounted = Vec::new();
        for event in events {
            let slugs = match &event.event {
                EventKind::Rated { lesson, .. } | EventKind::Voted { lesson, .. } => {
                    vec![lesson.clone()]
                }
                EventKind::FeedbackGiven { lessons, .. } => lessons.clone(),
                EventKind::OutcomeRecorded { decision_id, .. } => self.recommended_in(decision_id),
                _ => Vec::new(),
            };
            let is_it = |one: &Event| one.op_id == event.op_id;
            uncounted.extend(self.heard_before(&slugs, is_it).await?);
        }
        Ok(uncounted)
    }

    /// Rebuilds the answer of the request that made these events, from what is known now.
    fn answer_of(
        &self,
        route: &Route,
        request: &Request,
        events: &[Event],
        uncounted: &[Uncounted],
    ) -> Result<Response, ApiError> {
        if route.is(EndpointName::record_session) {
            return Ok(self.session_again(request, events, uncounted)?.respond());
        }
        Ok(match events.first().map(|event| &event.event) {
            // Nobody says here who asks; so as agents see it.
            Some(EventKind::LessonAdded { lesson }) => self.shown(true, &lesson.slug)?.respond(),
            Some(EventKind::LessonEdited { lesson, .. } | EventKind::LessonArchived { lesson }) => {
                self.shown(true, lesson)?.respond()
            }
            Some(EventKind::ChangeProposed {
                lesson, proposal, ..
            }) => self.proposed(lesson, proposal)?.respond(),
            Some(EventKind::Rated { lesson, .. } | EventKind::Voted { lesson, .. }) => {
                self.rated(lesson, uncounted, true)?.respond()
            }
            Some(EventKind::FeedbackGiven { lessons, .. }) => {
                Answer::json(self.feedback_given(lessons, uncounted, true)?).respond()
            }
            Some(EventKind::OutcomeRecorded { decision_id, .. }) => self
                .outcome_recorded(decision_id, &[], uncounted, true)?
                .respond(),
            Some(EventKind::UsageTracked { detections, .. }) => Answer::json(Tracked {
                detections: detections.iter().cloned().map(detection).collect(),
                recorded: true,
            })
            .respond(),
            Some(EventKind::ToolSucceeded { .. }) => Answer::json(ToolRecorded {
                recorded: true,
                reason: None,
            })
            .respond(),
            // Nothing else is asked with a key from elsewhere.
            _ => return Err(used_again()),
        })
    }

    fn session_again(
        &self,
        request: &Request,
        events: &[Event],
        uncounted: &[Uncounted],
    ) -> Result<Answer<SessionRecorded>, ApiError> {
        let asked: Session = validate::body(request.body.clone())?;
        let extracted = lesson_core::extract(&asked.transcript, &self.policy.session);
        let mut recorded = SessionRecorded {
            outcome: extracted.outcome,
            injected: Vec::new(),
            unknown: Vec::new(),
            insights: Vec::new(),
            causal: Vec::new(),
            feedback: None,
        };
        for event in events {
            match &event.event {
                EventKind::LessonAdded { lesson } => recorded.insights.push(Insight {
                    slug: lesson.slug.clone(),
                    text: lesson.text.recommendation.clone(),
                    added: true,
                }),
                EventKind::FeedbackGiven {
                    lessons, causal, ..
                } => {
                    recorded.injected.extend_from_slice(lessons);
                    recorded.causal.extend_from_slice(causal);
                    let injected = &recorded.injected;
                    recorded.feedback = Some(self.feedback_given(injected, uncounted, true)?);
                }
                _ => {}
            }
        }
        Ok(Answer::json(recorded))
    }
}

/// Converts what was seen of a lesson for an answer.
pub(crate) fn detection(seen: Detection) -> DetectionView {
    DetectionView {
        slug: seen.lesson,
        applied: seen.applied,
        match_type: seen.match_type,
        confidence: seen.confidence,
        quote: seen.quote,
    }
}
