//! `GET /v1/digest`: what changed in the last days.

use crate::handlers::issues::supply_issue;
use crate::handlers::stats::count;
use crate::host::Host;
use crate::http::answer::Answer;
use crate::http::context::RequestContext;
use crate::http::fault::clip;
use crate::http::validate;
use crate::state::service_struct::Service;
use lesson_core::{DigestRange, digest_markdown, digest_runs};
use lesson_sync::Store;
use lesson_types::{ApiError, Digest, DigestQuery, DigestWaiting, ReviewQuery};
use serde_json::Value;

/// Days of the range when the request does not say.
const DAYS: u32 = 7;

/// Parts of a digest that are unknown where the space is not kept here, with the reason.
const NOT_HELD: [&str; 2] = [
    "How runs went, and which lessons rose, fell or are new: this space is on the server, and all runs are needed for that. Turn on the copy under Settings, Sync to know it.",
    "The review queue and suggested outcomes: these are made of all lessons and runs.",
];

impl<S: Store, H: Host> Service<S, H> {
    pub(crate) async fn digest(
        &self,
        _: &RequestContext,
        asked: &DigestQuery,
        body: &Value,
    ) -> Result<Answer<Digest>, ApiError> {
        validate::no_body(body)?;
        let days = asked.days.unwrap_or(DAYS);
        validate::days(days)?;
        let range = DigestRange::new(self.host.now(), days, asked.until.as_deref())
            .ok_or_else(|| refused(asked.until.as_deref().unwrap_or_default()))?;
        let (from, to) = range.days();
        let known = self.held.is_whole();
        let (runs, waiting) = if known {
            let queue = self.queue_of_lessons(&ReviewQuery {
                limit: Some(0),
                ..ReviewQuery::default()
            })?;
            let outcomes = count(self.suggested().await?.len());
            let state = self.state.borrow();
            let policy = state.in_force(&self.policy);
            let waiting = DigestWaiting {
                total: Some(queue.total),
                lessons: Some(queue.fits),
                proposals: Some(queue.proposals),
                quarantined: queue.counts.quarantined,
                disqualified: queue.counts.disqualified,
                unreviewed: queue.counts.unreviewed,
                reasons: Some(queue.counts),
                outcomes: Some(outcomes),
            };
            (Some(digest_runs(&state.space, &range, &policy)), waiting)
        } else {
            let state = self.state.borrow();
            let policy = state.in_force(&self.policy);
            let stats = self.counted_stats(&state, &policy);
            let waiting = DigestWaiting {
                total: None,
                lessons: None,
                proposals: None,
                quarantined: stats.quarantined,
                disqualified: stats.disqualified,
                unreviewed: stats.unreviewed,
                reasons: None,
                outcomes: None,
            };
            (None, waiting)
        };
        let stopped = {
            let state = self.state.borrow();
            let policy = state.in_force(&self.policy);
            supply_issue(&self.counted_health(&state, &policy).supply)
        };
        let unknown = if known { &[][..] } else { &NOT_HELD };
        let mut digest = Digest {
            from,
            to,
            days,
            runs,
            stopped,
            waiting,
            unknown: unknown.iter().map(|one| (*one).to_owned()).collect(),
            markdown: String::new(),
        };
        digest.markdown = digest_markdown(&digest);
        Ok(Answer::json(digest))
    }
}

fn refused(until: &str) -> ApiError {
    ApiError::invalid(
        "until",
        format!(
            "until is `{}`; give a day in UTC up to today, such as 2026-11-22, or leave it out for today",
            clip(until)
        ),
    )
}
