//! The edge over a server that is scripted here: who may ask, what is answered, and that a write is
//! counted once however often it is sent.

mod again;
mod answers;
mod budget;
#[path = "../../../lesson-service/tests/service/common/mod.rs"]
mod common;
mod first_answer;
mod flood;
mod keys;
mod memory;
mod own_lessons;
mod quarantine;
mod retry;
mod server_keys;
mod setup;
mod snapshot_cache;
mod test_edge;

use lesson_edge::{Edge, EdgeConfig};
use lesson_sync::MemoryStore;
use serde_json::{Value, json};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;
use test_edge::{FakeHost, KEY, Mood, OTHER, STRANGER, TestEdge, code, config, request, sha};

#[test]
fn a_key_opens_its_space_and_nothing_else_does() {
    let isolate = TestEdge::new();
    let (status, body) = isolate.post("/v1/recommend", &json!({"query": "slow sql orders"}));
    assert_eq!(status, 200, "{body}");
    assert_eq!(body["total_considered"], 2);
    assert_eq!(body["stale"], false);

    let cut = &KEY[..40];
    let long = format!("{KEY}{}", "1".repeat(5_000));
    let jwt = "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.";
    let mut words = BTreeSet::new();
    for key in [STRANGER, cut, &long, jwt, "llk_", "Bearer"] {
        let answer = isolate.send(request("POST", "/v1/recommend", key));
        assert_eq!(answer.status, 401, "{key}");
        assert!(answer.headers["www-authenticate"].starts_with("Bearer"));
        words.insert(answer.body);
    }
    assert_eq!(words.len(), 1, "every wrong key gets the same words");

    let mut none = request("POST", "/v1/recommend", KEY);
    none.headers.remove("authorization");
    assert_eq!(isolate.send(none).status, 401);
    for name in ["token", "Access_Token", "key", "apikey"] {
        let answer = isolate.send(request("GET", &format!("/v1/stats?{name}={KEY}"), KEY));
        assert_eq!(answer.status, 401, "{name}");
        assert!(!answer.body.contains(KEY));
    }
}

#[test]
fn a_revoked_key_is_refused_within_a_minute() {
    let isolate = TestEdge::new();
    let ask = || isolate.post("/v1/recommend", &json!({"query": "sql"})).0;
    assert_eq!(ask(), 200);
    isolate.server.revoked.borrow_mut().insert(sha(KEY));
    isolate.wait(60_000);
    assert_eq!(ask(), 401);
    assert_eq!(
        isolate
            .post_with(OTHER, &[], "/v1/search", &json!({"query": "sql"}))
            .0,
        200
    );
}

#[test]
fn a_store_that_is_down_leaves_recommendations_and_says_so() {
    let isolate = TestEdge::new();
    assert_eq!(
        isolate.post("/v1/recommend", &json!({"query": "sql"})).0,
        200
    );
    isolate.settle();
    for mood in [Mood::Down, Mood::Html, Mood::Silent] {
        isolate.server.mood.set(mood);
        isolate.wait(6_000);
        let (status, body) = isolate.post("/v1/recommend", &json!({"query": "sql"}));
        assert_eq!(status, 200, "{mood:?}: {body}");
        isolate.settle();
        let (status, body) = isolate.post("/v1/recommend", &json!({"query": "sql"}));
        assert_eq!((status, &body["stale"]), (200, &json!(true)), "{mood:?}");
        let began = isolate.clock.get();
        let answer = isolate.send({
            let mut request = request("POST", "/v1/rate", KEY);
            request.body = json!({"lesson": "orders", "helpful": true})
                .to_string()
                .into_bytes();
            request
        });
        assert_eq!(answer.status, 503, "{mood:?}");
        assert!(answer.headers["retry-after"].parse::<u64>().unwrap() >= 1);
        assert!(isolate.clock.get() - began < 10_000, "{mood:?}");
        isolate.server.mood.set(Mood::Well);
        isolate.wait(40_000);
        isolate.settle();
        let (_, body) = isolate.post("/v1/recommend", &json!({"query": "sql"}));
        assert_eq!(body["stale"], false, "{mood:?}");
    }
    // Every recommendation was recorded in the end.
    isolate.settle();
    assert_eq!(isolate.server.count("Surfaced"), 10);
}

