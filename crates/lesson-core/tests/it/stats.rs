//! Stats and health.

use crate::common::{
    NOW, added, event, feedback, folded, lesson, outcome, space, surfaced, tracked, with,
};
use lesson_core::{
    Bands, DAY, DecisionOutcome, FeedbackOutcome, Funnel, Space, Trust, health, stats,
};

#[test]
fn stats_count_what_is_there() {
    let rated = |slug: &str, helpful, not| {
        with(slug, |l| {
            l.standing.times_helpful = helpful;
            l.standing.times_not_helpful = not;
            l.standing.times_surfaced = 4;
        })
    };
    let space = space([
        rated("r1", 4, 0),
        rated("r2", 3, 1),
        rated("r3", 2, 2),
        rated("r4", 1, 3),
        rated("r5", 0, 4),
        rated("r6", 2, 0),
        rated("once", 1, 0),
        with("shown", |l| {
            l.standing.times_surfaced = 12;
            l.trust = Trust::Approved;
        }),
        with("nine", |l| l.standing.times_surfaced = 9),
        with("held", |l| l.trust = Trust::Quarantined),
        with("proven", |l| l.standing.proven_effective = true),
        with("gone", |l| {
            l.archived = true;
            l.standing.times_surfaced = 99;
        }),
    ]);
    let told = stats(&space, NOW + 10 * DAY, &crate::common::seeds());
    assert_eq!((told.lessons, told.archived), (11, 1));
    assert_eq!((told.unreviewed, told.quarantined, told.proven), (9, 1, 1));
    assert_eq!(
        (told.total_surfaced, told.lessons_surfaced),
        (7 * 4 + 12 + 9, 9)
    );
    assert_eq!((told.total_rated, told.lessons_rated), (4 * 5 + 2 + 1, 7));
    let slugs = |list: &[lesson_core::LessonRank]| -> Vec<String> {
        list.iter().map(|rank| rank.slug.clone()).collect()
    };
    assert_eq!(slugs(&told.top), ["r1", "r6", "r2", "r3"]);
    assert_eq!(slugs(&told.bottom), ["r5", "r4"]);
    assert_eq!(slugs(&told.never_rated), ["shown"]);
    assert_eq!((slugs(&told.pruning), told.disqualified), (vec![], 0));
    assert_eq!(told.top[2].effectiveness_score, Some(0.75));
    let days: Vec<_> = told
        .activity
        .iter()
        .map(|d| (d.day.as_str(), d.events))
        .collect();
    assert_eq!(days, [("2026-11-22", 12)]);
}

#[test]
fn a_lesson_that_everybody_finds_helpful_is_none_of_the_worst() {
    let space = space([with("praised", |l| l.standing.times_helpful = 5)]);
    let told = stats(&space, NOW, &crate::common::seeds());
    assert_eq!((told.top.len(), told.bottom.len()), (1, 0));
}

#[test]
fn what_outcomes_and_feedback_speak_against_is_told() {
    let caused = |slug: &str, effectiveness, hits| {
        with(slug, |l| {
            l.standing.effectiveness = effectiveness;
            l.standing.causal_hits = hits;
            l.standing.use_count = hits;
        })
    };
    let space = space([
        caused("harmful", 0.2, 5),
        caused("useless", 0.05, 7),
        caused("early", 0.05, 4),
        caused("mixed", 0.25, 7),
        with("gone", |l| {
            l.archived = true;
            l.standing.causal_hits = 9;
            l.standing.effectiveness = 0.0;
        }),
        with("failing", |l| {
            l.standing.times_applied = 4;
            l.standing.success_count = 1;
        }),
    ]);
    let told = stats(&space, NOW, &crate::common::seeds());
    let pruning: Vec<&str> = told.pruning.iter().map(|rank| &*rank.slug).collect();
    assert_eq!(pruning, ["useless", "harmful"]);
    assert_eq!(told.disqualified, 1);
}

