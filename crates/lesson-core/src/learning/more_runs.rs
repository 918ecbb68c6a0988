//! "About N more runs": how far an estimate is from saying something.

use super::running::{ArmCounts, LeastRuns, LessonRunning};
use super::sequence::{ALPHA, half_width, runs_to};

/// The lift that a person is told of, as half the width of an interval. 0.15.
pub const TELLS: f64 = 0.15;

/// About how many more decisions with an outcome it takes until the interval is given and at most ±[`TELLS`] wide; where it
/// is as narrow already and the e-values have not spoken, until it is a third narrower. `q` is the probability of being
/// withheld from now on; `None` where that is 0, as nothing more is drawn then, and where the draws are off.
///
/// The spread is what was seen, and before 20 runs that of a fair coin: √(¼·(1/q + 1/(1−q))).
pub fn more_runs(held: &LessonRunning, q: f64) -> Option<u32> {
    if q <= 0.0 || q >= 1.0 || held.ratio.is_off() {
        return None;
    }
    let t = held.terms.t;
    let coin = libm::sqrt(0.25 * (1.0 / q + 1.0 / (1.0 - q)));
    let sigma = if t >= LeastRuns::RUNS {
        held.terms.deviation()
    } else {
        coin
    };
    let now = half_width(sigma, t, ALPHA);
    let width = if now <= TELLS { now / 1.5 } else { TELLS };
    let narrow = runs_to(width, sigma, ALPHA).saturating_sub(t);
    let full = [(held.shown, 1.0 - q), (held.withheld, q)]
        .into_iter()
        .map(|(arm, share)| arm_needs(arm, share))
        .fold(0.0, f64::max);
    let full = if full >= f64::from(u32::MAX) {
        u32::MAX
    } else {
        libm::ceil(full) as u32
    };
    Some(narrow.max(full))
}

/// Decisions until an arm that gets this share of them has what it needs, at its own rate of successes.
fn arm_needs(arm: ArmCounts, share: f64) -> f64 {
    let missing = |least: u32, held: u32| f64::from(least.saturating_sub(held));
    let rate = (f64::from(arm.successes) + 1.0) / (f64::from(arm.runs()) + 2.0);
    let runs = missing(LeastRuns::RUNS, arm.runs());
    let successes = missing(LeastRuns::OUTCOMES, arm.successes) / rate;
    let failures = missing(LeastRuns::OUTCOMES, arm.failures) / (1.0 - rate);
    runs.max(successes).max(failures) / share
}