#[test]
fn a_first_request_without_a_store_says_so() {
    let isolate = TestEdge::new();
    isolate.server.mood.set(Mood::Down);
    let answer = isolate.post("/v1/recommend", &json!({"query": "sql"}));
    assert_eq!(code(&answer), (503, "unavailable"));
    isolate.server.mood.set(Mood::Well);
    assert_eq!(
        isolate.post("/v1/recommend", &json!({"query": "sql"})).0,
        200
    );
}

#[test]
fn a_write_whose_answer_was_lost_is_counted_once() {
    for keyed in [true, false] {
        let isolate = TestEdge::new();
        isolate.post("/v1/search", &json!({"query": "sql"}));
        isolate.server.mood.set(Mood::Deaf);
        let headers: &[(&str, &str)] = if keyed {
            &[("idempotency-key", "one")]
        } else {
            &[]
        };
        let rate = json!({"lesson": "orders", "helpful": true});
        assert_eq!(isolate.post_with(KEY, headers, "/v1/rate", &rate).0, 503);
        assert_eq!(isolate.server.count("Rated"), 1, "it did arrive");
        isolate.server.mood.set(Mood::Well);
        isolate.wait(40_000);
        let (status, body) = isolate.post_with(KEY, headers, "/v1/rate", &rate);
        assert_eq!(status, 200, "{body}");
        assert_eq!(isolate.server.count("Rated"), 1);
        // The same words once more, without a key, are another rating.
        if !keyed {
            assert_eq!(isolate.post("/v1/rate", &rate).0, 200);
            assert_eq!(isolate.server.count("Rated"), 2);
        }
    }
}

#[test]
fn a_key_that_comes_again_elsewhere_is_counted_once() {
    let isolate = TestEdge::new();
    let headers = [("idempotency-key", "one")];
    let rate = json!({"lesson": "orders", "helpful": true});
    assert_eq!(isolate.post_with(KEY, &headers, "/v1/rate", &rate).0, 200);
    for _ in 0..3 {
        let other = TestEdge::beside(Rc::clone(&isolate.server));
        assert_eq!(other.post_with(KEY, &headers, "/v1/rate", &rate).0, 200);
    }
    assert_eq!(isolate.server.count("Rated"), 1);
    // Another agent's key of the same name is another one.
    assert_eq!(isolate.post_with(OTHER, &headers, "/v1/rate", &rate).0, 200);
    assert_eq!(isolate.server.count("Rated"), 2);
}

#[test]
fn a_decision_is_known_in_every_isolate_and_to_its_agent_only() {
    let isolate = TestEdge::new();
    let ask = json!({"query": "sql orders", "decision_id": "d1"});
    let (_, body) = isolate.post("/v1/recommend", &ask);
    let slug = body["recommended"][0]["slug"].as_str().unwrap().to_owned();
    isolate.settle();
    let other = TestEdge::beside(Rc::clone(&isolate.server));
    // This isolate had a snapshot before the decision was made elsewhere.
    let third = TestEdge::beside(Rc::clone(&isolate.server));
    third.post("/v1/search", &json!({"query": "sql"}));
    isolate.post(
        "/v1/recommend",
        &json!({"query": "sql", "decision_id": "d2"}),
    );
    isolate.settle();

    let track = json!({"decision_id": "d1", "reasoning": format!("I applied {slug} here.")});
    let (status, body) = other.post("/v1/track", &track);
    assert_eq!((status, &body["recorded"]), (200, &json!(true)), "{body}");
    let outcome = json!({"decision_id": "d2", "outcome": "profit"});
    assert_eq!(third.post("/v1/outcome", &outcome).0, 200);

    for (path, body) in [("/v1/track", &track), ("/v1/outcome", &outcome)] {
        let answer = isolate.post_with(OTHER, &[], path, body);
        assert_eq!(code(&answer), (403, "forbidden"), "{path}");
    }
    let unknown = json!({"decision_id": "d9", "outcome": "profit"});
    assert_eq!(
        code(&isolate.post("/v1/outcome", &unknown)),
        (403, "forbidden")
    );
}

