//! Repeated requests with the same `Idempotency-Key` get the same answer, while the process lives.

use lesson_types::{ApiError, ErrorCode, Response, limits};
use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};

/// The header.
pub const HEADER: &str = "idempotency-key";
/// The most answers that are kept.
const KEPT: usize = 256;
/// Answers longer than this as JSON are not kept, so that memory is bounded.
const ANSWER_BYTES: usize = 256 * 1024;

/// Keys of the recent past, with what is known of them.
#[derive(Default)]
pub(crate) struct Answers {
    held: RefCell<Held>,
}

#[derive(Default)]
struct Held {
    by_key: HashMap<String, Seen>,
    order: VecDeque<String>,
}

struct Seen {
    request: [u8; 32],
    answer: Kept,
}

/// Record of an answer, as far as it is kept.
enum Kept {
    /// The request is being answered.
    Awaited,
    /// The answer.
    Whole(Response),
    /// That there was one. It held a secret.
    Given,
}

/// Treatment of a request by its key.
pub(crate) enum Turn<'a> {
    /// It is the first with its key; give the answer to the claim.
    First(Claim<'a>),
    /// It was answered before.
    Repeat(Box<Response>),
}

/// A key that is being answered; given back when it is dropped without an answer.
pub(crate) struct Claim<'a> {
    answers: &'a Answers,
    key: Option<String>,
}

impl Answers {
    /// True if a request with this key was seen lately, or is being answered.
    pub fn knows(&self, key: &str) -> bool {
        self.held.borrow().by_key.contains_key(key)
    }

    /// True if a request with this key is being answered.
    pub fn is_awaited(&self, key: &str) -> bool {
        let held = self.held.borrow();
        let seen = held.by_key.get(key);
        seen.is_some_and(|seen| matches!(seen.answer, Kept::Awaited))
    }

    /// Forgets every key.
    pub fn forget(&self) {
        *self.held.borrow_mut() = Held::default();
    }

    /// Looks at a key that came with the request of this hash.
    pub fn turn(&self, key: &str, print: [u8; 32]) -> Result<Turn<'_>, ApiError> {
        let mut held = self.held.borrow_mut();
        match held.by_key.get(key) {
            Some(seen) if seen.request != print => Err(used_again()),
            Some(seen) => match &seen.answer {
                Kept::Awaited => Err(conflict(
                    "the first request with this idempotency-key is still being answered; wait for it",
                )),
                Kept::Whole(answer) => Ok(Turn::Repeat(Box::new(answer.clone()))),
                Kept::Given => Err(conflict(
                    "this was done, and its answer was given once: it held a secret that is kept nowhere; where it was lost, revoke the key and make another",
                )),
            },
            None => {
                held.by_key.insert(
                    key.to_owned(),
                    Seen {
                        request: print,
                        answer: Kept::Awaited,
                    },
                );
                Ok(Turn::First(Claim {
                    answers: self,
                    key: Some(key.to_owned()),
                }))
            }
        }
    }
}

impl Claim<'_> {
    /// Keeps the answer for repeats; one that asks to try again is not kept.
    pub fn answered(self, response: &Response) {
        if response.status < 400 && response.body.as_str().len() <= ANSWER_BYTES {
            self.keep(Kept::Whole(response.clone()));
        }
    }

    /// Keeps that there was an answer, and nothing of it.
    pub fn answered_once(self) {
        self.keep(Kept::Given);
    }

    fn keep(mut self, answer: Kept) {
        let Some(key) = self.key.take() else { return };
        let mut held = self.answers.held.borrow_mut();
        if let Some(seen) = held.by_key.get_mut(&key) {
            seen.answer = answer;
        }
        held.order.push_back(key);
        if held.order.len() > KEPT
            && let Some(oldest) = held.order.pop_front()
        {
            held.by_key.remove(&oldest);
        }
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        if let Some(key) = self.key.take() {
            self.answers.held.borrow_mut().by_key.remove(&key);
        }
    }
}

/// A key that is neither empty nor too long.
pub fn check_key(key: &str) -> Result<(), ApiError> {
    let is_plain = key.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    if is_plain && !key.trim().is_empty() && key.len() <= limits::ID {
        return Ok(());
    }
    Err(ApiError::invalid(
        HEADER,
        format!(
            "the idempotency-key header needs 1 to {} characters of plain ASCII",
            limits::ID
        ),
    ))
}

/// A key that stands for another request.
pub(crate) fn used_again() -> ApiError {
    conflict("this idempotency-key was used for another request; use a new key for each")
}

fn conflict(message: &str) -> ApiError {
    ApiError::new(ErrorCode::Conflict, message).at(HEADER)
}
