//! The asymptotic confidence sequence: an interval that holds at every run, however often one looks.

/// The allowed chance that an interval misses, over all looks together. 0.05.
pub const ALPHA: f64 = 0.05;

/// The number of runs at which the sequence is tightest. 400: where lifts of 0.1 to 0.2 begin to be told.
const TIGHTEST: f64 = 400.0;

/// Number, mean and spread of terms, one at a time (Welford 1962, "Note on a method for calculating corrected sums of
/// squares and products").
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Moments {
    /// Number of terms.
    pub t: u32,
    /// Their mean.
    pub mean: f64,
    /// The sum of their squared distances from the mean.
    pub squares: f64,
}

impl Moments {
    /// Takes one more term.
    pub fn add(&mut self, term: f64) {
        self.t = self.t.saturating_add(1);
        let from = term - self.mean;
        self.mean += from / f64::from(self.t);
        self.squares += from * (term - self.mean);
    }

    /// σ̂², the mean squared distance from the mean; 0 without terms.
    pub fn variance(&self) -> f64 {
        if self.t == 0 {
            0.0
        } else {
            self.squares / f64::from(self.t)
        }
    }

    /// σ̂.
    pub fn deviation(&self) -> f64 {
        libm::sqrt(self.variance())
    }
}

/// ρ² = (−2·ln α + ln(1 − 2·ln α)) / 400, which makes the sequence tightest at 400 runs (Waudby-Smith, Arbour, Sinha,
/// Kennedy and Ramdas 2021, "Time-uniform central limit theory and asymptotic confidence sequences", appendix B.2).
pub fn rho_squared(alpha: f64) -> f64 {
    let twice = -2.0 * libm::log(alpha);
    (twice + libm::log(1.0 + twice)) / TIGHTEST
}

/// Half the width of the interval around a mean of `t` terms of deviation `sigma`:
/// σ̂·√( 2(tρ² + 1)/(t²ρ²) · ln(√(tρ² + 1)/α) ), as in theorem 2.2 of the paper at [`rho_squared`]. In units of the terms;
/// infinite without terms.
pub fn half_width(sigma: f64, t: u32, alpha: f64) -> f64 {
    if t == 0 {
        return f64::INFINITY;
    }
    let t = f64::from(t);
    let rho2 = rho_squared(alpha);
    let grown = t * rho2 + 1.0;
    let bound = 2.0 * grown / (t * t * rho2) * libm::log(libm::sqrt(grown) / alpha);
    sigma * libm::sqrt(bound)
}

/// The fewest runs at which [`half_width`] is at most `width`, by doubling and halving; `u32::MAX` where none are enough.
/// Costs some sixty evaluations.
pub fn runs_to(width: f64, sigma: f64, alpha: f64) -> u32 {
    let is_enough = |t: u32| half_width(sigma, t, alpha) <= width;
    if !is_enough(u32::MAX) {
        return u32::MAX;
    }
    let (mut least, mut most) = (0_u32, 1_u32);
    while !is_enough(most) {
        least = most;
        most = most.saturating_mul(2);
    }
    while most - least > 1 {
        let middle = least + (most - least) / 2;
        if is_enough(middle) {
            most = middle;
        } else {
            least = middle;
        }
    }
    most
}
