//! The belief in a lesson's lift: what it learns, forgets and never becomes.

use lesson_core::DAY;
use lesson_core::learning::{
    Base, Belief, FIRST_BASE_VARIANCE, FIRST_MEAN, FIRST_VARIANCE, learn, learn_alone, rated,
};
use lesson_types::LiftWord;
use proptest::prelude::*;

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-12
}

#[test]
fn one_outcome_is_shared_as_the_formula_says() {
    let mut base = Base::first(0.5);
    let (mut one, mut two, mut unseen) = (Belief::default(), Belief::default(), Belief::default());
    let mut applied = [(0.95, &mut one), (0.6, &mut two), (0.0, &mut unseen)];
    learn(&mut base, &mut applied, true, 7);
    let e = 0.5 + 0.95 * 0.03 + 0.6 * 0.03;
    let s = 0.05 + (0.95 * 0.95 + 0.6 * 0.6) * 0.0144 + e * (1.0 - e);
    assert!(near(base.rate, 0.5 + 0.05 / s * (1.0 - e)));
    assert!(near(base.variance, 0.05 - 0.05 * 0.05 / s + 2e-5));
    assert!(near(one.mean, 0.03 + 0.0144 * 0.95 / s * (1.0 - e)));
    assert!(near(
        two.variance,
        0.0144 - (0.0144_f64 * 0.6) * (0.0144 * 0.6) / s
    ));
    assert_eq!((one.at, unseen), (Some(7), Belief::default()));
}

#[test]
fn half_of_what_was_learned_is_left_after_180_days() {
    let learned = Belief {
        mean: 0.23,
        variance: 0.0044,
        at: Some(1_000),
    };
    let later = learned.at(1_000 + 180 * DAY);
    assert!(near(later.mean, 0.13), "{later:?}");
    assert!(near(later.variance, 0.0144 - 0.01 * 0.25), "{later:?}");
    let in_steps = (1..=180).fold(learned, |held, day| held.at(1_000 + day * DAY));
    assert!((in_steps.mean - later.mean).abs() < 1e-9);
    assert_eq!(learned.at(0), learned, "the past draws nothing back");
    let of_old = learned.at(i64::MAX);
    assert_eq!((of_old.mean, of_old.variance), (FIRST_MEAN, FIRST_VARIANCE));
}

#[test]
fn a_base_rate_of_four_fifths_proves_nobody_and_a_difference_is_seen() {
    let run = |rate: f64, lift: f64| {
        let (mut base, mut lesson, mut owed) = (Base::first(0.5), Belief::default(), [0.0; 2]);
        for n in 0..400 {
            // Runs go well as evenly as their chance allows, with the lesson and without.
            let with = n % 2;
            let chance = if with == 1 { rate + lift } else { rate };
            owed[with] += chance;
            let success = owed[with] >= 1.0;
            owed[with] -= f64::from(u8::from(success));
            let h = if with == 1 { 0.95 } else { 0.0 };
            learn(&mut base, &mut [(h, &mut lesson)], success, n as i64);
        }
        lesson
    };
    assert_eq!(run(0.8, 0.0).verdict(), LiftWord::Unsure);
    assert_eq!(run(0.5, 0.3).verdict(), LiftWord::Helps);
    let hurts = run(0.7, -0.4);
    assert_eq!(hurts.verdict(), LiftWord::Hurts);
    assert!(hurts.optimism() < 0.0 && hurts.interval().1 < 0.0);
}

#[test]
fn a_lesson_that_was_left_out_comes_back_to_be_tried() {
    let out = Belief {
        mean: -0.12,
        variance: 0.001,
        at: Some(0),
    };
    assert!(out.at(10 * DAY).optimism() <= 0.0);
    assert!(out.at(720 * DAY).optimism() > 0.0);
}

#[test]
fn ratings_weigh_less_than_runs_and_move_the_right_way() {
    let base = Base::first(0.5);
    let (mut well, mut badly, mut run) = (Belief::default(), Belief::default(), Belief::default());
    rated(base, &mut well, true, 0);
    rated(base, &mut badly, false, 0);
    learn_alone(base, 0.95, &mut run, true, 0);
    assert!(badly.mean < FIRST_MEAN && FIRST_MEAN < well.mean && well.mean < run.mean);
    let mut sinks = Belief::default();
    (0..30).for_each(|_| rated(base, &mut sinks, false, 0));
    assert!(sinks.optimism() <= 0.0, "{sinks:?}");
}

#[test]
fn showings_that_come_to_nothing_sink_a_lesson_but_leave_it_in() {
    let mut held = Belief::default();
    for n in 0..1_000 {
        let next = held.unheeded(n);
        assert!(next.optimism() < held.optimism());
        held = next;
    }
    assert!(held.optimism() > 0.0, "{held:?}");
}

#[test]
fn an_edit_keeps_half_of_it_in_full_doubt() {
    let held = Belief {
        mean: -0.17,
        variance: 0.002,
        at: Some(5),
    };
    let edited = held.widened();
    assert!(near(edited.mean, -0.07) && edited.at == Some(5));
    assert!(near(edited.variance, FIRST_VARIANCE));
}

#[test]
fn a_merge_counts_the_common_prior_once() {
    let unseen = Belief::default();
    let known = Belief {
        mean: 0.2,
        variance: 0.002,
        at: Some(9),
    };
    let merged = known.merged(unseen);
    assert!(near(merged.mean, 0.2) && near(merged.variance, 0.002));
    assert_eq!(merged, unseen.merged(known));
    let twice = known.merged(known);
    assert!(twice.variance < 0.002 && twice.mean > 0.2);
}

fn any_belief() -> impl Strategy<Value = Belief> {
    (any::<f64>(), any::<f64>(), any::<Option<i64>>()).prop_map(|(mean, variance, at)| Belief {
        mean,
        variance,
        at,
    })
}

fn holds(belief: &Belief) -> bool {
    belief.mean.is_finite()
        && (-1.0..=1.0).contains(&belief.mean)
        && belief.variance > 0.0
        && belief.variance <= FIRST_VARIANCE
}

proptest! {
    #[test]
    fn beliefs_stay_within_their_bounds_whatever_comes_in(
        mut beliefs in prop::collection::vec((any::<f64>(), any_belief()), 0..6),
        (rate, variance) in (any::<f64>(), any::<f64>()),
        outcomes in prop::collection::vec((any::<bool>(), any::<i64>()), 1..8),
    ) {
        let mut base = Base { rate, variance };
        for (success, at) in outcomes {
            let mut applied: Vec<_> =
                beliefs.iter_mut().map(|(h, belief)| (*h, belief)).collect();
            learn(&mut base, &mut applied, success, at);
            prop_assert!((0.0..=1.0).contains(&base.rate));
            prop_assert!(base.variance > 0.0 && base.variance <= FIRST_BASE_VARIANCE);
            for (_, belief) in &mut beliefs {
                rated(base, belief, success, at);
                prop_assert!(holds(belief), "{belief:?}");
                let (low, high) = belief.interval();
                prop_assert!(-1.0 <= low && low <= high && high <= 1.0);
                for other in [belief.at(at), belief.widened(), belief.unheeded(at), belief.merged(belief.at(at))] {
                    prop_assert!(holds(&other), "{other:?}");
                    prop_assert!(other.optimism().is_finite());
                }
            }
        }
    }
}
