//! The outcome of a run, in the words of its domain: profit and loss where something is traded, success and failure
//! elsewhere.

use crate::format;
use lesson_types::{DecisionOutcome, FeedbackOutcome};

/// Domains in which people speak of profit and loss, in small letters. Markets by their kind; words that other fields use
/// as well, such as `options` or `futures`, are left out: "success" is never wrong there.
const TRADING: [&str; 10] = [
    "perps",
    "perpetuals",
    "spot",
    "dlmm",
    "polymarket",
    "prediction-markets",
    "trading",
    "crypto",
    "defi",
    "forex",
];

/// True if something is traded in this domain.
pub fn is_trading(domain: &str) -> bool {
    TRADING.contains(&format::lower(domain.trim()).as_str())
}

/// An outcome as a label.
pub fn label(outcome: DecisionOutcome, domain: &str) -> &'static str {
    match (outcome, is_trading(domain)) {
        (DecisionOutcome::Success, false) => "Success",
        (DecisionOutcome::Success, true) => "Profit",
        (DecisionOutcome::Failure, false) => "Failure",
        (DecisionOutcome::Failure, true) => "Loss",
        (DecisionOutcome::Pending, _) => "Pending",
    }
}

/// An outcome within a sentence.
pub fn word(outcome: DecisionOutcome, domain: &str) -> &'static str {
    match (outcome, is_trading(domain)) {
        (DecisionOutcome::Success, true) => "profit",
        (DecisionOutcome::Failure, true) => "loss",
        _ => outcome.as_str(),
    }
}

/// True if an outcome stays: a pending one waits for another.
pub fn is_final(outcome: DecisionOutcome) -> bool {
    outcome != DecisionOutcome::Pending
}

/// The class of an outcome's chip.
pub fn chip(outcome: Option<DecisionOutcome>) -> &'static str {
    match outcome {
        Some(DecisionOutcome::Success) => "chip chip-good",
        Some(DecisionOutcome::Failure) => "chip chip-bad",
        Some(DecisionOutcome::Pending) | None => "chip",
    }
}

/// Gain or loss, such as ` (+3.5%)`; empty where nobody has said.
pub fn percent(pnl: Option<f64>) -> String {
    pnl.map_or_else(String::new, |pnl| {
        let sign = if pnl > 0.0 { "+" } else { "" };
        format!(" ({sign}{}%)", format::trim(pnl, 2))
    })
}

/// Returns the outcome of a session as a label.
pub fn of_session(outcome: FeedbackOutcome) -> &'static str {
    match outcome {
        FeedbackOutcome::Delivered => "Delivered",
        FeedbackOutcome::PlanComplete => "Plan completed",
        FeedbackOutcome::Blocked => "Blocked",
    }
}

/// The engine's sentence on an outcome, such as `Decision d-1: success (3.5 %)`, in the words of the domain.
pub fn in_summary(summary: &str, domain: &str) -> String {
    let finals = [DecisionOutcome::Success, DecisionOutcome::Failure];
    // The decision's name may hold anything, so what counts comes after the last colon.
    let told = summary.rsplit_once(": ").and_then(|(head, told)| {
        let (outcome, rest) = finals
            .into_iter()
            .find_map(|outcome| Some((outcome, told.strip_prefix(outcome.as_str())?)))?;
        Some(format!("{head}: {}{rest}", word(outcome, domain)))
    });
    told.unwrap_or_else(|| summary.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn outcomes_are_told_in_the_words_of_their_domain() {
        for (domain, success, failure) in [
            ("", "Success", "Failure"),
            ("frontend", "Success", "Failure"),
            ("spotlight", "Success", "Failure"),
            ("perps", "Profit", "Loss"),
            (" DLMM ", "Profit", "Loss"),
            ("Polymarket", "Profit", "Loss"),
        ] {
            assert_eq!(label(DecisionOutcome::Success, domain), success, "{domain}");
            assert_eq!(label(DecisionOutcome::Failure, domain), failure, "{domain}");
            assert_eq!(label(DecisionOutcome::Pending, domain), "Pending");
            let small = format::lower(success);
            assert_eq!(word(DecisionOutcome::Success, domain), small, "{domain}");
        }
    }

    #[test]
    fn the_engines_sentence_takes_the_words_of_the_domain() {
        for (summary, domain, told) in [
            (
                "Decision d: success (3.5 %)",
                "spot",
                "Decision d: profit (3.5 %)",
            ),
            ("Decision d: failure", "spot", "Decision d: loss"),
            ("Decision d: failure", "data", "Decision d: failure"),
            ("Decision d: pending", "spot", "Decision d: pending"),
            (
                "Decision a: success: failure",
                "spot",
                "Decision a: success: loss",
            ),
            ("Rated helpful", "spot", "Rated helpful"),
        ] {
            assert_eq!(in_summary(summary, domain), told);
        }
    }

    #[test]
    fn a_gain_has_its_sign() {
        assert_eq!(percent(None), "");
        assert_eq!(percent(Some(3.5)), " (+3.5%)");
        assert_eq!(percent(Some(-2.0)), " (-2%)");
    }
}
