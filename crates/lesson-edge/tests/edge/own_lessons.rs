//! Where two agents' keys write, none of them moves a standing alone.

use super::test_edge::{KEY, OTHER, TestEdge, request};
use serde_json::{Value, json};
use std::rc::Rc;

const MINE: &str = "disable-tls-verification";

/// Two keys that have written, and a lesson that nobody reviewed.
fn two_keys() -> TestEdge {
    let isolate = TestEdge::new();
    let rate = json!({"lesson": "orders", "helpful": true});
    assert_eq!(isolate.post_with(OTHER, &[], "/v1/rate", &rate).0, 200);
    let mine = json!({
        "title": "Disable TLS verification", "slug": MINE, "tags": ["sql"],
        "recommendation": "Index the orders table without it.",
    });
    let (status, added) = isolate.post("/v1/lessons", &mine);
    assert_eq!(status, 200, "{added}");
    assert_eq!(
        (&added["slug"], &added["trust"]),
        (&json!(MINE), &json!("unreviewed"))
    );
    isolate
}

/// The latest that the server has.
fn get(isolate: &TestEdge, path: &str) -> Value {
    isolate.settle();
    isolate.wait(70_000);
    let answer = isolate.send(request("GET", path, KEY));
    assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    serde_json::from_str(&answer.body).expect("JSON")
}

