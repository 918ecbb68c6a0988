//! Runs, trials and settings: what people see of decisions, and what they decide for a space.

use crate::common;

use common::TestService;
use lesson_types::*;
use serde_json::json;

fn trader() -> TestService {
    TestService::with(&[
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
    ])
}

fn recommend(fixture: &TestService, id: &str, domain: &str) -> Recommendations {
    let asked = json!({"domain": domain, "query": "open a pool range", "decision_id": id});
    let given = fixture.ok("POST /v1/recommend", asked);
    // Tracking is stored after the answer.
    common::block_on(fixture.service.idle()).unwrap();
    given
}

#[test]
fn runs_are_listed_filtered_and_paged() {
    let fixture = trader();
    for (place, domain) in ["dlmm", "perps", "dlmm", "dlmm"].into_iter().enumerate() {
        recommend(&fixture, &format!("run/{place} ?"), domain);
    }
    fixture.ok::<Tracked>(
        "POST /v1/track",
        json!({"decision_id": "run/2 ?", "reasoning": "Applying 'warning-thin-pool' now."}),
    );
    fixture.ok::<OutcomeRecorded>(
        "POST /v1/outcome",
        json!({"decision_id": "run/2 ?", "outcome": "profit", "pnl_percent": 2.5}),
    );
    let ids = |path: &str| {
        let page: DecisionPage = fixture.get(path);
        let ids: Vec<String> = page.decisions.into_iter().map(|one| one.id).collect();
        (ids, page.total, page.next_cursor)
    };
    let (all, total, next) = ids("/v1/decisions");
    assert_eq!(all, ["run/3 ?", "run/2 ?", "run/1 ?", "run/0 ?"]);
    assert_eq!((total, next), (4, None));
    for (filter, expected) in [
        ("domain=perps", vec!["run/1 ?"]),
        ("q=POOL%20r&domain=perps", vec!["run/1 ?"]),
        ("q=close", vec![]),
        ("outcome=success", vec!["run/2 ?"]),
        ("outcome=profit", vec!["run/2 ?"]),
        ("outcome=failure", vec![]),
        ("outcome=pending&domain=dlmm", vec!["run/3 ?", "run/0 ?"]),
        ("lesson=nobody", vec![]),
        ("by=local&domain=perps", vec!["run/1 ?"]),
        ("by=agent%3A1", vec![]),
        ("from=2999-01-01T00:00:00Z", vec![]),
        ("to=2000-01-01T00:00:00Z", vec![]),
    ] {
        assert_eq!(
            ids(&format!("/v1/decisions?{filter}")).0,
            expected,
            "{filter}"
        );
    }
    let mut paged = Vec::new();
    let mut path = "/v1/decisions?limit=3".to_owned();
    loop {
        let (ids, total, next) = ids(&path);
        assert_eq!(total, 4);
        paged.extend(ids);
        let Some(next) = next else { break };
        let next = next
            .replace('/', "%2F")
            .replace(' ', "%20")
            .replace('?', "%3F");
        path = format!("/v1/decisions?limit=3&cursor={next}");
    }
    assert_eq!(paged, all);

    let one: DecisionView = fixture.get("/v1/decisions/run%2F2%20%3F");
    assert_eq!(one.outcome, Some(DecisionOutcome::Success));
    assert_eq!(
        (one.by.as_str(), one.outcome_by.as_str()),
        ("local", "local")
    );
    assert_eq!(one.query.as_deref(), Some("open a pool range"));
    let applied: Vec<&str> = one
        .lessons
        .iter()
        .filter(|lesson| lesson.applied && lesson.counted)
        .map(|lesson| lesson.slug.as_str())
        .collect();
    assert_eq!(applied, ["warning-thin-pool"]);
}

