//! Lifts folded with the ledger: what teaches, once, in which order, and what ranking makes of it.

use crate::common::{
    NOW, added, event, feedback, folded, in_decision, lesson, outcome, rated, seeds, surfaced,
    taught, tracked, with, written,
};
use lesson_core::learning::{Base, Belief, FIRST_MEAN, FIRST_VARIANCE, learn, learn_alone};
use lesson_core::{
    Changes, DecisionOutcome, Event, EventKind, ExclusionCode, Explain, FeedbackOutcome,
    KeywordIndex, Known, Policy, Qualification, Ranking, Situation, Space, Trust, recommend_with,
};

const SUCCESS: DecisionOutcome = DecisionOutcome::Success;
const FAILURE: DecisionOutcome = DecisionOutcome::Failure;

fn belief(space: &Space, slug: &str) -> Belief {
    space.lesson(slug).expect("it was added").standing.lift()
}

fn fold(space: &mut Space, n: u64, happening: EventKind) {
    let done = space.fold(&event(n, happening), &Policy::default());
    assert!(done.is_ok(), "{done:?}");
}

/// A run in which a lesson was applied.
fn run(n: usize, slug: &str, ended: DecisionOutcome) -> [EventKind; 3] {
    let id = format!("run-{n}");
    [
        surfaced(&format!("r{n}"), Some(&id), &[slug]),
        tracked(&id, slug, true),
        outcome(&id, ended),
    ]
}

#[test]
fn a_runs_outcome_teaches_all_that_was_applied_once() {
    let mut space = folded([
        added(lesson("a")),
        added(lesson("b")),
        surfaced("r", Some("d"), &["a", "b"]),
        tracked("d", "a", true),
        outcome("d", SUCCESS),
    ]);
    let (mut base, mut wanted) = (Base::first(0.5), Belief::default());
    let at = NOW + 5_000;
    learn(&mut base, &mut [(0.95, &mut wanted)], true, at);
    assert_eq!(belief(&space, "a"), wanted);
    assert_eq!(belief(&space, "b"), Belief::default(), "only shown");
    assert_eq!(space.base_of("perps"), base);
    // The same again, from another device, teaches nothing.
    fold(&mut space, 90, outcome("d", SUCCESS));
    fold(&mut space, 91, tracked("d", "a", true));
    assert_eq!(belief(&space, "a"), wanted);
    // A use that is seen late moves that lesson alone.
    fold(&mut space, 92, tracked("d", "b", true));
    let mut late = Belief::default();
    learn_alone(base, 0.95, &mut late, true, NOW + 92_000);
    assert_eq!(belief(&space, "b"), late);
    assert_eq!(
        (belief(&space, "a"), space.base_of("perps")),
        (wanted, base)
    );
}

#[test]
fn an_outcome_that_comes_before_its_run_teaches_when_the_run_is_known() {
    let space = folded([
        added(lesson("a")),
        outcome("d", FAILURE),
        surfaced("r", Some("d"), &["a"]),
        tracked("d", "a", true),
    ]);
    let held = belief(&space, "a");
    assert!(held.mean < FIRST_MEAN && held.at == Some(NOW + 4_000));
    assert_eq!(
        space.bases().map(|(domain, _)| domain).collect::<Vec<_>>(),
        ["perps"]
    );
}

#[test]
fn feedback_without_an_outcome_teaches_and_names_what_was_at_work() {
    let about = |outcome, causal: &[&str]| {
        let mut space = folded([
            added(lesson("a")),
            added(lesson("b")),
            surfaced("r", Some("d"), &["a", "b"]),
            tracked("d", "a", true),
        ]);
        fold(
            &mut space,
            8,
            in_decision(feedback(outcome, &["a", "b"], causal), "d"),
        );
        space
    };
    let space = about(FeedbackOutcome::Delivered, &["b"]);
    assert!(belief(&space, "b").mean > FIRST_MEAN);
    assert!(belief(&space, "a").mean < FIRST_MEAN, "others are credited");
    let space = about(FeedbackOutcome::Blocked, &[]);
    assert!(belief(&space, "a").mean < FIRST_MEAN);
    assert_eq!(belief(&space, "b"), Belief::default());
    // An outcome that follows teaches no more.
    let mut later = space.clone();
    fold(&mut later, 9, outcome("d", FAILURE));
    assert_eq!(belief(&later, "a"), belief(&space, "a"));
}

