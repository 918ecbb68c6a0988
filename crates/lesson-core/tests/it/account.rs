//! A lesson's account: where it was shown, the course of its numbers, its texts; and its standing explained.

use crate::common::{
    NOW, added, feedback, ledger, lesson, outcome, rated, surfaced, tracked, with,
};
use lesson_core::{
    Changes, DecisionOutcome, EventKind, FeedbackOutcome, Policy, Trust, account, course, explain,
    revision,
};

fn edited(base_rev: u32, title: &str) -> EventKind {
    EventKind::LessonEdited {
        lesson: "a".to_owned(),
        base_rev,
        changes: Box::new(Changes {
            title: Some(title.to_owned()),
            ..Changes::default()
        }),
        trust: Trust::Unreviewed,
        findings: Vec::new(),
    }
}

#[test]
fn where_a_lesson_was_shown_and_what_followed() {
    let events = ledger([
        added(lesson("a")),
        added(lesson("b")),
        surfaced("r1", Some("d1"), &["b", "a"]),
        surfaced("r2", None, &["a"]),
        // The same retrieval again is one showing, and one of others is none.
        surfaced("r2", None, &["a"]),
        surfaced("r3", Some("d3"), &["b"]),
        tracked("d1", "a", true),
        outcome("d1", DecisionOutcome::Success),
    ]);
    let account = account(&events, "a", &Policy::default());
    let shown: Vec<(&str, u32, bool)> = account
        .shown
        .iter()
        .map(|one| {
            let settled = one.record.as_ref().is_some_and(|record| record.settled);
            (one.retrieval_id, one.item.rank, settled)
        })
        .collect();
    assert_eq!(shown, [("r1", 2, true), ("r2", 1, false)]);
    let record = account.shown[0].record.as_ref().expect("it had a decision");
    assert_eq!(record.trade_outcome, Some(DecisionOutcome::Success));
    assert!(record.was_applied && record.contributed_to_success);
    assert_eq!(account.shown[1].record, None);
}

#[test]
fn the_course_holds_what_moved_a_number_and_shares_points_when_there_are_many() {
    let mut happenings = vec![
        added(lesson("a")),
        surfaced("r", None, &["a"]),
        edited(1, "New"),
    ];
    happenings.extend((0..40).map(|n| rated("a", n % 3 != 0)));
    let events = ledger(happenings);
    let policy = Policy::default();
    let entries = account(&events, "a", &policy).entries;
    // The recommendation and the edit moved none of the numbers.
    let all = course(&entries, &policy.rank, 240);
    assert_eq!(all.len(), 41);
    assert!(all.iter().all(|point| point.events == 1));
    for most in [2, 3, 7, 40] {
        let few = course(&entries, &policy.rank, most);
        assert_eq!(few.len(), most);
        assert_eq!(few.iter().map(|point| point.events).sum::<usize>(), 41);
        assert_eq!(few[0].entry.event.op_id, all[0].entry.event.op_id);
        assert_eq!(few[0].events, 1);
        assert_eq!(
            few[most - 1].entry.after,
            entries.last().expect("there are some").after
        );
    }
    assert_eq!(course(&entries, &policy.rank, 0).len(), 2);
    assert!(course(&[], &policy.rank, 10).is_empty());
}

#[test]
fn a_revision_is_the_text_as_it_was() {
    let events = ledger([
        added(lesson("a")),
        edited(1, "Second"),
        // Too late, so refused.
        edited(1, "Late"),
        edited(2, "Third"),
    ]);
    let policy = Policy::default();
    let text = |rev| revision(&events, "a", rev, &policy);
    let first = text(1).expect("it was added");
    assert_eq!((first.text.title.as_str(), first.before), ("a", None));
    let third = text(3).expect("it was edited twice");
    let before = third.before.expect("there was one before");
    assert_eq!(
        (before.title.as_str(), third.text.title.as_str()),
        ("Second", "Third")
    );
    assert_eq!(text(4), None);
    assert_eq!(text(0), None);
    assert_eq!(revision(&events, "nobody", 1, &policy), None);
}

#[test]
fn explained_numbers_are_the_ones_that_count() {
    let policy = Policy::default();
    let events = ledger([
        added(lesson("a")),
        surfaced("r", Some("d"), &["a"]),
        tracked("d", "a", true),
        outcome("d", DecisionOutcome::Success),
        rated("a", false),
        rated("a", false),
        feedback(FeedbackOutcome::Delivered, &["a"], &["a"]),
        feedback(FeedbackOutcome::Delivered, &["a"], &[]),
        feedback(FeedbackOutcome::Blocked, &["a"], &[]),
    ]);
    let (space, _) = lesson_core::Space::of_ledger(&events, &policy);
    let lesson = space.lesson("a").expect("it was added");
    let held = &lesson.standing;
    let terms = explain(lesson, &policy, NOW);
    let value = |name: &str| {
        let term = terms.iter().find(|term| term.name == name);
        term.expect("every number is explained").value
    };
    assert_eq!(value("success_rate"), held.success_rate());
    assert_eq!(value("effectiveness_score"), held.effectiveness_score());
    assert_eq!(value("confidence"), Some(held.confidence));
    assert_eq!(value("effectiveness"), Some(held.effectiveness));
    let adjusted = held.causal_adjusted(&policy.rank);
    assert_eq!(value("causal_adjusted"), Some(adjusted));
    let confidence = held.effective_confidence(&policy.rank);
    assert_eq!(value("effective_confidence"), Some(confidence));
    let factor = (0.5 + 0.5 * adjusted) * held.rating_penalty(&policy.rank);
    assert_eq!(value("rank_factor"), Some(factor));
    assert_eq!(value("qualification"), Some(1.0));
}

#[test]
fn proven_is_explained_with_the_lessons_own_numbers() {
    for (applied, well, proven, sentence, met) in [
        (
            0,
            0,
            false,
            "It is not qualified by use yet: applied 0 times, 0 went well. 3 more with a known outcome are needed.",
            [false, false],
        ),
        (
            1,
            1,
            false,
            "It is not qualified by use yet: applied once, 1 went well. 2 more with a known outcome are needed.",
            [false, true],
        ),
        (
            4,
            1,
            false,
            "It is not qualified by use: applied 4 times, 1 went well (25%), and 50% are needed.",
            [true, false],
        ),
        (
            3,
            2,
            true,
            "It is qualified by use: applied 3 times, 2 went well (66.7%).",
            [true, true],
        ),
        (
            1,
            1,
            true,
            "It came here as qualified by use. By its own counts it would not be: applied once, 1 went well, and 3 are needed.",
            [false, true],
        ),
    ] {
        let lesson = with("a", |lesson| {
            lesson.standing.times_applied = applied;
            lesson.standing.success_count = well;
            lesson.standing.proven_effective = proven;
        });
        let terms = explain(&lesson, &Policy::default(), NOW);
        let term = terms
            .iter()
            .find(|term| term.name == "proven")
            .expect("it is explained");
        assert_eq!(term.sentence, sentence);
        assert_eq!(
            term.numbers
                .iter()
                .map(|number| number.met)
                .collect::<Vec<_>>(),
            met.map(Some)
        );
        assert_eq!(term.value, Some(f64::from(u8::from(proven))));
    }
}
