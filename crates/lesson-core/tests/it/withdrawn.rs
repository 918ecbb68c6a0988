//! Voices that were withdrawn: the ledger folds as if they had said nothing that counts.

use crate::common::{
    NOW, added, event, feedback, in_decision, lesson, outcome, rated, surfaced, tracked, voted,
    with,
};
use lesson_core::{
    Changes, DecisionOutcome, Event, EventKind, FeedbackOutcome, Folded, Lesson, Policy, Space,
    Standing, Trust, WhyUncounted, history,
};
use proptest::prelude::*;

const BAD: &str = "agent:bad";
const GOOD: &str = "agent:good";
const PERSON: &str = "person:ada";

/// A ledger: who said what, each a second after the one before.
fn ledger(said: impl IntoIterator<Item = (&'static str, EventKind)>) -> Vec<Event> {
    (1..)
        .zip(said)
        .map(|(n, (by, happening))| Event {
            by: by.to_owned(),
            at: NOW + n as i64 * 1_000,
            ..event(n, happening)
        })
        .collect()
}

fn withdrawn(since: Option<i64>) -> EventKind {
    EventKind::VoiceWithdrawn {
        voice: BAD.to_owned(),
        since,
    }
}

fn reinstated() -> EventKind {
    EventKind::VoiceReinstated {
        voice: BAD.to_owned(),
    }
}

fn folded(events: &[Event]) -> Space {
    let (space, refused) = Space::of_ledger(events, &Policy::default());
    assert!(refused.is_empty(), "{refused:?}");
    space
}

fn held<'a>(space: &'a Space, slug: &str) -> &'a Lesson {
    space.lesson(slug).expect("it was added")
}

/// A person's lesson, on which two keys have their say; the bad one sinks it, and adds one of its own.
fn attack() -> Vec<(&'static str, EventKind)> {
    let mut said = vec![
        (
            PERSON,
            added(with("kept", |lesson| lesson.trust = Trust::Approved)),
        ),
        (GOOD, rated("kept", true)),
        (BAD, added(lesson("planted"))),
    ];
    for n in 0..3 {
        let id = format!("d{n}");
        said.extend([
            (BAD, surfaced(&format!("r{n}"), Some(&id), &["kept"])),
            (BAD, tracked(&id, "kept", true)),
            (BAD, outcome(&id, DecisionOutcome::Failure)),
        ]);
    }
    said.extend([
        (BAD, voted("kept", false)),
        (
            BAD,
            feedback(FeedbackOutcome::Blocked, &["kept"], &["kept"]),
        ),
        (
            BAD,
            EventKind::ChangeProposed {
                lesson: "kept".to_owned(),
                proposal: "p1".to_owned(),
                base_rev: 1,
                changes: Box::new(Changes {
                    title: Some("Mine".to_owned()),
                    ..Changes::default()
                }),
                archive: false,
                trust: Trust::Unreviewed,
                findings: Vec::new(),
            },
        ),
    ]);
    said
}

