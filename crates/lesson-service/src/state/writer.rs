//! Writing: one at a time, checked first, stored next, shown last.
//!
//! A write is checked against the state, appended at the position it was checked at, and folded
//! only once it is stored. When others wrote in between, their events are read and it is checked
//! again. `Surfaced` events wait in a queue, so that a recommendation is answered before its
//! tracking is stored; every write stores that queue first.

use crate::host::{Host, uuid7};
use crate::http::context::RequestContext;
use crate::http::fault::{of_fold, of_store};
use crate::state::plan::{Draft, Plan};
use crate::state::service_struct::Service;
use crate::state::snapshot::State;
use lesson_core::Millis;
use lesson_sync::{Entry, Store, StoreError};
use lesson_types::{ApiError, ErrorCode};

/// Times that a write is checked again because others wrote in between.
const TRIES: usize = 8;
/// The most recommendations that wait to be stored; beyond it the oldest tracking is given up.
const QUEUE: usize = 10_000;

/// Ends a write when it is dropped, however it went.
struct Ended<'a, S: Store>(&'a S);

impl<S: Store> Drop for Ended<'_, S> {
    fn drop(&mut self) {
        self.0.end_write();
    }
}

impl<S: Store, H: Host> Service<S, H> {
    /// Stores what `plan` makes of the state, whole or not at all, and then folds it. `plan` is
    /// asked again when others wrote in between.
    pub(crate) async fn commit<T>(
        &self,
        context: &RequestContext,
        mut plan: impl FnMut(&State, Millis) -> Result<(Plan, T), ApiError>,
    ) -> Result<T, ApiError> {
        let (by, request) = (context.by(), context.keyed_request());
        let _turn = self.writer.turn.lock().await;
        self.store_queue().await.map_err(|error| of_store(&error))?;
        let _ended = Ended(&self.store);
        for _ in 0..TRIES {
            let at = self.host.now();
            let (plan, answer) = plan(&self.state.borrow(), at)?;
            if !plan.checked {
                self.state
                    .borrow()
                    .space
                    .check(&plan.own, by, at, &self.policy)
                    .map_err(|(_, error)| of_fold(&error))?;
            }
            let mut first = plan.foreign.first().map(|event| event.op_id.clone());
            let mut entries: Vec<Entry> = plan.foreign.into_iter().map(Entry::Foreign).collect();
            let own = plan.own.into_iter().map(|event| (at, event));
            for (place, (made, event)) in own.chain(plan.past).enumerate() {
                let op_id = self.event_id(context, at, place);
                first.get_or_insert_with(|| op_id.clone());
                entries.push(Entry::Own {
                    op_id,
                    at: made,
                    by: by.to_owned(),
                    request: request.clone(),
                    event,
                });
            }
            let Some(first) = first else {
                return Ok(answer);
            };
            match self.append(entries).await {
                Ok(()) => return Ok(answer),
                Err(StoreError::Behind) => {
                    self.read_news().await.map_err(|error| of_store(&error))?
                }
                // A lost connection does not say whether the batch was kept, so look.
                Err(error @ StoreError::Lost(_)) => {
                    let kept = self.read_news().await.is_ok()
                        && self.state.borrow().space.has_seen(&first);
                    return if kept {
                        Ok(answer)
                    } else {
                        Err(of_store(&error))
                    };
                }
                Err(error) => return Err(of_store(&error)),
            }
        }
        Err(ApiError::new(
            ErrorCode::Unavailable,
            "others keep writing to the same store; nothing was saved, try again in a moment",
        ))
    }

    /// Puts an event in the queue.
    pub(crate) fn enqueue(&self, draft: Draft) {
        let mut queue = self.writer.queue.borrow_mut();
        queue.push_back(draft);
        if queue.len() > QUEUE {
            queue.pop_front();
            self.state.borrow_mut().leave_out(
                "a recommendation's tracking was given up, because storing kept failing".to_owned(),
            );
        }
    }

    /// Stores what waits in the queue. Call it after answering.
    ///
    /// # Errors
    /// When the store fails; what waits goes on waiting.
    pub async fn flush(&self) -> Result<(), ApiError> {
        if self.writer.queue.borrow().is_empty() {
            return Ok(());
        }
        let _turn = self.writer.turn.lock().await;
        self.store_queue().await.map_err(|error| of_store(&error))
    }

    /// Stores the queue; the caller has the writer's turn.
    pub(crate) async fn store_queue(&self) -> Result<(), StoreError> {
        let _ended = Ended(&self.store);
        for _ in 0..TRIES {
            let (taken, entries) = self.checked_queue();
            if entries.is_empty() {
                self.writer.queue.borrow_mut().drain(..taken);
                return Ok(());
            }
            match self.append(entries).await {
                Ok(()) => {
                    self.writer.queue.borrow_mut().drain(..taken);
                    return Ok(());
                }
                Err(StoreError::Behind) => self.read_news().await?,
                Err(error) => return Err(error),
            }
        }
        Err(StoreError::Behind)
    }

    /// Returns how many entries of the queue are covered, and those of them that can be stored.
    fn checked_queue(&self) -> (usize, Vec<Entry>) {
        let state = self.state.borrow();
        let queue = self.writer.queue.borrow();
        let entries = queue
            .iter()
            .filter(|draft| !state.space.has_seen(&draft.op_id))
            .filter(|draft| {
                let event = std::slice::from_ref(&draft.event);
                let by = &draft.by;
                state.space.check(event, by, draft.at, &self.policy).is_ok()
            })
            .map(|draft| Entry::Own {
                op_id: draft.op_id.clone(),
                at: draft.at,
                by: draft.by.clone(),
                request: None,
                event: draft.event.clone(),
            })
            .collect();
        (queue.len(), entries)
    }

    pub(crate) async fn append(&self, entries: Vec<Entry>) -> Result<(), StoreError> {
        let expected = self.state.borrow().position;
        let appended = self.store.append(expected, entries).await;
        self.note(&appended);
        let stored = appended?;
        self.state.borrow_mut().take_in(&stored, &self.policy, true);
        Ok(())
    }

    /// Remembers for health whether storing works.
    pub(crate) fn note<T>(&self, result: &Result<T, StoreError>) {
        *self.writer.trouble.borrow_mut() = match result {
            Ok(_) | Err(StoreError::Behind) => None,
            Err(error) => Some(error.to_string()),
        };
    }

    /// The id of the event at `place` of what is written now. Where the request may come again
    /// elsewhere, it gets the same one there, so that the ledger has it once.
    fn event_id(&self, context: &RequestContext, at: Millis, place: usize) -> String {
        match context.keyed() {
            Some(keyed) => keyed.event_id(place),
            None => self.id(at),
        }
    }

    /// A fresh id made at `at`.
    pub(crate) fn id(&self, at: Millis) -> String {
        let mut random = [0; 10];
        self.host.random(&mut random);
        uuid7(at, random)
    }
}
