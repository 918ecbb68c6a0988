//! Rules that were settled where the sources contradict each other, and the worked values of reading.

use crate::common::{added, folded, lesson, rated, space, surfaced, with};
use lesson_core::{
    ExclusionCode, Explain, KeywordIndex, Lesson, Qualification, RankPolicy, Ranking, Situation,
    Space, recommend,
};

fn policy() -> RankPolicy {
    crate::common::seeds().rank
}

fn decide(space: &Space) -> Ranking {
    let situation = Situation {
        domain: Some("perps".to_owned()),
        ..Situation::default()
    };
    let index = KeywordIndex::of_space(space);
    recommend(space, &situation, None, &index, &policy(), Explain::All)
        .expect("the situation is complete")
}

#[test]
fn causal_adjusted_reads_as_worked() {
    let read = |effectiveness, causal_hits, use_count| {
        let lesson = with("a", |l| {
            l.standing.effectiveness = effectiveness;
            l.standing.causal_hits = causal_hits;
            l.standing.use_count = use_count;
        });
        lesson.standing.causal_adjusted(&policy())
    };
    for (effectiveness, hits, uses, expected) in [
        (0.99, 0, 20, 0.297),
        (0.75, 5, 5, 0.75),
        (0.9, 0, 2, 0.9),
        (0.8, 1, 2, 0.8),
        (0.8, 2, 4, 0.4),
        (0.8, 1, 10, 0.24),
    ] {
        let got = read(effectiveness, hits, uses);
        assert!(
            (got - expected).abs() < 1e-12,
            "{effectiveness} {hits}/{uses}: {got}"
        );
    }
}

#[test]
fn effectiveness_score_needs_two_ratings() {
    for (helpful, not, expected) in [
        (3, 1, Some(0.75)),
        (1, 0, None),
        (0, 1, None),
        (0, 0, None),
        (1, 1, Some(0.5)),
        (0, 2, Some(0.0)),
    ] {
        let rated = with("a", |l| {
            l.standing.times_helpful = helpful;
            l.standing.times_not_helpful = not;
        });
        assert_eq!(
            rated.standing.effectiveness_score(),
            expected,
            "{helpful} and {not}"
        );
    }
}

#[test]
fn badges_read_as_drawn() {
    let badge = |applied, success_count, proven_effective| {
        with("a", |l| {
            l.standing.times_applied = applied;
            l.standing.success_count = success_count;
            l.standing.proven_effective = proven_effective;
        })
        .standing
        .badge()
        .text
    };
    assert_eq!(badge(5, 3, true), "✅ Proven (60% success, 5 uses)");
    assert_eq!(badge(3, 2, true), "✅ Proven (67% success, 3 uses)");
    assert_eq!(badge(2, 1, false), "📊 Testing (2 uses)");
    assert_eq!(badge(1, 1, false), "📊 Testing (1 use)");
    assert_eq!(badge(0, 0, false), "🆕 New");
}

/// "confidence reduced" against "only the ranking score" (effectiveness tracking).
#[test]
fn a_penalty_is_read_and_never_stored() {
    let low = |l: &mut Lesson| {
        l.standing.times_not_helpful = 4;
        l.standing.times_surfaced = 12;
        l.standing.confidence = 0.8;
    };
    let space = space([
        with("low", low),
        with("plain", |l| l.standing.confidence = 0.8),
    ]);
    let answer = decide(&space);
    let held = &space.lesson("low").expect("it was added").standing;
    assert_eq!(held.confidence, 0.8);
    assert_eq!(held.effective_confidence(&policy()), 0.8 * (0.7 * 0.5));
    let score = |slug| {
        let found = answer.items.iter().find(|item| item.slug == slug);
        found.expect("it is answered").score
    };
    assert!((score("low") / score("plain") - 0.35).abs() < 1e-12);
}

