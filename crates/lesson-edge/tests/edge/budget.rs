//! Limits on the cost of one key beside its requests: bytes, and the engine's time.

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
    assert!(
        held.1["error"]["message"]
            .as_str()
            .unwrap()
            .contains("bytes")
    );
    assert_eq!(session(&isolate, OTHER, large).0, 200);
    // Small ones still fit beside it.
    let search = json!({"query": "sql"});
    assert_eq!(isolate.post("/v1/search", &search).0, 200);
    isolate.wait(20_000);
    assert_eq!(session(&isolate, KEY, large).0, 200);
}