#[test]
fn nothing_of_a_withdrawn_voice_counts_and_its_lessons_are_archived() {
    let mut said = attack();
    let sunk = folded(&ledger(said.clone()));
    assert_eq!(held(&sunk, "kept").standing.consecutive_failures, 3);

    said.push((PERSON, withdrawn(None)));
    let events = ledger(said.clone());
    let space = folded(&events);
    let honest = folded(&ledger(said.iter().take(2).cloned()));
    assert_eq!(
        held(&space, "kept").standing,
        held(&honest, "kept").standing
    );
    assert!(held(&space, "kept").proposals.is_empty());
    assert!(held(&space, "planted").archived);
    assert_eq!(space.events(), events.len(), "events stay");
    let told = history(&events, "planted", &Policy::default());
    assert_eq!(
        told.last().map(|entry| entry.summary.as_str()),
        Some("Archived; its voice was withdrawn")
    );

    // It goes on writing, and counts for nothing.
    said.extend([
        (BAD, added(lesson("planted-again"))),
        (BAD, rated("kept", false)),
        (GOOD, in_decision(rated("kept", true), "d0")),
    ]);
    let space = folded(&ledger(said.clone()));
    assert!(held(&space, "planted-again").archived);
    assert_eq!(held(&space, "kept").standing.times_not_helpful, 0);

    // Taken back, all of it is as if it had never been withdrawn.
    said.push((PERSON, reinstated()));
    let again = folded(&ledger(said.clone()));
    let mut events = ledger(said);
    events.retain(|event| !event.event.refolds());
    let never = folded(&events);
    let texts = |space: &Space| -> Vec<(String, Standing, bool, usize)> {
        let of = |lesson: &Lesson| {
            let proposals = lesson.proposals.len();
            (
                lesson.slug.clone(),
                lesson.standing.clone(),
                lesson.archived,
                proposals,
            )
        };
        space.lessons().map(of).collect()
    };
    assert_eq!(texts(&again), texts(&never));
    assert_eq!(again.withdrawn().len(), 0);
}

#[test]
fn a_withdrawal_from_a_time_on_leaves_what_was_before() {
    let said = vec![
        (PERSON, added(lesson("kept"))),
        (BAD, added(lesson("early"))),
        (BAD, voted("kept", true)),
        (BAD, voted("kept", true)),
    ];
    let mut events = ledger(said);
    let since = events[3].at;
    events.push(Event {
        by: PERSON.to_owned(),
        at: since + 1,
        ..event(9, withdrawn(Some(since)))
    });
    let space = folded(&events);
    assert_eq!(held(&space, "kept").standing.upvotes, 1);
    assert!(!held(&space, "early").archived, "it was added before");
    assert!(space.is_muted(BAD, since) && !space.is_muted(BAD, since - 1));
}

#[test]
fn a_lesson_that_a_person_restores_after_the_withdrawal_stays_in_use() {
    let mut said = attack();
    let restored = |slug: &str| EventKind::LessonRestored {
        lesson: slug.to_owned(),
    };
    said.extend([
        (PERSON, withdrawn(None)),
        (PERSON, restored("planted")),
        (BAD, added(lesson("late"))),
        (BAD, restored("late")),
    ]);
    let space = folded(&ledger(said));
    assert!(!held(&space, "planted").archived);
    assert!(
        held(&space, "late").archived,
        "its own word brings nothing back"
    );
}

#[test]
fn only_a_person_withdraws_and_nobody_themselves() {
    let mut space = Space::new();
    let of = |by: &str, voice: &str| Event {
        by: by.to_owned(),
        ..event(
            1,
            EventKind::VoiceWithdrawn {
                voice: voice.to_owned(),
                since: None,
            },
        )
    };
    for (by, voice, word) in [
        (GOOD, BAD, "a person withdraws"),
        ("", BAD, "a person withdraws"),
        (PERSON, PERSON, "their own"),
        (PERSON, "local", "a voice is"),
        (PERSON, "agent:", "a voice is"),
        (PERSON, "", "a voice is"),
    ] {
        let error = space
            .fold(&of(by, voice), &Policy::default())
            .expect_err(word);
        assert_eq!(error.field(), "voice");
        assert!(error.to_string().contains(word), "{error}");
    }
    assert_eq!(space.withdrawn().len(), 0);
    assert_eq!(
        space.fold(&of("local", BAD), &Policy::default()),
        Ok(Folded::Applied)
    );
}

#[test]
fn a_withdrawn_voice_is_told_so() {
    let events = ledger([(PERSON, added(lesson("kept"))), (PERSON, withdrawn(None))]);
    let space = folded(&events);
    let check = |happening| space.check(&[happening], BAD, NOW, &Policy::default());
    let uncounted = check(rated("kept", true)).expect("it is taken");
    assert_eq!(uncounted[0].why, WhyUncounted::Withdrawn);
    assert!(
        check(rated("nowhere", true)).is_err(),
        "what is wrong stays wrong"
    );
}

