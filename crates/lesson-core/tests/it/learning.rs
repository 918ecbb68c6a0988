//! Learning about lessons: draws, estimates as decisions come, and what is never pretended.

use crate::common::{added, event, folded, lesson, outcome, surfaced, tracked};
use crate::coverage::{runs_to_tell, simulate};
use lesson_core::learning::{
    Candidate, Learning, LessonRunning, Measuring, Moments, Run, Selected, e_bh, half_width,
    measure, more_runs, unit,
};
use lesson_core::{
    DecisionOutcome, Drawn, EventKind, LiftGuard, LiftVerdict, MeasurePolicy, Measured, Policy,
    Space,
};

const SALT: &str = "salt";

fn drawn(lesson: &str, q: f64, withheld: bool) -> Drawn {
    Drawn {
        lesson: lesson.to_owned(),
        q,
        withheld,
    }
}

fn select(policy: &MeasurePolicy, decision: &str, before: Option<&Measured>) -> Selected {
    let slugs: Vec<String> = (0..12).map(|n| format!("lesson-{n}")).collect();
    let candidates: Vec<Candidate<'_>> = slugs
        .iter()
        .enumerate()
        .map(|(at, slug)| Candidate {
            slug,
            fits: at != 3,
        })
        .collect();
    let measuring = Measuring {
        policy,
        salt: SALT,
        decision,
        before,
    };
    measure(measuring, &candidates, 5)
}

#[test]
fn a_draw_is_even_and_of_its_key_alone() {
    let many = 20_000;
    let mean = (0..many)
        .map(|n| unit(&[SALT, "control", &n.to_string()]))
        .sum::<f64>()
        / f64::from(many);
    assert!((mean - 0.5).abs() < 0.01, "{mean}");
    // As any device reckons it: SHA-256 over the length, in eight bytes from the least, and the word.
    assert_eq!(unit(&["salt"]), 0.27897029116210814);
}

#[test]
fn lessons_are_withheld_as_often_as_was_said() {
    let policy = MeasurePolicy {
        control_runs: 0.1,
        withhold: 0.2,
        always: vec!["lesson-1".to_owned()],
        ..MeasurePolicy::default()
    };
    let (mut control, mut withheld, mut draws) = (0, 0, 0);
    for n in 0..10_000 {
        let selected = select(&policy, &n.to_string(), None);
        if selected.measured.control {
            control += 1;
            // A control run shows what a person said is always shown, and nothing else.
            assert_eq!(selected.shown, [1]);
            assert!(selected.measured.drawn.is_empty());
            continue;
        }
        // Lessons that do not fit in the budget, and those that are always shown, are not drawn for.
        let slugs: Vec<&str> = selected
            .measured
            .drawn
            .iter()
            .map(|one| one.lesson.as_str())
            .collect();
        assert_eq!(slugs, ["lesson-0", "lesson-2", "lesson-4"]);
        for one in &selected.measured.drawn {
            draws += 1;
            withheld += u32::from(one.withheld);
            assert!((one.q - 0.2).abs() < 1e-12);
            let at: usize = one.lesson["lesson-".len()..].parse().unwrap();
            assert_eq!(selected.shown.contains(&at), !one.withheld);
        }
    }
    assert!((900..1_100).contains(&control), "{control}");
    let share = f64::from(withheld) / f64::from(draws);
    assert!((share - 0.2).abs() < 0.01, "{share}");
}

#[test]
fn the_last_place_is_tried_with_what_is_logged() {
    let policy = MeasurePolicy {
        explore: 0.5,
        withhold: 0.1,
        ..MeasurePolicy::default()
    };
    let mut shown = [0_u32; 12];
    let mut said = [0.0_f64; 12];
    let many = 20_000;
    for n in 0..many {
        let selected = select(&policy, &n.to_string(), None);
        for at in &selected.shown {
            shown[*at] += 1;
        }
        for one in &selected.measured.drawn {
            let at: usize = one.lesson["lesson-".len()..].parse().unwrap();
            said[at] += 1.0 - one.q;
        }
        assert!(selected.shown.len() <= 5);
    }
    // Every lesson that took part was shown as often as its probability says.
    for at in [0, 1, 2, 4, 5, 6, 7, 8, 9] {
        let (seen, said) = (f64::from(shown[at]), said[at]);
        // 3.5 standard errors of the most that a count of draws varies.
        let bound = 3.5 * (f64::from(many) * 0.25).sqrt();
        assert!((seen - said).abs() < bound, "{at}: {seen} {said}");
    }
    assert!(shown[10] + shown[11] == 0 && shown[4] > shown[5]);
}

