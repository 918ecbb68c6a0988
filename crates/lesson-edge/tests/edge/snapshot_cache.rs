//! Snapshots that an isolate keeps for the next: they answer at once, from no other space, for no key that
//! does not hold, and never in place of what the server says.

use super::test_edge::{ELSEWHERE, KEY, Mood, TestEdge, code, sha};
use serde_json::{Value, json};
use std::rc::Rc;

const DAY: i64 = 86_400_000;

/// A server whose space `s1` an isolate has kept.
fn kept() -> TestEdge {
    let isolate = TestEdge::new();
    let ask = json!({"query": "sql orders", "decision_id": "d1"});
    assert_eq!(isolate.post("/v1/recommend", &ask).0, 200);
    isolate.settle();
    assert_eq!(isolate.server.shelf.borrow().len(), 1);
    isolate
}

fn beside(isolate: &TestEdge) -> TestEdge {
    let other = TestEdge::beside(Rc::clone(&isolate.server));
    other.clock.set(isolate.clock.get() + 1_000);
    other
}

fn recommend(isolate: &TestEdge) -> (u16, Value) {
    isolate.post("/v1/recommend", &json!({"query": "slow sql orders"}))
}

#[test]
fn a_fresh_isolate_answers_before_the_server_gives_its_rows() {
    let isolate = kept();
    isolate.server.mood.set(Mood::Rowless);
    let other = beside(&isolate);
    let began = other.clock.get();
    let (status, body) = recommend(&other);
    assert_eq!(status, 200, "{body}");
    assert_eq!(
        (&body["total_considered"], &body["stale"]),
        (&json!(2), &json!(true))
    );
    assert!(other.clock.get() - began < 200);
    let (_, first) = recommend(&isolate);
    assert_eq!(
        body["recommended"][0]["slug"],
        first["recommended"][0]["slug"]
    );
    // A write waits for the server.
    let rate = json!({"lesson": "orders", "helpful": true});
    assert_eq!(code(&other.post("/v1/rate", &rate)), (503, "unavailable"));
    assert_eq!(isolate.server.count("Rated"), 0);

    isolate.server.mood.set(Mood::Well);
    other.wait(2_000);
    other.settle();
    assert_eq!(other.post("/v1/rate", &rate).0, 200);
    assert_eq!(isolate.server.count("Rated"), 1);
    assert_eq!(recommend(&other).1["stale"], false);
    // Recommendations from a kept snapshot are on record, too.
    other.settle();
    assert_eq!(isolate.server.count("Surfaced"), 3);
}

#[test]
fn what_changed_since_is_read_before_the_first_answer_and_nothing_else() {
    let isolate = kept();
    isolate.post(
        "/v1/lessons",
        &json!({"title": "Batch the sql writes", "recommendation": "Send 500."}),
    );
    let asked = isolate.server.requests.borrow().len();
    let other = beside(&isolate);
    let (_, body) = recommend(&other);
    assert_eq!(
        (&body["total_considered"], &body["stale"]),
        (&json!(3), &json!(false))
    );
    let requests = isolate.server.requests.borrow();
    let pulls: Vec<Value> = requests[asked..]
        .iter()
        .filter(|request| request.url.ends_with("pull_changes"))
        .map(|request| serde_json::from_str(request.body.as_deref().unwrap()).unwrap())
        .collect();
    assert_eq!(pulls.len(), 1);
    assert_ne!(pulls[0]["p_cursor"], 0);
    drop(requests);
    // A decision that was kept can be told the outcome of.
    let outcome = json!({"decision_id": "d1", "outcome": "profit"});
    assert_eq!(other.post("/v1/outcome", &outcome).0, 200);
}

