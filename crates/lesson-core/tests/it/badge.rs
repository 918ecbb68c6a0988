//! The badge of a lesson's effect: its words, and where its number of runs comes from.

use lesson_core::learning::{
    ALPHA, Effects, Learning, LessonEffect, Run, TELLS, effect_badge, half_width,
};
use lesson_core::{Drawn, LiftVerdict, Measured};

/// Runs in which `a` was drawn, each as (withheld, success).
fn lived(id: &str, q: f64, runs: impl Iterator<Item = (bool, bool)>) -> Effects {
    let mut learning = Learning::new();
    for (n, (withheld, success)) in (0..).zip(runs) {
        let measured = Measured {
            drawn: vec![Drawn {
                lesson: "a".to_owned(),
                q,
                withheld,
            }],
            ..Measured::default()
        };
        let run = Run {
            at: n,
            outcome: Some((n, success)),
            domain: "",
            by: "local",
            measured: Some(&measured),
        };
        learning.feed(&format!("{id}{n:06}"), Some(run));
    }
    learning.effects().clone()
}

#[test]
fn a_badge_says_one_of_four_things() {
    let of = |runs: &dyn Fn(i32) -> (bool, bool), many| {
        let effects = lived("d", 0.5, (0..many).map(runs));
        let held = effects.lesson("a").unwrap();
        (effect_badge(held, 0.5).words(), held.interval)
    };
    let (words, interval) = of(
        &|n| (n % 2 == 0, n % 8 == 0 || (n % 2 == 1 && n % 16 != 1)),
        400,
    );
    assert!(interval.unwrap().0 > 0.0);
    assert_eq!(words, "helps");
    let (words, interval) = of(
        &|n| (n % 2 == 0, n % 8 == 1 || (n % 2 == 0 && n % 16 != 0)),
        400,
    );
    assert!(interval.unwrap().1 < 0.0);
    assert_eq!(words, "hurts");
    let (words, interval) = of(&|n| (n % 2 == 0, n % 4 < 2), 3_000);
    let (low, high) = interval.unwrap();
    assert!(-TELLS < low && low < 0.0 && 0.0 < high && high < TELLS);
    assert_eq!(words, "no difference seen");
    let (words, _) = of(&|n| (n % 2 == 0, n % 4 < 2), 60);
    assert!(words.starts_with("not known yet: about ") && words.ends_with(" more runs"));
    // Nobody draws it any more: there is no number to wait for.
    let held = LessonEffect::unknown("a");
    assert_eq!(effect_badge(&held, 0.0).words(), "not known yet");
}

#[test]
fn about_so_many_more_runs_is_when_the_interval_is_as_narrow_as_what_a_person_is_told_of() {
    let effects = lived("d", 0.5, (0..100).map(|n| (n % 2 == 0, n % 4 < 2)));
    let held = effects.lesson("a").unwrap();
    let (sigma, t) = (held.running.terms.deviation(), held.running.terms.t);
    let more = effect_badge(held, 0.5).more_runs.unwrap();
    assert_eq!(held.verdict, LiftVerdict::Unknown);
    assert!(half_width(sigma, t + more, ALPHA) <= TELLS);
    assert!(half_width(sigma, t + more - 1, ALPHA) > TELLS);
    // A lesson that is hardly ever withheld takes longer: before 20 runs by the spread of a fair coin.
    let (rare, even) = (
        effect_badge(&LessonEffect::unknown("a"), 0.05),
        effect_badge(&LessonEffect::unknown("a"), 0.5),
    );
    assert!(rare.more_runs > even.more_runs);
}

#[test]
fn runs_of_another_policy_teach_nothing() {
    let effects = lived("policy-", 0.5, (0..100).map(|n| (n % 2 == 0, n % 4 < 2)));
    assert!(effects.lesson("a").is_none());
    assert_eq!(effects.whole.runs(), 0);
}
