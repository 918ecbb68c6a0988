//! The protocol's rules, as tables.

use super::*;
use crate::together;

#[test]
fn the_current_revision_is_discovered_without_a_handshake() {
    let reply = answer(current("server/discover", json!({})));
    let body = reply.body.unwrap().value();
    assert_eq!(body["id"], "a-1");
    let result = &body["result"];
    assert_eq!(
        result["supportedVersions"],
        json!(["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"])
    );
    assert_eq!(result["capabilities"], json!({ "tools": {} }));
    assert_eq!(result["resultType"], "complete");
    assert_eq!(
        result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"],
        "lessonloop"
    );
    assert_eq!(result["cacheScope"], "public");
    assert!(result["ttlMs"].is_u64());
}

#[test]
fn the_revision_before_begins_with_initialize() {
    for (asked, given) in [
        ("2025-11-25", "2025-11-25"),
        ("2025-06-18", "2025-06-18"),
        ("2025-03-26", "2025-03-26"),
        ("2024-11-05", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
    ] {
        let params = json!({
            "protocolVersion": asked,
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        });
        let (_, body) = before("initialize", params);
        let result = answer((headers(None, None, None), body))
            .body
            .unwrap()
            .value()["result"]
            .take();
        assert_eq!(result["protocolVersion"], given, "{asked}");
        assert_eq!(result["serverInfo"]["name"], "lessonloop");
        assert_eq!(result["capabilities"], json!({ "tools": {} }));
        assert!(
            result["instructions"]
                .as_str()
                .unwrap()
                .contains("playbook_recommend_lessons")
        );
        assert!(result.get("resultType").is_none());
    }
    let ping = answer(before("ping", json!({}))).body.unwrap().value();
    assert_eq!(ping, json!({ "jsonrpc": "2.0", "id": 7, "result": {} }));
    let (_, body) = before("initialize", json!({ "protocolVersion": 3 }));
    assert_eq!(
        refusal(answer((headers(None, None, None), body))),
        (200, -32602)
    );
}

#[test]
fn tools_are_listed_in_both() {
    let now = answer(current("tools/list", json!({})))
        .body
        .unwrap()
        .value();
    let then = answer(before("tools/list", json!({})))
        .body
        .unwrap()
        .value();
    assert_eq!(now["result"]["tools"], then["result"]["tools"]);
    assert_eq!(now["result"]["tools"].as_array().unwrap().len(), 15);
    assert!(now["result"]["ttlMs"].is_u64() && then["result"].get("ttlMs").is_none());
    for request in [
        current("tools/list", json!({ "cursor": "x" })),
        before("tools/list", json!({ "cursor": "x" })),
    ] {
        assert_eq!(refusal(answer(request)), (200, -32602));
    }
}

#[test]
fn notifications_are_taken_without_an_answer() {
    for version in [None, Some("2025-11-25"), Some("2025-06-18"), Some(CURRENT)] {
        let body = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let reply = answer((headers(version, None, None), body));
        assert_eq!(
            reply,
            Reply {
                status: 202,
                body: None
            }
        );
    }
    let body = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(
        refusal(answer((headers(Some("1900-01-01"), None, None), body))),
        (400, -32022)
    );
}

#[test]
fn methods_of_one_revision_are_unknown_in_the_other() {
    for method in [
        "initialize",
        "ping",
        "logging/setLevel",
        "resources/list",
        "prompts/list",
        "subscriptions/listen",
        "unknown/method",
        "",
    ] {
        assert_eq!(
            refusal(answer(current(method, json!({})))),
            (404, -32601),
            "{method}"
        );
    }
    for method in [
        "server/discover",
        "logging/setLevel",
        "resources/list",
        "prompts/list",
        "tasks/get",
        "",
    ] {
        assert_eq!(
            refusal(answer(before(method, json!({})))),
            (200, -32601),
            "{method}"
        );
    }
}

#[test]
fn other_methods_of_http_are_refused() {
    for method in ["GET", "DELETE", "PUT", "post", ""] {
        let Incoming::Answer(reply) = receive(method, &headers(None, None, None), b"") else {
            panic!("{method} is no call");
        };
        assert_eq!(refusal(checked(reply)), (405, -32600), "{method}");
    }
}

#[test]
fn headers_have_to_agree_with_the_body() {
    let tool = "playbook_health";
    let params = || json!({ "name": tool, "arguments": {} });
    let change = |name: &str, value: Option<&str>| {
        let (mut headers, body) = current("tools/call", params());
        match value {
            Some(value) => headers.insert(name.to_owned(), value.to_owned()),
            None => headers.remove(name),
        };
        receive("POST", &headers, body.to_string().as_bytes())
    };
    for (name, value) in [
        ("mcp-protocol-version", None),
        ("mcp-protocol-version", Some("2025-11-25")),
        ("mcp-protocol-version", Some("v999.0.0")),
        ("mcp-method", None),
        ("mcp-method", Some("tools/list")),
        ("mcp-method", Some("TOOLS/CALL")),
        ("mcp-method", Some("=?base64?dG9vbHMvY2FsbA==?=")),
        ("mcp-name", None),
        ("mcp-name", Some("playbook_rate_lesson")),
        ("mcp-name", Some("=?base64?cGxheWJvb2tfaGVhbHRo")),
        ("mcp-name", Some("=?base64?cGxheWJvb2tfcmF0ZQ==?=")),
        ("mcp-name", Some("=?base64?!!!!?=")),
    ] {
        let Incoming::Answer(reply) = change(name, value) else {
            panic!("{name} {value:?} was taken");
        };
        assert_eq!(reply.body.as_ref().unwrap().value()["id"], "a-1");
        assert_eq!(refusal(checked(reply)), (400, -32020), "{name} {value:?}");
    }
    for (name, value) in [
        ("mcp-name", "  playbook_health  "),
        ("mcp-name", "=?base64?cGxheWJvb2tfaGVhbHRo?="),
        ("mcp-method", " tools/call"),
        ("mcp-session-id", "made-up"),
        ("last-event-id", "9"),
    ] {
        assert!(
            matches!(change(name, Some(value)), Incoming::Call(_)),
            "{name} {value}"
        );
    }
}

#[test]
fn the_current_revision_needs_its_fields_in_every_request() {
    let without = |field: &str| {
        let (headers, mut body) = current("tools/list", json!({}));
        body["params"]["_meta"]
            .as_object_mut()
            .unwrap()
            .remove(field);
        (headers, body)
    };
    for field in ["protocolVersion", "clientCapabilities"] {
        let request = without(&format!("io.modelcontextprotocol/{field}"));
        assert_eq!(refusal(answer(request)), (400, -32602), "{field}");
    }
    let nameless = answer(without("io.modelcontextprotocol/clientInfo"));
    assert!(nameless.body.unwrap().value()["result"]["tools"].is_array());

    let (headers, mut body) = current("tools/list", json!({}));
    body.as_object_mut().unwrap().remove("params");
    assert_eq!(refusal(answer((headers.clone(), body))), (400, -32602));
    for (field, value) in [
        ("protocolVersion", json!(20260728)),
        ("clientCapabilities", json!([])),
        ("clientInfo", json!("me")),
    ] {
        let (headers, mut body) = current("tools/list", json!({}));
        body["params"]["_meta"][format!("io.modelcontextprotocol/{field}")] = value;
        assert_eq!(refusal(answer((headers, body))), (400, -32602), "{field}");
    }
}

#[test]
fn an_unknown_revision_is_refused_with_those_that_are_spoken() {
    let (mut headers, mut body) = current("server/discover", json!({}));
    headers.insert("mcp-protocol-version".to_owned(), "v999.0.0".to_owned());
    body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = "v999.0.0".into();
    let reply = answer((headers, body));
    let data = reply.body.as_ref().unwrap().value()["error"]["data"].clone();
    assert_eq!(refusal(reply), (400, -32022));
    assert_eq!(data["requested"], "v999.0.0");
    assert_eq!(
        data["supported"],
        json!(["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"])
    );
    for version in ["1900-01-01", "2024-11-05", ""] {
        let (_, body) = before("ping", json!({}));
        let reply = answer((super::headers(Some(version), None, None), body));
        assert_eq!(refusal(reply), (400, -32022), "{version}");
    }
}

#[test]
fn what_is_no_message_is_refused() {
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let nested = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"a":{}1{}}}}}"#,
        "[".repeat(63),
        "]".repeat(63)
    );
    for (body, code) in [
        ("", -32700),
        ("{", -32700),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}"#,
            -32700,
        ),
        (r#"{"jsonrpc":"2.0","id":1,"method":"\ud800"}"#, -32700),
        ("5", -32600),
        ("null", -32600),
        ("[]", -32600),
        (r#"{"id":1,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":5}"#, -32600),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#,
            -32600,
        ),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, -32600),
        (
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}"#,
            -32600,
        ),
        (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, -32600),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1,"a":2}}"#,
            -32600,
        ),
        (&deep, -32600),
        (&nested, -32600),
    ] {
        let Incoming::Answer(reply) = receive("POST", &headers(None, None, None), body.as_bytes())
        else {
            panic!("{body} is no call");
        };
        assert_eq!(refusal(checked(reply)), (400, code), "{body:.80}");
    }
    for bytes in [
        &b"\xff\xfe"[..],
        b"{\"jsonrpc\":\"\xc3\x28\"}",
        b"\xed\xa0\x80",
    ] {
        let Incoming::Answer(reply) = receive("POST", &headers(None, None, None), bytes) else {
            panic!("no UTF-8 is no call");
        };
        assert_eq!(refusal(checked(reply)), (400, -32700));
    }
}

