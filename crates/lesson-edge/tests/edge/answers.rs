//! Tools' answers at the edge: short, the same as text and as data, and counted as shown where they are there.

use super::test_edge::{KEY, OTHER, TestEdge};
use serde_json::{Value, json};

fn called(isolate: &TestEdge, tool: &str, arguments: &Value) -> Value {
    let body = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": tool, "arguments": arguments},
    });
    let headers = [
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2025-11-25"),
    ];
    let (status, mut answer) = isolate.post_with(KEY, &headers, "/mcp", &body);
    assert_eq!(status, 200, "{answer}");
    answer["result"].take()
}

#[test]
fn an_agent_is_given_little_and_what_it_is_given_counts() {
    let isolate = TestEdge::new();
    let long = "Look at the \"plan\" of the query.\n\n".repeat(250);
    for number in 0..12 {
        let title = format!("Read the query plan of table {}", "x".repeat(number + 3));
        let added = json!({"title": title, "recommendation": long});
        // Of one key's unreviewed lessons few have a place.
        let key = [KEY, OTHER][number % 2];
        let (status, added) = isolate.post_with(key, &[], "/v1/lessons", &added);
        assert_eq!(status, 200, "{added}");
        isolate.wait(1_000);
    }
    let asked = json!({
        "query": "read the query plan", "decision_id": "d1",
        // As models send them.
        "limit": "12", "max_tokens": 700, "phase": null, "market": "{\"has_open_positions\": \"false\"}",
    });
    let result = called(&isolate, "playbook_recommend_lessons", &asked);
    assert_eq!(result["isError"], false, "{result}");
    let text = result["content"][0]["text"].as_str().unwrap();
    let data = &result["structuredContent"];
    assert!(text.len() <= 6_000 && data.to_string().len() <= 6_000);
    let shown: Vec<&str> = data["recommended"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["slug"].as_str().unwrap())
        .collect();
    assert!(shown.len() > 3, "{shown:?}");
    assert!(
        shown
            .iter()
            .all(|slug| text.contains(&format!("### {slug}\n")))
    );
    assert!(data["left_out"].as_u64().unwrap() > 0 && text.contains("left out to keep this short"));
    isolate.settle();
    isolate.wait(70_000);
    let seen = called(
        &isolate,
        "playbook_get_decision",
        &json!({"decision_id": "d1", "max_tokens": 32_000}),
    );
    let counted = seen["structuredContent"]["lessons"].as_array().unwrap();
    assert_eq!(counted.len(), shown.len(), "{seen}");
    let refused = called(
        &isolate,
        "playbook_rate_lesson",
        &json!({"lesson": shown[0], "helpful": "yes please"}),
    );
    assert_eq!(refused["isError"], true);
    assert!(
        refused["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("Argument: helpful")
    );
}