fn happening() -> impl Strategy<Value = EventKind> {
    let slug = || prop::sample::select(&["kept", "mine", "theirs"][..]);
    let decision = || prop::sample::select(&["d1", "d2", "d3"][..]);
    prop_oneof![
        3 => (slug(), any::<bool>()).prop_map(|(slug, up)| rated(slug, up)),
        3 => (any::<u32>(), decision(), slug())
            .prop_map(|(r, id, a)| surfaced(&format!("r{r}"), Some(id), &[a])),
        3 => (decision(), slug()).prop_map(|(id, slug)| tracked(id, slug, true)),
        3 => (decision(), any::<bool>()).prop_map(|(id, won)| outcome(
            id,
            if won { DecisionOutcome::Success } else { DecisionOutcome::Failure },
        )),
        2 => slug().prop_map(|slug| feedback(FeedbackOutcome::Delivered, &[slug], &[])),
        2 => slug().prop_map(|slug| added(lesson(slug))),
        2 => Just(withdrawn(None)),
        1 => Just(reinstated()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Whatever a ledger holds, a voice that it withdraws at last has moved nobody's standing: the counts are those of the ledger
    /// without its ratings, tracking, outcomes and feedback.
    #[test]
    fn a_withdrawn_voice_has_moved_nothing(
        said in prop::collection::vec((prop::sample::select(&[BAD, GOOD, PERSON][..]), happening()), 0..60)
    ) {
        let mut space = Space::new();
        let mut events: Vec<Event> = ledger(said)
            .into_iter()
            .filter(|event| space.fold(event, &Policy::default()).is_ok())
            .collect();
        events.push(Event { by: PERSON.to_owned(), ..event(9_999, withdrawn(None)) });
        let (space, _) = Space::of_ledger(&events, &Policy::default());
        // Its key has written all the same, and others' words stand on its recommendations and decisions.
        let mut without = events.clone();
        without.retain(|event| !event.event.refolds());
        for event in without.iter_mut().filter(|event| event.by == BAD) {
            match &mut event.event {
                EventKind::OutcomeRecorded { outcome, .. } => *outcome = DecisionOutcome::Pending,
                EventKind::Rated { .. } | EventKind::UsageTracked { .. } | EventKind::FeedbackGiven { .. } => {
                    event.event = EventKind::ToolSucceeded { query: "q".to_owned(), server: "s".to_owned() };
                }
                _ => {}
            }
        }
        let (honest, _) = Space::of_ledger(&without, &Policy::default());
        for lesson in space.lessons() {
            let other = held(&honest, &lesson.slug);
            let shown = Standing { times_surfaced: 0, ..lesson.standing.clone() };
            prop_assert_eq!(&shown, &Standing { times_surfaced: 0, ..other.standing.clone() });
            if lesson.by == BAD {
                prop_assert!(lesson.archived);
            }
        }
    }
}

fn proposed(id: &str, title: &str) -> EventKind {
    EventKind::ChangeProposed {
        lesson: "kept".to_owned(),
        proposal: id.to_owned(),
        base_rev: 1,
        changes: Box::new(Changes {
            title: Some(title.to_owned()),
            ..Changes::default()
        }),
        archive: false,
        trust: Trust::Unreviewed,
        findings: Vec::new(),
    }
}

/// Events taken while a voice counted for nothing stay taken when it is heard again, even against what it said.
#[test]
fn a_voice_that_is_heard_again_makes_nothing_refused_that_was_taken() {
    let settled = EventKind::ProposalSettled {
        lesson: "kept".to_owned(),
        proposal: "p1".to_owned(),
        accepted: false,
        reason: String::new(),
    };
    // The voice's second proposal counts for nothing, so that the first is there to be settled.
    let said = [
        (
            PERSON,
            added(with("kept", |lesson| lesson.trust = Trust::Approved)),
        ),
        (GOOD, rated("kept", true)),
        (GOOD, surfaced("r", Some("d"), &["kept"])),
        (BAD, proposed("p1", "One")),
        (PERSON, withdrawn(Some(NOW + 5_000))),
        (BAD, proposed("p2", "Two")),
        (BAD, in_decision(rated("kept", true), "d")),
        (BAD, in_decision(rated("kept", false), "d")),
        (BAD, outcome("d", DecisionOutcome::Success)),
        (GOOD, outcome("d", DecisionOutcome::Failure)),
        (PERSON, settled),
    ];
    let events = ledger(said.clone());
    let space = folded(&events);
    assert!(held(&space, "kept").proposals.is_empty());

    let events = ledger(said.into_iter().chain([(PERSON, reinstated())]));
    let space = folded(&events);
    assert_eq!(space.events(), events.len());
    let open: Vec<&str> = held(&space, "kept")
        .proposals
        .iter()
        .map(|one| &*one.id)
        .collect();
    assert_eq!(open, ["p2"]);
    // Of what contradicts, the first counts.
    let standing = &held(&space, "kept").standing;
    assert_eq!((standing.times_helpful, standing.times_not_helpful), (2, 0));
    let decided = space.decision("d").unwrap().outcome;
    assert_eq!(decided, Some(DecisionOutcome::Success));
}

/// The same with an approval: a key edited its lesson while the person's word on it did not count.
#[test]
fn an_approval_that_counts_again_keeps_what_was_edited_meanwhile() {
    const OTHER: &str = "person:ben";
    let text = lesson("own").text;
    let approved = EventKind::LessonReviewed {
        lesson: "own".to_owned(),
        verdict: lesson_core::Verdict::Approve,
        content_hash: text.content_hash(),
        reason: String::new(),
    };
    let edited = EventKind::LessonEdited {
        lesson: "own".to_owned(),
        base_rev: 1,
        changes: Box::new(Changes {
            title: Some("Edited".to_owned()),
            ..Changes::default()
        }),
        trust: Trust::Unreviewed,
        findings: Vec::new(),
    };
    let of_other = |lifted: bool| {
        let voice = OTHER.to_owned();
        match lifted {
            true => EventKind::VoiceReinstated { voice },
            false => EventKind::VoiceWithdrawn { voice, since: None },
        }
    };
    let events = ledger([
        (GOOD, added(lesson("own"))),
        (OTHER, approved),
        (PERSON, of_other(false)),
        (GOOD, edited),
        (PERSON, of_other(true)),
    ]);
    let space = folded(&events);
    let own = held(&space, "own");
    assert_eq!((&*own.text.title, own.rev), ("Edited", 2));
    assert!(!own.is_vouched_for(), "the edit is nobody's who approves");
}

/// Events that were refused when they came, as in a ledger that clones of a repository merged, stay refused.
#[test]
fn a_withdrawal_takes_nothing_that_was_refused() {
    let mut said = vec![
        (PERSON, added(lesson("a"))),
        (PERSON, added(lesson("b"))),
        (
            PERSON,
            EventKind::LessonArchived {
                lesson: "b".to_owned(),
            },
        ),
        (
            PERSON,
            EventKind::LessonsMerged {
                into: "a".to_owned(),
                from: vec!["b".to_owned()],
            },
        ),
        (GOOD, rated("a", true)),
    ];
    let refused = |said: &[(&'static str, EventKind)]| {
        let events = ledger(said.iter().cloned());
        let (space, refused) = Space::of_ledger(&events, &Policy::default());
        assert_eq!(held(&space, "b").merged_into, None);
        refused.len()
    };
    assert_eq!(refused(&said), 1);
    said.push((PERSON, withdrawn(None)));
    assert_eq!(refused(&said), 1);
    said.push((PERSON, reinstated()));
    assert_eq!(refused(&said), 1);
}
