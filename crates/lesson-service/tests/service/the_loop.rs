//! The learning loop from end to end: learn, recommend, track, settle, rate, and what it does to
//! standings.

use crate::common;

use common::TestService;
use lesson_types::*;
use serde_json::json;

fn trader() -> TestService {
    TestService::with(&[
        (
            "strategy-dlmm-wide-range",
            "Use a wide range",
            "Open **wide ranges** when volatility is high.",
        ),
        (
            "warning-dlmm-low-tvl",
            "Avoid pools with low TVL",
            "Skip pools under 50k TVL.",
        ),
        (
            "pattern-weekend-volume",
            "Volume falls at weekends",
            "Expect thin books on Sunday.",
        ),
    ])
}

fn recommend(fixture: &TestService, decision: &str) -> Recommendations {
    fixture.ok(
        "POST /v1/recommend",
        json!({"domain": "dlmm", "decision_id": decision, "explain": true}),
    )
}

fn standing(fixture: &TestService, slug: &str) -> StandingView {
    fixture
        .get::<LessonView>(&format!("/v1/lessons/{slug}"))
        .standing
}

#[test]
fn a_lesson_is_recommended_applied_settled_and_becomes_proven() {
    let fixture = trader().by_seeds();
    for decision in ["d1", "d2", "d3"] {
        let answer = recommend(&fixture, decision);
        assert_eq!(answer.recommended[0].slug, "strategy-dlmm-wide-range");
        assert_eq!(answer.recommended.len(), 3);
        assert_eq!(answer.total_considered, 3);
        assert!(!answer.semantic);
        assert!(answer.prompt.contains("strategy-dlmm-wide-range"));

        let tracked: Tracked = fixture.ok(
            "POST /v1/track",
            json!({"decision_id": decision, "reasoning": "I am applying 'strategy-dlmm-wide-range' here."}),
        );
        assert!(tracked.recorded);
        assert_eq!(tracked.detections.len(), 3);
        assert_eq!(tracked.detections[0].slug, "strategy-dlmm-wide-range");
        assert!(tracked.detections[0].applied);
        assert_eq!(tracked.detections[0].match_type, MatchType::Explicit);
        assert_eq!(tracked.detections[0].confidence, 0.95);
        assert!(!tracked.detections[1].applied);

        let outcome = if decision == "d2" { "loss" } else { "profit" };
        let settled: OutcomeRecorded = fixture.ok(
            "POST /v1/outcome",
            json!({"decision_id": decision, "outcome": outcome, "pnl_percent": 4.5}),
        );
        assert_eq!(settled.effectiveness_recalculated.len(), 1);
        assert_eq!(
            settled.effectiveness_recalculated,
            ["strategy-dlmm-wide-range"]
        );
    }
    let lesson: LessonView = fixture.get("/v1/lessons/strategy-dlmm-wide-range");
    assert_eq!(lesson.standing.times_applied, 3);
    assert_eq!(lesson.standing.success_count, 2);
    assert_eq!(lesson.standing.times_surfaced, 3);
    assert!(lesson.standing.proven_effective);
    assert_eq!(lesson.derived.badge.text, "✅ Proven (67% success, 3 uses)");
    assert_eq!(standing(&fixture, "warning-dlmm-low-tvl").times_applied, 0);

    let health: Health = fixture.get("/v1/health");
    assert_eq!(
        (
            health.funnel.surfaced,
            health.funnel.applied,
            health.funnel.outcome,
            health.funnel.success
        ),
        (9, 3, 3, 2)
    );
    let history: History = fixture.get("/v1/lessons/strategy-dlmm-wide-range/history");
    let names: Vec<&str> = history
        .events
        .iter()
        .map(|entry| entry.event.as_str())
        .collect();
    assert_eq!(
        names[..4],
        ["LessonAdded", "Surfaced", "UsageTracked", "OutcomeRecorded"]
    );
    assert!(history.events[0].before.is_none());
    assert_eq!(history.events.last().unwrap().after.times_applied, 3);
}

