//! Keeping the lessons' vectors: which of them lack one, and storing those that came.

use crate::host::Host;
use crate::http::fault::of_store;
use crate::state::service_struct::Service;
use lesson_sync::{Store, StoreError, VectorRow};
use lesson_types::ApiError;

/// Lessons looked at between two pauses when a model is loaded.
const LOOK: usize = 1_000;

impl<S: Store, H: Host> Service<S, H> {
    /// Stores vectors of a model's. A store without room for them is no failure.
    pub(crate) async fn store_vectors(
        &self,
        model: &str,
        rows: &[VectorRow],
    ) -> Result<(), ApiError> {
        if rows.is_empty() {
            return Ok(());
        }
        match self.store.put_vectors(model, rows).await {
            // Derived and replaceable: no room for them costs time, not knowledge.
            Ok(()) | Err(StoreError::Full) => Ok(()),
            Err(error) => Err(of_store(&error)),
        }
    }

    /// Looks at some lessons; whether any is left.
    pub(crate) fn look(&self) -> bool {
        let mut state = self.state.borrow_mut();
        let state = &mut *state;
        state
            .vectors
            .as_mut()
            .is_some_and(|vectors| vectors.look(&state.space, LOOK))
    }
}
