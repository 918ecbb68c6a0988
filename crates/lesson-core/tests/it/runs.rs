//! Decisions as they are kept: who did what, and nothing counted twice.

use crate::common::{
    NOW, added, event, feedback, folded, in_decision, lesson, outcome, rated, setting, surfaced,
    tracked,
};
use lesson_core::{
    DecisionOutcome, DigestRange, Drawn, Event, EventKind, FeedbackOutcome, FoldError, Measured,
    Policy, Qualification, Space,
};

const DELIVERED: FeedbackOutcome = FeedbackOutcome::Delivered;

/// A space with two lessons recommended for the decision `d`.
fn decided() -> Space {
    folded([
        added(lesson("a")),
        added(lesson("b")),
        surfaced("r", Some("d"), &["a", "b"]),
    ])
}

fn by(who: &str, n: u64, happening: EventKind) -> Event {
    Event {
        by: who.to_owned(),
        ..event(n, happening)
    }
}

fn standing(space: &Space) -> (u32, u32, u32, u32) {
    let held = &space.lesson("a").unwrap().standing;
    (
        held.use_count,
        held.times_helpful,
        held.times_not_helpful,
        held.upvotes,
    )
}

#[test]
fn everybody_says_a_thing_of_a_decision_once() {
    let voted = |up| {
        in_decision(
            EventKind::Voted {
                lesson: "a".to_owned(),
                up,
                decision_id: None,
            },
            "d",
        )
    };
    let rate = |helpful| in_decision(rated("a", helpful), "d");
    let given = |ended, causal: &[&str]| in_decision(feedback(ended, &["a"], causal), "d");
    let blocked = FeedbackOutcome::Blocked;
    let table = [
        ("one", given(DELIVERED, &["a"]), Ok(()), (1, 0, 0, 0)),
        ("one", given(DELIVERED, &["a"]), Ok(()), (1, 0, 0, 0)),
        ("one", given(DELIVERED, &[]), Err("conflict"), (1, 0, 0, 0)),
        ("one", given(blocked, &["a"]), Err("conflict"), (1, 0, 0, 0)),
        ("two", given(blocked, &["a"]), Ok(()), (2, 0, 0, 0)),
        ("one", rate(true), Ok(()), (2, 1, 0, 0)),
        ("one", rate(true), Ok(()), (2, 1, 0, 0)),
        ("one", rate(false), Err("conflict"), (2, 1, 0, 0)),
        ("two", rate(false), Ok(()), (2, 1, 1, 0)),
        // A vote is another thing than a rating.
        ("one", voted(true), Ok(()), (2, 1, 1, 1)),
        ("one", voted(true), Ok(()), (2, 1, 1, 1)),
        ("one", voted(false), Err("conflict"), (2, 1, 1, 1)),
        // Without a decision each counts.
        ("one", rated("a", true), Ok(()), (2, 2, 1, 1)),
        ("one", rated("a", true), Ok(()), (2, 3, 1, 1)),
    ];
    let mut space = decided();
    for (n, (who, happening, answer, after)) in (10..).zip(table) {
        let folded = space.fold(&by(who, n, happening.clone()), &Policy::default());
        assert_eq!(
            folded.map(|_| ()).map_err(|error| error.code()),
            answer,
            "{happening:?}"
        );
        assert_eq!(standing(&space), after, "{happening:?}");
    }
    assert_eq!(space.feedback_times().len(), 2);
}

#[test]
fn what_was_not_recommended_in_a_decision_is_not_judged_in_it() {
    let mut space = decided();
    let c = event(10, added(lesson("c")));
    space.fold(&c, &Policy::default()).unwrap();
    for (happening, field) in [
        (in_decision(rated("c", true), "d"), "lesson"),
        (
            in_decision(feedback(DELIVERED, &["a", "c"], &[]), "d"),
            "lessons",
        ),
        (in_decision(rated("a", true), "nobody"), "decision_id"),
        (
            in_decision(feedback(DELIVERED, &["a"], &[]), "nobody"),
            "decision_id",
        ),
    ] {
        let before = space.clone();
        let error = space
            .fold(&event(11, happening), &Policy::default())
            .unwrap_err();
        assert_eq!(error.field(), field, "{error}");
        assert_eq!(space, before);
    }
}

