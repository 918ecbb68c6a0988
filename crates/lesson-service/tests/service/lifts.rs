//! Lifts through the interface: what answers tell, and that a loop without lessons says so.

use crate::common::TestService;
use lesson_types::{
    BadgeKind, Digest, Health, LessonPage, LessonView, LiftWord, Qualification, Recommendations,
    ReviewQueue, ReviewReason, StandingExplained,
};
use serde_json::{Value, json};

fn deploy() -> TestService {
    TestService::with(&[
        ("good", "Deploy in steps", "Deploy the service in steps."),
        ("bad", "Deploy at once", "Deploy the service at once."),
    ])
}

/// A run in which a lesson was applied.
fn run(fixture: &TestService, id: &str, slug: &str, outcome: &str) {
    let ask = json!({"query": "deploy the service", "decision_id": id});
    fixture.ok::<Value>("POST /v1/recommend", ask);
    let track = json!({"decision_id": id, "reasoning": format!("Applying '{slug}' now.")});
    fixture.ok::<Value>("POST /v1/track", track);
    let told = json!({"decision_id": id, "outcome": outcome});
    fixture.ok::<Value>("POST /v1/outcome", told);
}

fn given(fixture: &TestService) -> Recommendations {
    let ask = json!({"query": "deploy the service", "dry_run": true, "explain": true});
    fixture.ok("POST /v1/recommend", ask)
}

#[test]
fn a_lift_is_told_wherever_a_lesson_is_and_moves_it() {
    let fixture = deploy();
    let view = |slug: &str| fixture.get::<LessonView>(&format!("/v1/lessons/{slug}"));
    let unseen = view("good").lift;
    assert_eq!(
        (unseen.runs, unseen.at.clone(), unseen.verdict),
        (0, None, LiftWord::Unsure)
    );
    assert!((unseen.mean - 0.03).abs() < 1e-12 && unseen.low < 0.0 && unseen.high > 0.0);
    for n in 0..40 {
        run(&fixture, &format!("g{n}"), "good", "success");
        run(
            &fixture,
            &format!("b{n}"),
            "bad",
            if n % 8 == 0 { "success" } else { "failure" },
        );
    }
    let good = view("good");
    assert_eq!((good.lift.runs, good.lift.verdict), (40, LiftWord::Helps));
    assert!(good.lift.low > 0.0 && good.lift.at.is_some());
    assert_eq!(good.derived.badge.kind, BadgeKind::Proven);
    assert!(
        good.derived.badge.text.contains("points"),
        "{}",
        good.derived.badge.text
    );
    let bad = view("bad");
    assert_eq!(bad.derived.qualification, Qualification::Excluded);
    let list: LessonPage = fixture.get("/v1/lessons?badge=proven");
    assert_eq!(list.lessons.len(), 1);
    assert_eq!(list.lessons[0].lift, good.lift);
    let answer = given(&fixture);
    assert_eq!(answer.recommended.len(), 1);
    assert_eq!(answer.recommended[0].lesson.lift, good.lift);
    assert_eq!(answer.excluded_low_effectiveness, 1);
    let left = answer
        .trace
        .unwrap()
        .into_iter()
        .find(|one| one.slug == "bad")
        .unwrap();
    assert_eq!(left.excluded.as_deref(), Some("harms"));
    assert!(
        left.reason
            .unwrap()
            .contains("another trial brings it back")
    );
    let explained: StandingExplained = fixture.get("/v1/lessons/bad/standing");
    assert_eq!(explained.terms[0].name, "lift");
    assert!(explained.terms[0].sentence.contains("left out"));
    let queue: ReviewQueue = fixture.get("/v1/review");
    let item = queue.items.iter().find(|item| item.slug == "bad").unwrap();
    assert!(item.reasons.contains(&ReviewReason::Disqualified));
    assert_eq!(item.lift, bad.lift);
    assert!(item.remedy.as_deref().unwrap().contains("another trial"));
    let again: LessonView = fixture.ok("POST /v1/lessons/bad/trial", Value::Null);
    assert_eq!(
        (again.derived.qualification, again.lift.mean),
        (Qualification::Qualified, unseen.mean)
    );
    assert_eq!(given(&fixture).recommended.len(), 2);
    // A fold from the beginning comes to the same.
    let other = TestService::over(fixture.store.clone());
    assert_eq!(other.get::<LessonView>("/v1/lessons/good").lift, good.lift);
}

#[test]
fn runs_are_counted_one_way() {
    let fixture = deploy();
    run(&fixture, "a", "good", "success");
    run(&fixture, "b", "good", "failure");
    let ask = json!({"query": "deploy the service", "decision_id": "open"});
    fixture.ok::<Value>("POST /v1/recommend", ask);
    let runs = fixture.get::<Health>("/v1/health").runs;
    assert_eq!(
        (
            runs.runs,
            runs.with_outcome,
            runs.successes,
            runs.pending,
            runs.control
        ),
        (3, 2, 1, 1, 0)
    );
}

#[test]
fn a_loop_whose_lessons_are_all_left_out_says_so_with_the_remedy() {
    let fixture = deploy().by_seeds();
    for slug in ["good", "bad"] {
        for n in 0..5 {
            run(&fixture, &format!("{slug}{n}"), slug, "failure");
        }
    }
    let health: Health = fixture.get("/v1/health");
    assert_eq!((health.supply.lessons, health.supply.left_out), (2, 2));
    let issue = health
        .issues
        .iter()
        .find(|issue| issue.code == "all_left_out")
        .unwrap();
    assert!(issue.remedy.contains("another trial") && issue.remedy.contains("lift"));
    assert_eq!(health.supply.remedy.as_ref(), Some(&issue.remedy));
    let digest: Digest = fixture.get("/v1/digest");
    assert_eq!(digest.stopped.as_ref(), Some(issue));
    assert!(
        digest.markdown.contains(&issue.message) && digest.markdown.contains(&issue.remedy),
        "{}",
        digest.markdown
    );
    // By their lifts they are tried again.
    let rule = json!({"rank": {"standing": "lift"}});
    fixture.ok::<Value>("PATCH /v1/policy", rule);
    let health: Health = fixture.get("/v1/health");
    assert!(health.supply.left_out < 2 && health.supply.remedy.is_none());
    assert_eq!(fixture.get::<Digest>("/v1/digest").stopped, None);
}

#[test]
fn places_that_stay_empty_where_they_were_filled_are_told() {
    let fixture = TestService::with(&[
        ("deploys", "Deploy in steps", "Deploy the service in steps."),
        (
            "other",
            "Name the branch",
            "Name the branch after the ticket.",
        ),
    ])
    .by_seeds();
    for n in 0..5 {
        run(&fixture, &format!("d{n}"), "deploys", "failure");
    }
    assert_eq!(fixture.get::<Health>("/v1/health").supply.remedy, None);
    for n in 0..10 {
        let ask = json!({"query": "deploy the service", "decision_id": format!("e{n}")});
        fixture.ok::<Value>("POST /v1/recommend", ask);
    }
    let health: Health = fixture.get("/v1/health");
    assert_eq!((health.supply.left_out, health.supply.lessons), (1, 2));
    assert!(health.supply.empty_runs >= 10, "{:?}", health.supply);
    assert!(
        health
            .issues
            .iter()
            .any(|issue| issue.code == "empty_places")
    );
    let stopped = fixture.get::<Digest>("/v1/digest").stopped.unwrap();
    assert_eq!(stopped.code, "empty_places");
}
