//! A fixture whose lessons are measured, and what happens at it.

use crate::common::{TestService, block_on};
use lesson_types::*;
use serde_json::{Value, json};

pub fn fixture() -> TestService {
    let fixture = TestService::new();
    for n in 0..8 {
        let lesson = json!({
            "title": format!("Deploy with care {n}"),
            "recommendation": "Deploy in steps, and look at each.",
            "slug": format!("deploy-{n}"),
        });
        fixture.ok::<LessonView>("POST /v1/lessons", lesson);
    }
    fixture
}

pub fn set(fixture: &TestService, measure: &Value) {
    fixture.ok::<Value>("PATCH /v1/policy", json!({ "measure": measure }));
}

pub fn ask(fixture: &TestService, id: &str, more: Value) -> Recommendations {
    let mut body = json!({"query": "deploy in steps", "decision_id": id});
    for (name, value) in more.as_object().unwrap() {
        body[name] = value.clone();
    }
    let given = fixture.ok("POST /v1/recommend", body);
    block_on(fixture.service.idle()).unwrap();
    given
}

pub fn slugs(given: &Recommendations) -> Vec<&str> {
    given
        .recommended
        .iter()
        .map(|one| one.slug.as_str())
        .collect()
}

pub fn lived(fixture: &TestService, from: usize, to: usize) {
    for n in from..to {
        let id = format!("run-{n}");
        let given = ask(
            fixture,
            &id,
            json!({"domain": if n % 2 == 0 { "web" } else { "ops" }}),
        );
        let hurt = slugs(&given).contains(&"deploy-0");
        let success = if hurt { n % 5 == 0 } else { n % 7 != 0 };
        let outcome = if success { "success" } else { "failure" };
        fixture.ok::<OutcomeRecorded>(
            "POST /v1/outcome",
            json!({"decision_id": id, "outcome": outcome}),
        );
    }
}
