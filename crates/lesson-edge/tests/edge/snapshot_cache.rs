//! What an isolate keeps for the next: it answers at once, from no other space, for no key that
//! does not hold, and never in place of what the server says.

use super::desk::{Desk, ELSEWHERE, KEY, Mood, code, sha};
use serde_json::{Value, json};
use std::rc::Rc;

const DAY: i64 = 86_400_000;

/// A server whose space `s1` an isolate has kept.
fn kept() -> Desk {
    let desk = Desk::new();
    let ask = json!({"query": "sql orders", "decision_id": "d1"});
    assert_eq!(desk.post("/v1/recommend", &ask).0, 200);
    desk.settle();
    assert_eq!(desk.server.shelf.borrow().len(), 1);
    desk
}

fn beside(desk: &Desk) -> Desk {
    let other = Desk::beside(Rc::clone(&desk.server));
    other.clock.set(desk.clock.get() + 1_000);
    other
}

fn recommend(desk: &Desk) -> (u16, Value) {
    desk.post("/v1/recommend", &json!({"query": "slow sql orders"}))
}

#[test]
fn a_fresh_isolate_answers_before_the_server_gives_its_rows() {
    let desk = kept();
    desk.server.mood.set(Mood::Rowless);
    let other = beside(&desk);
    let began = other.clock.get();
    let (status, body) = recommend(&other);
    assert_eq!(status, 200, "{body}");
    assert_eq!(
        (&body["total_considered"], &body["stale"]),
        (&json!(2), &json!(true))
    );
    assert!(other.clock.get() - began < 200);
    let (_, first) = recommend(&desk);
    assert_eq!(
        body["recommended"][0]["slug"],
        first["recommended"][0]["slug"]
    );
    // A write waits for the server.
    let rate = json!({"lesson": "orders", "helpful": true});
    assert_eq!(code(&other.post("/v1/rate", &rate)), (503, "unavailable"));
    assert_eq!(desk.server.count("Rated"), 0);

    desk.server.mood.set(Mood::Well);
    other.wait(2_000);
    other.settle();
    assert_eq!(other.post("/v1/rate", &rate).0, 200);
    assert_eq!(desk.server.count("Rated"), 1);
    assert_eq!(recommend(&other).1["stale"], false);
    // What was recommended from what was kept is on record, too.
    other.settle();
    assert_eq!(desk.server.count("Surfaced"), 3);
}

#[test]
fn what_changed_since_is_read_before_the_first_answer_and_nothing_else() {
    let desk = kept();
    desk.post(
        "/v1/lessons",
        &json!({"title": "Batch the sql writes", "recommendation": "Send 500."}),
    );
    let asked = desk.server.requests.borrow().len();
    let other = beside(&desk);
    let (_, body) = recommend(&other);
    assert_eq!(
        (&body["total_considered"], &body["stale"]),
        (&json!(3), &json!(false))
    );
    let requests = desk.server.requests.borrow();
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
    let desk = kept();
    desk.server.seed("s2", &["invoices"]);
    let theirs =
        |desk: &Desk| desk.post_with(ELSEWHERE, &[], "/v1/recommend", &json!({"query": "sql"}));
    desk.server.mood.set(Mood::Rowless);
    assert_eq!(code(&theirs(&beside(&desk))), (503, "unavailable"));
    desk.server.mood.set(Mood::Well);
    let second = beside(&desk);
    assert_eq!(theirs(&second).1["total_considered"], 1);
    second.settle();
    let mut shelf = desk.server.shelf.borrow_mut();
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
    desk.server.mood.set(Mood::Rowless);
    assert_eq!(code(&recommend(&beside(&desk))), (503, "unavailable"));
    assert_eq!(code(&theirs(&beside(&desk))), (503, "unavailable"));
}

#[test]
fn a_revoked_key_gets_nothing_of_it() {
    let desk = kept();
    desk.server.revoked.borrow_mut().insert(sha(KEY));
    assert_eq!(recommend(&beside(&desk)).0, 401);
}

#[test]
fn what_is_old_or_not_whole_or_never_comes_is_read_from_the_server() {
    let desk = kept();
    let (name, whole) = desk
        .server
        .shelf
        .borrow()
        .iter()
        .next()
        .map(|(n, b)| (n.clone(), b.clone()))
        .unwrap();
    let with = |bytes: Vec<u8>| {
        desk.server.shelf.borrow_mut().insert(name.clone(), bytes);
        let other = beside(&desk);
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
        desk.server.shelf.borrow_mut().insert(name.clone(), bent);
        assert_eq!(recommend(&beside(&desk)).0, 200);
    }
    desk.server.shelf.borrow_mut().insert(name.clone(), whole);
    desk.server.shelf_hangs.set(true);
    let other = beside(&desk);
    let began = other.clock.get();
    assert_eq!(recommend(&other).1["total_considered"], 2);
    assert!(other.clock.get() - began < 1_000);
    desk.server.shelf_hangs.set(false);
    desk.server.mood.set(Mood::Rowless);
    let late = beside(&desk);
    late.wait(2 * DAY);
    assert_eq!(code(&recommend(&late)), (503, "unavailable"));
}

#[test]
fn a_server_that_was_restored_is_believed_over_what_was_kept() {
    let desk = kept();
    desk.server.restore("s1");
    desk.server.seed("s1", &["users"]);
    let other = beside(&desk);
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
    let desk = kept();
    let bytes = || desk.server.shelf.borrow().values().next().cloned().unwrap();
    let first = bytes();
    desk.post(
        "/v1/lessons",
        &json!({"title": "Batch the writes", "recommendation": "Send 500."}),
    );
    desk.settle();
    assert_eq!(bytes(), first);
    desk.wait(6 * 60_000);
    recommend(&desk);
    desk.settle();
    assert!(bytes().len() > first.len());
}
