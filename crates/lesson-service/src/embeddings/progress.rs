//! What a host may look at without a request: how far things are.

use crate::embeddings::model::Indexing;
use crate::host::Host;
use crate::service::Service;
use lesson_sync::Store;

impl<S: Store, H: Host> Service<S, H> {
    /// The host that was given.
    pub fn host(&self) -> &H {
        &self.host
    }

    /// The last position read from the store; it grows with every event.
    pub fn position(&self) -> u64 {
        self.state.borrow().position
    }

    /// How often the store was found cleared while it was open, such as by deleting a site's data. What was held in
    /// memory was then given up, and `position` began anew.
    pub fn cleared(&self) -> u32 {
        self.cleared.get()
    }

    /// How far the lessons have their vectors; nothing of nothing without a model.
    pub fn indexing(&self) -> Indexing {
        let ask_first = self.asks_first();
        let state = self.state.borrow();
        state
            .vectors
            .as_ref()
            .map_or_else(Indexing::default, |vectors| Indexing {
                done: vectors.embedded(),
                total: vectors.embedded() + vectors.pending(),
                elsewhere: vectors.elsewhere(ask_first),
            })
    }
}
