//! Changes by an agent's key to lessons that are not its own unapproved ones: nothing in force, until a person says so.

use crate::common::{added, edited, event, lesson, reviewed, voted, with};
use lesson_core::{Changes, Event, EventKind, FoldError, Lesson, Policy, Space, Trust, Verdict};

const KEY: &str = "agent:key";
const OTHER: &str = "agent:other";
const PERSON: &str = "person:ada";

/// A space with a person's approved lesson `kept`, and an unapproved one of each key: `mine` and `theirs`.
fn space() -> (Space, u64) {
    let approved = with("kept", |lesson| lesson.trust = Trust::Approved);
    let mut held = (Space::new(), 0);
    for (by, happening) in [
        (PERSON, added(approved)),
        (KEY, added(lesson("mine"))),
        (OTHER, added(lesson("theirs"))),
    ] {
        fold(&mut held, by, happening).expect("it fits");
    }
    held
}

fn fold((space, n): &mut (Space, u64), by: &str, happening: EventKind) -> Result<(), FoldError> {
    *n += 1;
    let event = Event {
        by: by.to_owned(),
        ..event(*n, happening)
    };
    space.fold(&event, &Policy::default()).map(|_| ())
}

fn title(title: &str) -> Box<Changes> {
    Box::new(Changes {
        title: Some(title.to_owned()),
        ..Changes::default()
    })
}

fn proposed(slug: &str, id: &str, changes: Box<Changes>) -> EventKind {
    EventKind::ChangeProposed {
        lesson: slug.to_owned(),
        proposal: id.to_owned(),
        base_rev: 1,
        archive: changes.is_empty(),
        changes,
        trust: Trust::Unreviewed,
        findings: Vec::new(),
    }
}

fn settled(slug: &str, id: &str, accepted: bool) -> EventKind {
    EventKind::ProposalSettled {
        lesson: slug.to_owned(),
        proposal: id.to_owned(),
        accepted,
        reason: String::new(),
    }
}

fn named(slug: &str) -> String {
    slug.to_owned()
}

fn held<'a>((space, _): &'a (Space, u64), slug: &str) -> &'a Lesson {
    space.lesson(slug).expect("it was added")
}

/// Each event by which a key could change a lesson itself.
fn attacks(slug: &str) -> Vec<EventKind> {
    vec![
        edited(slug, 1, Trust::Unreviewed),
        EventKind::LessonEdited {
            lesson: named(slug),
            base_rev: 1,
            changes: title("My text"),
            trust: Trust::Approved,
            findings: Vec::new(),
        },
        EventKind::LessonArchived {
            lesson: named(slug),
        },
        EventKind::LessonRestored {
            lesson: named(slug),
        },
        reviewed(slug, Verdict::Quarantine),
        reviewed(slug, Verdict::Approve),
        EventKind::LessonsMerged {
            into: named("mine"),
            from: vec![named(slug)],
        },
        EventKind::LessonsMerged {
            into: named(slug),
            from: vec![named("mine")],
        },
    ]
}

#[test]
fn a_key_changes_nothing_in_force_whatever_it_writes() {
    let mut at = space();
    for slug in ["kept", "theirs"] {
        let before = held(&at, slug).clone();
        for attack in attacks(slug) {
            let error = fold(&mut at, KEY, attack.clone()).expect_err(&format!("{attack:?}"));
            assert_eq!(error.field(), "lesson", "{attack:?}");
            assert!(error.to_string().contains("propose the change"), "{error}");
        }
        assert_eq!(*held(&at, slug), before);
    }
    // A person does all of it, and a key what is its own and unapproved.
    for (by, slug) in [(PERSON, "kept"), (KEY, "mine")] {
        fold(&mut at, by, edited(slug, 1, Trust::Unreviewed)).expect("it may");
        fold(
            &mut at,
            by,
            EventKind::LessonArchived {
                lesson: named(slug),
            },
        )
        .expect("it may");
    }
    fold(
        &mut at,
        PERSON,
        EventKind::LessonRestored {
            lesson: named("mine"),
        },
    )
    .expect("it may");
    fold(&mut at, PERSON, reviewed("mine", Verdict::Approve)).expect("it may");
    let approved = fold(&mut at, KEY, edited("mine", 2, Trust::Unreviewed));
    assert!(
        approved.is_err(),
        "an approved lesson of its own is a person's"
    );
}

