//! Guarantees to clients: the protocol's rules, and tools over a real service.

mod answers;
mod arguments;
mod calls;
mod playbook;
mod protocol;
mod random;
mod schema;

use super::{Incoming, Reply, receive};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub(super) type Headers = BTreeMap<String, String>;

pub(super) const CURRENT: &str = "2026-07-28";

/// Headers of a client of this revision, for this method and tool.
pub(super) fn headers(version: Option<&str>, method: Option<&str>, name: Option<&str>) -> Headers {
    [
        ("content-type", Some("application/json")),
        ("accept", Some("application/json, text/event-stream")),
        ("mcp-protocol-version", version),
        ("mcp-method", method),
        ("mcp-name", name),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())))
    .collect()
}

/// A request of the current revision with its headers.
pub(super) fn current(method: &str, mut params: Value) -> (Headers, Value) {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": CURRENT,
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let name = params["name"].as_str().map(str::to_owned);
    let headers = headers(Some(CURRENT), Some(method), name.as_deref());
    let body = json!({ "jsonrpc": "2.0", "id": "a-1", "method": method, "params": params });
    (headers, body)
}

/// A request of the revision before, with its headers.
pub(super) fn before(method: &str, params: Value) -> (Headers, Value) {
    let headers = headers(Some("2025-11-25"), None, None);
    let body = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
    (headers, body)
}

/// The answer to a message that is answered at once.
#[track_caller]
pub(super) fn answer((headers, body): (Headers, Value)) -> Reply {
    match receive("POST", &headers, body.to_string().as_bytes()) {
        Incoming::Answer(reply) => checked(reply),
        Incoming::Call(call) => panic!("this is a call of {}", call.tool.name),
        Incoming::Batch(parts) => panic!("this is a batch of {}", parts.len()),
    }
}

/// A reply that is one of JSON-RPC's.
#[track_caller]
pub(super) fn checked(reply: Reply) -> Reply {
    let Some(body) = &reply.body else {
        assert_eq!(reply.status, 202, "only a notification has no answer");
        return reply;
    };
    let body = body.value();
    let fields = body.as_object().expect("an answer is an object");
    assert_eq!(fields["jsonrpc"], "2.0");
    for name in fields.keys() {
        assert!(
            ["jsonrpc", "id", "result", "error"].contains(&name.as_str()),
            "{name}"
        );
    }
    if let Some(id) = fields.get("id") {
        assert!(id.is_string() || id.is_i64() || id.is_u64(), "{id}");
    }
    match (fields.get("result"), fields.get("error")) {
        (Some(result), None) => {
            assert!(result.is_object() && fields.contains_key("id"));
            assert_eq!(reply.status, 200);
        }
        (None, Some(error)) => {
            assert!(error["code"].is_i64());
            assert!(
                error["message"]
                    .as_str()
                    .is_some_and(|text| !text.is_empty())
            );
            assert!(error.as_object().is_some_and(|fields| {
                fields
                    .keys()
                    .all(|name| ["code", "message", "data"].contains(&name.as_str()))
            }));
            assert!([200, 400, 404, 405, 406, 415].contains(&reply.status));
        }
        _ => panic!("either a result or an error: {body}"),
    }
    reply
}

/// Status and code of a refusal.
#[track_caller]
pub(super) fn refusal(reply: Reply) -> (u16, i64) {
    let body = reply.body.expect("a refusal has a body").value();
    (
        reply.status,
        body["error"]["code"].as_i64().expect("a code"),
    )
}