#[test]
fn the_same_outcome_again_changes_nothing_and_another_one_is_refused() {
    let fixture = trader();
    let recommended = recommend(&fixture, "d1").recommended.len() as u32;
    fixture.ok::<Tracked>(
        "POST /v1/track",
        json!({"decision_id": "d1", "reasoning": "using warning-dlmm-low-tvl"}),
    );
    for (outcome, moved, repeated) in [
        ("pending", 0, false),
        ("loss", 1, false),
        ("failure", 0, true),
        ("pending", 0, true),
    ] {
        let settled: OutcomeRecorded = fixture.ok(
            "POST /v1/outcome",
            json!({"decision_id": "d1", "outcome": outcome}),
        );
        assert_eq!(settled.effectiveness_recalculated.len(), moved, "{outcome}");
        assert_eq!(settled.repeated, repeated, "{outcome}");
        // Every lesson of the decision has the outcome, applied or not.
        assert_eq!(settled.lessons_updated, recommended, "{outcome}");
    }
    let events = fixture.store.events().len();
    let (status, error) = fixture.refused(
        "POST /v1/outcome",
        json!({"decision_id": "d1", "outcome": "profit"}),
    );
    assert_eq!((status, error.field.as_deref()), (409, Some("outcome")));
    assert_eq!(fixture.store.events().len(), events);
    assert_eq!(
        standing(&fixture, "warning-dlmm-low-tvl").consecutive_failures,
        1
    );
}

#[test]
fn only_recommend_counts_as_surfacing() {
    let fixture = trader();
    let found: SearchResults = fixture.ok(
        "POST /v1/search",
        json!({"query": "low tvl pools", "explain": true}),
    );
    assert_eq!(found.results[0].slug, "warning-dlmm-low-tvl");
    assert!(
        found.results[0]
            .factors
            .as_ref()
            .is_some_and(|factors| !factors.is_empty())
    );
    fixture.ok::<SearchResults>("POST /v1/patterns", json!({"feature": "wide range"}));
    fixture.get::<LessonPage>("/v1/lessons?q=tvl");
    assert_eq!(standing(&fixture, "warning-dlmm-low-tvl").times_surfaced, 0);

    let answer: Recommendations =
        fixture.ok("POST /v1/recommend", json!({"domain": "dlmm", "limit": 1}));
    assert_eq!(answer.recommended.len(), 1);
    let shown = answer.recommended[0].slug.clone();
    assert_eq!(standing(&fixture, &shown).times_surfaced, 1);
    assert_eq!(standing(&fixture, "warning-dlmm-low-tvl").times_surfaced, 0);
}

#[test]
fn a_trace_has_one_entry_per_lesson_and_adds_up() {
    let fixture = trader();
    fixture.ok::<LessonView>(
        "POST /v1/lessons/pattern-weekend-volume/archive",
        json!(null),
    );
    let answer = recommend(&fixture, "d1");
    let trace = answer.trace.unwrap();
    assert_eq!(trace.len(), 3);
    for entry in &trace {
        assert_eq!(
            entry.rank.is_none(),
            entry.excluded.is_some(),
            "{}",
            entry.slug
        );
        let mut running = 0.0;
        for factor in &entry.factors {
            running = match factor.kind {
                FactorKind::Add => running + factor.contribution,
                FactorKind::Multiply => running * factor.contribution,
                FactorKind::Cap if running > factor.contribution => factor.contribution,
                FactorKind::Cap => running,
            };
            assert_eq!(factor.running, running, "{} {}", entry.slug, factor.name);
        }
        assert_eq!(entry.score, running, "{}", entry.slug);
    }
    let archived = trace
        .iter()
        .find(|entry| entry.slug == "pattern-weekend-volume")
        .unwrap();
    assert_eq!(archived.excluded.as_deref(), Some("archived"));
}

#[test]
fn feedback_moves_causal_lessons_up_and_erodes_the_others() {
    let fixture = trader();
    let lessons = json!(["strategy-dlmm-wide-range", "warning-dlmm-low-tvl"]);
    for _ in 0..10 {
        let given: FeedbackGiven = fixture.ok(
            "POST /v1/feedback",
            json!({"lessons": lessons, "outcome": "delivered", "causal": ["strategy-dlmm-wide-range"]}),
        );
        assert_eq!(given.updated.len(), 2);
    }
    let causal = standing(&fixture, "strategy-dlmm-wide-range");
    assert!((causal.effectiveness - 0.825_660_779_950).abs() < 1e-12);
    assert_eq!((causal.use_count, causal.causal_hits), (10, 10));
    let other = standing(&fixture, "warning-dlmm-low-tvl");
    assert_eq!(
        (other.effectiveness, other.use_count, other.causal_hits),
        (0.5, 10, 0)
    );
    let health: Health = fixture.get("/v1/health");
    assert_eq!(health.feedback_last_7_days, 10);
    assert_eq!((health.causal_ratio, health.uses), (Some(0.5), 20));
}

#[test]
fn without_causes_and_text_all_lessons_are_causes() {
    let fixture = trader();
    let slug = "warning-dlmm-low-tvl";
    for _ in 0..2 {
        fixture.ok::<FeedbackGiven>(
            "POST /v1/feedback",
            json!({"lessons": [slug], "outcome": "delivered"}),
        );
    }
    let held = standing(&fixture, slug);
    assert_eq!((held.use_count, held.causal_hits), (2, 2));
    assert!((held.effectiveness - 0.595).abs() < 1e-12);
    let none: FeedbackGiven = fixture.ok(
        "POST /v1/feedback",
        json!({"lessons": [slug], "outcome": "delivered", "causal": []}),
    );
    assert_eq!(none.updated[0].causal_hits, 2);
}