#[test]
fn a_repeat_draws_alike_whatever_the_policy_says_by_then() {
    let on = |q| MeasurePolicy {
        control_runs: q,
        withhold: q,
        ..MeasurePolicy::default()
    };
    for n in 0..500 {
        let id = n.to_string();
        let first = select(&on(0.4), &id, None);
        assert_eq!(first, select(&on(0.4), &id, None));
        // Probabilities changed in the middle: what was drawn holds.
        for changed in [0.0, 0.05, 0.5] {
            assert_eq!(select(&on(changed), &id, Some(&first.measured)), first);
        }
        // A smaller probability withholds fewer, of the same.
        let fewer = select(&on(0.1), &id, None);
        assert!(first.measured.control || !fewer.measured.control);
    }
}

#[test]
fn intervals_hold_under_a_look_at_every_run() {
    let counted = simulate(1, 2_000, 2_400);
    let share = |part: u32, of: u32| f64::from(part) / f64::from(of);
    let missed = share(counted.missed, counted.estimates);
    let wrong = share(counted.wrong, counted.told);
    let raw = share(counted.raw_wrong, counted.raw);
    println!("{counted:?}");
    assert!(counted.given > counted.estimates * 9 / 10);
    assert!(missed <= 0.05, "{missed}");
    assert!(wrong <= 0.05, "{wrong}");
    assert!(raw >= 0.2, "{raw}");
}

#[test]
fn a_lift_is_told_in_about_the_runs_that_are_promised() {
    for (lift, q, about) in [(0.15, 0.2, 532.0), (0.15, 0.1, 991.0)] {
        let runs = f64::from(runs_to_tell(5, lift, q, 200, 4_000));
        assert!((runs / about - 1.0).abs() < 0.35, "{lift} {q}: {runs}");
    }
    // And "about N more runs" is of the same size before anything is known.
    let more = more_runs(&LessonRunning::default(), 0.2).unwrap();
    assert!((400..900).contains(&more), "{more}");
    assert_eq!(more_runs(&LessonRunning::default(), 0.0), None);
}

#[test]
fn nothing_is_pretended_of_few_runs() {
    let mut held = LessonRunning::default();
    for n in 0..200 {
        // Nothing ever fails: no interval, however many runs.
        held.take(0.2, n % 5 == 0, true, 0.9);
    }
    assert_eq!(held.interval(), None);
    assert_eq!(half_width(0.5, 0, 0.05), f64::INFINITY);
    let mut moments = Moments::default();
    for term in [1.0, 2.0, 3.0, 4.0] {
        moments.add(term);
    }
    assert_eq!((moments.mean, moments.variance()), (2.5, 1.25));
    assert!(e_bh(&[], 0.05).is_empty());
    assert_eq!(e_bh(&[5.0, 0.0, 9.0], 0.05), [0, 2]);
}

/// A run in which `a` was drawn.
fn fed(learning: &mut Learning, n: i64, withheld: bool, success: bool) {
    let measured = Measured {
        control: false,
        drawn: vec![drawn("a", 0.2, withheld)],
        ..Measured::default()
    };
    let run = Run {
        at: n,
        outcome: Some((n, success)),
        domain: "perps",
        by: "local",
        measured: Some(&measured),
    };
    learning.feed(&format!("d{n:06}"), Some(run));
}

