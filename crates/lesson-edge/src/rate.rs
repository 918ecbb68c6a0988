//! Rate limits: a bucket of tokens per key, network or beginning of a key.

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

    /// Takes tokens from a key's bucket; more than it ever holds are taken of a full one.
    ///
    /// # Errors
    /// Seconds until there are as many again, at least 1. None is taken then.
    pub fn take(&self, key: &str, tokens: f64, now: Millis) -> Result<(), u64> {
        let Rate { per_second, burst } = self.rate;
        let mut held = self.held.borrow_mut();
        let filled = |(left, at): (f64, Millis)| {
            // A clock that was set back gives nothing and takes nothing.
            let passed = now.saturating_sub(at).max(0) as f64 / 1_000.0;
            (left + passed * per_second).min(burst)
        };
        let left = held.get(key).copied().map_or(burst, filled);
        let tokens = tokens.min(burst);
        if left < tokens {
            held.insert(key.to_owned(), (left, now));
            let wait = (tokens - left) / per_second;
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
        held.insert(key.to_owned(), (left - tokens, now));
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
            buckets.take("a", 1.0, 0).unwrap();
        }
        assert_eq!(buckets.take("a", 1.0, 0), Err(1));
        buckets.take("b", 1.0, 0).unwrap();
        buckets.take("a", 1.0, 500).unwrap();
        assert_eq!(buckets.take("a", 1.0, 500), Err(1));
        // It never holds more than the burst.
        for _ in 0..3 {
            buckets.take("a", 1.0, 1_000_000).unwrap();
        }
        assert!(buckets.take("a", 1.0, 1_000_000).is_err());
    }

    #[test]
    fn what_costs_more_waits_longer_and_is_never_refused_for_ever() {
        let buckets = Buckets::new(RATE);
        buckets.take("a", 2.0, 0).unwrap();
        assert_eq!(buckets.take("a", 3.0, 0), Err(2));
        buckets.take("a", 1.0, 0).unwrap();
        // More than a full bucket has: it waits for a full one.
        assert_eq!(buckets.take("a", 100.0, 1_000), Err(1));
        buckets.take("a", 100.0, 1_500).unwrap();
        assert!(buckets.take("a", 1.0, 1_500).is_err());
    }

    #[test]
    fn memory_is_bounded() {
        let buckets = Buckets::new(RATE);
        for key in 0..KEPT {
            buckets.take(&key.to_string(), 1.0, 0).unwrap();
        }
        // Of as many keys in use, those that used most are remembered.
        for _ in 0..3 {
            let _ = buckets.take("7", 1.0, 0);
        }
        buckets.take("new", 1.0, 0).unwrap();
        assert!(buckets.held.borrow().len() <= KEPT / 2 + 1);
        assert_eq!(buckets.take("7", 1.0, 0), Err(1));
        buckets.take("newer", 1.0, 10_000).unwrap();
        for key in 0..KEPT {
            buckets.take(&key.to_string(), 1.0, 20_000).unwrap();
        }
        assert!(buckets.held.borrow().len() <= KEPT);
    }

    #[test]
    fn a_turn_that_is_given_back_can_be_taken_again() {
        let buckets = Buckets::new(RATE);
        for _ in 0..20 {
            buckets.take("a", 1.0, 0).unwrap();
            buckets.give_back("a");
        }
        for _ in 0..3 {
            buckets.take("a", 1.0, 0).unwrap();
        }
        assert_eq!(buckets.take("a", 1.0, 0), Err(1));
        buckets.give_back("never seen");
    }
}
