//! The fold's effects, event by event, and what it refuses.

use crate::common::{
    NOW, added, counts, event, feedback, folded, ledger, lesson, outcome, rated, surfaced, tracked,
    with,
};
use DecisionOutcome::{Failure, Pending, Success};
use lesson_core::FeedbackOutcome::{Blocked, Delivered, PlanComplete};
use lesson_core::{
    Changes, DecisionOutcome, Event, EventKind, Folded, MatchType, Policy, Space, Trust, Verdict,
};

fn standing(space: &Space, slug: &str) -> lesson_core::Standing {
    space.lesson(slug).expect("it was added").standing.clone()
}

#[test]
fn an_added_lesson_has_the_defaults_of_an_old_record() {
    let old = r#"{"slug":"a","title":"A","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z"}"#;
    let read: lesson_core::Lesson = serde_json::from_str(old).expect("old records load");
    let space = folded([added(read)]);
    let held = space.lesson("a").expect("it was added");
    let s = &held.standing;
    assert_eq!((s.confidence, s.frequency, s.effectiveness), (0.5, 1, 0.5));
    assert_eq!(
        [
            s.upvotes,
            s.downvotes,
            s.times_surfaced,
            s.times_helpful,
            s.times_not_helpful,
            s.use_count,
            s.causal_hits,
            s.times_applied,
            s.success_count,
            s.consecutive_failures
        ],
        [0; 10]
    );
    assert_eq!(
        (held.trust, held.rev, held.archived),
        (Trust::Unreviewed, 1, false)
    );
    assert_eq!(
        (s.last_used_at, s.last_feedback_at, s.qualified_at),
        (None, None, None)
    );
    assert!(!s.proven_effective);
}

#[test]
fn causal_feedback_moves_effectiveness_as_the_worked_values_say() {
    let after = |outcome, start: f64, n: usize, causal: bool| {
        let first = added(with("a", |l| l.standing.effectiveness = start));
        let causes: &[&str] = if causal { &["a"] } else { &[] };
        let space =
            folded(std::iter::once(first).chain((0..n).map(|_| feedback(outcome, &["a"], causes))));
        standing(&space, "a").effectiveness
    };
    for (outcome, start, n, causal, expected) in [
        (Delivered, 0.5, 10, true, 0.825_660_779_950),
        (Delivered, 0.5, 20, true, 0.939_211_672_727),
        (PlanComplete, 0.5, 10, true, 0.825_660_779_950),
        (Blocked, 0.5, 1, true, 0.45),
        (Delivered, 0.75, 11, false, 0.578_452_649),
        (Blocked, 0.75, 11, false, 0.578_452_649),
        (Delivered, 0.5, 30, false, 0.5),
    ] {
        let got = after(outcome, start, n, causal);
        assert!(
            (got - expected).abs() < 5e-10,
            "{outcome:?} ×{n} from {start}: {got}"
        );
    }
}

#[test]
fn feedback_counts_every_lesson_once_and_dates_it() {
    let space = folded([
        added(lesson("a")),
        added(lesson("b")),
        feedback(Delivered, &["a", "b", "a"], &["a"]),
    ]);
    let (a, b) = (standing(&space, "a"), standing(&space, "b"));
    let at = Some(NOW + 3000);
    assert_eq!(
        (
            a.use_count,
            a.causal_hits,
            a.last_used_at,
            a.last_feedback_at
        ),
        (1, 1, at, at)
    );
    assert_eq!(
        (
            b.use_count,
            b.causal_hits,
            b.last_used_at,
            b.last_feedback_at
        ),
        (1, 0, at, None)
    );
    assert_eq!(a.effectiveness, 0.5 * 0.9 + 0.1);
}