#[test]
fn what_comes_late_counts_as_if_it_had_come_in_time() {
    let mut in_order = Learning::new();
    let mut late = Learning::new();
    for n in 0..400 {
        fed(&mut in_order, n, n % 5 == 0, n % 3 != 0);
    }
    for n in (0..400).rev().step_by(2).chain((0..400).step_by(2)) {
        fed(&mut late, n, n % 5 == 0, n % 3 != 0);
        if n % 50 == 0 {
            late.effects();
        }
    }
    assert_eq!(in_order.effects(), late.effects());
    // Taken off again, as by an event that the server refused.
    late.feed("d000399", None);
    late.feed("d000007", None);
    let mut without = Learning::new();
    for n in (0..399).filter(|n| *n != 7) {
        fed(&mut without, n, n % 5 == 0, n % 3 != 0);
    }
    assert_eq!(late.effects().lessons, without.effects().lessons);
}

#[test]
fn a_harmful_lesson_is_told_of_and_skewed_draws_are_not_believed() {
    let mut learning = Learning::new();
    for n in 0..1_500 {
        let withheld = n % 5 == 0;
        // Four of five go well without it, two of five with it.
        let success = if withheld {
            n % 25 != 0
        } else {
            n % 5 < 3 && n % 2 == 0
        };
        fed(&mut learning, n, withheld, success);
    }
    let held = learning.effects().lesson("a").unwrap().clone();
    assert_eq!(
        (held.verdict, held.guard),
        (LiftVerdict::Hurts, LiftGuard::Given)
    );
    assert!(held.interval.is_some_and(|(_, high)| high < 0.0));
    let mut skewed = Learning::new();
    for n in 0..600 {
        // Half of the runs that withheld it are missing.
        if n % 10 != 0 {
            fed(&mut skewed, n, n % 5 == 0, n % 5 == 0);
        }
    }
    let held = skewed.effects().lesson("a").unwrap();
    assert_eq!((held.guard, held.interval), (LiftGuard::Ratio, None));
    assert_eq!(held.verdict, LiftVerdict::Unknown);
    assert_eq!(more_runs(&held.running, 0.2), None);
}

#[test]
fn a_decision_teaches_what_the_ledger_says_of_it() {
    let mut shown = surfaced("r", Some("d"), &["a"]);
    if let EventKind::Surfaced { measured, .. } = &mut shown {
        *measured = Some(Measured {
            control: false,
            drawn: vec![drawn("a", 0.2, false), drawn("b", 0.2, true)],
            ..Measured::default()
        });
    }
    let mut control = surfaced("r2", Some("c"), &[]);
    if let EventKind::Surfaced { measured, .. } = &mut control {
        *measured = Some(Measured {
            control: true,
            control_q: 0.1,
            drawn: Vec::new(),
        });
    }
    // The outcome of the control run comes before its retrieval, from another device.
    let mut space = folded([
        added(lesson("a")),
        added(lesson("b")),
        outcome("c", DecisionOutcome::Failure),
        shown,
        tracked("d", "a", true),
        control,
    ]);
    let open = |space: &Space| {
        let mut learning = Learning::of(space);
        let effects = learning.effects();
        let of = |slug: &str| {
            let held = effects.lesson(slug).unwrap();
            (held.running.terms.t, held.shown_open, held.withheld_open)
        };
        (of("a"), of("b"))
    };
    assert_eq!(open(&space), ((0, 1, 0), (0, 0, 1)));
    let told = outcome("d", DecisionOutcome::Success);
    space.fold(&event(20, told), &Policy::default()).unwrap();
    assert_eq!(open(&space), ((1, 0, 0), (1, 0, 0)));
    assert_eq!(
        space
            .decision("c")
            .unwrap()
            .measured
            .as_ref()
            .map(|one| one.control),
        Some(true)
    );
}

