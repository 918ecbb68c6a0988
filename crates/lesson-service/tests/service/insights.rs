//! Insights: what runs and lessons did over a range of days, through the request that pages send.

use crate::common;

use common::TestService;
use lesson_types::*;
use serde_json::{Value, json};

fn fixture() -> TestService {
    let fixture = TestService::with(&[
        (
            "warning-thin-pool",
            "Avoid thin pools",
            "Skip pools under 50k.",
        ),
        (
            "strategy-wide-range",
            "Open wide ranges",
            "Double the width.",
        ),
    ]);
    for (id, outcome) in [("one", "success"), ("two", "failure"), ("three", "")] {
        let asked = json!({"domain": "dlmm", "query": "open a pool range", "decision_id": id});
        fixture.ok::<Recommendations>("POST /v1/recommend", asked);
        common::block_on(fixture.service.idle()).unwrap();
        if outcome.is_empty() {
            continue;
        }
        fixture.ok::<Tracked>(
            "POST /v1/track",
            json!({"decision_id": id, "reasoning": "Applying 'warning-thin-pool' now."}),
        );
        fixture.ok::<OutcomeRecorded>(
            "POST /v1/outcome",
            json!({"decision_id": id, "outcome": outcome}),
        );
    }
    fixture
}

#[test]
fn runs_are_summed_by_day_agent_domain_and_lesson() {
    let fixture = fixture();
    let told: Insights = fixture.get("/v1/insights?days=7");
    assert_eq!((told.days, told.step_days, told.steps.len()), (7, 1, 7));
    let ends = RunEnds {
        successes: 1,
        failures: 1,
        pending: 1,
    };
    assert_eq!(told.totals.shown, ends);
    assert_eq!(told.totals.control, RunEnds::default());
    assert_eq!(told.totals.applied, 2);
    assert_eq!(told.before, Some(RunTotals::default()));
    let today = told.steps.last().unwrap();
    assert_eq!((today.totals, today.added), (told.totals, 2));
    let rate = today.shown.unwrap();
    assert_eq!((rate.share, rate.runs), (0.5, 2));
    assert!(rate.low < 0.5 && rate.high > 0.5);
    assert!(told.steps.iter().rev().skip(1).all(|step| step.added == 0));
    let [domain] = told.by_domain.as_slice() else {
        panic!("{:?}", told.by_domain);
    };
    assert_eq!((domain.name.as_str(), domain.totals), ("dlmm", told.totals));
    assert_eq!(told.by_agent.len(), 1);
    assert_eq!(told.by_agent[0].silent_days, None);
    // All of it was today, the last tenth of the range but one.
    let course = &told.by_agent[0].course;
    assert_eq!((course.len(), course.iter().flatten().count()), (10, 1));
    assert!(course.contains(&Some(0.5)), "{course:?}");
    let thin = told
        .lessons
        .iter()
        .find(|lesson| lesson.slug == "warning-thin-pool")
        .unwrap();
    assert_eq!((thin.given, thin.applied), (3, 2));
    assert_eq!(thin.success.unwrap().share, 0.5);
    assert!(thin.tokens > 0 && thin.tokens % thin.given == 0);
    assert_eq!(thin.change, None, "too few to compare");
    let lift = thin.lift.as_ref().unwrap();
    assert_eq!((lift.runs, lift.verdict), (2, LiftWord::Unsure));
    assert_eq!((told.helping, told.harming), (0, 0));
    assert_eq!(
        told.totals.tokens,
        told.lessons.iter().map(|one| one.tokens).sum::<u32>()
    );
    assert_eq!(
        (told.stale_total, told.given),
        (0, told.lessons.len() as u32)
    );
}

