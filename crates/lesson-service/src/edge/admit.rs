//! Who may ask: a key that is in force, not too often. Keys that are none cost few look-ups.

use super::keys::Agent;
use super::message::Refusal;
use super::rate::{Buckets, Rate};
use super::{Edge, EdgeRequest, address, form, front};
use crate::host::Host;
use lesson_core::Millis;
use lesson_sync::Store;
use std::cell::Cell;
use std::rc::Rc;

/// Keys that turn out to be none may be asked about this often by one address, and this often where
/// they begin alike. There is no limit for all callers together: whoever used it up would keep out
/// agents that this isolate does not know yet.
const BY_ADDRESS: Rate = Rate {
    per_second: 20.0,
    burst: 200.0,
};
const BY_PREFIX: Rate = Rate {
    per_second: 5.0,
    burst: 100.0,
};

/// How often the server was asked about keys that are none.
pub(super) struct Lookups {
    addresses: Buckets,
    prefixes: Buckets,
}

impl Default for Lookups {
    fn default() -> Self {
        Self {
            addresses: Buckets::new(BY_ADDRESS),
            prefixes: Buckets::new(BY_PREFIX),
        }
    }
}

impl Lookups {
    fn of<'a>(&'a self, client: &str, key: &'a str) -> Asking<'a> {
        Asking {
            all: self,
            address: address::network(client),
            prefix: form::counted_as(key),
            begun: Cell::new(false),
        }
    }
}

/// A look-up that may be needed.
struct Asking<'a> {
    all: &'a Lookups,
    address: String,
    prefix: &'a str,
    begun: Cell<bool>,
}

impl Asking<'_> {
    /// Counts it, as long as there were not too many.
    fn begin(&self, now: Millis) -> Result<(), Refusal> {
        let taken = self.all.addresses.take(&self.address, now);
        taken.map_err(Refusal::too_many_keys)?;
        let taken = self.all.prefixes.take(self.prefix, now);
        taken.map_err(Refusal::too_many_keys)?;
        self.begun.set(true);
        Ok(())
    }

    /// The key is in force: only those that are none count.
    fn was_right(&self) {
        if self.begun.get() {
            self.all.addresses.give_back(&self.address);
            self.all.prefixes.give_back(self.prefix);
        }
    }
}

impl<S: Store, H: Host> Edge<S, H> {
    /// Whose request it is, if it may be made now.
    pub(super) async fn admit(&self, request: &EdgeRequest) -> Result<Rc<Agent>, Refusal> {
        let key = front::key(request)?;
        let now = self.host.now();
        let asking = self.lookups.of(&request.client, key);
        let found = self
            .keys
            .agent(key, &*self.host, &self.tokens, &self.config, || {
                asking.begin(now)
            })
            .await;
        if found.is_ok() {
            asking.was_right();
        }
        let agent = found?;
        self.buckets
            .take(&agent.id, now)
            .map_err(Refusal::too_often)?;
        Ok(agent)
    }

    /// Takes turns of a key for further messages of one request.
    pub(super) fn take_turns(&self, agent: &Agent, count: usize) -> Result<(), Refusal> {
        let now = self.host.now();
        (0..count).try_for_each(|_| {
            let taken = self.buckets.take(&agent.id, now);
            taken.map_err(Refusal::too_often)
        })
    }
}
