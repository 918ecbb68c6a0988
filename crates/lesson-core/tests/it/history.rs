//! A lesson's history.

use crate::common::{added, feedback, ledger, lesson, outcome, rated, surfaced, tracked};
use lesson_core::{
    Changes, DecisionOutcome, EventKind, FeedbackOutcome, HistoryEntry, Policy, Space, Trust,
    Verdict, history,
};

#[test]
fn every_event_that_touched_a_lesson_is_told() {
    let name = || "a".to_owned();
    let edited = Changes {
        title: Some("New".to_owned()),
        tags: Some(Vec::new()),
        ..Changes::default()
    };
    let mut text = lesson("a").text;
    text.title = "New".to_owned();
    let mut events = ledger([
        added(lesson("b")),
        added(lesson("a")),
        rated("b", true),
        rated("a", true),
        surfaced("r", Some("d"), &["b", "a"]),
        surfaced("r", Some("d"), &["a"]),
        tracked("d", "b", true),
        tracked("d", "a", true),
        outcome("d", DecisionOutcome::Pending),
        outcome("d", DecisionOutcome::Success),
        outcome("d", DecisionOutcome::Success),
        outcome("d", DecisionOutcome::Failure),
        feedback(FeedbackOutcome::Blocked, &["a", "b"], &["a"]),
        EventKind::Voted {
            lesson: name(),
            up: false,
            decision_id: None,
        },
        EventKind::LessonEdited {
            lesson: name(),
            base_rev: 1,
            changes: Box::new(edited),
            trust: Trust::Unreviewed,
            findings: Vec::new(),
        },
        EventKind::LessonReviewed {
            lesson: name(),
            verdict: Verdict::Approve,
            content_hash: text.content_hash(),
            reason: String::new(),
        },
        EventKind::ToolSucceeded {
            query: "q".to_owned(),
            server: "s".to_owned(),
        },
        EventKind::LessonsMerged {
            into: "b".to_owned(),
            from: vec![name()],
        },
        EventKind::LessonRestored { lesson: name() },
    ]);
    for event in &mut events {
        "person:2".clone_into(&mut event.by);
    }
    let policy = Policy::default();
    let told = history(&events, "a", &policy);
    let summaries: Vec<&str> = told.iter().map(|entry| entry.summary.as_str()).collect();
    assert_eq!(
        summaries,
        [
            "Added by test",
            "Rated helpful",
            "Surfaced at rank 2 (recommend)",
            "Applied, explicit match in decision d",
            "Decision d: success (1.5 %)",
            "Feedback blocked, a cause",
            "Voted down",
            "Edited title, tags; now revision 2",
            "Approved",
            "Merged into b",
            "Restored",
        ]
    );
    assert_eq!(told[0].before, None);
    assert_eq!(told[1].after.confidence, 0.52);
    // Standings join up, and the last is the one that the ledger folds to.
    for pair in told.windows(2) {
        assert_eq!(pair[1].before.as_ref(), Some(&pair[0].after));
    }
    let (space, _) = Space::of_ledger(&events, &policy);
    let last = told.last().map(|entry| &entry.after);
    assert_eq!(last, space.lesson("a").map(|lesson| &lesson.standing));
    assert!(history(&events, "nobody", &policy).is_empty());
}

#[test]
fn an_outcome_before_the_tracking_is_told_when_it_counts() {
    let events = ledger([
        added(lesson("a")),
        surfaced("r", Some("d"), &["a"]),
        outcome("d", DecisionOutcome::Failure),
        tracked("d", "a", true),
    ]);
    let told: Vec<HistoryEntry<'_>> = history(&events, "a", &Policy::default());
    let last = told.last().expect("it was tracked");
    assert_eq!(
        last.summary,
        "Applied, explicit match in decision d; failure (1.5 %)"
    );
    assert_eq!(last.after.times_applied, 1);
    assert_eq!(told.len(), 3);
}
