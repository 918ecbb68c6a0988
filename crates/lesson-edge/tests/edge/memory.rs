//! The memory of an isolate: all spaces together keep within their bytes, those go first that nobody asked for in the
//! longest time, and what does not fit beside what is in use is read from the server.

use crate::common::{START, block_on};
use crate::test_edge::{FakeHost, Server, TestEdge, config, request, sha};
use lesson_core::Space;
use lesson_edge::{Edge, EdgeConfig, EdgeRequest};
use lesson_sync::MemoryStore;
use serde_json::{Value, json};
use std::cell::Cell;
use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;

/// Lessons of each space, and about the bytes that a replica of one takes.
const LESSONS: usize = 20;
const REPLICA: f64 = 54_000.0;

/// The key of a space of these tests.
fn key(n: usize) -> String {
    format!("llk_{}", sha(&format!("memory {n}")))
}

fn space(n: usize) -> String {
    format!("m{n}")
}

/// The agent of a key, beside those that the server lists.
pub fn known(hash: &str, is_open: bool) -> Option<Value> {
    if is_open {
        return Some(json!({"id": &hash[..8], "name": "one of many", "space": "s1"}));
    }
    let n = (0..8).find(|n| sha(&key(*n)) == hash)?;
    Some(json!({"id": format!("id-{}", space(n)), "name": "one of several", "space": space(n)}))
}

/// Answers as the server's functions that read a part of a space. `page`: all rows of it.
pub fn part(name: &str, space: &Space, page: impl FnOnce() -> Value) -> Value {
    let lessons = space.lessons().len();
    match name {
        "space_size" => {
            let texts = space
                .lessons()
                .map(|one| one.slug.len() + one.text.title.len());
            json!({
                "lessons": lessons, "bytes": texts.sum::<usize>(), "records": 0, "version": 0, "epoch": "e0",
                "schema_version": lesson_sync::SCHEMA_VERSION,
            })
        }
        "lesson_candidates" => {
            let mut page = page();
            page["epoch"] = json!("e0");
            json!({
                "page": page, "counted": { "lessons": lessons, "with_vector": 0, "having": [lessons] },
            })
        }
        other => panic!("the edge calls {other}"),
    }
}

/// An isolate that may hold so many replicas.
fn holding(replicas: f64) -> TestEdge {
    let server = Rc::new(Server::default());
    let slugs: Vec<String> = (0..LESSONS).map(|n| format!("orders-{n}")).collect();
    let slugs: Vec<&str> = slugs.iter().map(String::as_str).collect();
    for n in 0..4 {
        server.seed(&space(n), &slugs);
    }
    let clock = Rc::new(Cell::new(START));
    let host = FakeHost {
        clock: Rc::clone(&clock),
        drawn: Cell::new(7 << 40),
        server: Rc::clone(&server),
    };
    let config = EdgeConfig {
        replica_bytes: Some(replicas * REPLICA),
        ..config()
    };
    TestEdge {
        edge: Edge::new(config, host, MemoryStore::passing_rows_on).unwrap(),
        server,
        clock,
    }
}

fn search(n: usize) -> EdgeRequest {
    let mut request = request("POST", "/v1/search", &key(n));
    request.body = json!({"query": "orders"}).to_string().into_bytes();
    request
}

fn ask(isolate: &TestEdge, n: usize) {
    let answer = isolate.send(search(n));
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert!(answer.body.contains("orders-1"), "{}", answer.body);
    isolate.wait(10);
}

/// Counts the calls of a function for a space; of pulls, those from the beginning.
fn calls(isolate: &TestEdge, function: &str, n: usize) -> usize {
    let requests = isolate.server.requests.borrow();
    let bodies = requests.iter().filter(|sent| sent.url.ends_with(function));
    bodies
        .filter(|sent| {
            let body: Value = serde_json::from_str(sent.body.as_deref().unwrap_or("{}")).unwrap();
            body["p_space"] == json!(space(n)) && body["p_cursor"].as_u64().unwrap_or(0) == 0
        })
        .count()
}

/// Counts readings of a space from its beginning. The first answer tells the server's epoch, and is asked for again by it.
fn pulls(isolate: &TestEdge, n: usize) -> usize {
    calls(isolate, "pull_changes", n).div_ceil(2)
}

#[test]
fn the_space_goes_first_that_nobody_asked_for_in_the_longest_time() {
    let isolate = holding(2.5);
    for n in [0, 1, 0, 2, 0, 2] {
        ask(&isolate, n);
    }
    let pulled = |n| pulls(&isolate, n);
    assert_eq!([pulled(0), pulled(1), pulled(2)], [1, 1, 1]);
    // It was the second one that went: the others answer from memory, and it is read again.
    ask(&isolate, 1);
    assert_eq!([pulled(0), pulled(1), pulled(2)], [1, 2, 1]);
    // Now the first one has not been asked for in the longest time.
    ask(&isolate, 2);
    assert_eq!([pulled(0), pulled(1), pulled(2)], [1, 2, 1]);
    ask(&isolate, 0);
    assert_eq!([pulled(0), pulled(1), pulled(2)], [2, 2, 1]);
    assert_eq!(calls(&isolate, "lesson_candidates", 0), 0);
}

