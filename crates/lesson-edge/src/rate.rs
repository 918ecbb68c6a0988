//! Rate limits: a token bucket per key, network or beginning of a key.

use lesson_core::Millis;
use std::cell::RefCell;
use std::collections::HashMap;

/// The most buckets that are kept; beyond it, the fuller half is dropped.
const KEPT: usize = 10_000;

/// The rate of a bucket.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rate {
    /// Tokens that come back per second.
    pub per_second: f64,
    /// Tokens of a full bucket.
    pub burst: f64,
}

/// The buckets of all keys.
pub(crate) struct Buckets {
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

    /// Takes a token from a key's bucket.
    ///
    /// # Errors
    /// Seconds until there is a token again, at least 1.
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
                // Nobody who comes new waits for others. Those that used least lose least by it.
                let mut levels: Vec<f64> = held.values().map(|bucket| filled(*bucket)).collect();
                levels.sort_unstable_by(f64::total_cmp);
                let middle = levels[KEPT / 2];
                held.retain(|_, bucket| filled(*bucket) < middle);
                if held.len() >= KEPT {
                    held.clear();
                }
            }
        }
        held.insert(key.to_owned(), (left - 1.0, now));
        Ok(())
    }

    /// Puts a token back.
    pub fn give_back(&self, key: &str) {
        if let Some((left, _)) = self.held.borrow_mut().get_mut(key) {
            *left = (*left + 1.0).min(self.rate.burst);
        }
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
        // Of as many keys in use, those that used most are remembered.
        for _ in 0..3 {
            let _ = buckets.take("7", 0);
        }
        buckets.take("new", 0).unwrap();
        assert!(buckets.held.borrow().len() <= KEPT / 2 + 1);
        assert_eq!(buckets.take("7", 0), Err(1));
        buckets.take("newer", 10_000).unwrap();
        for key in 0..KEPT {
            buckets.take(&key.to_string(), 20_000).unwrap();
        }
        assert!(buckets.held.borrow().len() <= KEPT);
    }

    #[test]
    fn a_turn_that_is_given_back_can_be_taken_again() {
        let buckets = Buckets::new(RATE);
        for _ in 0..20 {
            buckets.take("a", 0).unwrap();
            buckets.give_back("a");
        }
        for _ in 0..3 {
            buckets.take("a", 0).unwrap();
        }
        assert_eq!(buckets.take("a", 0), Err(1));
        buckets.give_back("never seen");
    }
}
