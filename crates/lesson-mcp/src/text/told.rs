//! Outcomes, feedback, ratings and votes as they are told to an agent.

use super::words::{count, line, list, many, names, number, word};
use serde_json::Value;

/// Whether something was recorded, or had been.
pub(super) fn recorded(answer: &Value) -> &'static str {
    match answer["repeated"] == true {
        true if answer["counted"] == false => "This was recorded before.",
        true => "This was recorded before, and counts once.",
        false => "Recorded.",
    }
}

pub(super) fn outcome(answer: &Value) -> String {
    let waiting = list(answer, "uncounted");
    if answer["repeated"] == true && waiting.is_empty() {
        return recorded(answer).to_owned();
    }
    let moved = names(answer, "effectiveness_recalculated");
    if !waiting.is_empty() {
        let mut out = match moved.is_empty() {
            true => "Recorded.".to_owned(),
            false => format!("Recorded. Counters moved for: {moved}."),
        };
        for one in waiting {
            let (slug, reason) = (word(one, "slug"), word(one, "reason"));
            line(&mut out, format_args!("- {slug}: {reason}"));
        }
        return out;
    }
    if moved.is_empty() {
        return "Recorded. No lesson's counters moved: the outcome is pending or was known already, or no lesson was tracked as applied (playbook_track_usage does that).".to_owned();
    }
    format!("Recorded. Counters moved for: {moved}.")
}

/// Why it does not count, where it is recorded only.
fn uncounted(one: &Value) -> String {
    match one["reason"].as_str() {
        Some(reason) => format!(" It does not count: {reason}."),
        None => String::new(),
    }
}

pub(super) fn updates(answer: &Value) -> String {
    let mut out = String::new();
    for one in list(answer, "updated") {
        line(
            &mut out,
            format_args!(
                "- {}: effectiveness {:.2}, a cause in {} of {}{}",
                word(one, "slug"),
                number(one, "effectiveness"),
                one["causal_hits"],
                many(count(one, "use_count"), "feedback"),
                uncounted(one),
            ),
        );
    }
    out
}

pub(super) fn rated(answer: &Value) -> String {
    format!(
        "{} {}: confidence {:.2}; ratings {} helpful, {} not; votes {} up, {} down.{}",
        recorded(answer),
        word(answer, "slug"),
        number(answer, "confidence"),
        answer["times_helpful"],
        answer["times_not_helpful"],
        answer["upvotes"],
        answer["downvotes"],
        uncounted(answer),
    )
}