#[test]
fn ratings_and_votes_move_confidence_within_its_bounds() {
    let vote = |up| EventKind::Voted {
        lesson: "a".to_owned(),
        up,
        decision_id: None,
    };
    for (start, happening, expected) in [
        (0.5, rated("a", true), 0.52),
        (0.5, rated("a", false), 0.47),
        (0.99, rated("a", true), 1.0),
        (0.11, rated("a", false), 0.1),
        (0.5, vote(true), 0.55),
        (0.5, vote(false), 0.45),
        (0.98, vote(true), 1.0),
        (0.12, vote(false), 0.1),
    ] {
        let words = format!("{happening:?}");
        let space = folded([
            added(with("a", |l| l.standing.confidence = start)),
            happening,
        ]);
        assert_eq!(
            standing(&space, "a").confidence,
            expected,
            "{words} from {start}"
        );
    }
    let space = folded([
        added(lesson("a")),
        rated("a", true),
        rated("a", false),
        vote(true),
        vote(false),
    ]);
    let s = standing(&space, "a");
    assert_eq!(
        (s.times_helpful, s.times_not_helpful, s.upvotes, s.downvotes),
        (1, 1, 1, 1)
    );
}

#[test]
fn outcomes_prove_a_lesson_and_unprove_it() {
    // After each outcome: applied, successes, failures in a row, proven.
    let steps = [
        (Success, (1, 1, 0, false)),
        (Failure, (2, 1, 1, false)),
        (Success, (3, 2, 0, true)),
        (Failure, (4, 2, 1, true)),
        (Failure, (5, 2, 2, false)),
        (Success, (6, 3, 0, true)),
    ];
    let mut happenings = vec![added(lesson("a"))];
    let mut qualified = None;
    for (n, (came, expected)) in steps.into_iter().enumerate() {
        let decision = format!("d{n}");
        happenings.push(surfaced(&decision, Some(&decision), &["a"]));
        happenings.push(tracked(&decision, "a", true));
        happenings.push(outcome(&decision, came));
        let space = folded(happenings.clone());
        let s = standing(&space, "a");
        assert_eq!(
            (
                s.times_applied,
                s.success_count,
                s.consecutive_failures,
                s.proven_effective
            ),
            expected,
            "after outcome {n}"
        );
        assert_eq!(s.qualified_at.is_some(), s.proven_effective);
        if n == 3 {
            assert_eq!(
                s.qualified_at, qualified,
                "it stays what it was while proven"
            );
        }
        qualified = s.qualified_at;
        let record = space
            .decision(&decision)
            .and_then(|d| d.record("a"))
            .expect("recorded");
        assert_eq!(record.contributed_to_success, came == Success);
        assert_eq!(
            (record.trade_outcome, record.pnl_percent),
            (Some(came), Some(1.5))
        );
    }
}

#[test]
fn a_recommendation_for_a_decision_leaves_one_record_per_lesson() {
    let space = folded([
        added(lesson("a")),
        added(lesson("b")),
        surfaced("r1", Some("d"), &["b", "a", "b"]),
        surfaced("r2", Some("d"), &["a"]),
        surfaced("r3", None, &["a"]),
    ]);
    assert_eq!(standing(&space, "a").times_surfaced, 3);
    assert_eq!(standing(&space, "b").times_surfaced, 1);
    let records = &space.decision("d").expect("made by r1").records;
    let told: Vec<_> = records
        .iter()
        .map(|r| {
            (
                r.lesson.as_str(),
                r.domain.as_str(),
                r.relevance,
                r.was_presented,
            )
        })
        .collect();
    assert_eq!(
        told,
        [("b", "perps", 0.75, true), ("a", "perps", 0.75, true)]
    );
}

#[test]
fn pending_only_marks_the_records() {
    let space = folded([
        added(lesson("a")),
        surfaced("r", Some("d"), &["a"]),
        tracked("d", "a", true),
        outcome("d", Pending),
    ]);
    assert_eq!(standing(&space, "a").times_applied, 0);
    let record = space
        .decision("d")
        .and_then(|d| d.record("a"))
        .expect("recorded");
    assert_eq!(record.trade_outcome, Some(Pending));
    assert!(record.was_applied && !record.contributed_to_success);
}

#[test]
fn tracking_after_the_outcome_counts_the_same() {
    let happenings = |late: bool| {
        let mut rest = vec![tracked("d", "a", true), outcome("d", Success)];
        if late {
            rest.reverse();
        }
        let first = [added(lesson("a")), surfaced("r", Some("d"), &["a"])];
        folded(first.into_iter().chain(rest))
    };
    let (early, late) = (
        standing(&happenings(false), "a"),
        standing(&happenings(true), "a"),
    );
    assert_eq!(counts(&early), counts(&late));
    assert_eq!((early.times_applied, early.success_count), (1, 1));
}

