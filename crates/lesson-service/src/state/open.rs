//! Opening a service over a store.

use crate::host::{Host, fresh_id};
use crate::http::fault::of_store;
use crate::http::idempotency::Answers;
use crate::state::held::Held;
use crate::state::service_struct::{Embedding, OnServer, Service, Syncing, Writer};
use crate::state::snapshot::State;
use lesson_core::{Policy, ToolPolicy};
use lesson_sync::Store;
use lesson_types::{ApiError, StoreName};
use std::cell::RefCell;
use std::rc::Rc;

impl<S: Store, H: Host> Service<S, H> {
    /// Reads the whole ledger and folds it. Events that can't be read or folded stay in the store,
    /// take no part, and are named by `GET /v1/health`.
    ///
    /// # Errors
    /// When the store can't be read.
    pub async fn open(store: S, host: H) -> Result<Self, ApiError> {
        store
            .identity(&fresh_id(&host))
            .await
            .map_err(|error| of_store(&error))?;
        let service = Self {
            store,
            host,
            name: None,
            policy: Policy::default(),
            tools: ToolPolicy::default(),
            state: RefCell::new(State::empty()),
            held: Held::Whole,
            writer: Writer::default(),
            embedding: Embedding::default(),
            sync: Syncing::default(),
            on_server: OnServer::default(),
            answers: Rc::new(Answers::default()),
        };
        let kept = service.take_kept().await;
        let read = match kept.map_err(|error| of_store(&error))? {
            true => service.read_news().await,
            false => service.open_state().await,
        };
        read.map_err(|error| of_store(&error))?;
        Ok(service)
    }

    /// Has every lesson say that it lies in this store: for one of two that answer as one.
    #[must_use]
    pub fn with_name(mut self, name: StoreName) -> Self {
        self.name = Some(name);
        self
    }

    /// Keeps further tool servers out: they are always at hand, so they are neither recorded nor
    /// suggested, whatever the case of their letters.
    #[must_use]
    pub fn with_core_servers(mut self, servers: Vec<String>) -> Self {
        self.tools.core_servers.extend(servers);
        self
    }
}