#[test]
fn a_decision_keeps_its_situation_and_who_did_what() {
    let mut space = decided();
    let events = [
        by("two", 10, surfaced("r2", Some("d"), &["b"])),
        by("one", 11, tracked("d", "a", true)),
        by("three", 12, outcome("d", DecisionOutcome::Success)),
        by(
            "four",
            13,
            in_decision(feedback(DELIVERED, &["a"], &["a"]), "d"),
        ),
    ];
    for event in &events {
        space.fold(event, &Policy::default()).unwrap();
    }
    let decision = space.decision("d").unwrap();
    assert_eq!(decision.context.domain.as_deref(), Some("perps"));
    // The first recommendation is the situation's.
    assert_eq!(decision.by, event(3, rated("a", true)).by);
    assert_eq!(decision.at, Some(event(3, rated("a", true)).at));
    assert_eq!(decision.outcome, Some(DecisionOutcome::Success));
    assert_eq!(
        (&*decision.outcome_by, decision.outcome_at),
        ("three", Some(events[2].at))
    );
    assert_eq!(decision.feedback[0].by, "four");
    assert_eq!(decision.records.len(), 2);
    assert_eq!(space.lesson("a").unwrap().by, "agent:1");
}

#[test]
fn an_outcome_that_comes_before_its_decision_counts_when_that_comes() {
    let space = folded([
        added(lesson("a")),
        outcome("d", DecisionOutcome::Failure),
        surfaced("r", Some("d"), &["a"]),
        tracked("d", "a", true),
    ]);
    let held = &space.lesson("a").unwrap().standing;
    assert_eq!((held.times_applied, held.consecutive_failures), (1, 1));
    let decision = space.decision("d").unwrap();
    assert_eq!(decision.records[0].trade_outcome, decision.outcome);
}

#[test]
fn another_trial_forgives_a_run_of_failures_and_leaves_the_counters() {
    let policy = Policy::default();
    let runs = |from: u32, count: u32, came| {
        (from..from + count).flat_map(move |n| {
            let id = format!("d{n}");
            [
                surfaced(&format!("r{n}"), Some(&id), &["a"]),
                tracked(&id, "a", true),
                outcome(&id, came),
            ]
        })
    };
    let trial = || {
        [EventKind::TrialGranted {
            lesson: "a".to_owned(),
        }]
    };
    let qualification = |happenings: Vec<EventKind>| {
        let space = folded(std::iter::once(added(lesson("a"))).chain(happenings));
        let held = space.lesson("a").unwrap().standing.clone();
        (held.qualification(&policy.rank), held.times_applied)
    };
    let lost = DecisionOutcome::Failure;
    let (out, pending, tried) = (
        Qualification::Excluded,
        Qualification::Pending,
        Qualification::Qualified,
    );
    for (happenings, expected) in [
        (runs(0, 5, lost).collect::<Vec<_>>(), (out, 5)),
        (runs(0, 3, lost).collect(), (pending, 3)),
        (runs(0, 5, lost).chain(trial()).collect(), (tried, 5)),
        (runs(0, 3, lost).chain(trial()).collect(), (tried, 3)),
        // It is tried like a new one: three more failures keep it out again.
        (
            runs(0, 5, lost)
                .chain(trial())
                .chain(runs(9, 2, lost))
                .collect(),
            (tried, 7),
        ),
        (
            runs(0, 5, lost)
                .chain(trial())
                .chain(runs(9, 3, lost))
                .collect(),
            (pending, 8),
        ),
        (
            runs(0, 3, lost)
                .chain(trial())
                .chain(runs(9, 3, DecisionOutcome::Success))
                .collect(),
            (tried, 6),
        ),
    ] {
        assert_eq!(qualification(happenings), expected);
    }
}

#[test]
fn settings_are_kept_whatever_their_names_and_bounded() {
    let space = folded([setting(true)]);
    assert_eq!(
        space.setting("tools.core_servers"),
        Some(&serde_json::json!(["git"]))
    );
    assert_eq!(folded([setting(true), setting(false)]).settings().len(), 0);
    for (name, value) in [
        ("", serde_json::json!(1)),
        ("Upper", serde_json::json!(1)),
        ("deep", serde_json::json!({"a": 1})),
        ("long", serde_json::json!("x".repeat(1_001))),
        ("list", serde_json::json!([1])),
        ("long.list", serde_json::json!(vec!["x"; 101])),
    ] {
        let changes = [(name.to_owned(), value)].into();
        let changed = event(1, EventKind::PolicyChanged { changes });
        let refused = Space::new().fold(&changed, &Policy::default());
        assert!(
            matches!(
                refused,
                Err(FoldError::Invalid {
                    field: "changes",
                    ..
                })
            ),
            "{name}: {refused:?}"
        );
    }
}

