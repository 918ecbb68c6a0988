//! The rate at which an interval misses when somebody looks at every run, and that of wrong signs: simulated spaces, each
//! with lessons of its own in domains of their own. `tests/oracles/learning_coverage.py` simulates the same in numpy.

use crate::dice::Dice;
use lesson_core::learning::{LessonRunning, baseline};

/// Lessons, and domains, of a space.
const LESSONS: usize = 4;
/// The probability of being withheld.
const Q: f64 = 0.2;

/// Counts over all spaces.
#[derive(Debug, Default, Clone, Copy)]
pub struct Counted {
    /// Estimates.
    pub estimates: u32,
    /// Those that ever had an interval.
    pub given: u32,
    /// Those whose interval missed the truth at any run.
    pub missed: u32,
    /// Those whose interval left out 0 in the end, where there is a lift.
    pub told: u32,
    /// Those of them that had the wrong sign.
    pub wrong: u32,
    /// Lessons with a lift and a raw success rate.
    pub raw: u32,
    /// Those whose success rate lies on the wrong side of the space's.
    pub raw_wrong: u32,
}

/// Simulates `spaces` spaces of `runs` decisions each.
///
/// Base rates of domains are 0.2 to 0.8; a third of the lifts are 0, others ±0.05 to ±0.3, the truth being what is left of
/// them between 0 and 1.
pub fn simulate(seed: u64, spaces: u32, runs: u32) -> Counted {
    let mut counted = Counted::default();
    for space in 0..spaces {
        let mut dice = Dice::new(seed ^ (u64::from(space) << 20));
        one_space(&mut dice, runs, &mut counted);
    }
    counted
}

fn one_space(dice: &mut Dice, runs: u32, counted: &mut Counted) {
    let mut rates = [(0.0, 0.0); LESSONS];
    for rate in &mut rates {
        let base = dice.between(0.2, 0.8);
        let lift = if dice.chance(1.0 / 3.0) {
            0.0
        } else {
            let size = dice.between(0.05, 0.3);
            if dice.chance(0.5) { size } else { -size }
        };
        *rate = (base, (base + lift).clamp(0.0, 1.0));
    }
    let mut held = [LessonRunning::default(); LESSONS];
    let mut domains = [(0_u32, 0_u32); LESSONS];
    let mut space = (0_u32, 0_u32);
    let mut was_given = [false; LESSONS];
    let mut has_missed = [false; LESSONS];
    for _ in 0..runs {
        let at = dice.below(LESSONS);
        let (without, with) = rates[at];
        let withheld = dice.chance(Q);
        let success = dice.chance(if withheld { without } else { with });
        let rate = if space.0 == 0 {
            0.5
        } else {
            f64::from(space.1) / f64::from(space.0)
        };
        let expected = baseline(domains[at].0, domains[at].1, rate);
        held[at].take(Q, withheld, success, expected);
        for count in [&mut domains[at], &mut space] {
            count.0 += 1;
            count.1 += u32::from(success);
        }
        if let Some((low, high)) = held[at].interval() {
            was_given[at] = true;
            let truth = with - without;
            has_missed[at] |= truth < low || truth > high;
        }
    }
    let of_space = f64::from(space.1) / f64::from(space.0.max(1));
    for at in 0..LESSONS {
        let truth = rates[at].1 - rates[at].0;
        counted.estimates += 1;
        counted.given += u32::from(was_given[at]);
        counted.missed += u32::from(has_missed[at]);
        if truth == 0.0 {
            continue;
        }
        if let Some((low, high)) = held[at].interval()
            && (low > 0.0 || high < 0.0)
        {
            counted.told += 1;
            counted.wrong += u32::from((low > 0.0) != (truth > 0.0));
        }
        let shown = held[at].shown;
        if shown.runs() > 0 {
            let raw = f64::from(shown.successes) / f64::from(shown.runs());
            counted.raw += 1;
            counted.raw_wrong += u32::from((raw > of_space) != (truth > 0.0));
        }
    }
}

/// The median number of runs of a lesson until its interval leaves out 0 for good sight of it, of `spaces` lessons with
/// this lift at a base rate of one half; `u32::MAX` where half of them take more than `most`.
pub fn runs_to_tell(seed: u64, lift: f64, q: f64, spaces: u32, most: u32) -> u32 {
    let mut taken: Vec<u32> = (0..spaces)
        .map(|space| {
            let mut dice = Dice::new(seed ^ (u64::from(space) << 20));
            let mut held = LessonRunning::default();
            let mut seen = (0_u32, 0_u32);
            for run in 1..=most {
                let withheld = dice.chance(q);
                let rate = 0.5 + if withheld { -lift / 2.0 } else { lift / 2.0 };
                let success = dice.chance(rate);
                held.take(q, withheld, success, baseline(seen.0, seen.1, 0.5));
                seen = (seen.0 + 1, seen.1 + u32::from(success));
                let told = held
                    .interval()
                    .filter(|(low, high)| *low > 0.0 || *high < 0.0);
                if told.is_some() {
                    return run;
                }
            }
            u32::MAX
        })
        .collect();
    taken.sort_unstable();
    taken[taken.len() / 2]
}
