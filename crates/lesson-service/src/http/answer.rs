//! A handler's answer, and how it and a refusal become a response.

use lesson_types::{ApiError, ErrorBody, Response};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// A body and the headers that go with it.
pub(crate) struct Answer {
    pub body: Value,
    pub headers: Vec<(&'static str, String)>,
}

impl Answer {
    /// A JSON answer.
    pub fn json(body: &impl Serialize) -> Result<Self, ApiError> {
        let body = serde_json::to_value(body).map_err(|error| {
            ApiError::new(
                lesson_types::ErrorCode::Unavailable,
                format!("the answer could not be written ({error}); please report this"),
            )
        })?;
        Ok(Self {
            body,
            headers: vec![("content-type", "application/json".to_owned())],
        })
    }

    /// A text answer of a media type.
    pub fn text(body: String, media_type: &str) -> Self {
        Self {
            body: Value::String(body),
            headers: vec![("content-type", media_type.to_owned())],
        }
    }

    /// The answer with one more header.
    pub fn with(mut self, name: &'static str, value: String) -> Self {
        self.headers.push((name, value));
        self
    }

    /// The answer as a response.
    pub(crate) fn respond(self) -> Response {
        Response {
            status: 200,
            headers: self
                .headers
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
            body: self.body,
        }
    }
}

/// A refusal as a response.
pub(crate) fn refusal(error: ApiError) -> Response {
    let status = error.code.status();
    Response {
        status,
        headers: BTreeMap::from([("content-type".to_owned(), "application/json".to_owned())]),
        // An error holds strings only, which always become JSON.
        body: serde_json::to_value(ErrorBody { error }).unwrap_or_default(),
    }
}
