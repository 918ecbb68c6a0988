//! Requests that must be refused, each with its status, code and field: `bad_input.json`.

use crate::common;

use common::TestService;
use lesson_types::{ENDPOINTS, ErrorCode};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    line: String,
    #[serde(default)]
    body: Value,
    status: u16,
    code: String,
    field: String,
}

fn fixture() -> TestService {
    let fixture = TestService::with(&[
        ("a-lesson", "A lesson", "Do it."),
        ("b-lesson", "B lesson", "Do that."),
    ]);
    fixture.call(
        "POST /v1/recommend",
        json!({"domain": "perps", "decision_id": "known"}),
    );
    fixture
}

#[test]
fn every_bad_request_is_refused_with_its_field_and_changes_nothing() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("bad_input.json")).unwrap();
    assert!(cases.len() >= 60, "{}", cases.len());
    let fixture = fixture();
    let before = fixture.store.space();
    let mut wrong = Vec::new();
    for case in cases {
        let response = fixture.call(&case.line, case.body.clone());
        let error = &response.body.value()["error"];
        let got = (
            response.status,
            error["code"].as_str().unwrap_or_default(),
            error["field"].as_str().unwrap_or_default(),
        );
        let message = error["message"].as_str().unwrap_or_default();
        if got != (case.status, case.code.as_str(), case.field.as_str()) || message.len() < 10 {
            wrong.push(format!(
                "{} {} -> {} {}",
                case.line, case.body, response.status, response.body
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(fixture.store.space(), before);
}

#[test]
fn every_field_has_a_bound() {
    let fixture = fixture();
    let long = |n: usize| "x".repeat(n + 1);
    let many = |n: usize| vec!["x"; n + 1];
    use lesson_types::limits::*;
    for (line, body, field) in [
        ("POST /v1/lessons", json!({"title": long(TITLE)}), "title"),
        (
            "POST /v1/lessons",
            json!({"title": "t", "slug": long(SLUG)}),
            "slug",
        ),
        (
            "POST /v1/lessons",
            json!({"title": "t", "description": long(DESCRIPTION)}),
            "description",
        ),
        (
            "POST /v1/lessons",
            json!({"title": "t", "context": long(CONTEXT)}),
            "context",
        ),
        (
            "POST /v1/lessons",
            json!({"title": "t", "recommendation": long(RECOMMENDATION)}),
            "recommendation",
        ),
        (
            "POST /v1/lessons",
            json!({"title": "t", "domain": long(WORD)}),
            "domain",
        ),
        (
            "POST /v1/lessons",
            json!({"title": "t", "source": long(WORD)}),
            "source",
        ),
        (
            "POST /v1/lessons",
            json!({"title": "t", "tags": many(WORDS)}),
            "tags",
        ),
        (
            "POST /v1/lessons",
            json!({"title": "t", "tags": ["ok", long(WORD)]}),
            "tags[1]",
        ),
        (
            "POST /v1/lessons",
            json!({"title": "t", "tech_stacks": many(WORDS)}),
            "tech_stacks",
        ),
        (
            "POST /v1/lessons",
            json!({"title": "t", "project_types": many(WORDS)}),
            "project_types",
        ),
        (
            "PATCH /v1/lessons/a-lesson",
            json!({"base_rev": 1, "title": long(TITLE)}),
            "title",
        ),
        (
            "PATCH /v1/lessons/a-lesson",
            json!({"base_rev": 1, "extra": json!({"x": long(EXTRA)}).to_string()}),
            "extra",
        ),
        ("POST /v1/recommend", json!({"query": long(QUERY)}), "query"),
        (
            "POST /v1/recommend",
            json!({"query": "q", "project_type": long(WORD)}),
            "project_type",
        ),
        (
            "POST /v1/recommend",
            json!({"query": "q", "phase": long(WORD)}),
            "phase",
        ),
        (
            "POST /v1/recommend",
            json!({"query": "q", "domain": long(WORD)}),
            "domain",
        ),
        (
            "POST /v1/recommend",
            json!({"query": "q", "decision_id": long(ID)}),
            "decision_id",
        ),
        (
            "POST /v1/recommend",
            json!({"query": "q", "tech_stack": many(WORDS)}),
            "tech_stack",
        ),
        ("POST /v1/search", json!({"query": long(QUERY)}), "query"),
        (
            "POST /v1/patterns",
            json!({"feature": long(QUERY)}),
            "feature",
        ),
        (
            "POST /v1/track",
            json!({"decision_id": long(ID), "reasoning": "r"}),
            "decision_id",
        ),
        (
            "POST /v1/track",
            json!({"decision_id": "known", "reasoning": long(TEXT)}),
            "reasoning",
        ),
        (
            "POST /v1/outcome",
            json!({"decision_id": long(ID), "outcome": "profit"}),
            "decision_id",
        ),
        (
            "POST /v1/feedback",
            json!({"lessons": vec!["a-lesson"; SLUGS + 1], "outcome": "blocked"}),
            "lessons",
        ),
        (
            "POST /v1/feedback",
            json!({"lessons": ["a-lesson"], "outcome": "blocked", "outcome_text": long(TEXT)}),
            "outcome_text",
        ),
        (
            "POST /v1/rate",
            json!({"lesson": long(TITLE), "helpful": true}),
            "lesson",
        ),
        (
            "POST /v1/vote",
            json!({"lesson": long(TITLE), "up": true}),
            "lesson",
        ),
        (
            "POST /v1/sessions",
            json!({"transcript": long(TEXT)}),
            "transcript",
        ),
        (
            "POST /v1/tools/success",
            json!({"query": long(QUERY), "server": "s"}),
            "query",
        ),
        (
            "POST /v1/tools/success",
            json!({"query": "q", "server": long(WORD)}),
            "server",
        ),
        (
            "POST /v1/tools/suggest",
            json!({"query": long(QUERY)}),
            "query",
        ),
        (
            "POST /v1/import",
            json!({"files": [{"path": long(1000), "content": ""}]}),
            "files[0].path",
        ),
    ] {
        let (status, error) = fixture.refused(line, body);
        assert_eq!(
            (status, error.field.as_deref()),
            (400, Some(field)),
            "{line} {field}: {error}"
        );
    }
    let at_the_bound: lesson_types::LessonView = fixture.ok(
        "POST /v1/lessons",
        json!({"title": "é".repeat(TITLE), "description": "é".repeat(DESCRIPTION), "slug": "bound"}),
    );
    assert_eq!(at_the_bound.title.chars().count(), TITLE);
}

#[test]
fn a_deep_body_is_refused_in_bounded_time() {
    let fixture = fixture();
    let mut deep = json!("x");
    for _ in 0..120 {
        deep = json!([deep]);
    }
    let (status, error) = fixture.refused("POST /v1/search", json!({"query": deep}));
    assert_eq!((status, error.field.as_deref()), (400, Some("body")));
    assert!(error.message.contains("nested"), "{error}");
}

#[test]
fn null_does_not_pass_for_a_number() {
    // A binding that turns NaN into null must not make a missing number of it.
    let fixture = fixture();
    let (_, error) = fixture.refused(
        "POST /v1/outcome",
        json!({"decision_id": "known", "outcome": "profit", "pnl_percent": null}),
    );
    assert_eq!(error.field.as_deref(), Some("pnl_percent"));
    let (_, error) = fixture.refused(
        "POST /v1/recommend",
        json!({"domain": "perps", "market": {"recent_loss_count": null}}),
    );
    assert_eq!(error.field.as_deref(), Some("market.recent_loss_count"));
    let (_, error) = fixture.refused(
        "POST /v1/recommend",
        json!({"domain": "perps", "trace_part": {"limit": null}}),
    );
    assert_eq!(error.field.as_deref(), Some("trace_part.limit"));
}

#[test]
fn every_endpoint_refuses_unknown_parameters_and_wrong_methods() {
    let fixture = fixture();
    for endpoint in ENDPOINTS {
        let path = [
            ("{slug}", "a-lesson"),
            ("{rev}", "1"),
            ("{decision_id}", "known"),
            ("{id}", "one"),
        ]
        .iter()
        .fold(endpoint.path.to_owned(), |path, (part, text)| {
            path.replace(part, text)
        });
        let line = format!("{} {path}?nonsense=1", endpoint.method.as_str());
        let (status, error) = fixture.refused(&line, Value::Null);
        assert_eq!(
            (status, error.field.as_deref()),
            (400, Some("nonsense")),
            "{line}"
        );
        for method in ["GET", "POST", "PATCH"] {
            let mut rows = ENDPOINTS.iter().filter(|row| row.path == endpoint.path);
            if rows.any(|row| row.method.as_str() == method)
                || path.ends_with("/merge")
                || path.ends_with("/bulk")
            {
                continue;
            }
            let (status, error) = fixture.refused(&format!("{method} {path}"), Value::Null);
            assert_eq!(
                (status, error.code),
                (405, ErrorCode::MethodNotAllowed),
                "{method} {path}"
            );
        }
    }
}
