//! Number of lessons that have their vectors.

use crate::embeddings::model::Indexing;
use crate::host::Host;
use crate::state::service_struct::Service;
use lesson_sync::Store;

impl<S: Store, H: Host> Service<S, H> {
    /// Counts the lessons that have their vectors; 0 of 0 without a model.
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
