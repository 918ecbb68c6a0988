//! `semantic_reason`: why an answer was ranked by words, wholly or in part.

use crate::state::embedder::NoModel;
use crate::state::held::Embedded;
use crate::state::service_struct::Service;
use crate::state::snapshot::State;

impl<S, H> Service<S, H> {
    /// Why the model took no part in an answer, or not for all lessons; `None` when it did. `without_vector` is how many
    /// of the lessons that were considered have none.
    pub(crate) fn semantic_reason(
        &self,
        state: &State,
        semantic: bool,
        without_vector: u32,
    ) -> Option<String> {
        let Some(vectors) = &state.vectors else {
            return Some(self.embedding.no_model.get().reason().to_owned());
        };
        let Embedded {
            with: embedded,
            without: pending,
        } = self.held.ranked_by_vector(Embedded {
            with: vectors.embedded(),
            without: vectors.pending(),
        });
        match (embedded, pending) {
            (_, 0) if semantic => None,
            (_, 0) if without_vector > 0 => {
                Some("the model could not read most of these lessons".to_owned())
            }
            (_, 0) => Some("the request has no text to compare by meaning".to_owned()),
            (0, _) => Some("no lesson has a vector yet".to_owned()),
            (_, 1) => Some(format!("1 of {} lessons has no vector yet", embedded + 1)),
            _ => Some(format!(
                "{pending} of {} lessons have no vector yet",
                embedded + pending
            )),
        }
    }

    /// Says why there is no model, for answers that are ranked by words.
    pub fn set_no_model(&self, why: NoModel) {
        self.embedding.no_model.set(why);
    }

    /// True if a model is loaded.
    pub fn has_model(&self) -> bool {
        self.embedding.model.borrow().is_some()
    }
}
