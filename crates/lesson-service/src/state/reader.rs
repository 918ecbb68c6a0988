//! Reading the store: all of it when a service opens, and then what others have written to it.

use crate::host::{Host, fresh_id};
use crate::http::fault::of_store;
use crate::state::service_struct::Service;
use crate::state::snapshot::{Reading, State};
use crate::state::vector_exchange::Exchange;
use crate::state::vectors::Vectors;
use lesson_sync::{Link, Machine, Store, StoreError, Stored};
use lesson_types::ApiError;

/// Times that the store is read again because others wrote in between.
const TRIES: usize = 8;

impl<S: Store, H: Host> Service<S, H> {
    /// Reads what others have written to the store, such as another tab; whether there was
    /// anything.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn catch_up(&self) -> Result<bool, ApiError> {
        let _turn = self.writer.turn.lock().await;
        let seen = |state: &State| (state.position, state.revision());
        let before = seen(&self.state.borrow());
        self.read_news().await.map_err(|error| of_store(&error))?;
        Ok(seen(&self.state.borrow()) != before)
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
        let (position, revision, epoch) = {
            let state = self.state.borrow();
            (state.position, state.revision(), state.epoch)
        };
        let ledger = self.store.read_after(position).await?;
        if ledger.epoch != epoch && ledger.revision == 0 && revision == 0 {
            return self.read_anew().await;
        }
        // Positions only grow, also past a sign-out: who finds a lower end finds another store.
        if ledger.position < position {
            return self.begin_anew().await;
        }
        if ledger.revision == revision {
            let refolds = |stored: &Stored| stored.event.event.refolds();
            if revision == 0 && ledger.events.iter().any(refolds) {
                return self.read_anew().await;
            }
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

    /// Events have come that belong before those that were folded, such as another clone's by git. Nothing was deleted,
    /// so vectors and what waits to be stored stay.
    /// Folds the store's ledger anew, as after an event that changes what others before it count for.
    ///
    /// # Errors
    /// When the store fails.
    pub(crate) async fn read_again(&self) -> Result<(), ApiError> {
        let _turn = self.writer.turn.lock().await;
        self.read_anew().await.map_err(|error| of_store(&error))
    }

    async fn read_anew(&self) -> Result<(), StoreError> {
        let ledger = self.store.read_after(0).await?;
        self.replace(State::of(&ledger, &self.policy), true);
        Ok(())
    }

    /// The store was cleared under us, by the browser or by a person who deleted the site's data. What it holds now is
    /// shown; to go on with what is in memory would bring back what somebody deleted, and without its history.
    async fn begin_anew(&self) -> Result<(), StoreError> {
        self.store.identity(&fresh_id(&self.host)).await?;
        self.writer.queue.borrow_mut().clear();
        self.sync.machine.replace(Machine::new());
        self.replace(State::empty(), true);
        self.open_state().await?;
        self.writer
            .cleared
            .set(self.writer.cleared.get().wrapping_add(1));
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
                *self.embedding.exchanged.borrow_mut() = Exchange::default();
                // The model and its dimensions were taken once, so they are again.
                Vectors::new(&vectors.model, vectors.dims, vectors.reading, Vec::new()).ok()
            }
        });
        if let Some(vectors) = &mut state.vectors {
            vectors.look_at_all(&state.space);
        }
        *held = state;
    }
}