#[test]
fn a_space_with_something_to_send_stays_until_it_is_sent() {
    let isolate = holding(1.2);
    let mut recommend = search(0);
    recommend.path = "/v1/recommend".to_owned();
    assert_eq!(isolate.send(recommend).status, 200);
    // The recommendation waits to be sent: there is no room for another space, which is read by parts.
    ask(&isolate, 1);
    assert_eq!(pulls(&isolate, 1), 0);
    assert_eq!(calls(&isolate, "lesson_candidates", 1), 1);
    assert_eq!(isolate.server.count("Surfaced"), 0);
    isolate.settle();
    assert_eq!(isolate.server.count("Surfaced"), 1);
    // It was sent, so that the other one may be held by now.
    ask(&isolate, 1);
    ask(&isolate, 1);
    assert_eq!(pulls(&isolate, 1), 1);
    assert_eq!(calls(&isolate, "lesson_candidates", 1), 1);
}

#[test]
fn a_space_is_not_read_whole_while_nobody_has_said_how_large_it_is() {
    let isolate = holding(0.5);
    isolate.server.slow.set(Some(("space_size", 25_000)));
    let begun = isolate.clock.get();
    let answer = isolate.send(search(0));
    assert_eq!(answer.status, 503, "{}", answer.body);
    let waited = isolate.clock.get() - begun;
    assert!((20_000..25_000).contains(&waited), "{waited} ms");
    isolate.server.slow.set(Some(("space_size", 5_000)));
    ask(&isolate, 0);
    assert_eq!(pulls(&isolate, 0), 0);
    assert_eq!(calls(&isolate, "lesson_candidates", 0), 1);
}

#[test]
fn two_spaces_that_are_asked_for_at_once_are_not_both_held_where_one_fits() {
    let isolate = holding(1.2);
    let mut one = pin!(isolate.edge.handle(search(0)));
    let mut two = pin!(isolate.edge.handle(search(1)));
    let mut answers = [None, None];
    block_on(poll_fn(|context| {
        if answers[0].is_none()
            && let Poll::Ready(answer) = one.as_mut().poll(context)
        {
            answers[0] = Some(answer);
        }
        if answers[1].is_none()
            && let Poll::Ready(answer) = two.as_mut().poll(context)
        {
            answers[1] = Some(answer);
        }
        match &answers {
            [Some(_), Some(_)] => Poll::Ready(()),
            _ => Poll::Pending,
        }
    }));
    for answer in answers.into_iter().flatten() {
        assert_eq!(answer.status, 200, "{}", answer.body);
    }
    let held = [0, 1].map(|n| pulls(&isolate, n));
    let in_parts = [0, 1].map(|n| calls(&isolate, "lesson_candidates", n));
    assert_eq!(held.iter().sum::<usize>(), 1, "{held:?}");
    assert_eq!(in_parts.iter().sum::<usize>(), 1, "{in_parts:?}");
}

#[test]
fn a_key_is_counted_by_its_id_however_its_header_is_written() {
    let isolate = TestEdge::new();
    let counted: Rc<std::cell::RefCell<Vec<String>>> = Rc::default();
    let ask = |bearer: &str| {
        let mut request = request("POST", "/v1/search", "");
        request
            .headers
            .insert("authorization".to_owned(), bearer.to_owned());
        request.body = json!({"query": "sql"}).to_string().into_bytes();
        let counted = Rc::clone(&counted);
        request.count = Some(Rc::new(move |id| {
            counted.borrow_mut().push(id.to_owned());
            let goes_on = counted.borrow().iter().filter(|one| *one == id).count() <= 2;
            Box::pin(async move { goes_on })
        }));
        isolate.send(request)
    };
    let key = crate::test_edge::KEY;
    assert_eq!(ask(&format!("Bearer {key}")).status, 200);
    assert_eq!(ask(&format!("bearer   {key} ")).status, 200);
    let refused = ask(&format!("BEARER {key}"));
    assert_eq!(refused.status, 429, "{}", refused.body);
    assert_eq!(refused.headers["retry-after"], "10");
    assert!(refused.body.contains("rate_limited"));
    // A key that nobody has is not counted there, and another one is counted for itself.
    assert_eq!(
        ask(&format!("Bearer {}", crate::test_edge::STRANGER)).status,
        401
    );
    assert_eq!(
        ask(&format!("Bearer {}", crate::test_edge::OTHER)).status,
        200
    );
    assert_eq!(*counted.borrow(), ["id-1", "id-1", "id-1", "id-2"]);
}

#[test]
fn a_counter_that_hangs_lets_everybody_go_on() {
    let isolate = TestEdge::new();
    let mut request = request("POST", "/v1/search", crate::test_edge::KEY);
    request.body = json!({"query": "sql"}).to_string().into_bytes();
    request.count = Some(Rc::new(|_| Box::pin(std::future::pending())));
    assert_eq!(isolate.send(request).status, 200);
}
