//! The power to move a standing: where several agents' keys write, none of them does so alone.

use crate::common::{
    NOW, added, counts, edited, event, feedback, in_decision, lesson, outcome, rated, reviewed,
    surfaced, tracked, voted,
};
use lesson_core::learning::Belief;
use lesson_core::{
    DAY, DecisionOutcome, Event, EventKind, FeedbackOutcome, Lesson, Mover, Policy, Space,
    Standing, Trust, Verdict, WhyUncounted, history, movers,
};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Its lessons are `mine` and `also-mine`.
const MINE: &str = "agent:mine";
/// Its lesson is `theirs`.
const OTHER: &str = "agent:other";
const PERSON: &str = "person:ada";
const SLUGS: [&str; 3] = ["mine", "also-mine", "theirs"];

/// A ledger: who said what, how many days after its start.
fn ledger(said: impl IntoIterator<Item = (&'static str, i64, EventKind)>) -> Vec<Event> {
    (1..)
        .zip(said)
        .map(|(n, (by, day, happening))| Event {
            by: by.to_owned(),
            at: NOW + day * DAY + n as i64,
            ..event(n, happening)
        })
        .collect()
}

fn folded(events: &[Event]) -> Space {
    let (space, refused) = Space::of_ledger(events, &Policy::default());
    assert!(refused.is_empty(), "{refused:?}");
    space
}

fn held<'a>(space: &'a Space, slug: &str) -> &'a Lesson {
    space.lesson(slug).expect("it was added")
}

/// Two keys that have written: each has a lesson or two.
fn two_keys() -> Vec<(&'static str, i64, EventKind)> {
    vec![
        (MINE, 0, added(lesson("mine"))),
        (OTHER, 0, added(lesson("theirs"))),
        (MINE, 0, added(lesson("also-mine"))),
    ]
}

/// The lesson applied in a decision of `by`, and a success told by the same.
fn success(
    by: &'static str,
    day: i64,
    id: &str,
    slug: &str,
) -> Vec<(&'static str, i64, EventKind)> {
    vec![
        (by, day, surfaced(&format!("r-{id}"), Some(id), &[slug])),
        (by, day, tracked(id, slug, true)),
        (by, day, outcome(id, DecisionOutcome::Success)),
    ]
}

/// Four invented decisions and 30 votes.
fn attack() -> Vec<(&'static str, i64, EventKind)> {
    let mut said = Vec::new();
    for n in 0..4 {
        said.extend(success(MINE, 0, &format!("d{n}"), "mine"));
    }
    said.extend((0..30).map(|n| (MINE, n % 3, voted("mine", true))));
    said
}

#[test]
fn four_invented_decisions_and_thirty_votes_prove_nothing_until_a_person_approves() {
    let mut said = two_keys();
    said.extend(attack());
    let space = folded(&ledger(said.clone()));
    let lesson = held(&space, "mine");
    assert_eq!(
        lesson.standing,
        Standing {
            times_surfaced: 4,
            ..Standing::default()
        }
    );
    // It is all recorded.
    assert_eq!(space.decisions().len(), 4);
    assert!(space.decisions().all(|(_, one)| one.records[0].settled));

    said.push((PERSON, 3, reviewed("mine", Verdict::Approve)));
    let space = folded(&ledger(said));
    let lesson = held(&space, "mine");
    let standing = &lesson.standing;
    assert!(standing.proven_effective);
    assert_eq!((standing.times_applied, standing.success_count), (4, 4));
    // A vote a day.
    assert_eq!(standing.upvotes, 3);
    assert_eq!(lesson.pending_standing, None);
}

#[test]
fn what_waited_counts_in_its_place_among_what_others_said() {
    let rates = |days: i64| (0..days).map(|day| (MINE, day, rated("mine", day % 2 == 0)));
    let mut said = two_keys();
    for (day, mine) in rates(6).enumerate() {
        said.push(mine);
        said.push((OTHER, day as i64, rated("mine", day % 3 == 0)));
        let blocked = feedback(FeedbackOutcome::Blocked, &["mine"], &["mine"]);
        said.push((MINE, day as i64, blocked));
        let delivered = feedback(FeedbackOutcome::Delivered, &["mine"], &["mine"]);
        said.push((PERSON, day as i64, delivered));
    }
    said.push((PERSON, 7, reviewed("mine", Verdict::Approve)));
    let events = ledger(said);
    let space = folded(&events);
    let (old, _) = Space::of_ledger(&events, &switched_off());
    // None of it was held back by the day, so in the end it is what it would have been without waiting, to the bit.
    assert_eq!(held(&space, "mine").standing, held(&old, "mine").standing);
    assert_eq!(held(&space, "mine").standing.use_count, 12);
}

