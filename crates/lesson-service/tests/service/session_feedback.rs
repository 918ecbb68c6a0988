//! Feedback out of sessions: what is a cause without a model, and the decision that it is about.

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
    ])
}

fn recommend(fixture: &TestService, decision: &str) -> Recommendations {
    fixture.ok(
        "POST /v1/recommend",
        json!({"domain": "dlmm", "decision_id": decision}),
    )
}

fn standing(fixture: &TestService, slug: &str) -> StandingView {
    fixture
        .get::<LessonView>(&format!("/v1/lessons/{slug}"))
        .standing
}

#[test]
fn a_session_that_delivered_erodes_nothing_where_no_model_tells_causes() {
    let fixture = trader();
    let before = standing(&fixture, "strategy-dlmm-wide-range").effectiveness;
    for n in 0..5 {
        fixture.ok::<SessionRecorded>(
            "POST /v1/sessions",
            json!({"transcript": format!(
                "INJECTED: strategy-dlmm-wide-range\nDELIVERED: closed position {n} in profit\n"
            )}),
        );
    }
    let after = standing(&fixture, "strategy-dlmm-wide-range");
    assert!(after.effectiveness > before);
    assert_eq!((after.use_count, after.causal_hits), (5, 5));
}

#[test]
fn the_feedback_of_a_session_is_about_its_decision() {
    let fixture = trader();
    let shown = recommend(&fixture, "run-1");
    let slug = shown.recommended[0].slug.clone();
    let transcript = format!("INJECTED: {slug}\nDELIVERED: the pool was left in time\n");
    let asked = json!({"transcript": transcript, "decision_id": "run-1"});
    fixture.ok::<SessionRecorded>("POST /v1/sessions", asked);
    let run: DecisionView = fixture.get("/v1/decisions/run-1");
    assert_eq!(run.feedback.len(), 1);
    assert_eq!(run.feedback[0].lessons, std::slice::from_ref(&slug));
    assert_eq!(fixture.get::<Insights>("/v1/insights").totals.judged, 1);

    // It is given once: what the session tells later counts, and is about no decision.
    let transcript = format!(
        "INJECTED: {slug}, strategy-dlmm-wide-range\nBLOCKED: the pool was left too late\n"
    );
    let asked = json!({"transcript": transcript, "decision_id": "run-1"});
    let later: SessionRecorded = fixture.ok("POST /v1/sessions", asked);
    assert!(later.feedback.is_some());
    assert_eq!(
        fixture
            .get::<DecisionView>("/v1/decisions/run-1")
            .feedback
            .len(),
        1
    );

    // One that nobody knows is passed over.
    let asked = json!({"transcript": "INJECTED: strategy-dlmm-wide-range\nDELIVERED: all of it\n", "decision_id": "run-of-another"});
    let apart: SessionRecorded = fixture.ok("POST /v1/sessions", asked);
    assert!(apart.feedback.is_some());
    let (status, error) = fixture.refused(
        "POST /v1/sessions",
        json!({"transcript": "DELIVERED: x", "decision_id": " "}),
    );
    assert_eq!((status, error.field.as_deref()), (400, Some("decision_id")));
}