#[test]
fn an_outcome_that_is_weeks_late_draws_nothing_back() {
    let mut space = folded(
        [added(lesson("a"))]
            .into_iter()
            .chain((0..4).flat_map(|n| run(n, "a", SUCCESS)))
            .chain([
                surfaced("late", Some("late"), &["a"]),
                tracked("late", "a", true),
            ]),
    );
    let before = belief(&space, "a");
    let late = Event {
        at: NOW - 60 * lesson_core::DAY,
        ..event(99, outcome("late", SUCCESS))
    };
    space.fold(&late, &Policy::default()).expect("it is taken");
    let after = belief(&space, "a");
    assert!(after.mean > before.mean && after.variance < before.variance);
    assert_eq!(after.at, before.at);
}

#[test]
fn an_edit_of_what_is_embedded_brings_doubt_back_and_a_trial_forgets_all() {
    let failed = || (0..9).flat_map(|n| run(n, "a", FAILURE));
    let mut space = folded([added(lesson("a"))].into_iter().chain(failed()));
    let before = belief(&space, "a");
    let edit = |changes, base_rev| EventKind::LessonEdited {
        lesson: "a".to_owned(),
        base_rev,
        changes: Box::new(changes),
        trust: Trust::Unreviewed,
        findings: Vec::new(),
    };
    let context = Changes {
        context: Some("elsewhere".to_owned()),
        ..Changes::default()
    };
    fold(&mut space, 90, edit(context, 1));
    assert_eq!(belief(&space, "a"), before, "an agent's text is the same");
    let text = Changes {
        recommendation: Some("Another way".to_owned()),
        ..Changes::default()
    };
    fold(&mut space, 91, edit(text, 2));
    assert_eq!(belief(&space, "a"), before.widened());
    let lesson = "a".to_owned();
    fold(&mut space, 92, EventKind::TrialGranted { lesson });
    assert_eq!(belief(&space, "a"), Belief::default());
    assert_eq!(
        space.lesson("a").unwrap().standing.times_applied,
        9,
        "counted for life"
    );
}

#[test]
fn a_merge_weighs_both_histories() {
    let runs = (0..6)
        .flat_map(|n| run(n, "a", SUCCESS))
        .chain((6..9).flat_map(|n| run(n, "b", FAILURE)));
    let mut space = folded(
        [added(lesson("a")), added(lesson("b"))]
            .into_iter()
            .chain(runs),
    );
    let wanted = belief(&space, "a").merged(belief(&space, "b"));
    let merged = EventKind::LessonsMerged {
        into: "a".to_owned(),
        from: vec!["b".to_owned()],
    };
    fold(&mut space, 90, merged);
    assert_eq!(belief(&space, "a"), wanted);
}

#[test]
fn an_imported_lift_is_held_to_its_bounds() {
    for (mean, variance, field) in [
        (1.5, 0.01, "lift_mean"),
        (0.1, 0.5, "lift_variance"),
        (f64::NAN, 0.01, "lift_mean"),
    ] {
        let one = with("a", |lesson| {
            lesson.standing.lift_mean = mean;
            lesson.standing.lift_variance = variance;
        });
        let refused = Space::new().fold(&event(1, added(one)), &Policy::default());
        let told = refused.expect_err("out of bounds").to_string();
        assert!(told.contains(field), "{told}");
    }
}

#[test]
fn ten_thousand_lessons_in_one_run_stay_within_bounds() {
    let slugs: Vec<String> = (0..10_000).map(|n| format!("l{n}")).collect();
    let names: Vec<&str> = slugs.iter().map(String::as_str).collect();
    let mut space = folded(slugs.iter().map(|slug| added(lesson(slug))));
    fold(&mut space, 20_000, surfaced("r", Some("d"), &names));
    fold(&mut space, 20_001, outcome("d", SUCCESS));
    let given = in_decision(feedback(FeedbackOutcome::Delivered, &names, &names), "d");
    fold(&mut space, 20_002, given);
    for slug in &slugs {
        let held = belief(&space, slug);
        assert!(held.mean.abs() <= 1.0 && held.variance > 0.0 && held.variance < FIRST_VARIANCE);
    }
}

