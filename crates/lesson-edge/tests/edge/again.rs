//! Keys used again, and who did what: across isolates that come and go, an `Idempotency-Key` means one request of one
//! agent.

use super::test_edge::{KEY, OTHER, TWIN, TestEdge, code, request};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A request with a key, to an isolate.
fn keyed(isolate: &TestEdge, key: &str, path: &str, body: &Value) -> (u16, Value) {
    isolate.post_with(KEY, &[("idempotency-key", key)], path, body)
}

fn fresh(isolate: &TestEdge) -> TestEdge {
    isolate.settle();
    TestEdge::beside(Rc::clone(&isolate.server))
}

#[test]
fn a_key_used_again_for_something_else_is_refused_wherever_it_comes() {
    let isolate = TestEdge::new();
    let first = json!({"title": "Pin the base image"});
    let second = json!({"title": "Bound every queue"});
    let answer = keyed(&isolate, "add-lesson-1", "/v1/lessons", &first);
    assert_eq!(answer.0, 200, "{}", answer.1);
    for other in [&isolate, &fresh(&isolate)] {
        let answer = keyed(other, "add-lesson-1", "/v1/lessons", &second);
        assert_eq!(code(&answer), (409, "conflict"), "{}", answer.1);
        assert_eq!(answer.1["error"]["field"], "idempotency-key");
    }
    assert_eq!(
        isolate.server.count("LessonAdded"),
        3,
        "two were there before"
    );
    // The same key of another agent is another key.
    let other = fresh(&isolate);
    let headers = [("idempotency-key", "add-lesson-1")];
    let answer = other.post_with(OTHER, &headers, "/v1/lessons", &second);
    assert_eq!(answer.0, 200, "{}", answer.1);
}

#[test]
fn a_repeated_request_gets_the_facts_of_the_first() {
    let isolate = TestEdge::new();
    let ask = json!({"query": "sql orders", "decision_id": "d"});
    let (_, given) = isolate.post("/v1/recommend", &ask);
    let slug = given["recommended"][0]["slug"].as_str().unwrap();
    let writes = [
        ("/v1/lessons", json!({"title": "Pin the base image"})),
        (
            "/v1/track",
            json!({"decision_id": "d", "reasoning": format!("Applying '{slug}' here.")}),
        ),
        (
            "/v1/outcome",
            json!({"decision_id": "d", "outcome": "success"}),
        ),
        (
            "/v1/feedback",
            json!({"lessons": [slug], "outcome": "delivered", "decision_id": "d"}),
        ),
        ("/v1/rate", json!({"lesson": slug, "helpful": true})),
        ("/v1/vote", json!({"lesson": slug, "up": true})),
        (
            "/v1/tools/success",
            json!({"query": "list the tables", "server": "psql"}),
        ),
        (
            "/v1/sessions",
            json!({"transcript": format!("INJECTED: {slug}\nINSIGHT: Name the queue's bound in its metrics, always.\nDELIVERED: done, by the book.")}),
        ),
    ];
    // The parts of an answer that stay the same, whatever happened since.
    let facts = |answer: &Value| {
        let mut facts: Vec<Value> = [
            "slug",
            "detections",
            "lessons_updated",
            "recorded",
            "insights",
            "causal",
        ]
        .iter()
        .map(|name| answer[name].clone())
        .collect();
        facts.extend(
            answer["updated"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|one| one["slug"].clone()),
        );
        facts
    };
    for (place, (path, body)) in writes.iter().enumerate() {
        let key = format!("key-{place}");
        let (status, first) = keyed(&isolate, &key, path, body);
        assert_eq!(status, 200, "{path}: {first}");
        let events = [
            "LessonAdded",
            "UsageTracked",
            "OutcomeRecorded",
            "FeedbackGiven",
            "Rated",
            "Voted",
            "ToolSucceeded",
        ];
        let counts = || events.map(|kind| isolate.server.count(kind));
        let before = counts();
        for other in [fresh(&isolate), fresh(&isolate)] {
            let (status, again) = keyed(&other, &key, path, body);
            assert_eq!(status, 200, "{path}: {again}");
            assert_eq!(facts(&again), facts(&first), "{path}: {again}");
        }
        assert_eq!(counts(), before, "{path}");
    }
}

