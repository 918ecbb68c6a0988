//! What one key may cost beside its requests: bytes, and the engine's time.

use crate::server_keys::{KEY, OTHER};
use crate::test_edge::{TestEdge, code};
use serde_json::{Value, json};

fn session(isolate: &TestEdge, key: &str, bytes: usize) -> (u16, Value) {
    let line = "Step: the queue is bounded.\n";
    let body = json!({"transcript": line.repeat(bytes / line.len())});
    isolate.post_with(key, &[], "/v1/sessions", &body)
}

#[test]
fn a_key_that_sends_much_at_once_waits_and_others_do_not() {
    let isolate = TestEdge::new();
    let large = 900_000;
    assert_eq!(session(&isolate, KEY, large).0, 200);
    let held = session(&isolate, KEY, large);
    assert_eq!(code(&held), (429, "rate_limited"));
    assert!(held.1["error"]["message"].as_str().unwrap().contains("bytes"));
    assert_eq!(session(&isolate, OTHER, large).0, 200);
    // Small ones still fit beside it.
    let search = json!({"query": "sql"});
    assert_eq!(isolate.post("/v1/search", &search).0, 200);
    isolate.wait(20_000);
    assert_eq!(session(&isolate, KEY, large).0, 200);
}

#[test]
fn what_an_isolate_has_to_look_at_is_bounded_too() {
    let isolate = TestEdge::new();
    let texts: Vec<String> = (0..4_000).map(|n| format!("orders-{n}")).collect();
    let slugs: Vec<&str> = texts.iter().map(String::as_str).collect();
    isolate.server.seed("s2", &slugs);
    let ask = || {
        let body = json!({"query": "sql"});
        isolate.post_with(crate::server_keys::ELSEWHERE, &[], "/v1/search", &body)
    };
    assert_eq!(ask().0, 200);
    // Requests pass, as long as they look at little: two seconds' worth of work is some thousand of these.
    let statuses: Vec<u16> = (0..180).map(|_| ask().0).collect();
    assert!(statuses.iter().all(|status| *status == 200), "{statuses:?}");
}