fn ranked(space: &Space, policy: &Policy, known: Known<'_>) -> Ranking {
    let situation = Situation {
        query: Some("deploy the service".to_owned()),
        ..Situation::default()
    };
    let index = KeywordIndex::of_space(space);
    recommend_with(
        space,
        &situation,
        None,
        &index,
        &policy.rank,
        Explain::All,
        known,
    )
    .expect("the situation says something")
}

fn order(space: &Space, policy: &Policy) -> Vec<String> {
    let known = Known {
        now: NOW,
        ..Known::default()
    };
    ranked(space, policy, known)
        .items
        .into_iter()
        .map(|item| item.slug)
        .collect()
}

/// Two lessons that fit alike, and what happened to `a`.
fn two(happenings: impl IntoIterator<Item = EventKind>) -> Space {
    let text = |slug| {
        written(
            slug,
            &format!("Deploy {slug}"),
            "Deploy the service by the list",
        )
    };
    taught([text("a"), text("b")], happenings)
}

#[test]
fn what_the_sources_promise_holds_in_both_modes() {
    let shown = (0..40).map(|n| surfaced(&format!("r{n}"), None, &["a"]));
    let uncaused = (0..12).map(|_| feedback(FeedbackOutcome::Delivered, &["a", "b"], &["b"]));
    for (says, space) in [
        ("rated badly", two((0..4).map(|_| rated("a", false)))),
        ("shown and never helpful", two(shown)),
        ("used and no cause", two(uncaused)),
    ] {
        for policy in [Policy::default(), seeds()] {
            assert_eq!(order(&space, &policy), ["b", "a"], "{says}");
        }
    }
}

#[test]
fn a_lesson_that_keeps_failing_is_left_out_and_a_trial_or_time_brings_it_back() {
    let mut space = two((0..12)
        .flat_map(|n| run(n, "a", FAILURE))
        .chain((12..24).flat_map(|n| run(n, "b", SUCCESS))));
    let now = NOW + 90_000;
    let known = Known {
        now,
        ..Known::default()
    };
    let held = ranked(&space, &Policy::default(), known);
    assert_eq!(held.items.len(), 1);
    let out = held
        .trace
        .unwrap()
        .into_iter()
        .find(|one| one.slug == "a")
        .unwrap();
    let why = out.exclusion.expect("it is left out");
    assert_eq!(why.code, ExclusionCode::Harms);
    assert!(
        why.words.starts_with("harms, as far as seen: lift −"),
        "{}",
        why.words
    );
    assert!(
        why.words
            .ends_with("from 12 runs; another trial brings it back"),
        "{}",
        why.words
    );
    let policy = Policy::default();
    let stands = |space: &Space, now| {
        let held = &space.lesson("a").unwrap().standing;
        held.qualification_at(&policy.rank, now)
    };
    assert_eq!(stands(&space, now), Qualification::Excluded);
    assert_eq!(
        stands(&space, now + 900 * lesson_core::DAY),
        Qualification::Qualified
    );
    // One key's word alone lowers it, and does not take it out.
    let those = std::collections::BTreeSet::from(["a".to_owned()]);
    let told = Known {
        now,
        one_key: Some(&those),
    };
    let half = ranked(&space, &policy, told);
    assert_eq!(half.items.len(), 2);
    assert!((half.items[1].score - half.items[1].relevance * 0.5).abs() < 1e-12);
    fold(
        &mut space,
        99,
        EventKind::TrialGranted {
            lesson: "a".to_owned(),
        },
    );
    assert_eq!(stands(&space, now), Qualification::Qualified);
}

#[test]
fn the_score_is_relevance_times_lift_with_doubt_over_that_of_an_unseen_lesson() {
    let space = two((0..5).flat_map(|n| run(n, "a", SUCCESS)));
    let now = NOW + 200 * lesson_core::DAY;
    let held = ranked(
        &space,
        &Policy::default(),
        Known {
            now,
            ..Known::default()
        },
    );
    let wanted = belief(&space, "a").at(now).optimism() / Belief::default().optimism();
    let first = held.items.iter().find(|item| item.slug == "a").unwrap();
    let unseen = held.items.iter().find(|item| item.slug == "b").unwrap();
    assert_eq!(first.score, first.relevance * wanted);
    assert_eq!(unseen.score, unseen.relevance);
}
