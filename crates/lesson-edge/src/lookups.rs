//! Rate limits of look-ups of invalid keys.

use crate::message::Refusal;
use crate::rate::{Buckets, Rate};
use crate::{address, key_form};
use lesson_core::Millis;
use std::cell::Cell;

/// Look-ups of invalid keys that one network may cause, and that keys of the same beginning may cause. There is no limit
/// for all callers together: an attacker could exhaust it and lock out agents whose keys are not cached yet.
const BY_ADDRESS: Rate = Rate {
    per_second: 20.0,
    burst: 200.0,
};
const BY_PREFIX: Rate = Rate {
    per_second: 5.0,
    burst: 100.0,
};

/// Counts look-ups of invalid keys, by network and by the beginning of the key.
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
    /// Counts a question of whoever is at this address, who needs no key for it.
    ///
    /// # Errors
    /// 429 when there were too many.
    pub(crate) fn of_network(&self, client: &str, now: Millis) -> Result<(), Refusal> {
        let taken = self.addresses.take(&address::network(client), 1.0, now);
        taken.map_err(Refusal::too_often)
    }

    /// The look-up of a key that a client at this address sent.
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
    /// Counts the look-up.
    ///
    /// # Errors
    /// 429 when there were too many.
    pub(crate) fn begin(&self, now: Millis) -> Result<(), Refusal> {
        let taken = self.all.addresses.take(&self.address, 1.0, now);
        taken.map_err(Refusal::too_many_keys)?;
        let taken = self.all.prefixes.take(self.prefix, 1.0, now);
        taken.map_err(Refusal::too_many_keys)?;
        self.begun.set(true);
        Ok(())
    }

    /// Takes the count back: the key is valid.
    pub(crate) fn was_right(&self) {
        if self.begun.get() {
            self.all.addresses.give_back(&self.address);
            self.all.prefixes.give_back(self.prefix);
        }
    }
}
