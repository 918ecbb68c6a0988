//! The recorded scenario, run natively: the answers that every other host has to give byte for
//! byte. `corpus/scenario.json` says how clock, randomness and the written form are made.
//!
//! `LESSONLOOP_PARITY_OUT=path` writes the answers there: to compare them, and to record them anew
//! as `corpus/scenario.expected.json` when the engine is meant to answer differently.

#[path = "parity/scenario.rs"]
mod scenario;

use scenario::{Scenario, as_javascript, walked};

#[test]
fn the_scenario_gives_the_recorded_answers() {
    let scenario: Scenario = serde_json::from_str(include_str!("corpus/scenario.json")).unwrap();
    assert!(scenario.steps.len() >= 40);
    let written = walked(scenario);
    if let Ok(path) = std::env::var("LESSONLOOP_PARITY_OUT") {
        std::fs::write(&path, &written).unwrap();
    }
    let recorded = include_str!("corpus/scenario.expected.json");
    for (step, (got, want)) in written.lines().zip(recorded.lines()).enumerate() {
        assert_eq!(
            got, want,
            "step {step} (from 1); if it is meant, record the answers anew with LESSONLOOP_PARITY_OUT"
        );
    }
    assert_eq!(written.len(), recorded.len());
}

#[test]
fn numbers_are_written_as_javascript_writes_them() {
    for (number, text) in [
        (0.0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (-2.5, "-2.5"),
        (0.1 + 0.2, "0.30000000000000004"),
        (0.000_001, "0.000001"),
        (1.5e-7, "1.5e-7"),
        (1e21, "1e+21"),
        (1e20, "100000000000000000000"),
        (123_456_789.125, "123456789.125"),
    ] {
        assert_eq!(as_javascript(number), text);
    }
}