#[test]
fn batches_are_taken_in_the_revision_that_has_them() {
    let ping = |id: u32| json!({ "jsonrpc": "2.0", "id": id, "method": "ping" });
    let note = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let send = |version, body: &Value| {
        let headers = headers(version, None, None);
        receive("POST", &headers, body.to_string().as_bytes())
    };
    let call = json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": { "name": "playbook_health" } });
    let begin = json!({ "jsonrpc": "2.0", "id": 4, "method": "initialize", "params": { "protocolVersion": "2025-03-26" } });
    for version in [None, Some("2025-03-26")] {
        let Incoming::Batch(parts) = send(
            version,
            &json!([ping(1), note, 5, call, [ping(9)], begin, ping(2)]),
        ) else {
            panic!("it is a batch");
        };
        assert!(matches!(parts[3], Incoming::Call(_)));
        let replies = parts.into_iter().filter_map(|part| match part {
            Incoming::Answer(reply) => Some(checked(reply)),
            _ => None,
        });
        let whole = together(replies.collect());
        assert_eq!(whole.status, 200);
        let bodies = whole.body.unwrap().value();
        let codes: Vec<&Value> = bodies
            .as_array()
            .unwrap()
            .iter()
            .map(|one| &one["error"]["code"])
            .collect();
        let refused = json!(-32600);
        assert_eq!(
            codes,
            [&Value::Null, &refused, &refused, &refused, &Value::Null]
        );
        assert_eq!((&bodies[0]["id"], &bodies[4]["id"]), (&json!(1), &json!(2)));
    }
    let Incoming::Batch(notes) = send(None, &json!([note, note])) else {
        panic!("it is a batch");
    };
    let replies = notes.into_iter().map(|part| match part {
        Incoming::Answer(reply) => reply,
        _ => panic!("a notification is answered at once"),
    });
    let taken = Reply {
        status: 202,
        body: None,
    };
    assert_eq!(together(replies.collect()), taken);
    let many: Vec<Value> = (0..21).map(ping).collect();
    for (version, body) in [
        (Some("2025-06-18"), json!([ping(1)])),
        (Some("2025-11-25"), json!([ping(1)])),
        (Some(CURRENT), json!([ping(1)])),
        (None, json!([])),
        (None, json!(many)),
    ] {
        let Incoming::Answer(reply) = send(version, &body) else {
            panic!("{version:?} has no such batch");
        };
        assert_eq!(refusal(checked(reply)), (400, -32600), "{version:?}");
    }
}

