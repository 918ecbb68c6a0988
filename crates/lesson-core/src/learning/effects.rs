//! What is said of every lesson, from all that is known by now.

use super::evalue::{FALSE_DISCOVERIES, e_bh};
use super::evidence::{Cells, evidence, shrinkage};
use super::loop_lift::{GroupLift, LoopLift};
use super::running::{LeastRuns, LessonRunning};
use super::sequence::{ALPHA, half_width};
use crate::stable_map::StableMap;
use lesson_types::{LiftGuard, LiftVerdict};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How much a measured lift of unknown size varies between lessons, as a variance: 0.02, so that lifts of ±0.14 are common.
/// It weighs measured against observed.
const PRIOR: f64 = 0.02;

/// What ranking reads of a lesson.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Effect {
    /// e = w·τ̂ + (1−w)·evidence, −1 to 1 but for noise.
    pub value: f64,
    /// Whether e-BH says that it hurts.
    pub hurts: bool,
}

/// What is said of a lesson.
#[derive(Debug, Clone, PartialEq)]
pub struct LessonEffect {
    /// Its slug.
    pub slug: Arc<str>,
    /// What was measured.
    pub running: LessonRunning,
    /// Drawn decisions without an outcome: those that showed it.
    pub shown_open: u32,
    /// Those that withheld it.
    pub withheld_open: u32,
    /// The interval of its lift.
    pub interval: Option<(f64, f64)>,
    /// What may be said.
    pub verdict: LiftVerdict,
    /// Why there is no interval, where there is none.
    pub guard: LiftGuard,
    /// What was observed.
    pub cells: Cells,
    /// Evidence of that, −1 to 1.
    pub evidence: f64,
    /// The weight of what was measured, 0 to 1.
    pub weight: f64,
    /// e = w·τ̂ + (1−w)·evidence.
    pub value: f64,
}

impl LessonEffect {
    /// Of a lesson that was neither drawn for nor applied.
    pub fn unknown(slug: &str) -> Self {
        Self {
            slug: Arc::from(slug),
            running: LessonRunning::default(),
            shown_open: 0,
            withheld_open: 0,
            interval: None,
            verdict: LiftVerdict::Unknown,
            guard: LiftGuard::TooFew,
            cells: Cells::default(),
            evidence: 0.0,
            weight: 0.0,
            value: 0.0,
        }
    }
}

/// What is said of all lessons that were drawn for or applied, and of the loop.
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
    /// A lesson's effect; none of one that nothing is known of.
    pub fn of(&self, slug: &str) -> Effect {
        self.lesson(slug)
            .map_or_else(Effect::default, |held| Effect {
                value: held.value,
                hurts: held.verdict == LiftVerdict::Hurts,
            })
    }

    /// What is said of a lesson.
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
    pub cells: Cells,
}

/// w = 0.02 / (0.02 + σ̂²/t), 0 to 1: how far a measured lift is believed over what was observed (precision weighting under
/// a normal prior; Morris 1983). 0 before 20 runs, whose spread says little of itself.
fn weight(running: &LessonRunning) -> f64 {
    let terms = running.terms;
    if terms.t < LeastRuns::RUNS || running.ratio.is_off() {
        return 0.0;
    }
    PRIOR / (PRIOR + terms.variance() / f64::from(terms.t))
}

/// What may be said of these lessons together.
pub(super) fn say(known: Vec<Known>) -> Vec<LessonEffect> {
    let k = shrinkage(known.iter().map(|one| one.cells));
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
            let weight = weight(&running);
            let evidence = evidence(one.cells, k);
            LessonEffect {
                verdict: said
                    .get(&at)
                    .copied()
                    .unwrap_or_else(|| quiet(&running, interval)),
                guard: running.guard(),
                value: weight * running.terms.mean + (1.0 - weight) * evidence,
                slug: one.slug,
                shown_open: one.shown_open,
                withheld_open: one.withheld_open,
                cells: one.cells,
                running,
                interval,
                evidence,
                weight,
            }
        })
        .collect()
}

/// What is said where the e-values say nothing.
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
