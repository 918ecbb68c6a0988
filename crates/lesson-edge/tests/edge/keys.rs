//! Keys on their way: each request carries the key of who asks, what an agent made goes with its own, and a revoked one opens and
//! leaves behind nothing.

use crate::server_keys::{ELSEWHERE, KEY, OTHER, sent};
use crate::test_edge::{Mood, TestEdge, code, sha};
use serde_json::{Value, json};

fn rate(isolate: &TestEdge, key: &str) -> (u16, Value) {
    let body = json!({"lesson": "orders", "helpful": true});
    isolate.post_with(key, &[], "/v1/rate", &body)
}

fn search(isolate: &TestEdge, key: &str) -> u16 {
    let body = json!({"query": "sql"});
    isolate.post_with(key, &[], "/v1/search", &body).0
}

/// The keys of each push so far.
fn pushes(isolate: &TestEdge) -> Vec<Vec<String>> {
    let requests = isolate.server.requests.borrow();
    let pushes = requests
        .iter()
        .filter(|sent| sent.url.ends_with("push_events"));
    let keys = pushes.map(|push| sent(push).into_iter().map(str::to_owned).collect());
    keys.collect()
}

#[test]
fn a_request_carries_the_key_of_who_asks_in_one_header_and_no_token() {
    let isolate = TestEdge::new();
    rate(&isolate, KEY);
    isolate.settle();
    let requests = isolate.server.requests.borrow();
    assert!(requests.len() >= 4);
    for request in requests.iter() {
        assert!(request.url.starts_with("https://abc.supabase.co/rest/v1/"));
        assert_eq!(sent(request), [KEY]);
        assert!(!request.url.contains(KEY) && !format!("{request:?}").contains(KEY));
        assert!(!request.body.as_deref().unwrap_or_default().contains(KEY));
        let names: Vec<&str> = request.headers.iter().map(|(name, _)| *name).collect();
        assert!(!names.contains(&"authorization"), "{names:?}");
        assert!(
            request
                .headers
                .contains(&("apikey", "publishable".to_owned()))
        );
    }
}

#[test]
fn what_agents_made_is_sent_with_the_key_of_each() {
    let isolate = TestEdge::new();
    search(&isolate, KEY);
    search(&isolate, OTHER);
    search(&isolate, ELSEWHERE);
    isolate.server.mood.set(Mood::Down);
    for key in [KEY, OTHER] {
        assert_eq!(code(&rate(&isolate, key)), (503, "unavailable"));
        // The first failure is waited out, the next is known.
        isolate.wait(2_000);
    }
    isolate.server.mood.set(Mood::Well);
    isolate.wait(60_000);
    assert_eq!(search(&isolate, KEY), 200);
    isolate.settle();
    let mut by = isolate.server.made_by("Rated");
    by.sort();
    by.dedup();
    assert!(
        !by.is_empty() && by.iter().all(|by| by.starts_with("agent:id-")),
        "{by:?}"
    );
    for keys in pushes(&isolate) {
        assert!(
            !keys.contains(&ELSEWHERE.to_owned()),
            "a key of another space"
        );
    }
}

#[test]
fn what_a_key_made_that_is_revoked_meanwhile_is_dropped_and_the_rest_arrives() {
    let isolate = TestEdge::new();
    search(&isolate, KEY);
    search(&isolate, OTHER);
    isolate.server.next.borrow_mut().extend([Mood::Down; 3]);
    isolate.server.mood.set(Mood::Down);
    assert_eq!(rate(&isolate, KEY).0, 503);
    isolate.server.mood.set(Mood::Well);
    isolate.server.next.borrow_mut().clear();
    isolate.server.revoked.borrow_mut().insert(sha(KEY));
    isolate.wait(60_000);
    assert_eq!(search(&isolate, KEY), 401);
    assert_eq!(rate(&isolate, OTHER).0, 200);
    isolate.settle();
    assert_eq!(isolate.server.made_by("Rated"), ["agent:id-2"]);
    assert!(!pushes(&isolate).last().unwrap().contains(&KEY.to_owned()));
}

#[test]
fn a_space_is_read_on_with_a_key_that_holds() {
    let isolate = TestEdge::new();
    search(&isolate, KEY);
    search(&isolate, OTHER);
    isolate.server.revoked.borrow_mut().insert(sha(OTHER));
    isolate.wait(10_000);
    isolate.settle();
    let (_, body) = isolate.post("/v1/recommend", &json!({"query": "sql"}));
    assert_eq!(body["stale"], false);
    // With none that holds nothing is read; the next agent waits for nothing.
    isolate.server.revoked.borrow_mut().insert(sha(KEY));
    isolate.wait(10_000);
    isolate.settle();
    isolate.server.revoked.borrow_mut().remove(&sha(OTHER));
    isolate.wait(60_000);
    let began = isolate.clock.get();
    assert_eq!(rate(&isolate, OTHER).0, 200);
    assert!(isolate.clock.get() - began < 1_000);
}
