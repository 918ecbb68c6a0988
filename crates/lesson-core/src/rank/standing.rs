//! Step 4, standing: what ratings, surfacings and feedback multiply relevance by. Never more than
//! a change of order: the relevance cutoff has been taken by then.

use super::trace::Run;
use crate::learning::Effects;
use crate::lesson::Standing;
use crate::policy::RankPolicy;
use lesson_types::Qualification;

/// What one key's failures leave of an approved lesson's score, 0 to 1. 0.5.
const ONE_KEY_FACTOR: f64 = 0.5;

/// ×0.7 when `effectiveness_score` < 0.3, ×0.5 when surfaced ≥ 10 and never helpful (both effectiveness tracking), and
/// ×(0.5 + 0.5·causal_adjusted) (causal feedback); ×0.5 when one agent's key alone says that it fails.
pub(super) fn standing(run: &mut Run, held: &Standing, by_one_key: bool, policy: &RankPolicy) {
    if by_one_key {
        let input = f64::from(held.consecutive_failures);
        run.multiply("one_agent_fails", (input, ONE_KEY_FACTOR, ONE_KEY_FACTOR), || {
            format!(
                "one agent says it fails: {} of {} times; a person or another agent has to say so, too",
                held.times_applied.saturating_sub(held.success_count),
                held.times_applied
            )
        });
    }
    if let Some(score) = held.low_rating(policy) {
        let factor = policy.low_score_factor;
        run.multiply("low_rating", (score, factor, factor), || {
            format!(
                "{} of {} ratings were helpful",
                held.times_helpful,
                u64::from(held.times_helpful) + u64::from(held.times_not_helpful)
            )
        });
    }
    if held.never_helpful(policy) {
        let factor = policy.unhelpful_factor;
        let input = f64::from(held.times_surfaced);
        run.multiply("never_helpful", (input, factor, factor), || {
            format!(
                "surfaced {} times and never found helpful",
                held.times_surfaced
            )
        });
    }
    let adjusted = held.causal_adjusted(policy);
    let factor = policy.causal_base + policy.causal_weight * adjusted;
    run.multiply("causal", (adjusted, policy.causal_weight, factor), || {
        format!(
            "{} + {} · causal effectiveness ({} of {} uses were causal)",
            policy.causal_base, policy.causal_weight, held.causal_hits, held.use_count
        )
    });
}

/// The same by what is known of the lesson's effect: ×(1 + c·e), never below 0. Of a lesson that nothing is known of, ×1.
pub(super) fn evidence(run: &mut Run, slug: &str, effects: Option<&Effects>, policy: &RankPolicy) {
    let held = effects.and_then(|effects| effects.lesson(slug));
    let effect = held.map_or(0.0, |held| held.value);
    let weight = policy.evidence_weight;
    let factor = (1.0 + weight * effect).max(0.0);
    run.multiply("evidence", (effect, weight, factor), || match held {
        None => "nothing is known of its effect".to_owned(),
        Some(held) => format!(
            "1 + {weight} · effect: measured {:+.3} in {} decisions, weighted {:.2}; observed {:+.3} in {}",
            held.running.terms.mean, held.running.terms.t, held.weight, held.evidence, held.cells.n
        ),
    });
}

/// What keeps a lesson out that is said to hurt, in words.
pub(super) fn hurts(slug: &str, effects: Option<&Effects>) -> String {
    let held = effects.and_then(|effects| effects.lesson(slug));
    held.map_or_else(String::new, |held| {
        format!(
            "decisions go well less often with it: {:+.2} in {} measured decisions",
            held.running.terms.mean, held.running.terms.t
        )
    })
}

/// Why outcomes keep a lesson out, in words; `None` when they don't (decision recommendations).
pub(super) fn disqualified(held: &Standing, policy: &RankPolicy) -> Option<Disqualified> {
    match held.qualification(policy) {
        Qualification::Qualified => None,
        Qualification::Pending => Some(Disqualified::Pending),
        Qualification::Excluded => Some(Disqualified::Excluded),
    }
}

/// How outcomes keep a lesson out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Disqualified {
    /// Applied often enough, but not proven.
    Pending,
    /// Too many failures in a row.
    Excluded,
}

impl Disqualified {
    pub(super) fn words(self, held: &Standing) -> String {
        match self {
            Self::Pending => format!(
                "applied {} times with {} successes: too few to go on recommending it",
                held.times_applied, held.success_count
            ),
            Self::Excluded => format!("{} failures in a row", held.consecutive_failures),
        }
    }
}