#[test]
fn an_edit_takes_the_approval_away_and_an_agents_own_approval_is_none() {
    let mut said = two_keys();
    said.push((PERSON, 0, reviewed("mine", Verdict::Approve)));
    said.push((MINE, 0, rated("mine", true)));
    // Of an approved lesson a key's edit is refused, whoever added it; a person's takes the approval away.
    let by_key = (MINE, 1, edited("mine", 1, Trust::Unreviewed));
    let events = ledger(said.iter().cloned().chain([by_key]));
    let (_, refused) = Space::of_ledger(&events, &Policy::default());
    assert_eq!(refused[0].1.field(), "lesson");
    said.push((PERSON, 1, edited("mine", 1, Trust::Unreviewed)));
    said.push((MINE, 1, rated("mine", true)));
    let space = folded(&ledger(said.clone()));
    assert_eq!(held(&space, "mine").standing.times_helpful, 1);

    for approval in [
        (MINE, 2, reviewed("mine", Verdict::Approve)),
        (MINE, 2, edited("mine", 2, Trust::Approved)),
    ] {
        let mut said = said.clone();
        said.push(approval);
        said.push((MINE, 3, rated("mine", true)));
        let space = folded(&ledger(said.clone()));
        assert_eq!(held(&space, "mine").standing.times_helpful, 1);
        // Another's edit gives the lesson no other writer.
        let rev = held(&space, "mine").rev;
        said.push((PERSON, 4, edited("mine", rev, Trust::Unreviewed)));
        said.push((MINE, 4, rated("mine", true)));
        said.push((PERSON, 5, reviewed("mine", Verdict::Approve)));
        let space = folded(&ledger(said));
        assert_eq!(held(&space, "mine").standing.times_helpful, 4);
    }
}

#[test]
fn a_quarantined_or_archived_lessons_words_wait_on_and_a_merge_takes_what_counted() {
    let mut said = two_keys();
    said.push((MINE, 0, rated("mine", true)));
    said.push((PERSON, 0, reviewed("mine", Verdict::Quarantine)));
    said.push((
        PERSON,
        0,
        EventKind::LessonArchived {
            lesson: "mine".to_owned(),
        },
    ));
    said.push((MINE, 1, rated("mine", true)));
    let space = folded(&ledger(said.clone()));
    assert_eq!(held(&space, "mine").standing.times_helpful, 0);
    said.push((PERSON, 1, reviewed("mine", Verdict::Approve)));
    let space = folded(&ledger(said));
    assert_eq!(held(&space, "mine").standing.times_helpful, 2);

    let merged = |into: &str, from: &str| EventKind::LessonsMerged {
        into: into.to_owned(),
        from: vec![from.to_owned()],
    };
    let mut said = two_keys();
    said.push((MINE, 0, rated("mine", true)));
    said.push((OTHER, 0, rated("mine", true)));
    said.push((MINE, 0, rated("also-mine", true)));
    said.push((PERSON, 0, merged("also-mine", "mine")));
    let space = folded(&ledger(said.clone()));
    assert_eq!(held(&space, "also-mine").standing.times_helpful, 1);
    said.push((PERSON, 0, reviewed("also-mine", Verdict::Approve)));
    let space = folded(&ledger(said));
    // Its own that waited, and the one that counted where it came from.
    assert_eq!(held(&space, "also-mine").standing.times_helpful, 2);
}

