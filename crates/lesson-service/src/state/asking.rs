//! Whose name stands on the events of the request that is being answered.

use crate::host::Host;
use crate::state::held::Service;
use lesson_sync::Store;

/// Who uses a device that nobody has signed in to.
const LOCAL: &str = "local";

impl<S: Store, H: Host> Service<S, H> {
    /// Whose events these are.
    pub(crate) fn by(&self) -> String {
        if let Some(asker) = self.asker.borrow().as_ref() {
            return asker.by.clone();
        }
        match self.link() {
            Some(link) => format!("person:{}", link.user.id),
            None => LOCAL.to_owned(),
        }
    }

    /// The hash of the request that is being answered, where it has a key.
    pub(crate) fn keyed_request(&self) -> Option<String> {
        let asker = self.asker.borrow();
        let keyed = asker.as_ref()?.keyed.as_ref()?;
        Some(keyed.request.clone())
    }
}
