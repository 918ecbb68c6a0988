//! How often the server is asked about keys that are none.

use crate::message::Refusal;
use crate::rate::{Buckets, Rate};
use crate::{address, key_form};
use lesson_core::Millis;
use std::cell::Cell;

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
pub(crate) struct Lookups {
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
    /// The look-up of this key for a client at this address.
    pub(crate) fn of<'a>(&'a self, client: &str, key: &'a str) -> Asking<'a> {
        Asking {
            all: self,
            address: address::network(client),
            prefix: key_form::counted_as(key),
            begun: Cell::new(false),
        }
    }
}

/// A look-up that may be needed.
pub(crate) struct Asking<'a> {
    all: &'a Lookups,
    address: String,
    prefix: &'a str,
    begun: Cell<bool>,
}

impl Asking<'_> {
    /// Counts it, as long as there were not too many.
    pub(crate) fn begin(&self, now: Millis) -> Result<(), Refusal> {
        let taken = self.all.addresses.take(&self.address, now);
        taken.map_err(Refusal::too_many_keys)?;
        let taken = self.all.prefixes.take(self.prefix, now);
        taken.map_err(Refusal::too_many_keys)?;
        self.begun.set(true);
        Ok(())
    }

    /// The key is in force: only those that are none count.
    pub(crate) fn was_right(&self) {
        if self.begun.get() {
            self.all.addresses.give_back(&self.address);
            self.all.prefixes.give_back(self.prefix);
        }
    }
}