#[test]
fn people_judge_lessons_and_agents_do_not() {
    let isolate = TestEdge::new();
    for (method, path) in [
        ("POST", "/v1/lessons/orders/review"),
        ("POST", "/v1/lessons/orders/restore"),
        ("POST", "/v1/lessons/merge"),
        ("POST", "/v1/import"),
        ("GET", "/v1/export?format=jsonl"),
        ("POST", "/v1/sync/sign-out"),
        ("GET", "/v1/sync"),
    ] {
        let answer = isolate.send(request(method, path, KEY));
        assert_eq!(answer.status, 403, "{path}");
    }
    let added = json!({"title": "Batch the writes", "recommendation": "Send 500 rows at a time."});
    let (status, body) = isolate.post("/v1/lessons", &added);
    assert_eq!(status, 200, "{body}");
    assert_eq!(body["source"], "planner");
    assert_eq!(isolate.server.count("LessonAdded"), 3);
}

#[test]
fn pages_of_other_origins_and_other_hosts_are_refused() {
    let isolate = TestEdge::new();
    let with = |name: &str, value: &str| {
        let mut request = request("GET", "/v1/stats", KEY);
        request.headers.insert(name.to_owned(), value.to_owned());
        isolate.send(request)
    };
    for origin in [
        "https://evil.example.com",
        "null",
        "https://lessons.example.org.evil.com",
        "https://lessons.example.org:444",
        "lessons.example.org",
        "",
    ] {
        let answer = with("origin", origin);
        assert_eq!(answer.status, 403, "{origin}");
        assert!(!answer.headers.contains_key("access-control-allow-origin"));
    }
    let answer = with("origin", "https://lessons.example.org");
    assert_eq!(answer.status, 200);
    assert_eq!(
        answer.headers["access-control-allow-origin"],
        "https://lessons.example.org"
    );
    assert_eq!(with("origin", "https://edge.example.org").status, 200);
    for host in ["evil.example.com", "edge.example.org.evil.com", ""] {
        assert_eq!(with("host", host).status, 403, "{host}");
    }
    let mut preflight = request("OPTIONS", "/v1/recommend", KEY);
    preflight.headers.remove("authorization");
    preflight.headers.insert(
        "origin".to_owned(),
        "https://lessons.example.org".to_owned(),
    );
    let answer = isolate.send(preflight.clone());
    assert_eq!(answer.status, 204);
    assert!(answer.headers["access-control-allow-headers"].contains("authorization"));
    preflight
        .headers
        .insert("origin".to_owned(), "https://evil.example.com".to_owned());
    assert_eq!(isolate.send(preflight).status, 403);
}