#[test]
fn decisions_belong_to_the_key_and_not_to_its_name() {
    let isolate = TestEdge::new();
    let ask = json!({"query": "sql orders", "decision_id": "d"});
    isolate.post("/v1/recommend", &ask);
    isolate.settle();
    let outcome = json!({"decision_id": "d", "outcome": "failure"});
    // Another key of the same name, and one whose id is a part of another's path.
    for stranger in [TWIN, OTHER] {
        let answer = isolate.post_with(stranger, &[], "/v1/outcome", &outcome);
        assert_eq!(code(&answer), (403, "forbidden"));
    }
    assert_eq!(isolate.post("/v1/outcome", &outcome).0, 200);
    assert_eq!(isolate.server.made_by("OutcomeRecorded"), ["agent:id-1"]);
    assert_eq!(isolate.server.made_by("Surfaced"), ["agent:id-1"]);

    let seen = |key: &str, path: &str| {
        let answer = isolate.send(request("GET", path, key));
        let body: Value = serde_json::from_str(&answer.body).unwrap();
        (answer.status, body)
    };
    let (status, one) = seen(KEY, "/v1/decisions/d");
    assert_eq!(status, 200, "{one}");
    assert_eq!(one["id"], "d");
    assert_eq!(
        (&one["outcome"], &one["by"]),
        (&json!("failure"), &json!("agent:id-1"))
    );
    assert_eq!(seen(KEY, "/v1/decisions").1["total"], 1);
    assert_eq!(seen(TWIN, "/v1/decisions").1["total"], 0);
    assert_eq!(seen(TWIN, "/v1/decisions/d").0, 404);
    assert_eq!(seen(TWIN, "/v1/decisions/id-1%2Fd").0, 404);
}

#[test]
fn the_same_said_twice_counts_once_from_each_agent() {
    let isolate = TestEdge::new();
    for key in [KEY, OTHER] {
        let ask = json!({"query": "sql orders", "decision_id": "d"});
        let (_, given) = isolate.post_with(key, &[], "/v1/recommend", &ask);
        let slug = given["recommended"][0]["slug"].clone();
        let rate = json!({"lesson": slug, "helpful": true, "decision_id": "d"});
        for repeated in [false, true, true] {
            let (status, body) = isolate.post_with(key, &[], "/v1/rate", &rate);
            assert_eq!(
                (status, &body["repeated"]),
                (200, &json!(repeated)),
                "{body}"
            );
        }
        let against = json!({"lesson": slug, "helpful": false, "decision_id": "d"});
        let answer = isolate.post_with(key, &[], "/v1/rate", &against);
        assert_eq!(code(&answer), (409, "conflict"));
        let message = answer.1["error"]["message"].as_str().unwrap();
        assert!(
            message.contains("rated helpful") && message.contains("`d`"),
            "{message}"
        );
        let outcome = json!({"decision_id": "d", "outcome": "success"});
        assert_eq!(
            isolate.post_with(key, &[], "/v1/outcome", &outcome).1["repeated"],
            false
        );
        assert_eq!(
            isolate.post_with(key, &[], "/v1/outcome", &outcome).1["repeated"],
            true
        );
        let other = json!({"decision_id": "d", "outcome": "loss"});
        let answer = isolate.post_with(key, &[], "/v1/outcome", &other);
        assert_eq!(code(&answer), (409, "conflict"));
    }
    assert_eq!(isolate.server.count("Rated"), 2);
}

#[test]
fn a_recommendation_with_a_key_is_that_agents_own() {
    let isolate = TestEdge::new();
    let headers = [("idempotency-key", "one")];
    let (_, first) = isolate.post_with(KEY, &headers, "/v1/recommend", &json!({"query": "sql"}));
    let other = json!({"query": "index the users"});
    let (status, second) = isolate.post_with(OTHER, &headers, "/v1/recommend", &other);
    assert_eq!(status, 200, "{second}");
    assert_ne!(first["retrieval_id"], second["retrieval_id"]);
    let (_, again) = isolate.post_with(KEY, &headers, "/v1/recommend", &json!({"query": "sql"}));
    assert_eq!(first["retrieval_id"], again["retrieval_id"]);
}

#[test]
fn core_servers_of_the_space_hold_for_agents() {
    let isolate = TestEdge::new();
    let patch = isolate.send(request("PATCH", "/v1/policy", KEY));
    assert_eq!(patch.status, 403, "people set them");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Whatever is acknowledged is on the server, once, and a key stands for the first thing that was asked with it.
    #[test]
    fn what_is_acknowledged_is_there_whatever_isolates_do(
        steps in prop::collection::vec((0..3usize, 0..4u8, 0..3u8, any::<bool>()), 1..25)
    ) {
        let server = Rc::clone(&TestEdge::new().server);
        let mut isolates: Vec<TestEdge> = (0..3).map(|_| TestEdge::beside(Rc::clone(&server))).collect();
        let mut acknowledged: BTreeMap<u8, u8> = BTreeMap::new();
        for (place, key, title, restarts) in steps {
            if restarts {
                isolates[place].settle();
                isolates[place] = TestEdge::beside(Rc::clone(&server));
            }
            let body = json!({"title": format!("Lesson {title} of {key}")});
            let (status, answer) = keyed(&isolates[place], &format!("k{key}"), "/v1/lessons", &body);
            match acknowledged.get(&key) {
                None => {
                    prop_assert_eq!(status, 200, "{}", answer);
                    acknowledged.insert(key, title);
                }
                Some(first) if *first == title => prop_assert_eq!(status, 200, "{}", answer),
                Some(_) => prop_assert_eq!(status, 409, "{}", answer),
            }
        }
        // Two lessons were there before.
        prop_assert_eq!(server.count("LessonAdded"), 2 + acknowledged.len());
    }
}
