//! Shares of successes with their intervals, and the change from one to another.

use lesson_types::{RunEnds, SuccessChange, SuccessRate};

/// The normal quantile of an interval of 95 %.
const Z: f64 = 1.96;

/// Adds the ends of other runs.
pub(crate) fn add(sum: &mut RunEnds, ends: &RunEnds) {
    sum.successes = sum.successes.saturating_add(ends.successes);
    sum.failures = sum.failures.saturating_add(ends.failures);
    sum.pending = sum.pending.saturating_add(ends.pending);
}

/// The share of successes with the interval of Wilson, "Probable inference, the law of succession, and statistical
/// inference" (1927): it holds for few runs, and at 0 and 1.
pub(crate) fn rate(ends: RunEnds) -> Option<SuccessRate> {
    let runs = ends.successes.saturating_add(ends.failures);
    if runs == 0 {
        return None;
    }
    let n = f64::from(runs);
    let share = f64::from(ends.successes) / n;
    let z2 = Z * Z;
    let middle = (share + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = Z / (1.0 + z2 / n) * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
    Some(SuccessRate {
        share,
        low: (middle - half).max(0.0),
        high: (middle + half).min(1.0),
        runs,
    })
}

/// The change from one share to another with Newcombe's interval of 95 %, which is made of Wilson's of both: "Interval
/// estimation for the difference between independent proportions" (1998), method 10.
pub(crate) fn changed(before: SuccessRate, now: SuccessRate) -> SuccessChange {
    let apart = |a: f64, b: f64| (a * a + b * b).sqrt();
    let change = now.share - before.share;
    SuccessChange {
        now,
        before,
        change,
        low: change - apart(now.share - now.low, before.high - before.share),
        high: change + apart(now.high - now.share, before.share - before.low),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_has_the_interval_of_wilson() {
        let ends = |successes, failures| RunEnds {
            successes,
            failures,
            pending: 9,
        };
        assert_eq!(rate(ends(0, 0)), None);
        // As R's binom.wilson(8, 10) says, to four digits.
        let held = rate(ends(8, 2)).expect("a rate");
        assert_eq!((held.share, held.runs), (0.8, 10));
        assert!((held.low - 0.4902).abs() < 1e-4, "{}", held.low);
        assert!((held.high - 0.9433).abs() < 1e-4, "{}", held.high);
        let none = rate(ends(0, 5)).expect("a rate");
        assert!(none.low == 0.0 && none.high > 0.4 && none.high < 0.45);
    }

    #[test]
    fn a_change_has_the_interval_of_newcombe() {
        let of = |successes, failures| {
            let ends = RunEnds {
                successes,
                failures,
                pending: 0,
            };
            rate(ends).expect("a rate")
        };
        // Newcombe (1998), table II, example (a): 56/70 less 48/80.
        let change = changed(of(48, 32), of(56, 14));
        assert!((change.change - 0.2).abs() < 1e-9);
        assert!((change.low - 0.0524).abs() < 1e-4, "{}", change.low);
        assert!((change.high - 0.3339).abs() < 1e-4, "{}", change.high);
        let none = changed(of(5, 0), of(5, 0));
        assert!(none.change == 0.0 && none.low < 0.0 && none.high > 0.0);
    }
}
