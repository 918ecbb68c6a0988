//! A lesson's lift as answers have it.

use crate::instant::{Millis, to_rfc3339};
use crate::lesson::Standing;
use lesson_types::LiftBelief;

/// Returns the belief about a lesson's lift at `now`.
pub fn lift_view(held: &Standing, now: Millis) -> LiftBelief {
    let belief = held.lift().at(now);
    let (low, high) = belief.interval();
    LiftBelief {
        mean: belief.mean,
        low,
        high,
        runs: held.times_applied,
        verdict: belief.verdict(),
        at: held.lift_at.map(to_rfc3339),
    }
}
