//! Writing: one at a time, checked first, stored next, shown last.
//!
//! A write is checked against the state, appended at the position it was checked at, and folded
//! only once it is stored. When others wrote in between, their events are read and it is checked
//! again. `Surfaced` events wait in a queue, so that a recommendation is answered before its
//! tracking is stored; every write stores that queue first.

use crate::embeddings::exchange::Exchange;
use crate::embeddings::index::Vectors;
use crate::host::{Host, fresh_id, uuid7};
use crate::http::fault::{of_fold, of_store};
use crate::service::Service;
use crate::state::snapshot::{Reading, State};
use lesson_core::{Event, Happening, Millis};
use lesson_sync::{Entry, Link, Machine, Store, StoreError};
use lesson_types::{ApiError, ErrorCode};

/// How often a write is checked again because others wrote in between.
const TRIES: usize = 8;
/// The most recommendations that wait to be stored; beyond it the oldest tracking is given up.
const QUEUE: usize = 10_000;

/// What a request wants to write.
#[derive(Default)]
pub(crate) struct Plan {
    /// Events of another ledger, kept as they are. Already checked.
    pub foreign: Vec<Event>,
    /// New events. Checked after the foreign ones unless `checked`.
    pub own: Vec<Happening>,
    /// New events that happened before now, after `own`. Already checked.
    pub past: Vec<(Millis, Happening)>,
    /// Whether `own` has been checked already.
    pub checked: bool,
}

impl Plan {
    /// One new event.
    pub fn one(happening: Happening) -> Self {
        Self::of(vec![happening])
    }

    /// New events.
    pub fn of(own: Vec<Happening>) -> Self {
        Self {
            own,
            ..Self::default()
        }
    }
}

/// An event that waits to be stored.
#[derive(Clone)]
pub(crate) struct Draft {
    /// Its id.
    pub op_id: String,
    /// When it was made.
    pub at: Millis,
    /// Who made it.
    pub by: String,
    /// What happened.
    pub event: Happening,
}

