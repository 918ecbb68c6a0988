//! A hash map that lies the same way in every run: quick for short words, no defence against keys
//! chosen to collide.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A hash map without a random seed.
pub(crate) type StableMap<K, V> = HashMap<K, V, BuildHasherDefault<Mix>>;

/// The multiplier of FxHash (rustc): odd, with its bits well spread.
const SPREAD: u64 = 0xf135_7aea_2e62_a9c5;

/// Mixes eight bytes at a time.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Mix(u64);

impl Mix {
    fn word(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(SPREAD);
    }
}

impl Hasher for Mix {
    fn write(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(8);
        for word in &mut words {
            let mut eight = [0; 8];
            eight.copy_from_slice(word);
            self.word(u64::from_le_bytes(eight));
        }
        let rest = words.remainder();
        if !rest.is_empty() {
            let mut eight = [0; 8];
            eight[..rest.len()].copy_from_slice(rest);
            self.word(u64::from_le_bytes(eight));
        }
    }

    fn write_u8(&mut self, n: u8) {
        self.word(u64::from(n));
    }

    fn write_u64(&mut self, n: u64) {
        self.word(n);
    }

    fn finish(&self) -> u64 {
        // The multiplication leaves the low bits poor; maps look at them first.
        self.0.rotate_left(26)
    }
}
