//! Making the link to a server, and forgetting all that came by it.

use crate::host::{Host, fresh_id};
use crate::http::fault::of_store;
use crate::state::service_struct::Service;
use lesson_sync::{Change, Link, Machine, Store, StoreError};
use lesson_types::{ApiError, ErrorCode};

impl<S: Store, H: Host> Service<S, H> {
    /// The link, or a refusal that says how to make one.
    pub(crate) fn linked_or_refuse(&self) -> Result<Link, ApiError> {
        self.state
            .borrow()
            .linked
            .as_ref()
            .map(|linked| linked.link.clone())
            .ok_or_else(|| {
                ApiError::new(
                    ErrorCode::Conflict,
                    "no server is connected; connect one with POST /v1/sync/connect",
                )
            })
    }

    /// Makes the link: what the store held as a ledger is now what was made here.
    pub async fn link_up(&self, link: Link) -> Result<(), ApiError> {
        let _turn = self.writer.turn.lock().await;
        self.store_queue().await.map_err(|error| of_store(&error))?;
        let change = Change {
            renumber_after: Some(0),
            ..Change::to(link)
        };
        self.store
            .commit(0, change)
            .await
            .map_err(|error| match error {
                StoreError::Behind => ApiError::new(
                    ErrorCode::Conflict,
                    "another tab has connected in the meantime; look at its state first",
                ),
                other => of_store(&other),
            })?;
        *self.sync.machine.borrow_mut() = Machine::new();
        self.read_news().await.map_err(|error| of_store(&error))
    }

    /// Commits a step at the link's revision, and shows it.
    pub(crate) async fn commit_link(&self, change: Change) -> Result<(), ApiError> {
        let expected = change.link.revision;
        self.store
            .commit(expected, change)
            .await
            .map_err(|error| of_store(&error))?;
        self.catch_up().await.map(drop)
    }

    /// Removes everything from this device.
    pub(crate) async fn forget_all(&self) -> Result<(), ApiError> {
        self.sync.leaving.set(true);
        let _round = self.sync.turn.lock().await;
        let _writing = self.writer.turn.lock().await;
        self.sync.leaving.set(false);
        let wiped = self.store.wipe().await;
        wiped.map_err(|error| of_store(&error))?;
        self.writer.queue.borrow_mut().clear();
        self.answers.forget();
        *self.sync.machine.borrow_mut() = Machine::new();
        self.store
            .identity(&fresh_id(&self.host))
            .await
            .map_err(|error| of_store(&error))?;
        self.read_news().await.map_err(|error| of_store(&error))
    }
}
