//! The badge of a lesson's effect: what may be said of it in a few words.

use super::effects::LessonEffect;
use super::more_runs::more_runs;
use lesson_types::LiftVerdict;

/// The verdict on a lesson's effect, and how much more it takes where nothing is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EffectBadge {
    /// The verdict; `Unknown` where nothing is said.
    pub verdict: LiftVerdict,
    /// About how many more runs it takes; `None` where something is said, where the lesson is not withheld, and where the
    /// estimate is turned off.
    pub more_runs: Option<u32>,
}

impl EffectBadge {
    /// The badge as people read it: *helps*, *no difference seen*, *hurts*, *not known yet: about N more runs*.
    pub fn words(self) -> String {
        self.verdict.in_words(self.more_runs)
    }
}

/// The badge of a lesson that is withheld with a probability of `q` from now on, 0 to 1.
///
/// *Helps* and *hurts* are what the e-values of all lessons say together ([`super::e_bh`]) at present; *no difference seen*
/// is said where they say nothing and the interval holds 0 and is at most ±[`super::TELLS`] wide. Else the effect is not
/// known yet, and N is [`more_runs`]: with the variance σ̂² that was seen and t runs, the least n with a half width of at
/// most ±0.15, less t:
///
/// N = min{ n : σ̂·√( 2(nρ²+1)/(n²ρ²) · ln(√(nρ²+1)/α) ) ≤ 0.15 } − t
///
/// but no fewer than each arm needs for an interval (20 runs, 5 successes, 5 failures) at its share of runs.
pub fn effect_badge(held: &LessonEffect, q: f64) -> EffectBadge {
    let is_unknown = held.verdict == LiftVerdict::Unknown;
    EffectBadge {
        verdict: held.verdict,
        more_runs: is_unknown.then(|| more_runs(&held.running, q)).flatten(),
    }
}