#[test]
fn health_says_how_the_space_is_and_what_to_do() {
    let fixture = TestService::new();
    let issues = |health: &Health| -> Vec<(String, Severity)> {
        let issues = health.issues.iter();
        issues.map(|one| (one.code.clone(), one.severity)).collect()
    };
    let health: Health = fixture.get("/v1/health");
    assert_eq!(health.status, HealthStatus::Ok);
    assert_eq!(issues(&health), [("no_model".to_owned(), Severity::Notice)]);
    let fixture = trader();
    for n in 0..4 {
        recommend(&fixture, &format!("d{n}"));
    }
    let health: Health = fixture.get("/v1/health");
    assert_eq!(health.status, HealthStatus::Degraded);
    assert_eq!(
        issues(&health)[0],
        ("no_feedback".to_owned(), Severity::Warning)
    );
    assert!(health.issues.iter().all(|one| !one.remedy.is_empty()));
    fixture.ok::<FeedbackGiven>(
        "POST /v1/feedback",
        json!({"lessons": ["warning-dlmm-low-tvl"], "outcome": "delivered"}),
    );
    assert_eq!(fixture.get::<Health>("/v1/health").status, HealthStatus::Ok);
}

#[test]
fn without_a_model_all_lessons_that_were_at_hand_are_causes() {
    let fixture = trader();
    let given: FeedbackGiven = fixture.ok(
        "POST /v1/feedback",
        json!({
            "lessons": ["strategy-dlmm-wide-range", "warning-dlmm-low-tvl"],
            "outcome": "blocked",
            "outcome_text": "Following `warning-dlmm-low-tvl` we left the pool."
        }),
    );
    let hits: Vec<(&str, u32)> = given
        .updated
        .iter()
        .map(|update| (update.slug.as_str(), update.causal_hits))
        .collect();
    assert_eq!(
        hits,
        [("strategy-dlmm-wide-range", 1), ("warning-dlmm-low-tvl", 1)]
    );
    assert_eq!(given.updated[1].effectiveness, 0.45);
}

#[test]
fn ratings_and_votes_take_a_slug_or_part_of_a_title() {
    let fixture = trader();
    let rated: Rated = fixture.ok(
        "POST /v1/rate",
        json!({"lesson": "warning-dlmm-low-tvl", "helpful": true}),
    );
    assert_eq!((rated.confidence, rated.times_helpful), (0.52, 1));
    let rated: Rated = fixture.ok(
        "POST /v1/rate",
        json!({"lesson": "LOW tvl", "helpful": false}),
    );
    assert_eq!(rated.slug, "warning-dlmm-low-tvl");
    assert_eq!(rated.effectiveness_score, Some(0.5));
    let voted: Rated = fixture.ok("POST /v1/vote", json!({"lesson": "wide range", "up": true}));
    assert_eq!(
        (voted.slug.as_str(), voted.upvotes, voted.confidence),
        ("strategy-dlmm-wide-range", 1, 0.55)
    );

    let (status, error) = fixture.refused("POST /v1/vote", json!({"lesson": "a", "up": true}));
    assert_eq!((status, error.code), (409, ErrorCode::Ambiguous));
    assert_eq!(error.candidates.len(), 3);
    let (status, error) = fixture.refused(
        "POST /v1/rate",
        json!({"lesson": "nothing like it", "helpful": true}),
    );
    assert_eq!((status, error.field.as_deref()), (404, Some("lesson")));
}

