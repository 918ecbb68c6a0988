//! Writes that an agent can be sure of: answered only once the server has them.

use super::message::Refusal;
use super::race::inside;
use super::space::Space;
use crate::host::Host;
use crate::idempotency::print;
use lesson_api::{ApiError, ErrorCode, Request, Response};
use lesson_core::Millis;
use lesson_sync::Store;
use sha2::{Digest, Sha256};
use std::collections::VecDeque;

/// How long an agent waits for its write to arrive, in milliseconds.
const PATIENCE: Millis = 8_000;
/// How long a write that was not answered can be taken up again by the same request.
const KEPT_FOR: Millis = 15 * 60_000;
/// The most of them.
const KEPT: usize = 1_000;
/// The header.
const HEADER: &str = "idempotency-key";

/// Writes that are made here, but whose asker was told to try again. The same request then goes on
/// waiting for the same events, so that nothing is counted twice.
#[derive(Default)]
pub(super) struct Unanswered {
    held: VecDeque<Waiting>,
}

struct Waiting {
    print: [u8; 32],
    since: Millis,
    made: Made,
}

/// What a write made.
#[derive(Clone)]
struct Made {
    response: Response,
    /// Its events.
    events: Vec<String>,
    /// The position of the last of them, or one after it.
    through: u64,
}

impl Unanswered {
    fn take(&mut self, print: &[u8; 32], now: Millis) -> Option<Made> {
        self.held
            .retain(|waiting| (now - waiting.since).abs() <= KEPT_FOR);
        let at = self
            .held
            .iter()
            .position(|waiting| waiting.print == *print)?;
        self.held.remove(at).map(|waiting| waiting.made)
    }

    fn keep(&mut self, print: [u8; 32], since: Millis, made: Made) {
        self.held.push_back(Waiting { print, since, made });
        if self.held.len() > KEPT {
            self.held.pop_front();
        }
    }
}

impl<S: Store, H: Host> Space<S, H> {
    /// Does a write of `agent`'s, and answers when the server has it.
    pub async fn write(&self, agent: &str, mut request: Request) -> Result<Response, Refusal> {
        let now = || self.service.host().now();
        let begun = now();
        // Two agents that choose the same key mean two different requests.
        let seed = request
            .headers
            .get(HEADER)
            .map(|key| digest(&[agent.as_bytes(), key.as_bytes()]));
        if let (Some(seed), Some(key)) = (&seed, request.headers.get_mut(HEADER)) {
            if key.is_empty() || key.chars().count() > lesson_api::limits::ID {
                return Err(crate::idempotency::bad_key().into());
            }
            *key = seed.iter().map(|byte| format!("{byte:02x}")).collect();
        }
        let print = fingerprint(agent, &request);
        let kept = self.unanswered.borrow_mut().take(&print, begun);
        let made = match kept {
            Some(made) => made,
            None if self.is_away() => return Err(nothing_done(self.wait())),
            None => {
                let made = self.make(&request, seed).await;
                if unknown(&made.response) {
                    // Another isolate may have made what this is about.
                    self.rests().await;
                    self.turn(limit(begun + PATIENCE - now())).await;
                    self.make(&request, seed).await
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
            if left > 0 && self.rests().await {
                continue;
            }
            if left <= 0 || self.is_away() {
                let wait = self.wait();
                self.unanswered.borrow_mut().keep(print, now(), made);
                return Err(not_sure(wait));
            }
            self.turn(limit(left)).await;
        }
    }

    /// Makes the events here.
    async fn make(&self, request: &Request, seed: Option<[u8; 32]>) -> Made {
        let after = self.service.position();
        let response = inside(
            self.service.handle(request.clone()),
            || self.service.seed.set(seed),
            || self.service.seed.set(None),
        )
        .await;
        let through = self.service.position();
        Made {
            response,
            events: self.service.made_between(after, through).await,
            through,
        }
    }

    /// The answer, unless the server set an event of it aside.
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

/// Whether it is about something that is not here, and may be elsewhere.
fn unknown(response: &Response) -> bool {
    response.status == ErrorCode::NotFound.status()
}

fn limit(left: Millis) -> u32 {
    u32::try_from(left.max(1)).unwrap_or(u32::MAX)
}

fn fingerprint(agent: &str, request: &Request) -> [u8; 32] {
    let print = print(request);
    let key = request
        .headers
        .get(HEADER)
        .map(String::as_str)
        .unwrap_or_default();
    digest(&[
        agent.as_bytes(),
        key.as_bytes(),
        &print[0].to_le_bytes(),
        &print[1].to_le_bytes(),
    ])
}

/// A hash of parts, each with its length, so that no two lists of parts are the same bytes.
fn digest(parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().into()
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
