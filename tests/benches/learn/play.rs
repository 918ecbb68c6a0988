//! One arm in one world, decision by decision.

use crate::arm::{Arm, Given, Learner, Seen};
use crate::dice::Dice;
use crate::situations::Situations;
use crate::world::{PLACES, World, applies};
use lesson_core::learning::unit;
use lesson_core::{Drawn, Measured};

/// An outcome comes at most so many decisions later.
const LATEST: usize = 60;
/// The share of applied lessons that nobody sees, and of others that are seen as applied.
const MISSED: f64 = 0.2;
const FALSE: f64 = 0.05;
/// Confidence of a detection: an agent that names a lesson, as half of those do that applied one, or a likeness of texts.
const EXPLICIT: f64 = 0.95;
const IMPLICIT: f64 = 0.6;
/// A lift from which a lesson is harmful, or good.
const MATTERS: f64 = 0.1;
/// Blocks of decisions in which exposure is counted.
const BLOCKS: usize = 20;
/// Below this share of what relevance would show, a lesson is out.
const OUT: f64 = 0.2;

/// The figures of an arm in a world.
#[derive(Debug, Clone, Copy, Default)]
pub struct Played {
    /// The mean chance of success.
    pub success: f64,
    /// The share of shown lessons that do harm.
    pub harmful: f64,
    /// The share of good lessons that are hardly shown in the last quarter.
    pub starved: f64,
    /// The share of useless and harmful lessons that are said to be proven.
    pub false_proven: f64,
}

/// Plays a world. Chances are drawn per decision and lesson, so that arms meet the same luck.
pub fn play(arm: Arm, world: &World, situations: &Situations) -> Played {
    let runs = world.family.runs;
    let mut learner = Learner::new(arm, situations, world.seed);
    let mut dice = Dice::new(world.seed ^ 0xd1ce);
    let many = situations.lessons.len();
    let mut exposure = vec![vec![(0.0, 0.0); BLOCKS]; many];
    let mut waiting: Vec<Vec<Seen>> = vec![Vec::new(); runs + LATEST + 1];
    let (mut success, mut shown_all, mut harmful) = (0.0, 0.0, 0.0);
    let salt = format!("world {}", world.seed);
    for run in 0..runs {
        let block = run * BLOCKS / runs;
        learner.now = world.time(run);
        for seen in std::mem::take(&mut waiting[run]) {
            learner.take(&seen);
        }
        let situation = dice.below(situations.asked.len());
        let asked = &situations.asked[situation];
        let lifts = world.lifts_at(run);
        let mut scored: Vec<(usize, f64, f64)> = Vec::new();
        for (lesson, relevance) in &asked.fitting {
            if let Some(score) = learner.score(*lesson, *relevance, lifts[*lesson]) {
                scored.push((*lesson, *relevance, score));
            }
        }
        scored.sort_by(|a, b| b.2.total_cmp(&a.2).then_with(|| a.0.cmp(&b.0)));
        scored.truncate(PLACES);
        let decision = format!("{run}");
        let q = arm.withholds();
        let mut drawn = Vec::new();
        let mut shown: Vec<Given> = Vec::new();
        let mut applied = Vec::new();
        for (place, (lesson, relevance, _)) in scored.iter().enumerate() {
            let slug = &situations.lessons[*lesson].slug;
            let withheld = q > 0.0 && unit(&[&salt, "withhold", &decision, slug]) < q;
            if q > 0.0 {
                drawn.push(Drawn {
                    lesson: slug.clone(),
                    q,
                    withheld,
                });
            }
            if withheld {
                continue;
            }
            let is_applied = unit(&[&salt, "apply", &decision, slug]) < applies(*relevance, place);
            let luck = unit(&[&salt, "see", &decision, slug]);
            let is_seen = if is_applied {
                luck >= MISSED
            } else {
                luck < FALSE
            };
            if is_applied {
                applied.push(*lesson);
            }
            let is_named = is_applied && unit(&[&salt, "name", &decision, slug]) < 0.5;
            shown.push(Given {
                lesson: *lesson,
                seen: is_seen.then_some(if is_named { EXPLICIT } else { IMPLICIT }),
            });
            exposure[*lesson][block].0 += 1.0;
            shown_all += 1.0;
            harmful += f64::from(u8::from(lifts[*lesson] < 0.0));
        }
        for (lesson, _) in asked.fitting.iter().take(PLACES) {
            exposure[*lesson][block].1 += 1.0;
        }
        let lied = world.is_lied_about(unit(&[&salt, "voice", &decision]));
        let voice = if lied { "agent:liar" } else { "local" };
        let measured = (q > 0.0).then_some(Measured {
            control: false,
            drawn,
            ..Measured::default()
        });
        learner.surface(run, asked.domain, voice, &shown, measured);
        let chance = world.chance(run, situation, &applied);
        success += chance;
        let went_well = unit(&[&salt, "outcome", &decision]) < chance;
        if unit(&[&salt, "missing", &decision]) >= world.family.missing {
            let late = 1 + (unit(&[&salt, "late", &decision]) * LATEST as f64) as usize;
            waiting[run + late].push(Seen {
                run,
                domain: asked.domain,
                voice,
                shown,
                success: went_well != lied,
            });
        }
    }
    Played {
        success: success / runs as f64,
        harmful: harmful / f64::max(shown_all, 1.0),
        ..judged(&learner, world, &exposure)
    }
}

fn judged(learner: &Learner<'_>, world: &World, exposure: &[Vec<(f64, f64)>]) -> Played {
    let runs = world.family.runs;
    // A lesson that fits a hundredth of the decisions has room to be judged.
    let enough = (runs as f64 / 100.0).max(10.0);
    let mut figures = [(0.0, 0.0); 2];
    let mut count = |at: usize, value: f64| {
        figures[at].0 += value;
        figures[at].1 += 1.0;
    };
    for (lesson, blocks) in exposure.iter().enumerate() {
        let lift = world.later[lesson];
        let wanted: f64 = blocks.iter().map(|block| block.1).sum();
        let has_room = wanted >= enough;
        if has_room && lift >= MATTERS {
            let last = &blocks[blocks.len() * 3 / 4..];
            let (shown, fitting): (f64, f64) = last
                .iter()
                .fold((0.0, 0.0), |sum, block| (sum.0 + block.0, sum.1 + block.1));
            count(0, f64::from(u8::from(shown <= OUT * fitting)));
        }
        if has_room && lift <= 0.0 {
            count(1, f64::from(u8::from(learner.proves(lesson))));
        }
    }
    let [starved, proven] = figures.map(|(sum, n)| if n > 0.0 { sum / n } else { f64::NAN });
    Played {
        starved,
        false_proven: proven,
        ..Played::default()
    }
}
