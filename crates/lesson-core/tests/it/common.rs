//! Lessons, events and spaces to test with.

use lesson_core::{
    Event, EventKind, Folded, Lesson, Millis, Policy, Space, Standing, SurfacedContext,
    SurfacedItem, Text, Trust, Verdict,
};

/// 2026-11-22T08:30:00Z.
pub const NOW: Millis = 1_795_336_200_000;

/// A lesson with this slug; its title is the slug.
pub fn lesson(slug: &str) -> Lesson {
    let text = Text {
        title: slug.to_owned(),
        ..Text::default()
    };
    Lesson::new(slug, text, "test", NOW)
}

/// A lesson that `change` has changed.
pub fn with(slug: &str, change: impl FnOnce(&mut Lesson)) -> Lesson {
    let mut lesson = lesson(slug);
    change(&mut lesson);
    lesson
}

pub fn added(lesson: Lesson) -> EventKind {
    EventKind::LessonAdded {
        lesson: Box::new(lesson),
    }
}

pub fn rated(lesson: &str, helpful: bool) -> EventKind {
    EventKind::Rated {
        lesson: lesson.to_owned(),
        helpful,
        decision_id: None,
    }
}

pub fn voted(lesson: &str, up: bool) -> EventKind {
    EventKind::Voted {
        lesson: lesson.to_owned(),
        up,
        decision_id: None,
    }
}

/// A verdict on the text of [`lesson`].
pub fn reviewed(slug: &str, verdict: Verdict) -> EventKind {
    EventKind::LessonReviewed {
        lesson: slug.to_owned(),
        verdict,
        content_hash: lesson(slug).text.content_hash(),
        reason: String::new(),
    }
}

/// An edit that leaves the text as it is.
pub fn edited(slug: &str, base_rev: u32, trust: Trust) -> EventKind {
    EventKind::LessonEdited {
        lesson: slug.to_owned(),
        base_rev,
        changes: Box::default(),
        trust,
        findings: Vec::new(),
    }
}

pub fn surfaced(retrieval: &str, decision: Option<&str>, lessons: &[&str]) -> EventKind {
    EventKind::Surfaced {
        retrieval_id: retrieval.to_owned(),
        purpose: "recommend".to_owned(),
        context: SurfacedContext {
            decision_id: decision.map(str::to_owned),
            domain: Some("perps".to_owned()),
            ..SurfacedContext::default()
        },
        items: lessons
            .iter()
            .enumerate()
            .map(|(place, slug)| SurfacedItem {
                lesson: (*slug).to_owned(),
                rank: place as u32 + 1,
                score: 0.5,
                relevance: 0.75,
                likelihood: None,
            })
            .collect(),
        policy: String::new(),
        measured: None,
    }
}

pub fn tracked(decision: &str, lesson: &str, applied: bool) -> EventKind {
    use lesson_core::{Detection, MatchType};
    EventKind::UsageTracked {
        decision_id: decision.to_owned(),
        detections: vec![Detection {
            lesson: lesson.to_owned(),
            applied,
            match_type: if applied {
                MatchType::Explicit
            } else {
                MatchType::Mentioned
            },
            confidence: if applied { 0.95 } else { 0.0 },
            quote: Some("...Applying...".to_owned()),
        }],
    }
}

pub fn outcome(decision: &str, outcome: lesson_core::DecisionOutcome) -> EventKind {
    EventKind::OutcomeRecorded {
        decision_id: decision.to_owned(),
        outcome,
        pnl_percent: Some(1.5),
    }
}

pub fn feedback(
    outcome: lesson_core::FeedbackOutcome,
    lessons: &[&str],
    causal: &[&str],
) -> EventKind {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    EventKind::FeedbackGiven {
        outcome,
        lessons: owned(lessons),
        causal: owned(causal),
        decision_id: None,
    }
}

/// The same, about a decision.
pub fn in_decision(mut happening: EventKind, decision: &str) -> EventKind {
    match &mut happening {
        EventKind::Rated { decision_id, .. }
        | EventKind::Voted { decision_id, .. }
        | EventKind::FeedbackGiven { decision_id, .. } => *decision_id = Some(decision.to_owned()),
        other => panic!("{other:?} is about no decision"),
    }
    happening
}

/// Core servers are set, or are the usual ones again.
pub fn setting(is_set: bool) -> EventKind {
    let value = if is_set {
        serde_json::json!(["git"])
    } else {
        serde_json::Value::Null
    };
    EventKind::PolicyChanged {
        changes: std::collections::BTreeMap::from([("tools.core_servers".to_owned(), value)]),
    }
}

/// The `n`th event of a ledger; one of three makes it.
pub fn event(n: u64, happening: EventKind) -> Event {
    Event {
        op_id: format!("op-{n}"),
        actor: "test".to_owned(),
        seq: n,
        at: NOW + n as i64 * 1000,
        by: ["local", "agent:1", "person:2"][n as usize % 3].to_owned(),
        request: None,
        event: happening,
    }
}

/// Happenings as a ledger.
pub fn ledger(happenings: impl IntoIterator<Item = EventKind>) -> Vec<Event> {
    (1..).zip(happenings).map(|(n, h)| event(n, h)).collect()
}

/// The space of a ledger in which nothing is refused.
pub fn folded(happenings: impl IntoIterator<Item = EventKind>) -> Space {
    taken(ledger(happenings))
}

/// A space of lessons that a person added, and what happened then.
pub fn taught(
    lessons: impl IntoIterator<Item = Lesson>,
    happenings: impl IntoIterator<Item = EventKind>,
) -> Space {
    let lessons = lessons.into_iter().map(added);
    let mut events = ledger(lessons.chain(happenings));
    for event in &mut events {
        if matches!(event.event, EventKind::LessonAdded { .. }) {
            event.by = "local".to_owned();
        }
    }
    taken(events)
}

fn taken(events: Vec<Event>) -> Space {
    let mut space = Space::new();
    for event in events {
        assert_eq!(
            space.fold(&event, &Policy::default()),
            Ok(Folded::Applied),
            "{event:?}"
        );
    }
    space
}

/// The counts alone: what is believed of a lift depends on the order of events, and on what else happened.
pub fn counts(held: &Standing) -> Standing {
    let mut counts = held.clone();
    counts.believe(lesson_core::learning::Belief::default());
    counts
}

/// The constants with the sources' rules of standing.
pub fn seeds() -> Policy {
    let mut policy = Policy::default();
    policy.rank.standing = lesson_core::StandingRule::Seeds;
    policy
}

/// A space of these lessons.
pub fn space(lessons: impl IntoIterator<Item = Lesson>) -> Space {
    taught(lessons, [])
}

/// An approved lesson with a text to be found by.
pub fn written(slug: &str, title: &str, recommendation: &str) -> Lesson {
    with(slug, |lesson| {
        lesson.text.title = title.to_owned();
        lesson.text.recommendation = recommendation.to_owned();
        lesson.trust = Trust::Approved;
    })
}

/// A space of these lessons, each added by whom its `by` names.
pub fn space_by(lessons: impl IntoIterator<Item = Lesson>) -> Space {
    let events: Vec<Event> = (1..)
        .zip(lessons)
        .map(|(n, lesson)| Event {
            by: lesson.by.clone(),
            ..event(n, added(lesson))
        })
        .collect();
    let (space, refused) = Space::of_ledger(&events, &Policy::default());
    assert!(refused.is_empty(), "{refused:?}");
    space
}
