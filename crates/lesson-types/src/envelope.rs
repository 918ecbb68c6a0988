//! One request and one answer, whatever carries them: HTTP, `postMessage` or a test.

use crate::Body;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The methods that the engine answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Method {
    /// Read.
    Get,
    /// Act.
    Post,
    /// Change part of a lesson.
    Patch,
}

impl Method {
    /// The method as HTTP spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Patch => "PATCH",
        }
    }
}

/// A request to the engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "typescript", ts(rename = "EngineRequest"))]
pub struct Request {
    /// The HTTP method.
    pub method: Method,
    /// Path and query, such as `/v1/lessons?q=sql&limit=20`.
    pub path: String,
    /// Header names in lower case.
    #[serde(default)]
    #[cfg_attr(
        feature = "typescript",
        ts(optional, as = "Option<BTreeMap<String, String>>")
    )]
    pub headers: BTreeMap<String, String>,
    /// The JSON body; `null` where a request has none.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<serde_json::Value>"))]
    pub body: serde_json::Value,
}

/// The engine's answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "typescript", ts(rename = "EngineResponse"))]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// Header names in lower case; always has `content-type`.
    pub headers: BTreeMap<String, String>,
    /// JSON; a plain string for exports.
    #[cfg_attr(feature = "typescript", ts(type = "unknown"))]
    pub body: Body,
}