#[test]
fn an_event_is_judged_by_the_ledger_before_it() {
    let said = vec![
        (MINE, 0, added(lesson("mine"))),
        (MINE, 0, rated("mine", true)),
        (MINE, 0, rated("mine", true)),
        // The second key may come with anything, and be a person's guest only.
        (
            OTHER,
            0,
            EventKind::ToolSucceeded {
                query: "deploy".to_owned(),
                server: "git".to_owned(),
            },
        ),
        (MINE, 0, rated("mine", true)),
    ];
    let events = ledger(said);
    let space = folded(&events);
    assert_eq!(space.agents(), [MINE, OTHER]);
    assert_eq!(held(&space, "mine").standing.times_helpful, 2);
    let entries = history(&events, "mine", &Policy::default());
    let told: Vec<_> = entries.iter().map(|entry| entry.uncounted).collect();
    assert_eq!(told, [None, None, None, Some(WhyUncounted::UntilApproved)]);
}

#[test]
fn a_keys_ratings_and_votes_count_once_a_day_and_a_clock_set_back_gives_no_other_chance() {
    let days = [0, 0, 1, 0, 1, 2];
    let mut said = two_keys();
    said.extend(days.map(|day| (MINE, day, rated("theirs", false))));
    said.extend(days.map(|day| (MINE, day, voted("theirs", false))));
    said.extend(days.map(|day| (PERSON, day, voted("theirs", true))));
    let events = ledger(said);
    let space = folded(&events);
    let standing = &held(&space, "theirs").standing;
    assert_eq!(
        (
            standing.times_not_helpful,
            standing.downvotes,
            standing.upvotes
        ),
        (3, 3, 6)
    );
    let entries = history(&events, "theirs", &Policy::default());
    let told: Vec<_> = entries.iter().filter_map(|entry| entry.uncounted).collect();
    let [rated, voted] = [WhyUncounted::RatedToday, WhyUncounted::VotedToday];
    assert_eq!(told, [rated, rated, rated, voted, voted, voted]);
    let mover = |by: &str, moved, uncounted| Mover {
        by: by.to_owned(),
        moved,
        uncounted,
    };
    assert_eq!(movers(&entries), [mover(MINE, 6, 6), mover(PERSON, 6, 0)]);
}

#[test]
fn in_a_decision_too_an_opinion_counts_once_a_day() {
    let mut said = two_keys();
    for id in ["d1", "d2"] {
        said.push((MINE, 0, surfaced(&format!("r-{id}"), Some(id), &["theirs"])));
        said.push((MINE, 0, in_decision(rated("theirs", false), id)));
    }
    let space = folded(&ledger(said));
    assert_eq!(held(&space, "theirs").standing.times_not_helpful, 1);
    // Both decisions have it.
    assert!(space.decisions().all(|(_, one)| one.opinions.len() == 1));
}

#[test]
fn an_outcome_waits_whoever_of_asker_and_teller_wrote_the_lesson() {
    let told = |asks, tells| {
        let mut said = two_keys();
        said.push((asks, 0, surfaced("r", Some("d"), &["mine", "theirs"])));
        said.push((asks, 0, tracked("d", "mine", true)));
        said.push((asks, 0, tracked("d", "theirs", true)));
        said.push((tells, 0, outcome("d", DecisionOutcome::Success)));
        let space = folded(&ledger(said));
        ["mine", "theirs"].map(|slug| held(&space, slug).standing.times_applied)
    };
    assert_eq!(told(MINE, MINE), [0, 1]);
    assert_eq!(told(MINE, PERSON), [0, 1]);
    assert_eq!(told(PERSON, MINE), [0, 1]);
    assert_eq!(told(OTHER, PERSON), [1, 0]);
    assert_eq!(told(OTHER, MINE), [0, 0]);
    assert_eq!(told(PERSON, PERSON), [1, 1]);
    // To see it applied in somebody else's success is no less its own word.
    let mut said = two_keys();
    said.push((PERSON, 0, surfaced("r", Some("d"), &["mine"])));
    said.push((PERSON, 0, outcome("d", DecisionOutcome::Success)));
    said.push((MINE, 0, tracked("d", "mine", true)));
    assert_eq!(
        held(&folded(&ledger(said)), "mine").standing.times_applied,
        0
    );
}

