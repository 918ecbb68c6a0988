//! What comparisons of two policies have come to: whose lessons were applied, and which policy's decisions went well.

use super::evalue::{FALSE_DISCOVERIES, e_bh};
use super::more_runs::{TELLS, more_runs};
use super::running::{LeastRuns, LessonRunning};
use super::sequence::{ALPHA, half_width, runs_to};
use crate::event::Shadowed;
use crate::instant::Millis;
use lesson_types::{LiftGuard, PolicySide, ShadowVerdict};
use std::sync::Arc;

/// The probability that the second policy decides: a fair draw.
const HALF: f64 = 0.5;

/// Decisions of a comparison in which each got lessons of both policies, by whose lessons were applied more.
///
/// A decision is one voice, +1 for the second policy and −1 for the first, whatever the number of lessons; one that applied
/// as many of each is a tie and says nothing. The preference is the mean of the voices, −1 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Preference {
    /// Decisions that got lessons of both.
    pub decisions: u32,
    /// Those that applied more of the first.
    pub first: u32,
    /// Those that applied more of the second.
    pub second: u32,
    /// Those that applied lessons, as many of each.
    pub ties: u32,
}

impl Preference {
    /// Decisions with a voice.
    pub fn voices(&self) -> u32 {
        self.first.saturating_add(self.second)
    }

    /// The mean of the voices; `None` without one.
    pub fn estimate(&self) -> Option<f64> {
        let n = self.voices();
        (n > 0).then(|| (f64::from(self.second) - f64::from(self.first)) / f64::from(n))
    }

    /// Whether an interval is given: 20 voices, 5 for each side, as for a lesson.
    pub fn guard(&self) -> LiftGuard {
        let is_enough = self.voices() >= LeastRuns::RUNS
            && self.first >= LeastRuns::OUTCOMES
            && self.second >= LeastRuns::OUTCOMES;
        if is_enough {
            LiftGuard::Given
        } else {
            LiftGuard::TooFew
        }
    }

    /// Its interval: the confidence sequence of lessons' lifts, over voices of ±1.
    pub fn interval(&self) -> Option<(f64, f64)> {
        let mean = self
            .estimate()
            .filter(|_| self.guard() == LiftGuard::Given)?;
        let half = half_width(self.deviation(), self.voices(), ALPHA);
        Some(((mean - half).max(-1.0), (mean + half).min(1.0)))
    }

    /// ln of the e-value against "neither is preferred": the likelihood of the voices under every preference alike over that
    /// of fair ones, 2ⁿ·a!·b!/(n+1)! (Ville 1939; Robbins 1970, "Statistical methods related to the law of the iterated
    /// logarithm"). Exact at every n, and in whatever order voices come.
    pub fn ln_e(&self) -> f64 {
        let (a, b) = (f64::from(self.first), f64::from(self.second));
        (a + b) * core::f64::consts::LN_2 + libm::lgamma(a + 1.0) + libm::lgamma(b + 1.0)
            - libm::lgamma(a + b + 2.0)
    }

    /// What may be said: a preference where the e-value is at least 1/0.05, none where the interval is within ±0.15.
    pub fn verdict(&self) -> ShadowVerdict {
        if self.ln_e() >= libm::log(1.0 / ALPHA) {
            return better(self.second > self.first);
        }
        no_difference(
            self.interval(),
            half_width(self.deviation(), self.voices(), ALPHA),
        )
    }

    /// About how many more decisions with a voice it takes until the interval is given and at most ±0.15 wide; as for a
    /// lesson, a third narrower where it is so already.
    pub fn more(&self) -> u32 {
        let n = self.voices();
        let sigma = if n >= LeastRuns::RUNS {
            self.deviation().max(0.1)
        } else {
            1.0
        };
        let now = half_width(sigma, n, ALPHA);
        let width = if now <= TELLS { now / 1.5 } else { TELLS };
        runs_to(width, sigma, ALPHA)
            .saturating_sub(n)
            .max(LeastRuns::RUNS.saturating_sub(n))
    }

    /// The deviation of voices of ±1 around their mean.
    fn deviation(&self) -> f64 {
        let mean = self.estimate().unwrap_or_default();
        libm::sqrt((1.0 - mean * mean).max(0.0))
    }

