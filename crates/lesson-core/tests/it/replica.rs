//! Replicas: rows of a space that is kept elsewhere, and events on top of them.

use crate::common::{
    NOW, added, counts, edited, event, feedback, in_decision, lesson, outcome, rated, reviewed,
    setting, surfaced, tracked,
};
use lesson_core::{
    DAY, Decision, DecisionOutcome, Event, EventKind, FeedbackOutcome, Folded, MatchType,
    OptimisticOverlay, Policy, Row, Space, ToolPolicy, ToolRecord, Trust, Verdict, first_of_agent,
    history, narrowed, tool_query_hash,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const SLUGS: [&str; 4] = ["a", "b-one", "warning-c", "d"];

fn used(query: &str) -> EventKind {
    EventKind::ToolSucceeded {
        query: query.to_owned(),
        server: "git".to_owned(),
    }
}

fn happening() -> impl Strategy<Value = EventKind> {
    let slug = || prop::sample::select(&SLUGS[..]);
    let decision = || prop::sample::select(&["d1", "d2", "d3"][..]);
    prop_oneof![
        slug().prop_map(|slug| added(lesson(slug))),
        (slug(), any::<bool>()).prop_map(|(slug, up)| rated(slug, up)),
        (any::<u32>(), decision(), slug(), slug()).prop_map(|(r, decision, a, b)| surfaced(
            &format!("r{r}"),
            Some(decision),
            &[a, b]
        )),
        (decision(), slug(), any::<bool>())
            .prop_map(|(decision, slug, applied)| tracked(decision, slug, applied)),
        (decision(), any::<bool>()).prop_map(|(decision, won)| outcome(
            decision,
            if won {
                DecisionOutcome::Success
            } else {
                DecisionOutcome::Failure
            }
        )),
        (slug(), slug()).prop_map(|(a, b)| feedback(FeedbackOutcome::Delivered, &[a, b], &[])),
        (decision(), slug(), any::<bool>()).prop_map(|(decision, slug, won)| {
            in_decision(
                feedback(
                    FeedbackOutcome::Blocked,
                    &[slug],
                    if won { &[] } else { &SLUGS[..1] },
                ),
                decision,
            )
        }),
        (decision(), slug(), any::<bool>())
            .prop_map(|(decision, slug, helpful)| in_decision(rated(slug, helpful), decision)),
        (slug(), prop::sample::select(Verdict::ALL))
            .prop_map(|(slug, verdict)| reviewed(slug, verdict)),
        slug().prop_map(|slug| edited(slug, 1, Trust::Unreviewed)),
        slug().prop_map(|slug| EventKind::TrialGranted {
            lesson: slug.to_owned()
        }),
        any::<bool>().prop_map(setting),
        (0..5_u8).prop_map(|n| used(&format!("deploy {n}"))),
        slug().prop_map(|slug| EventKind::LessonArchived {
            lesson: slug.to_owned()
        }),
        (slug(), slug()).prop_map(|(into, from)| EventKind::LessonsMerged {
            into: into.to_owned(),
            from: vec![from.to_owned()]
        }),
    ]
}

/// Writers of the events; the first one writes twice as many as each other one.
const BY: [&str; 5] = ["agent:1", "agent:1", "agent:2", "person:3", "local"];

/// A ledger that begins with lessons; what can't be folded is left out.
pub fn any_ledger() -> impl Strategy<Value = Vec<Event>> {
    let said = (happening(), 0..BY.len(), 0..12_i64);
    prop::collection::vec(said, 0..60).prop_map(|said| {
        let first = SLUGS.iter().take(3).zip([0, 2, 2]);
        let first = first.map(|(slug, by)| (added(lesson(slug)), by, 0));
        let mut space = Space::new();
        let mut at = NOW;
        (1..)
            .zip(first.chain(said))
            .map(|(n, (happening, by, later))| {
                // Mostly the same day; sometimes the clock is set back.
                at += [DAY, -DAY, 0][later.min(2) as usize] + 1_000;
                let event = event(n, happening);
                Event {
                    by: BY[by].to_owned(),
                    at,
                    ..event
                }
            })
            .filter(|event| space.fold(event, &Policy::default()).is_ok())
            .collect()
    })
}

/// The space's rows, as a server has them after this ledger.
pub fn rows(ledger: &[Event]) -> (Space, Vec<Row>) {
    let (space, _) = Space::of_ledger(ledger, &Policy::default());
    let mut rows: Vec<Row> = space
        .lessons()
        .map(|lesson| Row::Lesson(Box::new(lesson.clone())))
        .collect();
    if !space.agents().is_empty() {
        rows.push(Row::Agents {
            keys: space.agents().to_vec(),
            withdrawn: BTreeMap::new(),
        });
    }
    rows.extend(space.bases().map(|(domain, base)| Row::Base {
        domain: domain.to_owned(),
        base: *base,
    }));
    // A server keeps a row of what was set and is no more, so that replicas learn of it.
    let name = "tools.core_servers";
    rows.push(Row::Setting {
        name: name.to_owned(),
        value: space.setting(name).cloned().unwrap_or_default(),
    });
    for (id, decision) in space.decisions() {
        rows.push(Row::Decision {
            decision_id: id.to_owned(),
            decision: Box::new(Decision {
                records: Vec::new(),
                ..decision.clone()
            }),
        });
        rows.extend(decision.records.iter().zip(1..).map(|(record, position)| {
            Row::Recommendation {
                decision_id: id.to_owned(),
                position,
                record: Box::new(record.clone()),
            }
        }));
    }
    rows.extend(
        space
            .tools()
            .records()
            .iter()
            .zip(1..)
            .map(|(record, position)| Row::Tool {
                record: record.clone(),
                position,
                dropped: false,
            }),
    );
    rows.extend(
        space
            .feedback_times()
            .iter()
            .zip(1..)
            .map(|(at, position)| Row::Feedback { position, at: *at }),
    );
    rows.extend(
        space
            .activity()
            .map(|(day, events)| Row::Day { day, events }),
    );
    (space, rows)
}

/// All that rows can tell of a space.
fn shown(space: &Space) -> impl Clone + PartialEq + std::fmt::Debug + use<> {
    let decisions: BTreeMap<String, _> = space
        .decisions()
        .map(|(id, decision)| (id.to_owned(), decision.clone()))
        .collect();
    (
        space.lessons().cloned().collect::<Vec<_>>(),
        decisions,
        space.tools().records().to_vec(),
        space.feedback_times().to_vec(),
        space.activity().collect::<Vec<_>>(),
        space.agents().to_vec(),
        space
            .settings()
            .map(|(name, value)| (name.to_owned(), value.clone()))
            .collect::<Vec<_>>(),
    )
}

pub fn replica_of(rows: Vec<Row>) -> (Space, OptimisticOverlay) {
    let (mut space, mut replica) = (Space::new(), OptimisticOverlay::new());
    replica.put(&mut space, rows);
    (space, replica)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Rows in any order give the same space, and it is the one that the ledger folds into.
    #[test]
    fn rows_in_any_order_give_what_the_ledger_gives(
        (folded, rows, shuffled) in any_ledger().prop_flat_map(|ledger| {
            let (space, rows) = rows(&ledger);
            (Just(shown(&space)), Just(rows.clone()), Just(rows).prop_shuffle())
        })
    ) {
        let (in_order, _) = replica_of(rows);
        let (in_any, _) = replica_of(shuffled);
        prop_assert_eq!(&in_order, &in_any);
        prop_assert_eq!(shown(&in_order), folded);
    }

    /// Events on top show what the whole ledger shows, and come off without a trace.
    #[test]
    fn events_on_top_are_shown_and_come_off_again(ledger in any_ledger(), cut in any::<prop::sample::Index>()) {
        let (below, above) = ledger.split_at(cut.index(ledger.len()));
        let (mut space, mut replica) = replica_of(rows(below).1);
        let before = space.clone();
        for event in above {
            prop_assert_eq!(replica.fold(&mut space, event, &Policy::default()), Ok(Folded::Applied));
            prop_assert!(space.has_seen(&event.op_id));
        }
        prop_assert_eq!(shown(&space), shown(&rows(&ledger).0));
        replica.take_off(&mut space);
        prop_assert_eq!(&space, &before);
        // The rows that hold them come: nothing is counted twice.
        replica.put(&mut space, rows(&ledger).1);
        prop_assert_eq!(shown(&space), shown(&rows(&ledger).0));
    }

    /// Events that are refused or known leave nothing behind either.
    #[test]
    fn what_is_refused_or_known_comes_off_too(ledger in any_ledger(), tops in prop::collection::vec(happening(), 0..20)) {
        let (mut space, mut replica) = replica_of(rows(&ledger).1);
        let before = space.clone();
        for (n, top) in (1_000..).zip(tops) {
            let event = event(n, top);
            let _ = replica.fold(&mut space, &event, &Policy::default());
            let _ = replica.fold(&mut space, &event, &Policy::default());
        }
        replica.take_off(&mut space);
        prop_assert_eq!(&space, &before);
    }
}

fn tool(query: &str, position: u64, dropped: bool) -> Row {
    Row::Tool {
        record: ToolRecord {
            query: query.to_owned(),
            server: "git".to_owned(),
            at: NOW,
            query_hash: tool_query_hash(query, "git"),
        },
        position,
        dropped,
    }
}

fn queries(space: &Space) -> Vec<&str> {
    let records = space.tools().records();
    records.iter().map(|record| &*record.query).collect()
}

#[test]
fn a_tool_that_fell_out_of_the_book_comes_again_at_its_new_place() {
    let (mut space, mut replica) = replica_of(vec![tool("one", 1, false), tool("two", 2, false)]);
    assert_eq!(queries(&space), ["one", "two"]);
    replica.put(&mut space, [tool("one", 1, true)]);
    assert_eq!(queries(&space), ["two"]);
    replica.put(&mut space, [tool("one", 9, false)]);
    assert_eq!(queries(&space), ["two", "one"]);
    // A fresher time is not another place.
    replica.put(&mut space, [tool("two", 2, false)]);
    assert_eq!(queries(&space), ["two", "one"]);
    assert_eq!(
        space
            .tools()
            .suggest("one", NOW, 5, &ToolPolicy::default())
            .len(),
        1
    );
}

/// The events that touched a lesson, as the server notes them: those that changed it or saw it, and all outcomes of
/// decisions that it was recommended for; what is said of it but does not count; and who asked for those decisions first.
fn touching(ledger: &[Event], slug: &str) -> Vec<Event> {
    let (end, _) = Space::of_ledger(ledger, &Policy::default());
    let mut space = Space::new();
    let mut held = None;
    let mut found = Vec::new();
    for event in ledger {
        let (_, uncounted) = space.fold_telling(event, &Policy::default()).unwrap();
        let now = space.lesson(slug).cloned();
        let counted = match &event.event {
            EventKind::OutcomeRecorded { decision_id, .. } => end
                .decision(decision_id)
                .is_some_and(|decision| decision.record(slug).is_some()),
            EventKind::UsageTracked { detections, .. } => detections
                .iter()
                .any(|seen| seen.lesson == slug && seen.match_type != MatchType::None),
            EventKind::Surfaced { context, .. } => context
                .decision_id
                .as_deref()
                .and_then(|id| end.decision(id))
                .is_some_and(|decision| decision.record(slug).is_some()),
            _ => uncounted.iter().any(|one| one.lesson == slug),
        };
        if counted || now != held {
            found.push(event.clone());
        }
        held = now;
    }
    found
}

proptest! {
    #[test]
    fn a_lessons_history_needs_only_what_touched_it(ledger in any_ledger()) {
        let policy = Policy::default();
        for slug in SLUGS {
            // The lesson, and what was merged into it, and what was merged into that.
            let mut slugs = BTreeSet::from([slug.to_owned()]);
            let mut events: BTreeMap<u64, Event> = BTreeMap::new();
            let mut ask = vec![slug.to_owned()];
            while let Some(slug) = ask.pop() {
                for event in touching(&ledger, &slug) {
                    if let EventKind::LessonsMerged { into, from } = &event.event && *into == slug {
                        ask.extend(from.iter().filter(|from| slugs.insert((*from).clone())).cloned());
                    }
                    events.insert(event.seq, event);
                }
            }
            // The first events of the keys that had written before.
            for key in Space::of_ledger(&ledger, &policy).0.agents() {
                let first = ledger.iter().find(|event| event.by == *key).expect("it wrote");
                events.entry(first.seq).or_insert_with(|| first_of_agent(key, first.at));
            }
            let some = narrowed(events.into_values(), &slugs);
            let told = |events: &[Event]| -> Vec<_> {
                history(events, slug, &policy)
                    .into_iter()
                    .map(|entry| {
                        let before = entry.before.as_ref().map(counts);
                        (entry.event.op_id.clone(), entry.summary, before, counts(&entry.after), entry.uncounted)
                    })
                    .collect()
            };
            prop_assert_eq!(told(&some), told(&ledger));
        }
    }
}