#[test]
fn history_says_what_waits_and_what_the_approval_brought() {
    let mut said = two_keys();
    said.extend(success(MINE, 0, "d", "mine"));
    said.push((PERSON, 1, reviewed("mine", Verdict::Approve)));
    let events = ledger(said);
    let policy = Policy::default();
    let account = lesson_core::account(&events[..events.len() - 1], "mine", &policy);
    let last = account.entries.last().expect("there are events");
    assert_eq!(last.uncounted, Some(WhyUncounted::UntilApproved));
    assert!(!last.moved());
    assert!(!account.shown[0].is_counted);
    let account = lesson_core::account(&events, "mine", &policy);
    let last = account.entries.last().expect("there are events");
    assert_eq!(
        last.summary,
        "Approved; what its writer said of it counts now"
    );
    assert!(last.moved() && last.uncounted.is_none());
    assert!(account.shown[0].is_counted);
}

#[test]
fn asking_first_says_what_would_not_count() {
    let space = folded(&ledger(two_keys()));
    let policy = Policy::default();
    let asked = [
        rated("theirs", true),
        rated("mine", true),
        rated("theirs", true),
    ];
    let uncounted = space.check(&asked, MINE, NOW, &policy).expect("all fit");
    let told: Vec<_> = uncounted
        .iter()
        .map(|one| (&*one.lesson, one.why))
        .collect();
    assert_eq!(
        told,
        [
            ("mine", WhyUncounted::UntilApproved),
            ("theirs", WhyUncounted::RatedToday)
        ]
    );
    let uncounted = space.check(&asked, PERSON, NOW, &policy).expect("all fit");
    assert!(uncounted.is_empty());
}

/// The rule switched off.
fn switched_off() -> Policy {
    let mut policy = Policy::default();
    policy.fold.shared_from_keys = u32::MAX;
    policy
}

fn happening() -> impl Strategy<Value = EventKind> {
    let slug = || prop::sample::select(&SLUGS[..]);
    let decision = || prop::sample::select(&["d1", "d2", "d3", "d4", "d5", "d6"][..]);
    let won = |won| match won {
        true => DecisionOutcome::Success,
        false => DecisionOutcome::Failure,
    };
    prop_oneof![
        3 => (slug(), any::<bool>()).prop_map(|(slug, up)| rated(slug, up)),
        3 => (slug(), any::<bool>()).prop_map(|(slug, up)| voted(slug, up)),
        3 => (any::<u32>(), decision(), slug(), slug())
            .prop_map(|(r, id, a, b)| surfaced(&format!("r{r}"), Some(id), &[a, b])),
        3 => (decision(), slug()).prop_map(|(id, slug)| tracked(id, slug, true)),
        3 => (decision(), any::<bool>()).prop_map(move |(id, is_won)| outcome(id, won(is_won))),
        2 => (slug(), any::<bool>()).prop_map(|(slug, causal)| feedback(
            FeedbackOutcome::Delivered,
            &[slug],
            if causal { std::slice::from_ref(&slug) } else { &[] }.to_vec().as_slice(),
        )),
        2 => (decision(), slug(), any::<bool>())
            .prop_map(|(id, slug, up)| in_decision(rated(slug, up), id)),
        1 => slug().prop_map(|slug| reviewed(slug, Verdict::Approve)),
        1 => (slug(), prop::sample::select(Trust::ALL))
            .prop_map(|(slug, trust)| edited(slug, 1, trust)),
        1 => slug().prop_map(|slug| EventKind::TrialGranted { lesson: slug.to_owned() }),
    ]
}

