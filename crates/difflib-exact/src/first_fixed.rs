//! One first sequence against many second ones: the opposite of what `difflib` caches.

use super::alphabet::Alphabet;
use super::second::Second;
use super::{calculate_ratio, reaches};

/// Gives `SequenceMatcher(None, a, b).ratio()` for one `a` and any number of `b`.
///
/// The alphabet is that of `a`: symbols of `b` that `a` doesn't hold match nothing, so they need no id of their own and
/// a `b` costs no table of its own.
///
/// ```
/// let mut deploy = difflib_exact::FirstFixed::new("frontend deploy");
/// let stored: Vec<char> = "frontend deploys".chars().collect();
/// assert!(deploy.ratio_at_least(&stored, 0.9).is_some());
/// ```
#[derive(Clone, Debug)]
pub struct FirstFixed {
    alphabet: Alphabet,
    a: Vec<u32>,
    /// `a` once more, indexed for the bounds, which don't depend on the order.
    bounds: Second,
    b: Vec<u32>,
    second: Second,
}

impl FirstFixed {
    /// Indexes `a`. Linear in its length.
    pub fn new(a: &str) -> Self {
        let mut alphabet = Alphabet::new();
        let a: Vec<u32> = a.chars().map(|symbol| alphabet.intern(symbol)).collect();
        let mut bounds = Second::default();
        bounds.set(&a, alphabet.len());
        Self {
            alphabet,
            a,
            bounds,
            b: Vec::new(),
            second: Second::default(),
        }
    }

    /// The exact ratio of `a` and `b`.
    pub fn ratio(&mut self, b: &[char]) -> f64 {
        self.set_b(b);
        self.second.set(&self.b, self.alphabet.len());
        let matches = self.second.matches(&self.a);
        calculate_ratio(matches, self.a.len() + b.len())
    }

    /// The exact ratio of `a` and `b` if it is at least `cutoff`, else `None`, found with bounds where possible.
    pub fn ratio_at_least(&mut self, b: &[char], cutoff: f64) -> Option<f64> {
        let length = self.a.len() + b.len();
        let reaches = |matches| reaches(matches, length, cutoff);
        if !reaches(self.a.len().min(b.len())) {
            return None;
        }
        self.set_b(b);
        if !reaches(self.bounds.bound(&self.b)) {
            return None;
        }
        self.second.set(&self.b, self.alphabet.len());
        let matches = self.second.matches_if(&self.a, reaches)?;
        Some(calculate_ratio(matches, length))
    }

    fn set_b(&mut self, b: &[char]) {
        self.b.clear();
        self.b
            .extend(b.iter().map(|&symbol| self.alphabet.find(symbol)));
    }
}