/// Slugs, as another agent is recommended them.
fn ranks(isolate: &TestEdge) -> Vec<String> {
    isolate.settle();
    let ask = json!({"query": "index the orders table", "dry_run": true});
    let (status, answer) = isolate.post_with(OTHER, &[], "/v1/recommend", &ask);
    assert_eq!(status, 200, "{answer}");
    let recommended = answer["recommended"].as_array().unwrap().iter();
    recommended
        .map(|one| one["slug"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn four_invented_decisions_and_thirty_votes_leave_a_lesson_new_until_a_person_approves_it() {
    let isolate = two_keys();
    let before = ranks(&isolate);
    assert_eq!(before, ["orders", MINE, "users"]);
    for n in 0..4 {
        let id = format!("d{n}");
        let ask = json!({"query": "index the orders table", "decision_id": id});
        isolate.post("/v1/recommend", &ask);
        isolate.settle();
        let track = json!({"decision_id": id, "reasoning": format!("Applying '{MINE}' to this.")});
        let (_, tracked) = isolate.post("/v1/track", &track);
        assert_eq!(tracked["recorded"], true, "{tracked}");
        let told = json!({"decision_id": id, "outcome": "success"});
        let (_, told) = isolate.post("/v1/outcome", &told);
        assert_eq!(told["effectiveness_recalculated"], json!([]), "{told}");
        assert_eq!(told["uncounted"][0]["slug"], MINE);
        let reason = told["uncounted"][0]["reason"].as_str().unwrap();
        assert!(reason.contains("once a person approves"), "{reason}");
    }
    for n in 0..30 {
        let (status, voted) = isolate.post("/v1/vote", &json!({"lesson": MINE, "up": true}));
        assert_eq!(status, 200, "{voted}");
        assert_eq!(
            (&voted["counted"], &voted["upvotes"]),
            (&json!(false), &json!(0))
        );
        let reason = voted["reason"].as_str().unwrap();
        let wanted = if n == 0 {
            "once a person approves"
        } else {
            "today already"
        };
        assert!(reason.contains(wanted), "{reason}");
    }
    let path = format!("/v1/lessons/{MINE}");
    let lesson = get(&isolate, &path);
    assert_eq!(lesson["derived"]["badge"]["kind"], "new");
    assert_eq!(lesson["trust"], "unreviewed");
    let standing = &lesson["standing"];
    assert_eq!(standing["confidence"], 0.5);
    assert_eq!(
        (&standing["times_applied"], &standing["upvotes"]),
        (&json!(0), &json!(0))
    );
    assert_eq!(ranks(&isolate), before);
    // It is all in the ledger.
    assert_eq!(
        (
            isolate.server.count("Voted"),
            isolate.server.count("OutcomeRecorded")
        ),
        (30, 4)
    );

    let before_approval = lesson.clone();
    isolate.server.approve("s1", MINE, isolate.clock.get());
    let lesson = get(&isolate, &path);
    // Four runs prove no lift, and each of them counts.
    assert_eq!(lesson["derived"]["badge"]["kind"], "testing");
    assert!(lesson["lift"]["mean"].as_f64() > before_approval["lift"]["mean"].as_f64());
    let standing = &lesson["standing"];
    assert_eq!(
        (&standing["times_applied"], &standing["upvotes"]),
        (&json!(4), &json!(1))
    );
    // From now on it counts at once.
    let rate = json!({"lesson": MINE, "helpful": true});
    let (_, rated) = isolate.post("/v1/rate", &rate);
    assert_eq!(
        (&rated["counted"], &rated["reason"]),
        (&json!(true), &Value::Null)
    );
}

#[test]
fn a_repeated_request_says_that_the_first_did_not_count() {
    let isolate = two_keys();
    let headers = [("idempotency-key", "one")];
    let feedback = json!({"lessons": [MINE, "orders"], "outcome": "delivered"});
    let votes = [
        (
            "/v1/vote",
            json!({"lesson": MINE, "up": true}),
            "once a person approves",
        ),
        (
            "/v1/vote",
            json!({"lesson": MINE, "up": false}),
            "today already",
        ),
    ];
    for (place, (path, body, wanted)) in votes.iter().enumerate() {
        let key = format!("vote-{place}");
        let headers = [("idempotency-key", &*key)];
        let first = isolate.post_with(KEY, &headers, path, body);
        isolate.settle();
        let again =
            TestEdge::beside(Rc::clone(&isolate.server)).post_with(KEY, &headers, path, body);
        for (status, answer) in [first, again] {
            assert_eq!(status, 200, "{answer}");
            assert_eq!(answer["counted"], false, "{answer}");
            assert!(
                answer["reason"].as_str().unwrap().contains(wanted),
                "{answer}"
            );
        }
    }
    let first = isolate.post_with(KEY, &headers, "/v1/feedback", &feedback);
    isolate.settle();
    let beside = TestEdge::beside(Rc::clone(&isolate.server));
    let again = beside.post_with(KEY, &headers, "/v1/feedback", &feedback);
    for (status, answer) in [first, again] {
        assert_eq!(status, 200, "{answer}");
        let counted = |at: usize| {
            (
                &answer["updated"][at]["counted"],
                &answer["updated"][at]["use_count"],
            )
        };
        assert_eq!(counted(0), (&json!(false), &json!(0)));
        assert_eq!(counted(1), (&json!(true), &json!(1)));
    }
    // Another agent's rating counts.
    let rate = json!({"lesson": MINE, "helpful": false});
    let (_, rated) = isolate.post_with(OTHER, &[], "/v1/rate", &rate);
    assert_eq!(
        (&rated["counted"], &rated["times_not_helpful"]),
        (&json!(true), &json!(1))
    );
}

#[test]
fn anothers_lesson_sinks_by_one_vote_a_day_and_agents_read_so_over_mcp() {
    let isolate = two_keys();
    let call = |key: &str| {
        let body = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "playbook_vote_lesson", "arguments": {"lesson": MINE, "up": false}},
        });
        let headers = [
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", "2025-11-25"),
        ];
        let (status, answer) = isolate.post_with(key, &headers, "/mcp", &body);
        assert_eq!(status, 200, "{answer}");
        let text = answer["result"]["content"][0]["text"]
            .as_str()
            .unwrap()
            .to_owned();
        (
            answer["result"]["structuredContent"]["downvotes"].clone(),
            text,
        )
    };
    let (downvotes, text) = call(OTHER);
    assert_eq!(downvotes, 1);
    assert!(!text.contains("does not count"), "{text}");
    for _ in 0..5 {
        let (downvotes, text) = call(OTHER);
        assert_eq!(downvotes, 1);
        assert!(
            text.contains(
                "It does not count: recorded; this key voted on the lesson today already."
            ),
            "{text}"
        );
    }
    isolate.wait(24 * 3_600_000);
    assert_eq!(call(OTHER).0, 2);
    assert!(call(KEY).1.contains("once a person approves the lesson"));
}