#[test]
fn spaces_never_mix_even_when_what_is_kept_is_exchanged() {
    let isolate = kept();
    isolate.server.seed("s2", &["invoices"]);
    let theirs = |isolate: &TestEdge| {
        isolate.post_with(ELSEWHERE, &[], "/v1/recommend", &json!({"query": "sql"}))
    };
    isolate.server.mood.set(Mood::Rowless);
    assert_eq!(code(&theirs(&beside(&isolate))), (503, "unavailable"));
    isolate.server.mood.set(Mood::Well);
    let second = beside(&isolate);
    assert_eq!(theirs(&second).1["total_considered"], 1);
    second.settle();
    let mut shelf = isolate.server.shelf.borrow_mut();
    assert_eq!(shelf.len(), 2);
    for (name, bytes) in shelf.iter() {
        assert!(name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let whole = String::from_utf8_lossy(bytes);
        assert_eq!(whole.contains("invoices"), !whole.contains("orders"));
    }
    let mut values: Vec<Vec<u8>> = shelf.values().rev().cloned().collect();
    for held in shelf.values_mut() {
        *held = values.remove(0);
    }
    drop(shelf);
    isolate.server.mood.set(Mood::Rowless);
    assert_eq!(code(&recommend(&beside(&isolate))), (503, "unavailable"));
    assert_eq!(code(&theirs(&beside(&isolate))), (503, "unavailable"));
}

#[test]
fn a_revoked_key_gets_nothing_of_it() {
    let isolate = kept();
    isolate.server.revoked.borrow_mut().insert(sha(KEY));
    assert_eq!(recommend(&beside(&isolate)).0, 401);
}

#[test]
fn what_is_old_or_not_whole_or_never_comes_is_read_from_the_server() {
    let isolate = kept();
    let (name, whole) = isolate
        .server
        .shelf
        .borrow()
        .iter()
        .next()
        .map(|(n, b)| (n.clone(), b.clone()))
        .unwrap();
    let with = |bytes: Vec<u8>| {
        isolate
            .server
            .shelf
            .borrow_mut()
            .insert(name.clone(), bytes);
        let other = beside(&isolate);
        let (status, body) = recommend(&other);
        assert_eq!(
            (status, &body["total_considered"], &body["stale"]),
            (200, &json!(2), &json!(false))
        );
    };
    for length in (0..whole.len()).step_by(7) {
        with(whole[..length].to_vec());
    }
    with([&whole[..], b"x"].concat());
    // Whatever the bytes are, nothing traps.
    for at in (0..whole.len()).step_by(5) {
        let mut bent = whole.clone();
        bent[at] ^= 0x55;
        isolate.server.shelf.borrow_mut().insert(name.clone(), bent);
        assert_eq!(recommend(&beside(&isolate)).0, 200);
    }
    isolate
        .server
        .shelf
        .borrow_mut()
        .insert(name.clone(), whole);
    isolate.server.shelf_hangs.set(true);
    let other = beside(&isolate);
    let began = other.clock.get();
    assert_eq!(recommend(&other).1["total_considered"], 2);
    assert!(other.clock.get() - began < 1_000);
    isolate.server.shelf_hangs.set(false);
    isolate.server.mood.set(Mood::Rowless);
    let late = beside(&isolate);
    late.wait(2 * DAY);
    assert_eq!(code(&recommend(&late)), (503, "unavailable"));
}

#[test]
fn a_server_that_was_restored_is_believed_over_what_was_kept() {
    let isolate = kept();
    isolate.server.restore("s1");
    isolate.server.seed("s1", &["users"]);
    let other = beside(&isolate);
    recommend(&other);
    other.settle();
    let (_, body) = recommend(&other);
    assert_eq!(
        (&body["total_considered"], &body["stale"]),
        (&json!(1), &json!(false))
    );
}

#[test]
fn it_is_kept_anew_when_it_changed_and_not_all_the_time() {
    let isolate = kept();
    let bytes = || {
        isolate
            .server
            .shelf
            .borrow()
            .values()
            .next()
            .cloned()
            .unwrap()
    };
    let first = bytes();
    isolate.post(
        "/v1/lessons",
        &json!({"title": "Batch the writes", "recommendation": "Send 500."}),
    );
    isolate.settle();
    assert_eq!(bytes(), first);
    isolate.wait(6 * 60_000);
    recommend(&isolate);
    isolate.settle();
    assert!(bytes().len() > first.len());
}
