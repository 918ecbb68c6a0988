//! The running baseline: what a decision's outcome is compared with.

/// The number of decisions that the space's rate counts for in a domain's. 10, as on the sources' scale of "a handful".
pub const BASELINE_WEIGHT: f64 = 10.0;

/// Successes of so many decisions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Rate {
    pub n: u32,
    pub successes: u32,
}

impl Rate {
    pub fn count(&mut self, success: bool) {
        self.n = self.n.saturating_add(1);
        self.successes = self.successes.saturating_add(u32::from(success));
    }

    /// 0 to 1; one half before anything is known.
    pub fn value(self) -> f64 {
        if self.n == 0 {
            0.5
        } else {
            f64::from(self.successes) / f64::from(self.n)
        }
    }
}

/// b = (10·r + S) / (10 + n): the rate of a domain of which S of n earlier decisions went well, drawn towards the space's
/// earlier rate r, 0 to 1.
///
/// It is made of earlier outcomes only, so that it is fixed before a decision is drawn for: whatever its value, the terms
/// stay unbiased, and the nearer it is to the decision's own chance, the less they vary. The form is the mean of a beta
/// posterior (Efron and Morris 1977, "Stein's paradox in statistics").
///
/// ```
/// assert_eq!(lesson_core::learning::baseline(0, 0, 0.5), 0.5);
/// assert_eq!(lesson_core::learning::baseline(10, 10, 0.5), 0.75);
/// ```
pub fn baseline(n: u32, successes: u32, space_rate: f64) -> f64 {
    (BASELINE_WEIGHT * space_rate + f64::from(successes)) / (BASELINE_WEIGHT + f64::from(n))
}
