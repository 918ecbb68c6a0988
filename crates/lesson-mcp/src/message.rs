//! JSON-RPC messages: read, and answered.

use crate::reply::Reply;
use lesson_service::strict::{self, Unread};
use lesson_types::Body;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// JSON-RPC: the body is no JSON.
pub(super) const PARSE_ERROR: i32 = -32700;
/// JSON-RPC: the body is JSON, but no message.
pub(super) const INVALID_REQUEST: i32 = -32600;
/// JSON-RPC: there is no such method.
pub(super) const METHOD_NOT_FOUND: i32 = -32601;
/// JSON-RPC: the method's parameters are wrong.
pub(super) const INVALID_PARAMS: i32 = -32602;
/// MCP: headers and body disagree, or a header is missing.
pub(super) const HEADER_MISMATCH: i32 = -32020;
/// MCP: this revision of the protocol is not supported.
pub(super) const UNSUPPORTED_VERSION: i32 = -32022;

/// A message that a client may send.
#[derive(Debug, PartialEq)]
pub(super) enum Message {
    /// To be answered.
    Request(Request),
    /// Not to be answered.
    Notification,
}

/// A request of JSON-RPC.
#[derive(Debug, PartialEq)]
pub(super) struct Request {
    /// A string or a whole number.
    pub id: Value,
    pub method: String,
    pub params: Map<String, Value>,
}

/// A refusal: the status of HTTP and the error of JSON-RPC.
#[derive(Debug, PartialEq)]
pub(super) struct Refusal {
    pub status: u16,
    pub code: i32,
    pub message: String,
    pub data: Option<Value>,
    /// Absent when it could not be read.
    pub id: Option<Value>,
}

impl Refusal {
    pub fn new(status: u16, code: i32, message: impl Into<String>) -> Self {
        Self {
            status,
            code,
            message: message.into(),
            data: None,
            id: None,
        }
    }

    pub fn with(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }

    /// The refusal of the request with this id.
    pub fn of(mut self, id: &Value) -> Self {
        self.id = Some(id.clone());
        self
    }

    pub fn reply(self) -> Reply {
        let mut error = json!({ "code": self.code, "message": self.message });
        if let Some(data) = self.data {
            error["data"] = data;
        }
        let mut body = json!({ "jsonrpc": "2.0", "error": error });
        // The protocol has no `null` for an id: it is left out.
        if let Some(id) = self.id {
            body["id"] = id;
        }
        Reply {
            status: self.status,
            body: Some(Body::json(body)),
        }
    }
}

/// A request's result.
pub(super) fn result(id: Value, result: impl Serialize + 'static) -> Reply {
    Reply {
        status: 200,
        body: Some(Body::json(Answered {
            jsonrpc: "2.0",
            id,
            result,
        })),
    }
}

#[derive(Serialize)]
struct Answered<T> {
    jsonrpc: &'static str,
    id: Value,
    result: T,
}

/// Reads a body as JSON: a message, or a list of them.
pub(super) fn parse(body: &[u8]) -> Result<Value, Refusal> {
    strict::parse(body).map_err(|unread| match unread {
        Unread::Syntax(cause) => {
            Refusal::new(400, PARSE_ERROR, format!("the body is no JSON: {cause}"))
        }
        Unread::Shape(cause) => Refusal::new(
            400,
            INVALID_REQUEST,
            format!("the body is not taken: {cause}"),
        ),
    })
}

/// Reads a message.
pub(super) fn read(message: Value) -> Result<Message, Refusal> {
    let Value::Object(mut fields) = message else {
        return Err(invalid("a message is a JSON object"));
    };
    let id = fields.remove("id");
    let known = id
        .as_ref()
        .is_some_and(|id| id.is_string() || id.is_i64() || id.is_u64());
    let refuse = |message: &str| {
        let refusal = invalid(message);
        match &id {
            Some(id) if known => refusal.of(id),
            _ => refusal,
        }
    };
    if fields.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(refuse("`jsonrpc` has to be \"2.0\""));
    }
    let method = match fields.remove("method") {
        Some(Value::String(method)) => method,
        Some(_) => return Err(refuse("`method` has to be a string")),
        None if fields.contains_key("result") || fields.contains_key("error") => {
            return Err(refuse(
                "this server sends no requests, so it takes no responses",
            ));
        }
        None => return Err(refuse("a message needs a `method`")),
    };
    let params = match fields.remove("params") {
        None => Map::new(),
        Some(Value::Object(params)) => params,
        Some(_) => return Err(refuse("`params` has to be an object")),
    };
    match id {
        None => Ok(Message::Notification),
        Some(id) if known => Ok(Message::Request(Request { id, method, params })),
        Some(_) => Err(invalid("an `id` is a string or a whole number")),
    }
}

pub(super) fn invalid(message: &str) -> Refusal {
    Refusal::new(400, INVALID_REQUEST, message)
}
