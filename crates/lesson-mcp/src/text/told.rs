//! Outcomes, feedback, ratings and votes as they are told to an agent.

use super::words::{line, many, names};
use lesson_types::{FeedbackGiven, OutcomeRecorded, Rated};

/// Whether something was recorded, or had been.
fn recorded(repeated: bool, counted: bool) -> &'static str {
    match (repeated, counted) {
        (true, false) => "This was recorded before.",
        (true, true) => "This was recorded before, and counts once.",
        (false, _) => "Recorded.",
    }
}

pub(super) fn outcome(answer: &OutcomeRecorded) -> String {
    let waiting = &answer.uncounted;
    if answer.repeated && waiting.is_empty() {
        return recorded(true, true).to_owned();
    }
    let moved = names(&answer.effectiveness_recalculated);
    if !waiting.is_empty() {
        let mut out = match moved.is_empty() {
            true => "Recorded.".to_owned(),
            false => format!("Recorded. Counters moved for: {moved}."),
        };
        for one in waiting {
            line(&mut out, format_args!("- {}: {}", one.slug, one.reason));
        }
        return out;
    }
    if moved.is_empty() {
        return "Recorded. No lesson's counters moved: the outcome is pending or was known already, or no lesson was tracked as applied (playbook_track_usage does that).".to_owned();
    }
    format!("Recorded. Counters moved for: {moved}.")
}

/// Why it does not count, where it is recorded only.
fn uncounted(reason: Option<&str>) -> String {
    match reason {
        Some(reason) => format!(" It does not count: {reason}."),
        None => String::new(),
    }
}

pub(super) fn feedback(answer: &FeedbackGiven) -> String {
    format!("{}\n{}", recorded(answer.repeated, true), updates(answer))
}

pub(super) fn updates(answer: &FeedbackGiven) -> String {
    let mut out = String::new();
    for one in &answer.updated {
        line(
            &mut out,
            format_args!(
                "- {}: effectiveness {:.2}, a cause in {} of {}{}",
                one.slug,
                one.effectiveness,
                one.causal_hits,
                many(one.use_count as usize, "feedback"),
                uncounted(one.reason.as_deref()),
            ),
        );
    }
    out
}

pub(super) fn rated(answer: &Rated) -> String {
    format!(
        "{} {}: confidence {:.2}; ratings {} helpful, {} not; votes {} up, {} down.{}",
        recorded(answer.repeated, answer.counted),
        answer.slug,
        answer.confidence,
        answer.times_helpful,
        answer.times_not_helpful,
        answer.upvotes,
        answer.downvotes,
        uncounted(answer.reason.as_deref()),
    )
}
