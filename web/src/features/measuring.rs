//! The switch of measuring: Overview offers it, Settings turns it on and off.

use lesson_types::{MeasurePolicyPatch, PolicyPatch};

/// Shares that it sets: one run in ten gets no lessons, and each lesson that would be shown is left out of one in five.
const CONTROL_RUNS: f64 = 0.1;
const WITHHOLD: f64 = 0.2;

/// The change that turns it on or off.
pub fn measuring(on: bool) -> PolicyPatch {
    let share = |share: f64| Some(if on { share } else { 0.0 });
    PolicyPatch {
        measure: Some(MeasurePolicyPatch {
            control_runs: share(CONTROL_RUNS),
            withhold: share(WITHHOLD),
            ..MeasurePolicyPatch::default()
        }),
        ..PolicyPatch::default()
    }
}
