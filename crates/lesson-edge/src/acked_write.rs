//! Acknowledged writes: an agent gets its answer only once the server has the events.

use crate::limits::LOOK_MS;
use crate::message::Refusal;
use crate::space::Space;
use crate::unanswered::Made;
use lesson_core::Millis;
use lesson_service::timeout;
use lesson_service::{Host, Keyed, RequestContext, Route, digest, fingerprint};
use lesson_sync::Store;
use lesson_types::{ApiError, ErrorCode, Request, Response};

/// Time limit of a write that waits for the server's acknowledgement, in milliseconds; then the agent gets 503.
const PATIENCE: Millis = 8_000;
/// Time until a write about what nobody knows is made once more, in milliseconds, where rows are read anew for each.
const AGAIN_MS: u32 = 400;

impl<S: Store, H: Host> Space<S, H> {
    /// Makes a write's events and answers once the server has acknowledged them.
    pub async fn write(
        &self,
        context: &RequestContext,
        route: Route,
        request: Request,
    ) -> Result<Response, Refusal> {
        let now = || self.service.host().now();
        let begun = now();
        let print = print(context, &request);
        let kept = self.unanswered.borrow_mut().take(&print, begun);
        let made = match kept {
            Some(made) => made,
            None if self.is_server_away() => return Err(nothing_done(self.wait())),
            None if self.is_on_server() => {
                let made = self.make_over_part(context, &route, &request).await?;
                if unknown(&made.response) {
                    // Another isolate may be about to send what this is about.
                    self.service.host().sleep(AGAIN_MS).await;
                    self.make_over_part(context, &route, &request).await?
                } else {
                    made
                }
            }
            None => {
                if let Some(response) = self.done_elsewhere(context, &route, &request).await? {
                    return Ok(response);
                }
                let made = self.make(context, &route, &request).await;
                if unknown(&made.response) {
                    // Another isolate may have made what this is about.
                    self.wait_for_retry().await;
                    self.sync_for(limit(begun + PATIENCE - now())).await;
                    self.make(context, &route, &request).await
                } else {
                    made
                }
            }
        };
        if made.response.status >= 400 {
            return Ok(made.response);
        }
        loop {
            if self.service.sent_through() >= made.through {
                return self.accepted(made);
            }
            let left = begun + PATIENCE - now();
            // A failure that may pass is waited out; nothing is made again, so it counts once.
            if left > 0 && self.wait_for_retry().await {
                continue;
            }
            if left <= 0 || self.is_server_away() {
                let wait = self.wait();
                self.unanswered.borrow_mut().keep(print, now(), made);
                return Err(not_sure(wait));
            }
            self.sync_for(limit(left)).await;
        }
    }

    /// The answer to a request with a key that this isolate does not remember, where the server has its events: another
    /// isolate made them, or this one before it was started anew.
    async fn done_elsewhere(
        &self,
        context: &RequestContext,
        route: &Route,
        request: &Request,
    ) -> Result<Option<Response>, Refusal> {
        let Some(keyed) = context.keyed() else {
            return Ok(None);
        };
        if self.service.knows_key(&keyed.key()) {
            return Ok(None);
        }
        let begun = self.service.host().now();
        for is_last in [false, true] {
            let rest = self.service.host().sleep(limit(PATIENCE));
            let asked = timeout(self.service.done_before(route, request, keyed), rest).await;
            match asked {
                // The rows here still lack what it made.
                Some(Ok(Err(error))) if error.code == ErrorCode::NotFound && !is_last => {
                    self.wait_for_retry().await;
                    self.sync_for(limit(begun + PATIENCE - self.service.host().now()))
                        .await;
                }
                Some(Ok(known)) => return Ok(known?),
                // Without knowing it, it could be done twice, or another thing be passed over.
                Some(Err(_)) | None => break,
            }
        }
        Err(nothing_done(self.wait().max(1_000)))
    }

    /// Makes the events in this isolate. Waits first while the same request is being answered.
    async fn make(&self, context: &RequestContext, route: &Route, request: &Request) -> Made {
        if let Some(key) = context.keyed().map(Keyed::key) {
            let host = self.service.host();
            let begun = host.now();
            while self.service.awaits_key(&key) && host.now() - begun < PATIENCE {
                host.sleep(LOOK_MS).await;
            }
        }
        let after = self.service.position();
        let response = self
            .service
            .handle_for(context, route.clone(), request.clone())
            .await;
        let through = self.service.position();
        Made {
            response,
            events: self.service.made_between(after, through).await,
            through,
        }
    }

    /// The answer; a conflict where the server refused one of its events.
    fn accepted(&self, made: Made) -> Result<Response, Refusal> {
        match self.service.why_set_aside(&made.events) {
            None => Ok(made.response),
            Some(reason) => Err(ApiError::new(
                ErrorCode::Conflict,
                format!("the store did not take it: {reason}; look at the lesson as it is now and send what still holds"),
            )
            .into()),
        }
    }
}

/// True if the write names something that this replica lacks, and that another isolate may have made.
fn unknown(response: &Response) -> bool {
    response.status == ErrorCode::NotFound.status()
}

fn limit(left: Millis) -> u32 {
    u32::try_from(left.max(1)).unwrap_or(u32::MAX)
}

/// Identifies a request among those of one asker, with an `Idempotency-Key` or without.
fn print(context: &RequestContext, request: &Request) -> [u8; 32] {
    let keyed = context.keyed();
    let key = keyed.map(Keyed::key).unwrap_or_default();
    let print = keyed.map_or_else(|| fingerprint(request), Keyed::print);
    digest(&[context.by().as_bytes(), key.as_bytes(), &print])
}

fn seconds(wait: Millis) -> u64 {
    u64::try_from(wait / 1_000).unwrap_or_default() + 1
}

fn nothing_done(wait: Millis) -> Refusal {
    Refusal::unavailable(
        "the store can't be reached just now; nothing was recorded, send the same request again",
        seconds(wait),
    )
}

fn not_sure(wait: Millis) -> Refusal {
    Refusal::unavailable(
        "the store has not confirmed this yet; send the same request again, with the same idempotency-key if it has one: it counts once",
        seconds(wait),
    )
}
