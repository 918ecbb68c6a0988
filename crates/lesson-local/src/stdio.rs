//! The Model Context Protocol on standard input: a message a line, an answer a line.
//!
//! There are no headers, so what HTTP says in them is made of the message: the revision is the one that the message names
//! itself, else the one that `initialize` settled on.

use crate::local::Local;
use lesson_service::Host;
use lesson_sync::Store;
use serde_json::Value;
use std::collections::BTreeMap;

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";

impl<S: Store, H: Host> Local<S, H> {
    /// Answers a line: `None` where there is nothing to answer, as for a notification.
    pub async fn message_line(&self, line: &str) -> Option<String> {
        let line = line.trim();
        if line.is_empty() {
            return None;
        }
        // A line that is no JSON is refused where it is read in earnest.
        let message: Value = serde_json::from_str(line).unwrap_or_default();
        let begins = message.get("method").and_then(Value::as_str) == Some("initialize");
        if begins {
            *self.revision.borrow_mut() = None;
        }
        let headers = headers(&message, self.revision.borrow().as_deref());
        let reply = self.message("POST", &headers, line.as_bytes()).await;
        let body = reply.body?;
        if begins {
            let body = body.value();
            let settled = body.pointer("/result/protocolVersion");
            *self.revision.borrow_mut() = settled.and_then(Value::as_str).map(str::to_owned);
        }
        Some(body.into_string())
    }
}

/// The headers that would come with the message over HTTP.
fn headers(message: &Value, settled: Option<&str>) -> BTreeMap<String, String> {
    let mut headers = BTreeMap::from([
        ("content-type".to_owned(), "application/json".to_owned()),
        ("accept".to_owned(), "application/json".to_owned()),
    ]);
    let mut put = |name: &str, value: Option<&str>| {
        if let Some(value) = value {
            headers.insert(name.to_owned(), value.to_owned());
        }
    };
    let said = message
        .pointer("/params/_meta")
        .and_then(|meta| meta.get(VERSION))
        .and_then(Value::as_str);
    put("mcp-protocol-version", said.or(settled));
    put("mcp-method", message.get("method").and_then(Value::as_str));
    put(
        "mcp-name",
        message.pointer("/params/name").and_then(Value::as_str),
    );
    headers
}
