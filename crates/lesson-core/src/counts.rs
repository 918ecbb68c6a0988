//! Moving a lesson's stored numbers by outcomes, ratings, votes and merges.
//!
//! Only `+ - * /` and comparisons: the same counts give the same bits on every platform.

use crate::instant::Millis;
use crate::lesson::Standing;
use crate::policy::FoldPolicy;
use lesson_types::DecisionOutcome;

/// Counts a final outcome of a decision in which the lesson was applied.
pub(crate) fn settle_in(
    held: &mut Standing,
    outcome: DecisionOutcome,
    at: Millis,
    policy: &FoldPolicy,
) {
    bump(&mut held.times_applied);
    if outcome == DecisionOutcome::Success {
        bump(&mut held.success_count);
        held.consecutive_failures = 0;
    } else {
        bump(&mut held.consecutive_failures);
    }
    qualify(held, at, policy);
}

/// Counts that it was shown. A lesson that was shown often, and never applied, rated helpful or named as a cause, sinks.
pub(crate) fn show(held: &mut Standing, at: Millis, policy: &FoldPolicy) {
    bump(&mut held.times_surfaced);
    let is_heeded = held.times_applied > 0 || held.times_helpful > 0 || held.causal_hits > 0;
    if held.times_surfaced >= policy.unheeded_from && !is_heeded {
        held.believe(held.lift().unheeded(at));
    }
}

/// Sets or clears `proven_effective`, and with it `qualified_at`, when the counts turn it.
pub(crate) fn qualify(held: &mut Standing, at: Millis, policy: &FoldPolicy) {
    let proven = held.times_applied >= policy.proven_min_applied
        && held
            .success_rate()
            .is_some_and(|rate| rate >= policy.proven_min_rate);
    if proven != held.proven_effective {
        held.proven_effective = proven;
        held.qualified_at = proven.then_some(at);
    }
}

pub(crate) fn rate(held: &mut Standing, helpful: bool, policy: &FoldPolicy) {
    if helpful {
        bump(&mut held.times_helpful);
        move_confidence(held, policy.helpful_step, policy);
    } else {
        bump(&mut held.times_not_helpful);
        move_confidence(held, -policy.not_helpful_step, policy);
    }
}

pub(crate) fn vote(held: &mut Standing, up: bool, policy: &FoldPolicy) {
    if up {
        bump(&mut held.upvotes);
        move_confidence(held, policy.vote_step, policy);
    } else {
        bump(&mut held.downvotes);
        move_confidence(held, -policy.vote_step, policy);
    }
}

/// `min(max, c + step)` for a step up, `max(min, c + step)` for a step down.
fn move_confidence(held: &mut Standing, step: f64, policy: &FoldPolicy) {
    let moved = held.confidence + step;
    held.confidence = if step > 0.0 {
        if moved > policy.confidence_max {
            policy.confidence_max
        } else {
            moved
        }
    } else if moved < policy.confidence_min {
        policy.confidence_min
    } else {
        moved
    };
}

/// Counters never wrap.
pub(crate) fn bump(count: &mut u32) {
    *count = count.saturating_add(1);
}

/// Adds the numbers of a merged lesson: every count, the higher confidence, effectiveness weighted by use, lift weighted by
/// precision, and the later of two times.
pub(crate) fn add_counts(sum: &mut Standing, other: &Standing) {
    let (a, b) = (f64::from(sum.use_count), f64::from(other.use_count));
    if a + b > 0.0 {
        sum.effectiveness = (sum.effectiveness * a + other.effectiveness * b) / (a + b);
    }
    sum.believe(sum.lift().merged(other.lift()));
    if other.confidence > sum.confidence {
        sum.confidence = other.confidence;
    }
    for (into, from) in [
        (&mut sum.frequency, other.frequency),
        (&mut sum.upvotes, other.upvotes),
        (&mut sum.downvotes, other.downvotes),
        (&mut sum.times_surfaced, other.times_surfaced),
        (&mut sum.times_helpful, other.times_helpful),
        (&mut sum.times_not_helpful, other.times_not_helpful),
        (&mut sum.use_count, other.use_count),
        (&mut sum.causal_hits, other.causal_hits),
        (&mut sum.times_applied, other.times_applied),
        (&mut sum.success_count, other.success_count),
    ] {
        *into = into.saturating_add(from);
    }
    sum.last_used_at = sum.last_used_at.max(other.last_used_at);
    sum.last_feedback_at = sum.last_feedback_at.max(other.last_feedback_at);
    // Two histories have no common order, so the target's run of failures goes on, and its trial.
}