#[test]
fn activity_covers_thirty_days() {
    let mut space = Space::new();
    let policy = crate::common::seeds();
    for (n, days) in [(1, 0), (2, 1), (3, 29), (4, 30), (5, 29)] {
        let mut one = event(n, added(lesson(&format!("l{n}"))));
        one.at = NOW + days * DAY;
        space.fold(&one, &policy).expect("it is new");
    }
    let told = stats(&space, NOW + 30 * DAY, &policy);
    let days: Vec<_> = told
        .activity
        .iter()
        .map(|d| (d.day.as_str(), d.events))
        .collect();
    assert_eq!(
        days,
        [("2026-11-23", 1), ("2026-12-21", 2), ("2026-12-22", 1)]
    );
}

#[test]
fn health_tells_whether_learning_goes_on() {
    let effective = |slug: &str, value: f64| with(slug, |l| l.standing.effectiveness = value);
    let space = folded([
        added(effective("e1", 0.249)),
        added(effective("e2", 0.25)),
        added(effective("e3", 0.5)),
        added(effective("e4", 0.749)),
        added(effective("e5", 0.75)),
        added(effective("e6", 1.0)),
        surfaced("r1", Some("d1"), &["e1", "e2", "e3"]),
        tracked("d1", "e1", true),
        tracked("d1", "e2", false),
        outcome("d1", DecisionOutcome::Success),
        surfaced("r2", Some("d2"), &["e1"]),
        tracked("d2", "e1", true),
        surfaced("r3", None, &["e6"]),
    ]);
    let policy = crate::common::seeds();
    let told = health(&space, NOW, &policy);
    assert_eq!(
        told.bands,
        Bands {
            consistently_unhelpful: 2,
            mixed_or_new: 1,
            generally_helpful: 2,
            consistently_helpful: 1
        }
    );
    assert_eq!(
        told.funnel,
        Funnel {
            surfaced: 4,
            applied: 2,
            outcome: 1,
            success: 1
        }
    );
    assert_eq!((told.feedback_last_7_days, told.causal_ratio), (0, None));
}

#[test]
fn health_looks_seven_days_back_and_weighs_causes() {
    let space = folded([
        added(lesson("a")),
        added(lesson("b")),
        feedback(FeedbackOutcome::Delivered, &["a", "b"], &["a"]),
        feedback(FeedbackOutcome::Blocked, &["a", "b"], &[]),
    ]);
    let policy = crate::common::seeds();
    for (now, count) in [(NOW, 2), (NOW + 7 * DAY + 3500, 1), (NOW + 8 * DAY, 0)] {
        let told = health(&space, now, &policy);
        assert_eq!(
            (told.feedback_last_7_days, told.causal_ratio),
            (count, Some(0.25))
        );
    }
}

/// A session is heard when anything came back of it, and silent half an hour after it began.
#[test]
fn a_silent_session_is_seen_beside_one_that_told_all() {
    const HOUR: i64 = 3_600_000;
    let at = |place: i64, event_of| lesson_core::Event {
        at: NOW + place * HOUR,
        ..event(place as u64 + 10, event_of)
    };
    let mut space = space([lesson("a-b")]);
    let policy = crate::common::seeds();
    for happening in [
        at(0, surfaced("r-1", Some("good"), &["a-b"])),
        at(1, outcome("good", DecisionOutcome::Success)),
        at(2, surfaced("r-2", Some("silent"), &["a-b"])),
    ] {
        space.fold(&happening, &policy).unwrap();
    }
    let told = |hours: f64| {
        let now = NOW + (hours * HOUR as f64) as i64;
        health(&space, now, &policy).sessions.unwrap()
    };
    assert_eq!((told(2.2).in_last_7_days, told(2.2).silent), (2, 0));
    let sessions = told(4.0);
    assert_eq!((sessions.in_last_7_days, sessions.silent), (2, 1));
    assert_eq!(sessions.last_silent.as_deref(), Some("silent"));
    assert_eq!(told(24.0 * 9.0).in_last_7_days, 0);
}