#[test]
fn an_estimate_ends_when_the_text_changes() {
    let mut space = folded([added(lesson("a"))]);
    let mut learning = Learning::of(&space);
    for n in 0..100 {
        fed(&mut learning, n, n % 5 == 0, n % 3 == 0);
    }
    assert_eq!(learning.effects().lesson("a").unwrap().running.terms.t, 100);
    let edit = EventKind::LessonEdited {
        lesson: "a".to_owned(),
        base_rev: 1,
        changes: Box::new(lesson_core::Changes {
            title: Some("Another".to_owned()),
            ..lesson_core::Changes::default()
        }),
        trust: lesson_core::Trust::Unreviewed,
        findings: Vec::new(),
    };
    space.fold(&event(50, edit), &Policy::default()).unwrap();
    learning.look_at_texts(&space);
    let held = learning.effects().lesson("a").unwrap();
    assert_eq!(held.running.terms.t, 0);
}

#[test]
fn ten_thousand_lessons_with_one_decision_each_say_nothing() {
    // The bound is far above what it takes: a pass over all decisions in each would break it.
    let begun = cpu_time::ThreadTime::now();
    let mut learning = Learning::new();
    for n in 0..10_000 {
        let slug = format!("lesson-{n}");
        let measured = Measured {
            control: false,
            drawn: vec![drawn(&slug, 0.2, n % 5 == 0)],
            ..Measured::default()
        };
        let run = Run {
            at: n,
            outcome: Some((n, n % 2 == 0)),
            domain: "perps",
            by: "local",
            measured: Some(&measured),
        };
        learning.feed(&format!("d{n}"), Some(run));
    }
    let effects = learning.effects();
    assert_eq!(effects.lessons.len(), 10_000);
    assert!(
        effects
            .lessons
            .iter()
            .all(|held| { held.interval.is_none() && held.verdict == LiftVerdict::Unknown })
    );
    assert!(begun.elapsed().as_secs() < 10, "{:?}", begun.elapsed());
}

#[test]
fn a_probability_that_changes_in_the_middle_biases_nothing() {
    // Decisions went well more often while little was withheld: the lesson did nothing to that.
    let mut held = LessonRunning::default();
    let (mut shown, mut withheld) = ((0.0, 0.0), (0.0, 0.0));
    let many = 20_000;
    for n in 0..many {
        let (q, rate) = if n < many / 2 { (0.1, 0.8) } else { (0.5, 0.3) };
        let name = n.to_string();
        let is_withheld = unit(&[SALT, "withhold", &name]) < q;
        let success = unit(&[SALT, "outcome", &name]) < rate;
        held.take(q, is_withheld, success, 0.5);
        let arm = if is_withheld {
            &mut withheld
        } else {
            &mut shown
        };
        *arm = (arm.0 + f64::from(u8::from(success)), arm.1 + 1.0);
    }
    let naive = shown.0 / shown.1 - withheld.0 / withheld.1;
    assert!(naive > 0.1, "{naive}");
    assert!(held.terms.mean.abs() < 0.05, "{}", held.terms.mean);
    let (low, high) = held.interval().unwrap();
    assert!(low < 0.0 && high > 0.0 && !held.ratio.is_off());
}

#[test]
fn a_clone_of_a_device_and_a_repeat_with_another_text_teach_nothing_twice() {
    let told = |retrieval: &str, query: &str, withheld: bool| {
        let mut shown = surfaced(retrieval, Some("d"), &["a"]);
        if let EventKind::Surfaced {
            measured, context, ..
        } = &mut shown
        {
            context.query = Some(query.to_owned());
            *measured = Some(Measured {
                control: false,
                drawn: vec![drawn("a", 0.2, withheld)],
                ..Measured::default()
            });
        }
        shown
    };
    let space = folded([
        added(lesson("a")),
        told("r", "deploy", false),
        // The clone draws alike, under a retrieval of its own; the repeat is about something else.
        told("r-clone", "deploy", false),
        told("r-again", "roll back", true),
        outcome("d", DecisionOutcome::Success),
        outcome("d", DecisionOutcome::Success),
    ]);
    let held = space.decision("d").unwrap();
    assert_eq!(held.context.query.as_deref(), Some("deploy"));
    let mut learning = Learning::of(&space);
    let known = &learning.effects().lesson("a").unwrap().running;
    assert_eq!(
        (known.terms.t, known.shown.runs(), known.withheld.runs()),
        (1, 1, 0)
    );
}