#[test]
fn a_lesson_once_seen_applied_stays_applied() {
    let space = folded([
        added(lesson("a")),
        surfaced("r", Some("d"), &["a"]),
        tracked("d", "a", true),
        tracked("d", "a", false),
    ]);
    let record = space
        .decision("d")
        .and_then(|d| d.record("a"))
        .expect("recorded");
    assert!(record.was_applied);
    assert_eq!(
        (record.match_type, record.confidence),
        (MatchType::Explicit, 0.95)
    );
}

#[test]
fn an_edit_resets_trust_and_no_counter() {
    let edit = EventKind::LessonEdited {
        lesson: "a".to_owned(),
        base_rev: 1,
        changes: Box::new(Changes {
            title: Some("New title".to_owned()),
            ..Changes::default()
        }),
        trust: Trust::Unreviewed,
        findings: Vec::new(),
    };
    let first = with("a", |l| {
        l.trust = Trust::Approved;
        l.standing.times_helpful = 7;
        l.standing.confidence = 0.9;
    });
    let space = folded([added(first.clone()), edit]);
    let held = space.lesson("a").expect("it was added");
    assert_eq!((held.trust, held.rev), (Trust::Unreviewed, 2));
    assert_eq!(held.standing, first.standing);
    assert_eq!(held.text.title, "New title");
}

#[test]
fn a_merge_adds_counts_and_archives_the_others() {
    let space = folded([
        added(with("a", |l| {
            l.standing.use_count = 1;
            l.standing.effectiveness = 0.2;
            l.standing.times_applied = 1;
        })),
        added(with("b", |l| {
            l.standing.use_count = 3;
            l.standing.effectiveness = 0.6;
            l.standing.confidence = 0.9;
            l.standing.times_applied = 2;
            l.standing.success_count = 2;
        })),
        EventKind::LessonsMerged {
            into: "a".to_owned(),
            from: vec!["b".to_owned()],
        },
    ]);
    let a = standing(&space, "a");
    assert_eq!(
        (a.use_count, a.frequency, a.times_applied, a.success_count),
        (4, 2, 3, 2)
    );
    assert!((a.effectiveness - 0.5).abs() < 1e-12);
    assert_eq!(a.confidence, 0.9);
    assert!(a.proven_effective && a.qualified_at == Some(NOW + 3000));
    let b = space.lesson("b").expect("nothing is deleted");
    assert!(b.archived && b.merged_into.as_deref() == Some("a"));
}