#[test]
fn what_is_measured_is_kept_and_checked() {
    let drawn = |lesson: &str, q| {
        let mut shown = surfaced("r", Some("d"), &["a"]);
        if let EventKind::Surfaced { measured, .. } = &mut shown {
            *measured = Some(Measured {
                control: false,
                drawn: vec![Drawn {
                    lesson: lesson.to_owned(),
                    q,
                    withheld: true,
                }],
                ..Measured::default()
            });
        }
        shown
    };
    let space = folded([added(lesson("a")), added(lesson("b")), drawn("b", 0.1)]);
    let decision = space.decision("d").unwrap();
    assert_eq!(decision.measured.as_ref().unwrap().drawn[0].lesson, "b");
    assert_eq!(space.lesson("b").unwrap().standing.times_surfaced, 0);
    for (lesson_drawn, q) in [("b", 1.5), ("b", f64::NAN), ("nobody", 0.1)] {
        let mut space = decided();
        let refused = space.fold(&event(9, drawn(lesson_drawn, q)), &Policy::default());
        assert!(refused.is_err(), "{lesson_drawn} {q}");
    }
}

#[test]
fn runs_are_counted_one_way_in_health_insights_and_digest() {
    let (good, bad) = (DecisionOutcome::Success, DecisionOutcome::Failure);
    let control = |id: &str| {
        let mut shown = surfaced(&format!("r-{id}"), Some(id), &[]);
        if let EventKind::Surfaced { measured, .. } = &mut shown {
            *measured = Some(Measured {
                control: true,
                control_q: 0.1,
                drawn: Vec::new(),
            });
        }
        shown
    };
    let space = folded([
        added(lesson("a")),
        surfaced("r1", Some("well"), &["a"]),
        tracked("well", "a", true),
        outcome("well", good),
        surfaced("r2", Some("badly"), &["a"]),
        tracked("badly", "a", true),
        outcome("badly", bad),
        surfaced("r3", Some("open"), &["a"]),
        // Nothing fitted: a run all the same.
        surfaced("r4", Some("empty"), &[]),
        control("c1"),
        outcome("c1", good),
        control("c2"),
        // Its recommendation is not known yet, so it is no run.
        outcome("elsewhere", good),
    ]);
    let (now, policy) = (NOW + 60_000, Policy::default());
    let runs = lesson_core::health(&space, now, &policy).runs;
    assert_eq!(
        (
            runs.runs,
            runs.with_outcome,
            runs.successes,
            runs.pending,
            runs.control
        ),
        (6, 2, 1, 2, 2)
    );
    assert_eq!(runs.runs, runs.with_outcome + runs.pending + runs.control);
    let insights = lesson_core::insights(&space, now, None, &policy);
    assert_eq!(insights.days, 1, "from the first run on");
    let range = DigestRange::new(now, 7, None).unwrap();
    let digest = lesson_core::digest_runs(&space, &range, &policy);
    assert_eq!(insights.totals, digest.totals);
    let (shown, control) = (insights.totals.shown, insights.totals.control);
    assert_eq!(
        (shown.successes, shown.failures, shown.pending),
        (
            runs.successes,
            runs.with_outcome - runs.successes,
            runs.pending
        )
    );
    assert_eq!(
        control.successes + control.failures + control.pending,
        runs.control
    );
    // A share is of the same runs wherever it stands: the space's, its only domain's, the digest's, the lesson's.
    let rate = digest.success.unwrap();
    assert_eq!((rate.share, rate.runs), (0.5, runs.with_outcome));
    let step = insights.steps.last().unwrap();
    assert_eq!(step.shown, Some(rate));
    assert_eq!(insights.by_domain[0].success, Some(rate));
    let held = &space.lesson("a").unwrap().standing;
    assert_eq!(insights.lessons[0].success, Some(rate));
    assert_eq!(
        (held.success_rate(), held.times_applied),
        (Some(rate.share), rate.runs)
    );
    assert_eq!(lesson_core::lift_view(held, now).runs, rate.runs);
}