    fn count(&mut self, applied: (u32, u32), forth: bool) {
        let step = |held: &mut u32| {
            *held = if forth {
                held.saturating_add(1)
            } else {
                held.saturating_sub(1)
            };
        };
        step(&mut self.decisions);
        match applied {
            (0, 0) => {}
            (first, second) if first > second => step(&mut self.first),
            (first, second) if first < second => step(&mut self.second),
            _ => step(&mut self.ties),
        }
    }
}

/// Decisions of a comparison that went to one policy or the other.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Split {
    /// Those with an outcome, as of a lesson: *shown* are the second policy's, *withheld* the first's, q one half.
    pub running: LessonRunning,
    /// Decisions of the first policy without an outcome.
    pub first_open: u32,
    /// Those of the second.
    pub second_open: u32,
}

impl Split {
    /// What may be said: by e-values of both claims, as of lessons.
    pub fn verdict(&self) -> ShadowVerdict {
        if self.running.ratio.is_off() {
            return ShadowVerdict::Unknown;
        }
        let claims = [self.running.helps.ln, self.running.hurts.ln];
        if let Some(claim) = e_bh(&claims, FALSE_DISCOVERIES).first() {
            return better(*claim == 0);
        }
        let terms = self.running.terms;
        no_difference(
            self.running.interval(),
            half_width(terms.deviation(), terms.t, ALPHA),
        )
    }

    /// Whether an interval is given, and why not.
    pub fn guard(&self) -> LiftGuard {
        self.running.guard()
    }

    /// About how many more decisions with an outcome it takes to know.
    pub fn more(&self) -> Option<u32> {
        more_runs(&self.running, HALF)
    }
}

fn better(is_second: bool) -> ShadowVerdict {
    if is_second {
        ShadowVerdict::Second
    } else {
        ShadowVerdict::First
    }
}

fn no_difference(interval: Option<(f64, f64)>, half: f64) -> ShadowVerdict {
    match interval {
        Some((low, high)) if low <= 0.0 && high >= 0.0 && half <= TELLS => {
            ShadowVerdict::NoDifference
        }
        _ => ShadowVerdict::Unknown,
    }
}

/// What is known of one comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparisonEffect {
    /// Its id.
    pub id: Arc<str>,
    /// The times of its first decision and of its last.
    pub between: (Millis, Millis),
    /// Whose lessons were applied.
    pub preference: Preference,
    /// Whose decisions went well.
    pub split: Split,
}

/// A decision's part in a comparison, compactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    /// The comparison's number.
    pub comparison: u32,
    /// Who decided alone.
    pub decided: Option<PolicySide>,
    /// How many lessons of each were applied.
    pub applied: (u32, u32),
}

impl Part {
    /// The part that a decision has which applied these lessons.
    pub fn of(shadow: &Shadowed, comparison: u32, applied: &[&str]) -> Self {
        let of = |slugs: &[String]| {
            let many = slugs.iter().filter(|slug| applied.contains(&slug.as_str()));
            u32::try_from(many.count()).unwrap_or(u32::MAX)
        };
        Self {
            comparison,
            decided: shadow.decided,
            applied: (of(&shadow.first), of(&shadow.second)),
        }
    }
}

/// Counts that need no order: of one comparison.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Tally {
    pub preference: Preference,
    pub first_open: u32,
    pub second_open: u32,
}

impl Tally {
    /// Counts a decision, or takes it back.
    pub fn count(&mut self, part: &Part, has_outcome: bool, forth: bool) {
        let open = match part.decided {
            None => return self.preference.count(part.applied, forth),
            Some(_) if has_outcome => return,
            Some(PolicySide::First) => &mut self.first_open,
            Some(PolicySide::Second) => &mut self.second_open,
        };
        *open = if forth {
            open.saturating_add(1)
        } else {
            open.saturating_sub(1)
        };
    }
}

/// Takes a decision with an outcome that one policy decided alone.
pub(super) fn take_split(running: &mut LessonRunning, side: PolicySide, success: bool, b: f64) {
    running.take(HALF, side == PolicySide::First, success, b);
}
