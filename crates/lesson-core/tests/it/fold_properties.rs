//! Properties of the fold over ledgers of any kind.

use crate::common::{
    added, event, feedback, in_decision, lesson, outcome, rated, setting, surfaced, tracked,
};
use lesson_core::{DecisionOutcome, Event, EventKind, FeedbackOutcome, Policy, Space};
use proptest::prelude::*;

const SLUGS: [&str; 4] = ["a", "b-one", "warning-c", "d"];
const DECISIONS: [&str; 2] = ["d1", "d2"];

fn happening() -> impl Strategy<Value = EventKind> {
    let slug = || prop::sample::select(&SLUGS[..]);
    let decision = || prop::sample::select(&DECISIONS[..]);
    let came = prop::sample::select(vec![
        DecisionOutcome::Success,
        DecisionOutcome::Failure,
        DecisionOutcome::Pending,
    ]);
    let ended = prop::sample::select(vec![
        FeedbackOutcome::Delivered,
        FeedbackOutcome::PlanComplete,
        FeedbackOutcome::Blocked,
    ]);
    let ended_again = ended.clone();
    prop_oneof![
        slug().prop_map(|slug| added(lesson(slug))),
        (slug(), any::<bool>()).prop_map(|(slug, up)| rated(slug, up)),
        (slug(), any::<bool>()).prop_map(|(slug, up)| EventKind::Voted {
            lesson: slug.to_owned(),
            up,
            decision_id: None,
        }),
        (0..4u8, decision(), slug(), slug()).prop_map(|(r, decision, a, b)| surfaced(
            &format!("r{r}"),
            Some(decision),
            &[a, b]
        )),
        (decision(), slug(), any::<bool>())
            .prop_map(|(d, slug, applied)| tracked(d, slug, applied)),
        (decision(), came).prop_map(|(d, came)| outcome(d, came)),
        (ended, slug(), slug(), any::<bool>()).prop_map(|(ended, a, b, causal)| feedback(
            ended,
            &[a, b],
            if causal { &[SLUGS[0]] } else { &[] }
        )),
        (ended_again, decision(), slug(), slug()).prop_map(|(ended, decision, a, b)| in_decision(
            feedback(ended, &[a, b], &[b]),
            decision
        )),
        (decision(), slug(), any::<bool>())
            .prop_map(|(decision, slug, helpful)| in_decision(rated(slug, helpful), decision)),
        slug().prop_map(|slug| EventKind::TrialGranted {
            lesson: slug.to_owned()
        }),
        any::<bool>().prop_map(setting),
        slug().prop_map(|slug| EventKind::LessonArchived {
            lesson: slug.to_owned()
        }),
        slug().prop_map(|slug| EventKind::LessonRestored {
            lesson: slug.to_owned()
        }),
        (slug(), slug()).prop_map(|(into, from)| EventKind::LessonsMerged {
            into: into.to_owned(),
            from: vec![from.to_owned()]
        }),
    ]
}

fn any_ledger() -> impl Strategy<Value = Vec<Event>> {
    prop::collection::vec(happening(), 0..60).prop_map(|happenings| {
        let first = SLUGS.iter().map(|slug| added(lesson(slug)));
        (1..)
            .zip(first.chain(happenings))
            .map(|(n, happening)| event(n, happening))
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Events that took effect may come again, anywhere later and in any order: nothing changes.
    #[test]
    fn any_duplication_gives_the_same_space(
        events in any_ledger(),
        again in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..40),
    ) {
        let policy = Policy::default();
        let (once, refused) = Space::of_ledger(&events, &policy);
        let mut more: Vec<&Event> = events
            .iter()
            .filter(|event| !refused.iter().any(|(bad, _)| bad.op_id == event.op_id))
            .collect();
        for (which, delay) in again {
            let original = which.index(more.len());
            let at = original + 1 + delay.index(more.len() - original);
            more.insert(at, more[original]);
        }
        let (twice, refused) = Space::of_ledger(more, &policy);
        prop_assert!(refused.is_empty());
        prop_assert!(once == twice);
    }

    /// A refused event changes nothing, whatever came before it.
    #[test]
    fn a_refused_event_changes_nothing(events in any_ledger()) {
        let policy = Policy::default();
        let mut space = Space::new();
        for event in &events {
            let before = space.clone();
            if space.fold(event, &policy).is_err() {
                prop_assert!(space == before, "{event:?}");
            }
        }
    }

    /// Numbers stay in their bounds, and proven is what the counts say.
    #[test]
    fn standings_stay_in_bounds(events in any_ledger()) {
        let (space, _) = Space::of_ledger(&events, &Policy::default());
        for lesson in space.lessons() {
            let s = &lesson.standing;
            prop_assert!((0.1..=1.0).contains(&s.confidence));
            prop_assert!((0.0..=1.0).contains(&s.effectiveness));
            prop_assert!(s.causal_hits <= s.use_count);
            prop_assert!(s.success_count <= s.times_applied);
            let proven = s.times_applied >= 3 && s.success_rate().is_some_and(|rate| rate >= 0.5);
            prop_assert_eq!(s.proven_effective, proven);
            prop_assert_eq!(s.qualified_at.is_some(), proven);
        }
    }

    /// A ledger written and read back folds to the same bits.
    #[test]
    fn a_ledger_survives_json(events in any_ledger()) {
        let policy = Policy::default();
        let text: Vec<String> = events
            .iter()
            .map(|event| serde_json::to_string(event).expect("events are JSON"))
            .collect();
        let read: Vec<Event> = text
            .iter()
            .map(|line| serde_json::from_str(line).expect("what was written is read"))
            .collect();
        prop_assert!(Space::of_ledger(&events, &policy).0 == Space::of_ledger(&read, &policy).0);
    }
}
