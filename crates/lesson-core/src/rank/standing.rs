//! Step 4, standing: what ratings, surfacings and feedback multiply relevance by. Never more than
//! a change of order: the relevance cutoff has been taken by then.

use super::trace::Run;
use crate::lesson::Standing;
use crate::policy::RankPolicy;
use lesson_types::Qualification;

/// ×0.7 when `effectiveness_score` < 0.3, ×0.5 when surfaced ≥ 10 and never helpful (both effectiveness tracking), and
/// ×(0.5 + 0.5·causal_adjusted) (causal feedback).
pub(super) fn standing(run: &mut Run, held: &Standing, policy: &RankPolicy) {
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
                "applied {} times with {} successes: not proven effective",
                held.times_applied, held.success_count
            ),
            Self::Excluded => format!("{} failures in a row", held.consecutive_failures),
        }
    }
}