#[test]
fn what_is_wrong_about_a_run_is_named() {
    let fixture = trader();
    recommend(&fixture, "d", "dlmm");
    for (path, field) in [
        ("/v1/decisions?from=yesterday", "from"),
        ("/v1/decisions?cursor=7", "cursor"),
        ("/v1/decisions?limit=0", "limit"),
        ("/v1/decisions?outcome=won", "outcome"),
        ("/v1/decisions?colour=red", "colour"),
        ("/v1/decisions/none", "decision_id"),
    ] {
        let (status, error) = fixture.refused(&format!("GET {path}"), serde_json::Value::Null);
        assert!(status == 400 || status == 404, "{path}: {status}");
        assert_eq!(
            error.field.as_deref(),
            Some(field),
            "{path}: {}",
            error.message
        );
    }
    for (line, body, field) in [
        (
            "POST /v1/rate",
            json!({"lesson": "warning-thin-pool", "helpful": true, "decision_id": "none"}),
            "decision_id",
        ),
        (
            "POST /v1/vote",
            json!({"lesson": "warning-thin-pool", "up": true, "decision_id": " "}),
            "decision_id",
        ),
        (
            "POST /v1/feedback",
            json!({"lessons": ["nobody"], "outcome": "delivered", "decision_id": "d"}),
            "lesson",
        ),
        ("PATCH /v1/policy", json!({}), "tools"),
        (
            "PATCH /v1/policy",
            json!({"tools": {"core_servers": [" "]}}),
            "tools.core_servers[0]",
        ),
        ("PATCH /v1/policy", json!({"rank": {}}), "rank"),
    ] {
        let (status, error) = fixture.refused(line, body.clone());
        assert!(status == 400 || status == 404, "{line} {body}: {status}");
        assert_eq!(
            error.field.as_deref(),
            Some(field),
            "{line} {body}: {}",
            error.message
        );
    }
}

#[test]
fn feedback_and_votes_on_a_decision_count_once() {
    let fixture = trader();
    let slug = recommend(&fixture, "d", "dlmm").recommended[0].slug.clone();
    let feedback = json!({"lessons": [slug], "outcome": "delivered", "decision_id": "d"});
    let given = || fixture.ok::<FeedbackGiven>("POST /v1/feedback", feedback.clone());
    assert!(!given().repeated);
    let again = given();
    assert!(again.repeated);
    assert_eq!(again.updated[0].use_count, 1);
    let other = json!({"lessons": [slug], "outcome": "blocked", "decision_id": "d"});
    let (status, error) = fixture.refused("POST /v1/feedback", other);
    assert_eq!(status, 409);
    assert!(error.message.contains("delivered"), "{}", error.message);
    let vote = json!({"lesson": slug, "up": true, "decision_id": "d"});
    for repeated in [false, true] {
        let voted: Rated = fixture.ok("POST /v1/vote", vote.clone());
        assert_eq!((voted.upvotes, voted.repeated), (1, repeated));
    }
    let rating = json!({"lesson": slug, "helpful": true, "decision_id": "d"});
    for repeated in [false, true] {
        let rated: Rated = fixture.ok("POST /v1/rate", rating.clone());
        assert_eq!((rated.times_helpful, rated.repeated), (1, repeated));
    }
    let view: DecisionView = fixture.get("/v1/decisions/d");
    assert_eq!((view.feedback.len(), view.opinions.len()), (1, 2));
}

#[test]
fn a_decision_gets_five_lessons_whatever_else_is_said() {
    let fixture = TestService::new();
    for n in 0..20 {
        let lesson = json!({
            "title": format!("Deploy with care {n}"), "recommendation": "Deploy in steps.", "slug": format!("deploy-{n:02}"),
        });
        fixture.ok::<LessonView>("POST /v1/lessons", lesson);
    }
    for (body, many) in [
        (json!({"query": "deploy"}), 15),
        (json!({"query": "deploy", "decision_id": "d"}), 5),
    ] {
        let given: Recommendations = fixture.ok("POST /v1/recommend", body.clone());
        assert_eq!(given.recommended.len(), many, "{body}");
    }
}