#[test]
fn a_session_gives_lessons_and_one_feedback_in_one_step() {
    let fixture = trader();
    let transcript = "INJECTED: warning-dlmm-low-tvl, strategy-dlmm-wide-range, no-such-lesson\n\
        I am applying 'warning-dlmm-low-tvl' first.\n\
        INSIGHT: Check the pool's age before you trust its TVL figure\n\
        DELIVERED: closed the position in profit\n";
    let appends = fixture.store.0.appends.get();
    let session: SessionRecorded =
        fixture.ok("POST /v1/sessions", json!({"transcript": transcript}));
    assert_eq!(fixture.store.0.appends.get(), appends + 1);
    assert_eq!(session.outcome, Some(FeedbackOutcome::Delivered));
    assert_eq!(
        session.injected,
        ["warning-dlmm-low-tvl", "strategy-dlmm-wide-range"]
    );
    assert_eq!(session.unknown, ["no-such-lesson"]);
    // Nothing tells them apart without a model.
    assert_eq!(
        session.causal,
        ["warning-dlmm-low-tvl", "strategy-dlmm-wide-range"]
    );
    assert_eq!(session.insights.len(), 1);
    assert!(session.insights[0].added);
    assert_eq!(session.feedback.unwrap().updated[0].causal_hits, 1);
    let learned: LessonView = fixture.get(&format!("/v1/lessons/{}", session.insights[0].slug));
    assert_eq!(
        (learned.trust, learned.source.as_str()),
        (Trust::Unreviewed, "session")
    );

    // A lesson that was learned is not learned again, edited or not.
    let again: SessionRecorded = fixture.ok("POST /v1/sessions", json!({"transcript": transcript}));
    assert!(!again.insights[0].added);
    fixture.ok::<LessonView>(
        &format!("PATCH /v1/lessons/{}", learned.slug),
        json!({"base_rev": 1, "description": "About new pools."}),
    );
    let again: SessionRecorded = fixture.ok("POST /v1/sessions", json!({"transcript": transcript}));
    assert_eq!(
        (again.insights[0].added, &again.insights[0].slug),
        (false, &learned.slug)
    );

    let empty: SessionRecorded = fixture.ok(
        "POST /v1/sessions",
        json!({"transcript": "nothing of note"}),
    );
    assert!(empty.outcome.is_none() && empty.feedback.is_none() && empty.insights.is_empty());
}

#[test]
fn tools_are_recorded_once_and_suggested() {
    let fixture = TestService::new();
    let success = |query: &str, server: &str| -> ToolRecorded {
        fixture.ok(
            "POST /v1/tools/success",
            json!({"query": query, "server": server}),
        )
    };
    assert!(success("search the github issues", "github").recorded);
    let again = success("Search the GitHub issues", "github");
    assert_eq!(
        (again.recorded, again.reason),
        (false, Some(NotRecorded::Duplicate))
    );
    let core = success("remember this", "project-memory");
    assert_eq!(
        (core.recorded, core.reason),
        (false, Some(NotRecorded::Core))
    );
    for core in ["Project-Memory", "SYSTEM-CONTROL "] {
        assert_eq!(success("x y z", core).reason, Some(NotRecorded::Core));
    }
    assert_eq!(fixture.store.events(), ["ToolSucceeded", "ToolSucceeded"]);
    fixture.clock.set(fixture.clock.get() + 3 * common::DAY);
    let suggested: ToolSuggestions = fixture.ok(
        "POST /v1/tools/suggest",
        json!({"query": "open github issues"}),
    );
    assert_eq!(suggested.records, 1);
    assert_eq!(suggested.servers[0].server, "github");
    assert!((suggested.servers[0].because[0].age_days - 3.0).abs() < 0.001);
}

#[test]
fn a_recommendation_is_answered_before_its_tracking_is_stored() {
    let fixture = trader();
    let stored = fixture.store.events().len();
    let asked = common::request("POST /v1/recommend", json!({"domain": "dlmm"}));
    let response = common::block_on(fixture.service.handle(asked));
    assert_eq!(response.status, 200);
    assert!(response.headers["server-timing"].starts_with("embed;dur="));
    assert_eq!(fixture.store.events().len(), stored);
    let asked = common::request("GET /v1/health", json!(null));
    let health: Health = common::block_on(fixture.service.handle(asked))
        .body
        .read()
        .unwrap();
    assert_eq!(health.store.unsaved, 1);
    common::block_on(fixture.service.idle()).unwrap();
    assert_eq!(fixture.store.events().len(), stored + 1);
    assert_eq!(fixture.get::<Health>("/v1/health").store.unsaved, 0);
}

#[test]
fn constants_can_be_changed_for_one_request() {
    let fixture = trader();
    let answer: Recommendations = fixture.ok(
        "POST /v1/recommend",
        json!({"domain": "dlmm", "policy": {"approved_only": true}, "explain": true}),
    );
    assert!(answer.recommended.is_empty());
    assert!(
        answer
            .trace
            .unwrap()
            .iter()
            .all(|entry| entry.excluded.as_deref() == Some("unapproved"))
    );
    fixture.ok::<LessonView>(
        "POST /v1/lessons/warning-dlmm-low-tvl/review",
        json!({"verdict": "approve"}),
    );
    let answer: Recommendations = fixture.ok(
        "POST /v1/recommend",
        json!({"domain": "dlmm", "policy": {"approved_only": true}}),
    );
    assert_eq!(answer.recommended[0].lesson.trust, Trust::Approved);
    assert_eq!(recommend(&fixture, "d9").recommended.len(), 3);
}