impl<S: Store, H: Host> Service<S, H> {
    /// Stores what `plan` makes of the state, whole or not at all, and then folds it. `plan` is
    /// asked again when others wrote in between.
    pub(crate) async fn commit<T>(
        &self,
        mut plan: impl FnMut(&State, Millis) -> Result<(Plan, T), ApiError>,
    ) -> Result<T, ApiError> {
        // Whoever asks may have gone when the turn comes.
        let (by, request) = (self.by(), self.keyed_request());
        let _turn = self.writing.lock().await;
        self.store_queue().await.map_err(|error| of_store(&error))?;
        for _ in 0..TRIES {
            let at = self.host.now();
            let (plan, answer) = plan(&self.state.borrow(), at)?;
            if !plan.checked {
                self.state
                    .borrow()
                    .space
                    .check(&plan.own, &by, at, &self.policy)
                    .map_err(|(_, error)| of_fold(&error))?;
            }
            let mut first = plan.foreign.first().map(|event| event.op_id.clone());
            let mut entries: Vec<Entry> = plan.foreign.into_iter().map(Entry::Foreign).collect();
            let own = plan.own.into_iter().map(|event| (at, event));
            for (place, (made, event)) in own.chain(plan.past).enumerate() {
                let op_id = self.event_id(at, place);
                first.get_or_insert_with(|| op_id.clone());
                entries.push(Entry::Own {
                    op_id,
                    at: made,
                    by: by.clone(),
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
        let mut queue = self.queue.borrow_mut();
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
        if self.queue.borrow().is_empty() {
            return Ok(());
        }
        let _turn = self.writing.lock().await;
        self.store_queue().await.map_err(|error| of_store(&error))
    }

    /// Reads what others have written to the store, such as another tab; whether there was
    /// anything.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn catch_up(&self) -> Result<bool, ApiError> {
        let _turn = self.writing.lock().await;
        let seen = |state: &State| (state.position, state.revision());
        let before = seen(&self.state.borrow());
        self.read_news().await.map_err(|error| of_store(&error))?;
        Ok(seen(&self.state.borrow()) != before)
    }

    /// Stores the queue; the caller has the writer's turn.
    pub(crate) async fn store_queue(&self) -> Result<(), StoreError> {
        for _ in 0..TRIES {
            let (taken, entries) = self.checked_queue();
            if entries.is_empty() {
                self.queue.borrow_mut().drain(..taken);
                return Ok(());
            }
            match self.append(entries).await {
                Ok(()) => {
                    self.queue.borrow_mut().drain(..taken);
                    return Ok(());
                }
                Err(StoreError::Behind) => self.read_news().await?,
                Err(error) => return Err(error),
            }
        }
        Err(StoreError::Behind)
    }

    /// What waits and can be stored, and how many entries of the queue that covers.
    fn checked_queue(&self) -> (usize, Vec<Entry>) {
        let state = self.state.borrow();
        let queue = self.queue.borrow();
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

    async fn append(&self, entries: Vec<Entry>) -> Result<(), StoreError> {
        let expected = self.state.borrow().position;
        let appended = self.store.append(expected, entries).await;
        self.note(&appended);
        let stored = appended?;
        self.state.borrow_mut().take_in(&stored, &self.policy, true);
        Ok(())
    }

    /// Reads all of the store.
    pub(crate) async fn open_state(&self) -> Result<(), StoreError> {
        for _ in 0..TRIES {
            if self.read_link().await? {
                return Ok(());
            }
        }
        Err(StoreError::Behind)
    }

    /// Reads what is new in the store; the caller has the writer's turn, or there are no others.
    pub(crate) async fn read_news(&self) -> Result<(), StoreError> {
        let read = self.read_what_is_new().await;
        self.note(&read);
        read
    }

    async fn read_what_is_new(&self) -> Result<(), StoreError> {
        let (position, revision) = {
            let state = self.state.borrow();
            (state.position, state.revision())
        };
        let ledger = self.store.read_after(position).await?;
        // Positions only grow, also past a sign-out: who finds a lower end finds another store.
        if ledger.position < position {
            return self.begin_anew().await;
        }
        if ledger.revision == revision {
            self.state
                .borrow_mut()
                .take_in_ledger(&ledger, &self.policy, true);
            return Ok(());
        }
        self.open_state().await?;
        if self.link().is_none() {
            // Signed out elsewhere, or cleared: either way the name to write under is gone, too.
            self.store.identity(&fresh_id(&self.host)).await?;
        }
        Ok(())
    }

    /// The store was cleared under us, by the browser or by a person who deleted the site's data. What it holds now is
    /// shown; to go on with what is in memory would bring back what somebody deleted, and without its history.
    async fn begin_anew(&self) -> Result<(), StoreError> {
        self.store.identity(&fresh_id(&self.host)).await?;
        self.queue.borrow_mut().clear();
        self.machine.replace(Machine::new());
        self.replace(State::empty(), true);
        self.open_state().await?;
        self.cleared.set(self.cleared.get().wrapping_add(1));
        Ok(())
    }

    /// Reads a link that has changed, and what it brings; whether nobody changed it meanwhile.
    async fn read_link(&self) -> Result<bool, StoreError> {
        let Some(link) = self.store.link().await? else {
            // Another tab signed out: nothing of what was here may stay.
            let ledger = self.store.read_after(0).await?;
            if ledger.revision != 0 {
                return Ok(false);
            }
            let state = State::of(&ledger, &self.policy);
            self.replace(state, false);
            return Ok(true);
        };
        let follows = self.state.borrow().can_follow(&link);
        if follows && self.state.borrow().stands_on(&link) {
            return self.follow(link).await;
        }
        let from = if follows {
            self.state
                .borrow()
                .linked
                .as_ref()
                .map_or(0, |linked| linked.link.cursor)
        } else {
            0
        };
        let rows = self.store.rows_after(from).await?;
        let set_aside = self.store.set_aside().await?;
        let outbox = self.store.read_after(link.based).await?;
        if outbox.revision != link.revision {
            return Ok(false);
        }
        let reading = Reading {
            link,
            rows: rows.into_iter().map(|versioned| versioned.row).collect(),
            outbox,
            set_aside,
        };
        if follows {
            self.state.borrow_mut().rebase(reading, &self.policy, true);
        } else {
            let state = State::of_linked(reading, &self.policy);
            self.replace(state, true);
        }
        Ok(true)
    }

    /// Goes on with a link that is still about the same rows with the same events on top, of which only more may have
    /// come: sending many events changes it twice for each batch.
    async fn follow(&self, link: Link) -> Result<bool, StoreError> {
        let set_aside = self.store.set_aside().await?;
        let position = self.state.borrow().position;
        let news = self.store.read_after(position).await?;
        if news.revision != link.revision {
            return Ok(false);
        }
        let mut state = self.state.borrow_mut();
        state.follow(link, set_aside);
        state.take_in_ledger(&news, &self.policy, true);
        Ok(true)
    }

    /// Puts another state in place. Vectors that are kept are those of texts; without `keep` they
    /// go, too.
    pub(crate) fn replace(&self, mut state: State, keep: bool) {
        let mut held = self.state.borrow_mut();
        state.vectors = held.vectors.take().and_then(|vectors| {
            if keep {
                Some(vectors)
            } else {
                *self.exchanged.borrow_mut() = Exchange::default();
                // The model and its dimensions were taken once, so they are again.
                Vectors::new(&vectors.model, vectors.dims, Vec::new()).ok()
            }
        });
        if let Some(vectors) = &mut state.vectors {
            vectors.look_at_all(&state.space);
        }
        *held = state;
    }

    /// Remembers for health whether storing works.
    fn note<T>(&self, result: &Result<T, StoreError>) {
        *self.trouble.borrow_mut() = match result {
            Ok(_) | Err(StoreError::Behind) => None,
            Err(error) => Some(error.to_string()),
        };
    }

    /// The id of the event at `place` of what is written now. Where the request may come again
    /// elsewhere, it gets the same one there, so that the ledger has it once.
    fn event_id(&self, at: Millis, place: usize) -> String {
        let asker = self.asker.borrow();
        match asker.as_ref().and_then(|asker| asker.keyed.as_ref()) {
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