#[test]
fn refused_events_change_nothing() {
    let base = || {
        ledger([
            added(lesson("a")),
            added(with("gone", |l| l.archived = true)),
            surfaced("r", Some("d"), &["a"]),
            tracked("d", "a", true),
            outcome("d", Success),
        ])
    };
    let merged = |into: &str, from: &[&str]| EventKind::LessonsMerged {
        into: into.to_owned(),
        from: from.iter().map(|s| (*s).to_owned()).collect(),
    };
    let reviewed = EventKind::LessonReviewed {
        lesson: "a".to_owned(),
        verdict: Verdict::Approve,
        content_hash: "of another text".to_owned(),
        reason: String::new(),
    };
    let edited = |base_rev, title: &str| EventKind::LessonEdited {
        lesson: "a".to_owned(),
        base_rev,
        changes: Box::new(Changes {
            title: Some(title.to_owned()),
            ..Changes::default()
        }),
        trust: Trust::Unreviewed,
        findings: Vec::new(),
    };
    let pnl = |pnl| EventKind::OutcomeRecorded {
        decision_id: "d".to_owned(),
        outcome: Success,
        pnl_percent: Some(pnl),
    };
    let score = |score| {
        let mut happening = surfaced("r9", Some("d"), &["a"]);
        if let EventKind::Surfaced { items, .. } = &mut happening {
            items[0].score = score;
        }
        happening
    };
    let cases = [
        (added(lesson("a")), "slug_taken"),
        (added(lesson("Not A Slug")), "invalid"),
        (
            added(with("b", |l| l.text.title = " ".to_owned())),
            "invalid",
        ),
        (added(with("b", |l| l.standing.confidence = 1.5)), "invalid"),
        (
            added(with("b", |l| l.standing.effectiveness = f64::NAN)),
            "invalid",
        ),
        (rated("nobody", true), "unknown_lesson"),
        (
            surfaced("r9", Some("d9"), &["a", "nobody"]),
            "unknown_lesson",
        ),
        (surfaced("", None, &["a"]), "invalid"),
        (score(f64::NAN), "invalid"),
        (tracked("d9", "a", true), "unknown_decision"),
        (tracked("d", "gone", true), "conflict"),
        (outcome("d", Failure), "conflict"),
        (pnl(f64::INFINITY), "invalid"),
        (feedback(Delivered, &[], &[]), "invalid"),
        (feedback(Delivered, &["a"], &["gone"]), "invalid"),
        (
            feedback(Delivered, &["a", "nobody"], &["a"]),
            "unknown_lesson",
        ),
        (merged("a", &[]), "invalid"),
        (merged("a", &["a"]), "invalid"),
        (merged("a", &["gone"]), "conflict"),
        (merged("gone", &["a"]), "conflict"),
        (merged("a", &["nobody"]), "unknown_lesson"),
        (reviewed, "conflict"),
        (edited(7, "New"), "conflict"),
        (edited(1, " "), "invalid"),
    ];
    let policy = Policy::default();
    for (happening, code) in cases {
        let base = base();
        let (mut space, refused) = Space::of_ledger(&base, &policy);
        assert!(refused.is_empty());
        let before = space.clone();
        let error = space
            .fold(&event(99, happening.clone()), &policy)
            .expect_err(code);
        assert_eq!(error.code(), code, "{happening:?}: {error}");
        assert!(space == before, "{happening:?} changed something");
    }
}

#[test]
fn a_settled_outcome_told_again_changes_nothing_but_a_different_one_is_refused() {
    let events = ledger([
        added(lesson("a")),
        surfaced("r", Some("d"), &["a"]),
        tracked("d", "a", true),
        outcome("d", Success),
        outcome("d", Success),
        outcome("d", Pending),
        outcome("d", Failure),
    ]);
    let (space, refused) = Space::of_ledger(&events, &Policy::default());
    assert_eq!(refused.len(), 1);
    assert_eq!(
        (refused[0].0, refused[0].1.code()),
        (&events[6], "conflict")
    );
    assert_eq!(standing(&space, "a").times_applied, 1);
    let decision = space.decision("d").expect("made by r");
    assert_eq!(decision.outcome, Some(Success));
}

#[test]
fn the_same_operation_twice_is_a_duplicate() {
    let mut space = Space::new();
    let policy = Policy::default();
    let once: Event = event(1, added(lesson("a")));
    assert_eq!(space.fold(&once, &policy), Ok(Folded::Applied));
    let before = space.clone();
    assert_eq!(space.fold(&once, &policy), Ok(Folded::Duplicate));
    assert!(space == before);
}

#[test]
fn an_archived_lesson_can_be_restored_and_a_quarantined_one_approved() {
    let hash = lesson("a").text.content_hash();
    let review = |verdict| EventKind::LessonReviewed {
        lesson: "a".to_owned(),
        verdict,
        content_hash: hash.clone(),
        reason: String::new(),
    };
    let name = || "a".to_owned();
    let space = folded([
        added(lesson("a")),
        EventKind::LessonArchived { lesson: name() },
        review(Verdict::Quarantine),
    ]);
    let held = space.lesson("a").expect("it was added");
    assert!(held.archived && held.trust == Trust::Quarantined);
    let space = folded([
        added(lesson("a")),
        EventKind::LessonArchived { lesson: name() },
        review(Verdict::Quarantine),
        EventKind::LessonRestored { lesson: name() },
        review(Verdict::Approve),
    ]);
    let held = space.lesson("a").expect("it was added");
    assert!(!held.archived && held.trust == Trust::Approved);
}
