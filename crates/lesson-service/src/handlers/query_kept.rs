//! The part of a query that the ledger keeps.

use crate::host::Host;
use crate::http::redact::readable;
use crate::state::service_struct::Service;
use lesson_core::{SurfacedItem, kept_query};
use lesson_sync::Store;

impl<S: Store, H: Host> Service<S, H> {
    /// Has the ledger keep of each query its hash and the words that the recommended lessons have, in place of the whole: for a
    /// store that others read, such as one in a repository.
    pub fn keep_words_only(&self, on: bool) {
        self.writer.words_only.set(on);
    }

    /// Returns the part of a query that is kept when these lessons were recommended for it.
    pub(crate) fn query_kept(&self, query: Option<&str>, items: &[SurfacedItem]) -> Option<String> {
        let query = readable(query?.to_owned());
        if !self.writer.words_only.get() {
            return Some(query);
        }
        let state = self.state.borrow();
        let lessons = items
            .iter()
            .filter_map(|item| state.space.lesson(&item.lesson));
        Some(kept_query(&query, lessons.map(|lesson| &lesson.text)))
    }
}
