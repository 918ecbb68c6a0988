//! Worlds: what each lesson really does, how often decisions go well without it, and how much of that is seen.

use crate::dice::Dice;
use crate::situations::Situations;

/// Decisions of a world.
pub const RUNS: usize = 4_000;
/// Lessons in an answer.
pub const PLACES: usize = 5;

/// A family of worlds.
#[derive(Debug, Clone, Copy)]
pub struct Family {
    /// Its name.
    pub name: &'static str,
    /// What its seeds begin with: families share no world.
    pub seed: u64,
    /// The base rates of its domains, from and to.
    pub base: (f64, f64),
    /// The share of outcomes that never come.
    pub missing: f64,
    /// How far situations of one domain lie apart, either way.
    pub within: f64,
    /// Whether a third of the lessons that help go stale at half-time.
    pub drifts: bool,
}

/// What constants are chosen on.
pub const TUNING: Family = Family {
    name: "tuning",
    seed: 1,
    base: (0.25, 0.75),
    missing: 0.25,
    within: 0.0,
    drifts: false,
};

/// What is reported.
pub const REPORTING: [Family; 5] = [
    Family {
        name: "standard",
        seed: 2,
        base: (0.2, 0.8),
        missing: 0.3,
        within: 0.0,
        drifts: false,
    },
    Family {
        name: "drift",
        seed: 3,
        base: (0.2, 0.8),
        missing: 0.3,
        within: 0.0,
        drifts: true,
    },
    Family {
        name: "40 % of outcomes missing",
        seed: 4,
        base: (0.2, 0.8),
        missing: 0.4,
        within: 0.0,
        drifts: false,
    },
    Family {
        name: "situations of a domain differ by ±0.3",
        seed: 6,
        base: (0.3, 0.7),
        missing: 0.3,
        within: 0.3,
        drifts: false,
    },
    Family {
        name: "base rate 0.8",
        seed: 5,
        base: (0.8, 0.8),
        missing: 0.3,
        within: 0.0,
        drifts: false,
    },
];

/// A world.
#[derive(Debug, Clone)]
pub struct World {
    /// Its seed.
    pub seed: u64,
    /// The lift of each lesson where it is applied, −0.3 to 0.3, a third of them 0.
    pub lifts: Vec<f64>,
    /// The same from half-time on.
    pub later: Vec<f64>,
    /// How often decisions in each situation go well without a lesson.
    pub base: Vec<f64>,
    /// The share of outcomes that never come.
    pub missing: f64,
}

impl World {
    /// The `nth` world of a family.
    pub fn of(family: &Family, nth: u64, situations: &Situations) -> Self {
        let seed = family.seed << 32 | nth;
        let mut dice = Dice::new(seed);
        let lifts: Vec<f64> = situations
            .lessons
            .iter()
            .map(|_| {
                let size = dice.between(-0.3, 0.3);
                if dice.chance(1.0 / 3.0) { 0.0 } else { size }
            })
            .collect();
        let later = lifts
            .iter()
            .map(|lift| {
                let is_stale = family.drifts && *lift > 0.0 && dice.chance(1.0 / 3.0);
                if is_stale { -lift } else { *lift }
            })
            .collect();
        let domains: Vec<f64> = situations
            .domains
            .iter()
            .map(|_| dice.between(family.base.0, family.base.1))
            .collect();
        Self {
            seed,
            lifts,
            later,
            base: situations
                .asked
                .iter()
                .map(|asked| domains[asked.domain] + dice.between(-family.within, family.within))
                .collect(),
            missing: family.missing,
        }
    }

    /// The lifts at a decision.
    pub fn lifts_at(&self, run: usize) -> &[f64] {
        if run < RUNS / 2 {
            &self.lifts
        } else {
            &self.later
        }
    }

    /// The chance that a decision goes well with these lessons applied.
    pub fn chance(&self, run: usize, situation: usize, applied: &[usize]) -> f64 {
        let lifts = self.lifts_at(run);
        let sum: f64 = applied.iter().map(|lesson| lifts[*lesson]).sum();
        (self.base[situation] + sum).clamp(0.02, 0.98)
    }
}

/// The chance that an agent applies a lesson of this relevance in this place, from 0.
pub fn applies(relevance: f64, place: usize) -> f64 {
    (relevance * (1.0 - 0.1 * place as f64)).clamp(0.0, 0.95)
}
