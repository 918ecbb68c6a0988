//! The verdict on every lesson, from all that is known by now.

use super::evalue::{FALSE_DISCOVERIES, e_bh};
use super::loop_lift::{GroupLift, LoopLift};
use super::running::LessonRunning;
use super::sequence::{ALPHA, half_width};
use crate::stable_map::StableMap;
use lesson_types::{LiftGuard, LiftVerdict};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A lesson's effect as far as measured, and the verdict on it.
#[derive(Debug, Clone, PartialEq)]
pub struct LessonEffect {
    /// Its slug.
    pub slug: Arc<str>,
    /// The measurements of drawn decisions with an outcome.
    pub running: LessonRunning,
    /// Drawn decisions without an outcome: those that showed it.
    pub shown_open: u32,
    /// Those that withheld it.
    pub withheld_open: u32,
    /// The interval of its lift.
    pub interval: Option<(f64, f64)>,
    /// The verdict that may be given.
    pub verdict: LiftVerdict,
    /// Why there is no interval, where there is none.
    pub guard: LiftGuard,
}

impl LessonEffect {
    /// Of a lesson that was not drawn for.
    pub fn unknown(slug: &str) -> Self {
        Self {
            slug: Arc::from(slug),
            running: LessonRunning::default(),
            shown_open: 0,
            withheld_open: 0,
            interval: None,
            verdict: LiftVerdict::Unknown,
            guard: LiftGuard::TooFew,
        }
    }
}

/// The effects of all lessons that were drawn for, and of the loop.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Effects {
    /// The lessons.
    pub lessons: Vec<LessonEffect>,
    /// Their places, by slug.
    pub(super) places: StableMap<Arc<str>, usize>,
    /// The loop.
    pub whole: LoopLift,
    /// The loop by domain, in the order of their names.
    pub by_domain: Vec<GroupLift>,
    /// The loop by who asked, in the order of their names.
    pub by_agent: Vec<GroupLift>,
}

impl Effects {
    /// True if e-BH says that a lesson hurts.
    pub fn hurts(&self, slug: &str) -> bool {
        let held = self.lesson(slug);
        held.is_some_and(|held| held.verdict == LiftVerdict::Hurts)
    }

    /// Finds the effect of a lesson; `None` for one that was never drawn for.
    pub fn lesson(&self, slug: &str) -> Option<&LessonEffect> {
        self.lessons.get(*self.places.get(slug)?)
    }
}

/// A lesson before anything is said of it.
pub(super) struct Known {
    pub slug: Arc<str>,
    pub running: LessonRunning,
    pub shown_open: u32,
    pub withheld_open: u32,
}

/// Gives the verdicts on these lessons, all tested together.
pub(super) fn say(known: Vec<Known>) -> Vec<LessonEffect> {
    let drawn: Vec<usize> = (0..known.len())
        .filter(|at| known[*at].running.terms.t > 0)
        .collect();
    // Both claims of every lesson are tested together; an estimate that is turned off claims nothing.
    let claims: Vec<f64> = drawn
        .iter()
        .flat_map(|at| {
            let running = &known[*at].running;
            if running.ratio.is_off() {
                [f64::NEG_INFINITY; 2]
            } else {
                [running.helps.ln, running.hurts.ln]
            }
        })
        .collect();
    let mut said: BTreeMap<usize, LiftVerdict> = BTreeMap::new();
    for claim in e_bh(&claims, FALSE_DISCOVERIES) {
        let verdict = if claim % 2 == 0 {
            LiftVerdict::Helps
        } else {
            LiftVerdict::Hurts
        };
        said.insert(drawn[claim / 2], verdict);
    }
    known
        .into_iter()
        .enumerate()
        .map(|(at, one)| {
            let running = one.running;
            let interval = running.interval();
            LessonEffect {
                verdict: said
                    .get(&at)
                    .copied()
                    .unwrap_or_else(|| quiet(&running, interval)),
                guard: running.guard(),
                slug: one.slug,
                shown_open: one.shown_open,
                withheld_open: one.withheld_open,
                running,
                interval,
            }
        })
        .collect()
}

/// Gives the verdict where the e-values say nothing.
fn quiet(running: &LessonRunning, interval: Option<(f64, f64)>) -> LiftVerdict {
    let Some((low, high)) = interval else {
        return LiftVerdict::Unknown;
    };
    let half = half_width(running.terms.deviation(), running.terms.t, ALPHA);
    if low <= 0.0 && high >= 0.0 && half <= super::more_runs::TELLS {
        LiftVerdict::NoDifference
    } else {
        LiftVerdict::Unknown
    }
}

/// The number of draws without an outcome in each arm, by lesson.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Open {
    pub shown: u32,
    pub withheld: u32,
}

impl Open {
    /// Counts one, or takes it back.
    pub fn count(&mut self, withheld: bool, forth: bool) {
        let held = if withheld {
            &mut self.withheld
        } else {
            &mut self.shown
        };
        *held = if forth {
            held.saturating_add(1)
        } else {
            held.saturating_sub(1)
        };
    }
}