/// Generates what many say, on a few days: after a beginning in which two keys have written.
fn after_two_keys(
    who: &'static [&'static str],
) -> impl Strategy<Value = (Vec<Event>, BTreeSet<i64>)> {
    let said = (happening(), prop::sample::select(who), 0..4_i64);
    prop::collection::vec(said, 0..60).prop_map(|said| {
        let days = said.iter().map(|(.., day)| *day).collect();
        let all = said.into_iter().map(|(what, by, day)| (by, day, what));
        let mut space = Space::new();
        let events = ledger(two_keys().into_iter().chain(all))
            .into_iter()
            .filter(|event| space.fold(event, &Policy::default()).is_ok())
            .collect();
        (events, days)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever an agent sends, its own lessons stay as they were; they may only be shown more often.
    #[test]
    fn an_agent_alone_moves_no_lesson_of_its_own((events, _) in after_two_keys(&[MINE])) {
        let space = folded(&events);
        for slug in ["mine", "also-mine"] {
            let standing = &held(&space, slug).standing;
            let shown = Standing { times_surfaced: standing.times_surfaced, ..Standing::default() };
            prop_assert_eq!(&counts(standing), &shown);
            prop_assert!(standing.lift().optimism() <= Belief::default().optimism());
        }
    }

    /// By repeating itself it moves another's lesson by one rating and one vote a day.
    #[test]
    fn an_agent_moves_anothers_lesson_once_a_day((events, days) in after_two_keys(&[MINE])) {
        let space = folded(&events);
        let lesson = held(&space, "theirs");
        let days = days.len() as u32;
        let standing = &lesson.standing;
        prop_assert!(standing.times_helpful + standing.times_not_helpful <= days);
        prop_assert!(standing.upvotes + standing.downvotes <= days);
        prop_assert!(standing.times_applied as usize <= space.decisions().len());
        prop_assert!(standing.confidence >= 0.5 - f64::from(days) * 0.08 - 1e-9);
        prop_assert!(standing.confidence <= 0.5 + f64::from(days) * 0.07 + 1e-9);
    }

    /// With one key, and people beside it, the rule changes nothing, to the bit.
    #[test]
    fn with_one_key_the_sources_rules_hold((events, _) in after_two_keys(&[MINE, PERSON, "local", ""])) {
        let one: Vec<Event> = events
            .into_iter()
            .map(|event| Event { by: event.by.replace(OTHER, PERSON), ..event })
            .collect();
        let (space, _) = Space::of_ledger(&one, &Policy::default());
        let (old, _) = Space::of_ledger(&one, &switched_off());
        prop_assert!(space == old);
        prop_assert!(space.lessons().all(|lesson| lesson.pending_standing.is_none() && lesson.counted_on.is_empty()));
    }

    /// Words of people, and of agents on others' lessons without repeating themselves, count as usual.
    #[test]
    fn people_are_held_back_by_nothing((events, _) in after_two_keys(&[PERSON, "local"])) {
        let space = folded(&events);
        let (old, _) = Space::of_ledger(&events, &switched_off());
        prop_assert!(space.lessons().eq(old.lessons()));
    }

    /// The standing that waits is what would stand there if it counted; a person's approval puts it there, once.
    #[test]
    fn an_approval_counts_what_waited_once((events, _) in after_two_keys(&[MINE, OTHER, PERSON])) {
        let mut space = folded(&events);
        for (n, slug) in (10_000..).zip(SLUGS) {
            let before = held(&space, slug).clone();
            let approve = |n| Event {
                by: PERSON.to_owned(),
                at: NOW + 9 * DAY,
                ..event(n, reviewed(slug, Verdict::Approve))
            };
            space.fold(&approve(n), &Policy::default()).expect("the text is the same");
            let after = held(&space, slug).clone();
            let wanted = before.pending_standing.as_deref().unwrap_or(&before.standing);
            prop_assert_eq!(&after.standing, wanted);
            prop_assert_eq!(&after.pending_standing, &None);
            space.fold(&approve(n + 100), &Policy::default()).expect("again");
            prop_assert_eq!(&held(&space, slug).standing, &after.standing);
        }
    }

    /// Events that come again change nothing, and neither does writing the ledger down and reading it.
    #[test]
    fn a_ledger_folds_the_same_again_and_again(
        (events, _) in after_two_keys(&[MINE, OTHER, PERSON]),
        again in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
    ) {
        let mut space = folded(&events);
        let once = space.clone();
        for which in again {
            space.fold(which.get(&events), &Policy::default()).expect("it is known");
        }
        prop_assert!(space == once);
        let text = serde_json::to_string(&events).expect("events are JSON");
        let read: Vec<Event> = serde_json::from_str(&text).expect("what was written is read");
        prop_assert!(folded(&read) == once);
        for lesson in once.lessons() {
            let row = serde_json::to_string(lesson).expect("lessons are JSON");
            let read: Lesson = serde_json::from_str(&row).expect("what was written is read");
            prop_assert_eq!(&read, lesson);
        }
    }
}
