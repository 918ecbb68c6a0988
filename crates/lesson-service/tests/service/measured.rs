//! Reports of lessons that were measured, and decisions that come twice.

use crate::common::measuring;

use lesson_types::*;
use measuring::{ask, fixture, lived, set, slugs};
use serde_json::json;

#[test]
fn a_decision_that_is_repeated_with_another_text_is_drawn_for_once() {
    let fixture = fixture();
    set(&fixture, &json!({"withhold": 0.5}));
    for n in 0..12 {
        let id = format!("d{n}");
        let first = ask(&fixture, &id, json!({"limit": 2})).measured.unwrap();
        let again = ask(
            &fixture,
            &id,
            json!({"query": "look at each step", "limit": 8}),
        );
        assert_eq!(again.measured.as_ref(), Some(&first));
        assert!(
            slugs(&again)
                .iter()
                .all(|slug| !first.withheld.iter().any(|one| one == slug)),
            "{id}"
        );
        let view: DecisionView = fixture.get(&format!("/v1/decisions/{id}"));
        assert_eq!(view.query.as_deref(), Some("deploy in steps"));
        fixture.ok::<OutcomeRecorded>(
            "POST /v1/outcome",
            json!({"decision_id": id, "outcome": "success"}),
        );
    }
    let report: LiftReport = fixture.get("/v1/lift");
    let of = |arm: &LiftArm| arm.successes + arm.failures;
    let drawn: u32 = report
        .lessons
        .iter()
        .map(|one| of(&one.lift.shown) + of(&one.lift.withheld))
        .sum();
    assert_eq!(drawn, 24);
}

#[test]
fn a_lesson_shows_what_was_measured_of_it() {
    let fixture = fixture();
    let plain: LessonView = fixture.get("/v1/lessons/deploy-0");
    assert_eq!(plain.measured, None);
    assert_eq!(fixture.get::<Stats>("/v1/stats").measured, None);
    set(&fixture, &json!({"withhold": 0.3}));
    lived(&fixture, 0, 400);
    let report: LiftReport = fixture.get("/v1/lift");
    let page: LessonPage = fixture.get("/v1/lessons");
    for lesson in page.lessons {
        let told = lesson.measured.unwrap();
        let held = report
            .lessons
            .iter()
            .find(|one| one.slug == lesson.slug)
            .unwrap();
        assert_eq!(
            (told.verdict, told.more_runs, told.low, told.high),
            (held.verdict, held.more_runs, held.lift.low, held.lift.high)
        );
        let one: StandingExplained = fixture.get(&format!("/v1/lessons/{}/standing", lesson.slug));
        assert_eq!(one.measured.as_ref(), Some(held));
        let words = told.verdict.in_words(told.more_runs);
        match told.verdict {
            LiftVerdict::Hurts => assert_eq!(
                (words.as_str(), lesson.slug.as_str()),
                ("hurts", "deploy-0")
            ),
            LiftVerdict::Unknown => assert!(words.contains("more run"), "{words}"),
            _ => {}
        }
    }
    assert_eq!(
        fixture.get::<Stats>("/v1/stats").measured,
        Some(report.counts)
    );
    // Answers to a situation say nothing of it.
    let given: Recommendations =
        fixture.ok("POST /v1/recommend", json!({"query": "deploy in steps"}));
    assert!(
        given
            .recommended
            .iter()
            .all(|one| one.lesson.measured.is_none())
    );
}
