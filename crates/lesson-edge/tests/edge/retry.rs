//! A failure that passes is not the agent's: a write waits for the next try, and counts once.

use super::test_edge::{KEY, Mood, TestEdge, code, request};
use serde_json::json;

#[test]
fn a_write_goes_through_when_one_round_fails() {
    for mood in [Mood::Down, Mood::Html, Mood::Deaf] {
        let isolate = TestEdge::new();
        isolate.post("/v1/search", &json!({"query": "sql"}));
        isolate.server.next.borrow_mut().push_back(mood);
        let began = isolate.clock.get();
        let answer = isolate.post("/v1/rate", &json!({"lesson": "orders", "helpful": true}));
        assert_eq!(answer.0, 200, "{mood:?}: {}", answer.1);
        assert!(isolate.clock.get() - began < 1_000, "{mood:?}");
        assert_eq!(isolate.server.count("Rated"), 1, "{mood:?}");
    }
}

#[test]
fn a_write_that_comes_right_after_a_failed_round_waits_too() {
    let isolate = TestEdge::new();
    isolate.post("/v1/recommend", &json!({"query": "sql"}));
    // The snapshot is old by now, and refreshing it before the answer fails.
    isolate.wait(61_000);
    isolate.server.next.borrow_mut().push_back(Mood::Down);
    let (_, body) = isolate.post("/v1/recommend", &json!({"query": "sql"}));
    assert_eq!(body["stale"], true);
    let (status, body) = isolate.post("/v1/rate", &json!({"lesson": "users", "helpful": true}));
    assert_eq!(status, 200, "{body}");
    assert_eq!(isolate.server.count("Rated"), 1);
}

#[test]
fn a_second_failure_is_told_and_the_same_request_counts_once() {
    let isolate = TestEdge::new();
    isolate.post("/v1/search", &json!({"query": "sql"}));
    let next = [Mood::Deaf, Mood::Down];
    isolate.server.next.borrow_mut().extend(next);
    let rate = json!({"lesson": "orders", "helpful": true});
    let mut asked = request("POST", "/v1/rate", KEY);
    asked.body = rate.to_string().into_bytes();
    let answer = isolate.send(asked);
    assert_eq!(answer.status, 503);
    assert!(answer.headers["retry-after"].parse::<u64>().unwrap() >= 1);
    // Known to be away now: others are refused before anything is made.
    let other = json!({"lesson": "users", "helpful": true});
    assert_eq!(
        code(&isolate.post("/v1/rate", &other)),
        (503, "unavailable")
    );
    isolate.wait(2_000);
    assert_eq!(isolate.post("/v1/rate", &rate).0, 200);
    assert_eq!(isolate.server.count("Rated"), 1);
}
