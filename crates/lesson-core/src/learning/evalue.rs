//! E-values: what says *helps* and *hurts*, exact at every number of runs, and the check of the draws themselves.
//!
//! Ramdas, Grünwald, Vovk and Shafer 2023, "Game-theoretic statistics and safe anytime-valid inference"; betting on a
//! bounded mean as in Waudby-Smith and Ramdas 2024, "Estimating means of bounded random variables by betting".

/// The share of false verdicts among those given. 0.05.
pub const FALSE_DISCOVERIES: f64 = 0.05;

/// The e-value from which the draws are not what they are said to be. 1,000: by Ville's inequality one sound estimate of a
/// thousand ever gets there.
pub const RATIO_LIMIT: f64 = 1_000.0;

/// The number of draws that the stated probability counts for in the check's bet. 10.
const RATIO_WEIGHT: f64 = 10.0;

/// A bet that terms are positive on average: W ← W·(1 + λφ), with λ = clip(Σφ / (Σφ² + 5/q), 0, min(q, 1−q)/2) of earlier
/// terms. While they are not, W is a supermartingale from 1, so that it ever reaches x with a chance of at most 1/x.
///
/// |φ| ≤ 1/min(q, 1−q), so that W at most halves at a step and never reaches 0.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct EProcess {
    /// ln W, so that no evidence is too strong for it.
    pub ln: f64,
    sum: f64,
    squares: f64,
}

impl EProcess {
    /// Takes the next term; `q` is the probability that the lesson was withheld, within 0 and 1.
    pub fn bet(&mut self, term: f64, q: f64) {
        let most = q.min(1.0 - q) / 2.0;
        let stake = (self.sum / (self.squares + 5.0 / q)).clamp(0.0, most);
        self.ln += libm::log1p(stake * term);
        self.sum += term;
        self.squares += term * term;
    }
}

/// e-BH: of all e-values, given as logarithms, the places of those that may be said, with a share of false ones of at most
/// `level` however the e-values depend on each other: the largest k for which the k-th greatest is at least n/(level·k)
/// (Wang and Ramdas 2022, "False discovery rate control with e-values"). In the order of their places.
pub fn e_bh(ln_values: &[f64], level: f64) -> Vec<usize> {
    let n = ln_values.len() as f64;
    // Nothing below 1/level is said at any k ≤ n, so that few are sorted.
    let least = libm::log(1.0 / level);
    let mut order: Vec<usize> = (0..ln_values.len())
        .filter(|at| ln_values[*at] >= least)
        .collect();
    order.sort_by(|a, b| ln_values[*b].total_cmp(&ln_values[*a]));
    let mut said = 0;
    for (place, at) in order.iter().enumerate() {
        let k = (place + 1) as f64;
        if ln_values[*at] >= libm::log(n / (level * k)) {
            said = place + 1;
        }
    }
    order.truncate(said);
    order.sort_unstable();
    order
}

/// A check that lessons are withheld as often as was said: a bet of a running estimate q′ = (10·q + withheld)/(10 + n)
/// against q. Something that shows in one arm more than in the other, such as outcomes that are missing there, moves it
/// (Lindon and Malek 2022, "Anytime-valid inference for multinomial count data", on sample ratio mismatch).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RatioCheck {
    /// ln of the e-value.
    pub ln: f64,
    n: u32,
    withheld: u32,
}

impl RatioCheck {
    /// Takes the next draw of probability `q`, within 0 and 1.
    pub fn take(&mut self, q: f64, withheld: bool) {
        let bet =
            (RATIO_WEIGHT * q + f64::from(self.withheld)) / (RATIO_WEIGHT + f64::from(self.n));
        self.ln += if withheld {
            libm::log(bet / q)
        } else {
            libm::log((1.0 - bet) / (1.0 - q))
        };
        self.n = self.n.saturating_add(1);
        self.withheld = self.withheld.saturating_add(u32::from(withheld));
    }

    /// True if the draws contradict what was said of them.
    pub fn is_off(&self) -> bool {
        self.ln >= libm::log(RATIO_LIMIT)
    }
}
