//! Step 4, standing: what ratings, surfacings and feedback multiply relevance by. Never more than
//! a change of order: the relevance cutoff has been taken by then.

use super::trace::Run;
use crate::instant::Millis;
use crate::learning::lift::Belief;
use crate::lesson::Standing;
use crate::policy::RankPolicy;
use lesson_types::{Qualification, StandingRule};

/// Share of an approved lesson's score that one key's failures leave, 0 to 1. 0.5.
const ONE_KEY_FACTOR: f64 = 0.5;

/// Multiplies the score by a lesson's standing, by the rule that the policy names.
pub(super) fn of_policy(
    run: &mut Run,
    held: &Standing,
    by_one_key: bool,
    (policy, now): (&RankPolicy, Millis),
) {
    match policy.standing {
        StandingRule::Lift => lift(run, held, by_one_key, now),
        StandingRule::Seeds => standing(run, held, by_one_key, policy),
    }
}

/// ×0.7 when `effectiveness_score` < 0.3, ×0.5 when surfaced ≥ 10 and never helpful (both effectiveness tracking), and
/// ×(0.5 + 0.5·causal_adjusted) (causal feedback); ×0.5 when one agent's key alone says that it fails.
fn standing(run: &mut Run, held: &Standing, by_one_key: bool, policy: &RankPolicy) {
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

/// ×u/u₀ by the lesson's lift at `now`, with u₀ that of a lesson which nothing was seen of: such a lesson gets ×1. Where it
/// would be left out on the word of one agent's key alone, ×0.5.
fn lift(run: &mut Run, held: &Standing, by_one_key: bool, now: Millis) {
    if by_one_key {
        let input = f64::from(held.times_applied);
        run.multiply(
            "one_agent_fails",
            (input, ONE_KEY_FACTOR, ONE_KEY_FACTOR),
            || {
                format!(
                    "one agent says it harms: {}; a person or another agent has to say so, too",
                    held.lift_words(now)
                )
            },
        );
        return;
    }
    let (belief, first) = (held.lift().at(now).optimism(), Belief::default().optimism());
    run.multiply("lift", (belief, first, belief / first), || {
        format!(
            "{}; with the doubt that speaks for it {belief:+.3}, over {first:+.3} of a lesson that nothing was seen of",
            held.lift_words(now)
        )
    });
}

/// Explains in words that a lesson is kept out because it harms.
pub(super) fn harms(held: &Standing, now: Millis) -> String {
    format!(
        "harms, as far as seen: {}; another trial brings it back",
        held.lift_words(now)
    )
}

/// Why outcomes keep a lesson out, in words; `None` when they don't (decision recommendations).
pub(super) fn disqualified(held: &Standing, policy: &RankPolicy) -> Option<Disqualified> {
    match held.qualification(policy) {
        Qualification::Qualified => None,
        Qualification::Pending => Some(Disqualified::Pending),
        Qualification::Excluded => Some(Disqualified::Excluded),
    }
}

/// Reason for which outcomes keep a lesson out.
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