#[test]
fn a_proposal_waits_beside_the_text_in_force() {
    let mut at = space();
    fold(&mut at, PERSON, voted("kept", true)).expect("it fits");
    let before = held(&at, "kept").clone();
    fold(&mut at, KEY, proposed("kept", "p1", title("Mine"))).expect("it fits");
    fold(&mut at, OTHER, proposed("kept", "p2", Box::default())).expect("it fits");
    let now = held(&at, "kept");
    assert_eq!(
        Lesson {
            proposals: Vec::new(),
            ..now.clone()
        },
        before,
        "text, badge and approval stay"
    );
    let ids: Vec<&str> = now.proposals.iter().map(|one| one.id.as_str()).collect();
    assert_eq!(ids, ["p1", "p2"]);
    assert_eq!(now.proposals[0].by, KEY);
    assert!(now.proposals[1].archive);

    // Another of the same key takes the first one's place.
    fold(&mut at, KEY, proposed("kept", "p3", title("Mine again"))).expect("it fits");
    let ids: Vec<&str> = held(&at, "kept")
        .proposals
        .iter()
        .map(|one| one.id.as_str())
        .collect();
    assert_eq!(ids, ["p2", "p3"]);

    // A key decides on nothing, and takes back its own.
    for (by, id, accepted) in [(KEY, "p3", true), (KEY, "p2", false), (OTHER, "p2", true)] {
        let error = fold(&mut at, by, settled("kept", id, accepted)).expect_err(id);
        assert_eq!(error.field(), "proposal");
    }
    fold(&mut at, KEY, settled("kept", "p3", false)).expect("its own");
    fold(&mut at, PERSON, settled("kept", "p2", false)).expect("a person's");
    assert_eq!(*held(&at, "kept"), before);
}

#[test]
fn a_proposal_that_does_not_fit_is_refused_by_its_field() {
    let mut at = space();
    let archived = EventKind::LessonArchived {
        lesson: named("theirs"),
    };
    fold(&mut at, KEY, proposed("theirs", "p0", title("T"))).expect("it fits");
    fold(&mut at, PERSON, archived).expect("it fits");
    assert!(
        held(&at, "theirs").proposals.is_empty(),
        "settled with the lesson"
    );
    let late = fold(&mut at, PERSON, settled("theirs", "p0", true)).expect_err("it is gone");
    assert!(late.to_string().contains("archived"), "{late}");

    fold(&mut at, KEY, proposed("kept", "p1", title("T"))).expect("it fits");
    let both = EventKind::ChangeProposed {
        lesson: named("kept"),
        proposal: named("p2"),
        base_rev: 1,
        changes: title("T"),
        archive: true,
        trust: Trust::Unreviewed,
        findings: Vec::new(),
    };
    let ahead = EventKind::ChangeProposed {
        lesson: named("kept"),
        proposal: named("p2"),
        base_rev: 2,
        changes: title("T"),
        archive: false,
        trust: Trust::Unreviewed,
        findings: Vec::new(),
    };
    for (happening, field, word) in [
        (proposed("theirs", "p1", title("T")), "lesson", "archived"),
        (proposed("nowhere", "p1", title("T")), "lesson", "no lesson"),
        (proposed("kept", "", title("T")), "proposal", "id"),
        (proposed("kept", "p1", title("T")), "proposal", "already"),
        (proposed("kept", "p2", title(" ")), "title", "title"),
        (both, "changes", "one of both"),
        (ahead, "base_rev", "revision 2"),
        (settled("kept", "p9", true), "proposal", "no open proposal"),
    ] {
        let error = fold(&mut at, OTHER, happening).expect_err(word);
        assert_eq!(error.field(), field, "{error}");
        assert!(error.to_string().contains(word), "{error}");
    }
}

#[test]
fn a_lesson_has_eight_proposals_at_most() {
    let mut at = space();
    for n in 0..8 {
        let happening = proposed("kept", &format!("p{n}"), title("T"));
        fold(&mut at, &format!("agent:{n}"), happening).expect("there is room");
    }
    let ninth = fold(&mut at, "agent:8", proposed("kept", "p8", title("T"))).expect_err("no room");
    assert_eq!(ninth.field(), "lesson");
    fold(&mut at, "agent:0", proposed("kept", "p9", title("T"))).expect("in place of its first");
    assert_eq!(held(&at, "kept").proposals.len(), 8);
}

#[test]
fn who_adds_a_lesson_brings_no_proposals() {
    let mut at = space();
    fold(&mut at, KEY, proposed("kept", "p1", title("T"))).expect("it fits");
    let claims = Lesson {
        slug: named("claims"),
        ..held(&at, "kept").clone()
    };
    fold(&mut at, PERSON, added(claims)).expect("it fits");
    assert!(held(&at, "claims").proposals.is_empty());
    assert_eq!(held(&at, "kept").proposals.len(), 1);
}
