//! A lesson's effect as answers have it.

use crate::convert::Reading;
use crate::state::snapshot::State;
use lesson_core::learning::{
    ArmCounts, EffectBadge, Effects, LessonEffect, LessonRunning, LoopLift, effect_badge,
};
use lesson_core::{Lesson, LiftVerdict, SALT_SETTING};
use lesson_types::{LessonLift, LessonMeasured, Lift, LiftArm, LiftCounts};

/// Returns what is known of a lesson's effect; `None` where it was never withheld, and is not now.
pub(crate) fn measured_of(state: &State, reading: &Reading, slug: &str) -> Option<LessonLift> {
    state.space.setting(SALT_SETTING)?;
    let lesson = state.space.lesson(slug)?;
    let q = reading.policy.measure.withhold;
    state.with_effects(|effects| {
        let held = effects.lesson(slug).cloned();
        let held = held.unwrap_or_else(|| LessonEffect::unknown(slug));
        // It may be another way of measuring that was turned on.
        (q > 0.0 || held.running.terms.t > 0).then(|| of_lesson(&held, Some(lesson), reading))
    })
}

/// The same in short. An agent reads the verdict alone: of numbers that move with each outcome it could tell in which
/// decisions a lesson was withheld.
pub(crate) fn in_short(held: &LessonLift, is_for_agent: bool) -> LessonMeasured {
    let number = |value: Option<f64>| value.filter(|_| !is_for_agent);
    let badge = EffectBadge {
        verdict: held.verdict,
        more_runs: held.more_runs.filter(|_| !is_for_agent),
    };
    LessonMeasured {
        verdict: badge.verdict,
        badge: badge.words(),
        more_runs: badge.more_runs,
        estimate: number(held.lift.estimate),
        low: number(held.lift.low),
        high: number(held.lift.high),
    }
}

/// Counts the lessons by what is said of them; `None` where nothing was ever measured in the space.
pub(crate) fn counted(state: &State) -> Option<LiftCounts> {
    state.space.setting(SALT_SETTING)?;
    Some(state.with_effects(counts))
}

pub(crate) fn counts(effects: &Effects) -> LiftCounts {
    let mut counts = LiftCounts::default();
    for held in &effects.lessons {
        let counted = match held.verdict {
            LiftVerdict::Helps => &mut counts.helps,
            LiftVerdict::NoDifference => &mut counts.no_difference,
            LiftVerdict::Hurts => &mut counts.hurts,
            LiftVerdict::Unknown => &mut counts.unknown,
        };
        *counted = counted.saturating_add(1);
    }
    counts
}

/// A lesson's lift as an answer has it.
pub(crate) fn of_effect(held: &LessonEffect) -> Lift {
    of_running(&held.running, held.shown_open, held.withheld_open)
}

/// The lift of the loop, or of a part of it.
pub(crate) fn of_loop(held: &LoopLift) -> Lift {
    of_running(&held.running, held.shown_open, held.control_open)
}

fn of_running(running: &LessonRunning, shown_open: u32, withheld_open: u32) -> Lift {
    let interval = running.interval();
    Lift {
        shown: arm_of(running.shown, shown_open),
        withheld: arm_of(running.withheld, withheld_open),
        estimate: running.estimate(),
        low: interval.map(|(low, _)| low),
        high: interval.map(|(_, high)| high),
        guard: running.guard(),
    }
}

pub(crate) fn of_lesson(
    held: &LessonEffect,
    lesson: Option<&Lesson>,
    reading: &Reading,
) -> LessonLift {
    let badge = effect_badge(held, reading.policy.measure.withhold);
    LessonLift {
        slug: held.slug.to_string(),
        title: lesson.map_or_else(String::new, |one| one.text.title.clone()),
        belief: lesson
            .map(|one| reading.lift(&one.standing))
            .unwrap_or_default(),
        verdict: badge.verdict,
        badge: badge.words(),
        lift: of_effect(held),
        more_runs: badge.more_runs,
    }
}

pub(crate) fn arm_of(held: ArmCounts, open: u32) -> LiftArm {
    LiftArm {
        successes: held.successes,
        failures: held.failures,
        open: Some(open),
    }
}