#[test]
fn lessons_whose_interval_leaves_zero_are_counted() {
    let fixture = TestService::new();
    let lesson = |slug: &str, mean: f64| {
        json!({"slug": slug, "title": slug, "recommendation": format!("Do as {slug} says."),
            "lift_mean": mean, "lift_variance": 0.001, "lift_at": "2026-11-22T08:00:00Z"})
    };
    let content = json!([
        lesson("helps", 0.2),
        lesson("open", 0.05),
        lesson("hurts", -0.2),
        lesson("hurts-too", -0.3)
    ]);
    fixture.ok::<serde_json::Value>(
        "POST /v1/import",
        json!({"files": [{"path": "lessons.json", "content": content.to_string()}]}),
    );
    let told: Insights = fixture.get("/v1/insights");
    assert_eq!((told.helping, told.harming), (1, 2));
}

#[test]
fn without_days_everything_is_looked_at() {
    let told: Insights = fixture().get("/v1/insights");
    assert_eq!((told.days, told.steps.len()), (1, 1));
    assert_eq!(told.before, None);
    assert_eq!(told.totals.shown.successes, 1);
    let nothing: Insights = TestService::new().get("/v1/insights");
    assert_eq!((nothing.days, nothing.totals), (1, RunTotals::default()));
}

#[test]
fn tasks_that_no_lesson_fits_are_listed_once_with_how_they_ended() {
    let fixture = fixture();
    for (id, query, outcome) in [
        ("four", "Bake sourdough bread", "failure"),
        ("five", "bake sourdough bread ", "success"),
        ("six", "Tune a piano", ""),
    ] {
        fixture.clock.set(fixture.clock.get() + 1_000);
        let asked = json!({"query": query, "decision_id": id});
        fixture.ok::<Recommendations>("POST /v1/recommend", asked);
        common::block_on(fixture.service.idle()).unwrap();
        if !outcome.is_empty() {
            fixture.ok::<OutcomeRecorded>(
                "POST /v1/outcome",
                json!({"decision_id": id, "outcome": outcome}),
            );
        }
    }
    let told: Insights = fixture.get("/v1/insights?days=7");
    let [bread, piano] = told.uncovered.as_slice() else {
        panic!("{:?}", told.uncovered);
    };
    assert_eq!(told.uncovered_total, 2);
    assert_eq!(
        (
            bread.query.as_str(),
            bread.domain.as_str(),
            bread.last_run.as_str()
        ),
        ("bake sourdough bread", "", "five")
    );
    let ends = RunEnds {
        successes: 1,
        failures: 1,
        pending: 0,
    };
    assert_eq!((bread.ends, bread.best), (ends, None));
    assert_eq!(
        (piano.query.as_str(), piano.ends.pending),
        ("Tune a piano", 1)
    );
}

#[test]
fn a_lesson_of_the_field_alone_does_not_cover_a_task_that_it_says_nothing_of() {
    let fixture = TestService::with(&[]);
    let lesson = json!({"title": "Double the width of ranges", "recommendation": "Open a wide pool range.", "domain": "dlmm"});
    fixture.ok::<LessonView>("POST /v1/lessons", lesson);
    for (id, query) in [
        ("about", Some("open a wide pool range")),
        ("other", Some("bake sourdough bread")),
        ("bare", None),
    ] {
        let asked = json!({"domain": "dlmm", "query": query, "decision_id": id});
        let answer = fixture.ok::<Recommendations>("POST /v1/recommend", asked);
        assert_eq!(answer.recommended.len(), 1, "{id}: it is of the field");
        common::block_on(fixture.service.idle()).unwrap();
    }
    let told: Insights = fixture.get("/v1/insights?days=7");
    let uncovered: Vec<&str> = told
        .uncovered
        .iter()
        .map(|task| task.query.as_str())
        .collect();
    assert_eq!(
        (uncovered, told.totals.covered),
        (vec!["bake sourdough bread"], 2)
    );
}

#[test]
fn days_out_of_range_are_refused_by_their_name() {
    for days in ["0", "3651", "4294967295", "-1", "x", ""] {
        let line = format!("GET /v1/insights?days={days}");
        let (status, error) = TestService::new().refused(&line, Value::Null);
        assert_eq!(
            (status, error.field.as_deref()),
            (400, Some("days")),
            "{days}"
        );
    }
}
