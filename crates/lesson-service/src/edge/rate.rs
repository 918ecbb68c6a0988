//! How often a key may ask: a token bucket each.

use lesson_core::Millis;
use std::cell::RefCell;
use std::collections::HashMap;

/// Buckets that are kept; beyond it, full ones are forgotten first.
const KEPT: usize = 10_000;

/// Requests a second that a key may make in the long run, and how many at once.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rate {
    /// A second.
    pub per_second: f64,
    /// At once.
    pub burst: f64,
}

/// The buckets of all keys.
pub(super) struct Buckets {
    rate: Rate,
    held: RefCell<HashMap<String, (f64, Millis)>>,
}

impl Buckets {
    pub fn new(rate: Rate) -> Self {
        Self {
            rate,
            held: RefCell::default(),
        }
    }

    /// Takes one of a key's turns.
    ///
    /// # Errors
    /// Seconds to wait, from 1, when there is none left.
    pub fn take(&self, key: &str, now: Millis) -> Result<(), u64> {
        let Rate { per_second, burst } = self.rate;
        let mut held = self.held.borrow_mut();
        let filled = |(left, at): (f64, Millis)| {
            // A clock that was set back gives nothing and takes nothing.
            let passed = now.saturating_sub(at).max(0) as f64 / 1_000.0;
            (left + passed * per_second).min(burst)
        };
        let left = held.get(key).copied().map_or(burst, filled);
        if left < 1.0 {
            held.insert(key.to_owned(), (left, now));
            let wait = (1.0 - left) / per_second;
            return Err((wait as u64).saturating_add(1));
        }
        if held.len() >= KEPT && !held.contains_key(key) {
            held.retain(|_, bucket| filled(*bucket) < burst);
            if held.len() >= KEPT {
                // As many keys are in use at once: who comes new has to wait.
                return Err(1);
            }
        }
        held.insert(key.to_owned(), (left - 1.0, now));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Rate = Rate {
        per_second: 2.0,
        burst: 3.0,
    };

    #[test]
    fn a_flood_of_one_key_leaves_others_alone() {
        let buckets = Buckets::new(RATE);
        for _ in 0..3 {
            buckets.take("a", 0).unwrap();
        }
        assert_eq!(buckets.take("a", 0), Err(1));
        buckets.take("b", 0).unwrap();
        buckets.take("a", 500).unwrap();
        assert_eq!(buckets.take("a", 500), Err(1));
        // It never holds more than the burst.
        for _ in 0..3 {
            buckets.take("a", 1_000_000).unwrap();
        }
        assert!(buckets.take("a", 1_000_000).is_err());
    }

    #[test]
    fn memory_is_bounded() {
        let buckets = Buckets::new(RATE);
        for key in 0..KEPT {
            buckets.take(&key.to_string(), 0).unwrap();
        }
        assert_eq!(buckets.take("new", 0), Err(1));
        buckets.take("new", 10_000).unwrap();
        assert_eq!(buckets.held.borrow().len(), 1);
    }
}