#[test]
fn bodies_are_bounded_and_json() {
    let isolate = TestEdge::new();
    let with = |body: Vec<u8>, kind: &str| {
        let mut request = request("POST", "/v1/recommend", KEY);
        request
            .headers
            .insert("content-type".to_owned(), kind.to_owned());
        request.body = body;
        isolate.send(request).status
    };
    let json = "application/json";
    let deep = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
    assert_eq!(
        with(
            br#"{"query": "sql"}"#.to_vec(),
            "application/json; charset=utf-8"
        ),
        200
    );
    assert_eq!(with(vec![b' '; 2_000_000], json), 413);
    for body in [
        deep.as_bytes(),
        br#"{"query": "a", "query": "b"}"#,
        br#"{"query": "\ud800"}"#,
        b"{\"query\": \"\xff\"}",
        br#"{"limit": NaN}"#,
        br#"{"limit": null}"#,
        br#"{"nobody": 1}"#,
        b"[]",
        b"",
    ] {
        assert_eq!(with(body.to_vec(), json), 400, "{body:?}");
    }
    assert_eq!(with(br#"{"query": "sql"}"#.to_vec(), "text/plain"), 400);
    for (path, methods, allow) in [
        (
            "/v1/stats",
            ["PUT", "DELETE", "TRACE", "POST", "PATCH", ""],
            "GET, HEAD",
        ),
        (
            "/v1/recommend",
            ["PUT", "DELETE", "GET", "PATCH", "post", "x"],
            "POST",
        ),
        (
            "/v1/lessons",
            ["PUT", "DELETE", "PATCH", "QUERY", "HEADS", "-"],
            "GET, HEAD, POST",
        ),
        (
            "/v1/lessons/orders",
            ["PUT", "DELETE", "POST", "LINK", "COPY", " "],
            "GET, HEAD, PATCH",
        ),
        (
            "/v1/lessons?limit=x",
            ["PUT", "DELETE", "PATCH", "LINK", "COPY", " "],
            "GET, HEAD, POST",
        ),
    ] {
        for method in methods {
            let answer = isolate.send(request(method, path, KEY));
            assert_eq!(answer.status, 405, "{method} {path}: {}", answer.body);
            assert_eq!(answer.headers["allow"], allow, "{method} {path}");
            let body: Value = serde_json::from_str(&answer.body).unwrap();
            assert_eq!(body["error"]["code"], "method_not_allowed");
            assert_eq!(body["error"]["field"], "method");
        }
    }
    assert_eq!(
        isolate.send(request("DELETE", "/v1/nothing", KEY)).status,
        404
    );
    assert_eq!(isolate.send(request("GET", "/v1/nothing", KEY)).status, 404);
}

#[test]
fn a_flood_of_one_key_is_held_back() {
    let isolate = TestEdge::new();
    let ask = |key| isolate.send(request("GET", "/v1/stats", key));
    let statuses: Vec<u16> = (0..250).map(|_| ask(KEY).status).collect();
    assert_eq!(
        statuses.iter().filter(|status| **status == 200).count(),
        200
    );
    assert_eq!(statuses.last(), Some(&429));
    assert!(ask(KEY).headers["retry-after"].parse::<u64>().unwrap() >= 1);
    assert_eq!(ask(OTHER).status, 200);
    isolate.wait(1_000);
    assert_eq!(ask(KEY).status, 200);
}

/// A key that no edge may hold.
const SECRET: &str = "sb_secret_abc";

#[test]
fn wrong_settings_are_named() {
    type Change = fn(&mut EdgeConfig);
    let wrong: [(&str, Change); 8] = [
        ("url", |config| config.url = "abc".to_owned()),
        ("key", |config| config.key = String::new()),
        ("key", |config| config.key = "a\nb".to_owned()),
        ("url", |config| {
            config.url = "https://PROJECT.supabase.co".to_owned();
        }),
        ("key", |config| config.key = SECRET.to_owned()),
        ("dashboard_origin", |config| {
            config.dashboard_origin = Some("https://a.b/c".to_owned());
        }),
        ("requests_per_second", |config| {
            config.requests_per_second = Some(f64::NAN)
        }),
        ("burst", |config| config.burst = Some(0.0)),
    ];
    for (field, change) in wrong {
        let mut config = config();
        change(&mut config);
        let host = FakeHost {
            clock: Rc::default(),
            drawn: Cell::new(0),
            server: Rc::default(),
        };
        let error = Edge::new(config, host, MemoryStore::new).unwrap_err();
        assert_eq!(error.field.as_deref(), Some(field));
        assert!(!error.message.contains(SECRET));
    }
}