#[test]
fn a_lesson_that_outcomes_keep_out_gets_another_trial() {
    let fixture = trader().by_seeds();
    let trial = "POST /v1/lessons/warning-thin-pool/trial";
    assert_eq!(fixture.refused(trial, serde_json::Value::Null).0, 409);
    // Three failures keep it out of the next ones.
    for run in 0..3 {
        let id = format!("d{run}");
        recommend(&fixture, &id, "dlmm");
        let reasoning = "Applying 'warning-thin-pool' now.";
        fixture.ok::<Tracked>(
            "POST /v1/track",
            json!({"decision_id": id, "reasoning": reasoning}),
        );
        fixture.ok::<OutcomeRecorded>(
            "POST /v1/outcome",
            json!({"decision_id": id, "outcome": "failure"}),
        );
    }
    let is_recommended = |id: &str| {
        let given = recommend(&fixture, id, "dlmm");
        given
            .recommended
            .iter()
            .any(|one| one.slug == "warning-thin-pool")
    };
    assert!(!is_recommended("after"));
    let lesson: LessonView = fixture.ok(trial, serde_json::Value::Null);
    assert_eq!(lesson.derived.qualification, Qualification::Qualified);
    assert_eq!(
        (
            lesson.standing.times_applied,
            lesson.standing.consecutive_failures
        ),
        (3, 0)
    );
    assert!(is_recommended("again"));
}

#[test]
fn core_servers_of_a_space_are_neither_recorded_nor_suggested() {
    let fixture = trader();
    let used = json!({"query": "list the open issues", "server": "GitHub"});
    let recorded = || fixture.ok::<ToolRecorded>("POST /v1/tools/success", used.clone());
    let suggested = || {
        let asked = json!({"query": "list the open issues"});
        let answer: ToolSuggestions = fixture.ok("POST /v1/tools/suggest", asked);
        answer.servers.len()
    };
    assert!(recorded().recorded);
    assert_eq!(suggested(), 1);
    let set = |servers: serde_json::Value| {
        let patch = json!({"tools": {"core_servers": servers}});
        fixture.ok::<serde_json::Value>("PATCH /v1/policy", patch)
    };
    let policy = set(json!(["project-memory", "github", "GITHUB", " psql "]));
    let named = policy["tools"]["core_servers"].as_array().unwrap();
    assert_eq!(
        named
            .iter()
            .filter(|one| one.as_str().unwrap().eq_ignore_ascii_case("github"))
            .count(),
        1
    );
    let usual = named.iter().filter(|one| **one == "project-memory");
    assert_eq!(usual.count(), 1);
    assert_eq!(recorded().reason, Some(NotRecorded::Core));
    assert_eq!(suggested(), 0);
    // The same again writes nothing.
    let events = fixture.store.events().len();
    set(json!(["github", "psql"]));
    assert_eq!(fixture.store.events().len(), events);
    set(json!([]));
    assert_eq!(suggested(), 1);
}

#[test]
fn a_run_tells_titles_tokens_and_what_its_session_taught() {
    let fixture = trader();
    recommend(&fixture, "mine", "dlmm");
    recommend(&fixture, "other", "dlmm");
    for (id, learned) in [
        (Some("mine"), "Count the fees before the range."),
        (None, "Nobody knows which run this is of."),
    ] {
        let asked = json!({"transcript": format!("INSIGHT: {learned}"), "decision_id": id});
        fixture.ok::<SessionRecorded>("POST /v1/sessions", asked);
    }
    let run: DecisionView = fixture.get("/v1/decisions/mine");
    let titles: Vec<&str> = run.lessons.iter().map(|one| one.title.as_str()).collect();
    assert_eq!(titles.len(), 2);
    assert!(titles.contains(&"Avoid thin pools"), "{titles:?}");
    assert!(
        run.tokens.is_some_and(|tokens| tokens > 10),
        "{:?}",
        run.tokens
    );
    let [learned] = run.learned.as_slice() else {
        panic!("{:?}", run.learned);
    };
    let lesson: LessonView = fixture.get(&format!("/v1/lessons/{}", learned.slug));
    assert_eq!(lesson.title, learned.title);
    assert_eq!(lesson.recommendation, "Count the fees before the range.");
    let page: DecisionPage = fixture.get("/v1/decisions");
    let of = |id: &str| page.decisions.iter().find(|one| one.id == id).unwrap();
    assert_eq!(of("mine"), &run);
    assert_eq!(of("other").learned, []);
}