#[test]
fn a_readable_id_comes_back_with_a_refusal() {
    for (body, id) in [
        (
            r#"{"jsonrpc":"1.0","id":"x","method":"ping"}"#,
            Some(json!("x")),
        ),
        (r#"{"jsonrpc":"2.0","id":-3,"method":5}"#, Some(json!(-3))),
        (
            r#"{"jsonrpc":"2.0","id":18446744073709551615,"result":{}}"#,
            Some(json!(u64::MAX)),
        ),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, None),
        ("[]", None),
    ] {
        let Incoming::Answer(reply) = receive("POST", &headers(None, None, None), body.as_bytes())
        else {
            panic!("{body} is no call");
        };
        assert_eq!(
            checked(reply).body.unwrap().value().get("id").cloned(),
            id,
            "{body}"
        );
    }
}

#[test]
fn bodies_are_json_and_so_are_answers() {
    let (plain, body) = before("ping", json!({}));
    let sent = |name: &str, value: Option<&str>| {
        let mut headers = plain.clone();
        match value {
            Some(value) => headers.insert(name.to_owned(), value.to_owned()),
            None => headers.remove(name),
        };
        answer((headers, body.clone())).status
    };
    for (value, status) in [
        (Some("application/json"), 200),
        (Some("Application/JSON; charset=utf-8"), 200),
        (Some("text/plain"), 415),
        (Some("application/jsonp"), 415),
        (Some("application/x-www-form-urlencoded"), 415),
        (None, 415),
    ] {
        assert_eq!(sent("content-type", value), status, "{value:?}");
    }
    for (value, status) in [
        (None, 200),
        (Some(""), 200),
        (Some("*/*"), 200),
        (Some("text/event-stream, application/json;q=0.9"), 200),
        (Some("text/event-stream"), 406),
        (Some("text/html"), 406),
    ] {
        assert_eq!(sent("accept", value), status, "{value:?}");
    }
}

#[test]
fn calls_that_are_malformed_are_the_clients_fault() {
    for params in [
        json!({}),
        json!({ "name": 5 }),
        json!({ "name": "playbook_health", "arguments": [] }),
        json!({ "name": "playbook_health", "arguments": "{}" }),
        json!({ "name": "no_such_tool" }),
        json!({ "name": "PLAYBOOK_HEALTH" }),
        json!({ "name": "" }),
    ] {
        for request in [
            current("tools/call", params.clone()),
            before("tools/call", params.clone()),
        ] {
            assert_eq!(refusal(answer(request)), (200, -32602), "{params}");
        }
    }
    let unknown = answer(before("tools/call", json!({ "name": "no_such_tool" })));
    let message = unknown.body.unwrap().value()["error"]["message"].to_string();
    assert!(message.contains("no_such_tool") && message.contains("playbook_recommend_lessons"));
}