/// Rating is optional, yet ten surfacings with no helpful rating halve the score (effectiveness tracking): but only
/// the order, since the relevance cutoff is before it.
#[test]
fn nobody_is_shut_out_for_lack_of_votes() {
    let happenings = std::iter::once(added(lesson("a")))
        .chain((0..10).map(|n| surfaced(&format!("r{n}"), None, &["a"])));
    let space = folded(happenings);
    let answer = decide(&space);
    assert_eq!(answer.items.len(), 1);
    // 0.6 relevance · 0.5 · 0.75 is below the cutoff of 0.3, and the lesson is answered.
    assert_eq!(answer.items[0].relevance, 0.5);
    assert_eq!(answer.items[0].score, 0.5 * 0.5 * 0.75);
    assert!(answer.items[0].score < policy().relevance_min);

    let rated = folded(
        std::iter::once(added(lesson("a")))
            .chain((0..10).map(|n| surfaced(&format!("r{n}"), None, &["a"])))
            .chain([rated("a", true)]),
    );
    assert_eq!(decide(&rated).items[0].score, 0.5 * 0.75);
}

/// Three uses or more below 50 % (decision recommendations): not recommended; Pending under five failures in a row,
/// Excluded from five.
#[test]
fn three_uses_below_one_half_are_not_recommended() {
    for (applied, success, failures, proven, expected) in [
        (0, 0, 0, false, Qualification::Qualified),
        (2, 0, 2, false, Qualification::Qualified),
        (3, 1, 2, false, Qualification::Pending),
        (4, 0, 4, false, Qualification::Pending),
        (5, 0, 5, false, Qualification::Excluded),
        (3, 2, 0, true, Qualification::Qualified),
        (20, 12, 5, true, Qualification::Excluded),
        (20, 12, 4, true, Qualification::Qualified),
    ] {
        let lesson = with("a", |l| {
            l.standing.times_applied = applied;
            l.standing.success_count = success;
            l.standing.consecutive_failures = failures;
            l.standing.proven_effective = proven;
        });
        let words = format!("{applied} uses, {success} successes, {failures} failures in a row");
        assert_eq!(
            lesson.standing.qualification(&policy()),
            expected,
            "{words}"
        );
        let answer = decide(&space([lesson]));
        let kept = expected == Qualification::Qualified;
        assert_eq!(answer.items.len(), usize::from(kept), "{words}");
        assert_eq!(
            answer.excluded_low_effectiveness,
            u32::from(!kept),
            "{words}"
        );
        assert_eq!(answer.total_considered, 1);
        let trace = &answer.trace.expect("explained")[0];
        let code = trace.exclusion.as_ref().map(|exclusion| exclusion.code);
        assert_eq!(
            code,
            (!kept).then_some(ExclusionCode::LowEffectiveness),
            "{words}"
        );
    }
}

/// times_surfaced "once per retrieval call, not per lesson" (effectiveness tracking): each lesson once per call.
#[test]
fn each_returned_lesson_counts_once_per_call() {
    let space = folded([
        added(lesson("a")),
        added(lesson("b")),
        surfaced("r1", None, &["a", "b", "a"]),
        surfaced("r1", None, &["a"]),
        surfaced("r2", None, &["b"]),
    ]);
    let surfaced = |slug| {
        space
            .lesson(slug)
            .expect("it was added")
            .standing
            .times_surfaced
    };
    assert_eq!((surfaced("a"), surfaced("b")), (1, 2));
}

/// `use_count`, `times_applied` and `times_surfaced` are three different counts.
#[test]
fn the_three_counts_move_apart() {
    use crate::common::{feedback, outcome, tracked};
    use lesson_core::{DecisionOutcome, FeedbackOutcome};
    let counts = |happenings: Vec<lesson_core::EventKind>| {
        let all = std::iter::once(added(lesson("a"))).chain(happenings);
        let s = folded(all)
            .lesson("a")
            .expect("it was added")
            .standing
            .clone();
        (s.times_surfaced, s.use_count, s.times_applied)
    };
    let shown = || surfaced("r", Some("d"), &["a"]);
    assert_eq!(counts(vec![shown()]), (1, 0, 0));
    assert_eq!(
        counts(vec![feedback(FeedbackOutcome::Delivered, &["a"], &[])]),
        (0, 1, 0)
    );
    let settled = vec![
        shown(),
        tracked("d", "a", true),
        outcome("d", DecisionOutcome::Failure),
    ];
    assert_eq!(counts(settled), (1, 0, 1));
}
