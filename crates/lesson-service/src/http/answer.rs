//! A handler's answer, and how it and a refusal become a response.

use lesson_types::{ApiError, Body, ErrorBody, Response};
use serde::Serialize;
use std::collections::BTreeMap;
use std::marker::PhantomData;

/// A body and the headers that go with it. `T` is the type that the endpoint's row names, so that a handler which answers
/// something else does not compile.
pub(crate) struct Answer<T = Untyped> {
    body: Body,
    headers: Vec<(&'static str, String)>,
    status: u16,
    of: PhantomData<T>,
}

/// The answer of a row that names no type, such as the policy, which the core defines.
pub(crate) enum Untyped {}

impl<T: Serialize + 'static> Answer<T> {
    /// A JSON answer.
    pub fn json(answer: T) -> Self {
        Self::of(Body::json(answer), "application/json")
    }
}

impl Answer<Untyped> {
    /// A JSON answer of any type.
    pub fn any(answer: impl Serialize + 'static) -> Self {
        Self::of(Body::json(answer), "application/json")
    }
}

impl<T> Answer<T> {
    fn of(body: Body, media_type: &str) -> Self {
        Self {
            body,
            headers: vec![("content-type", media_type.to_owned())],
            status: 200,
            of: PhantomData,
        }
    }

    /// A text answer of a media type, where the request can ask for one in place of JSON.
    pub fn text(body: String, media_type: &str) -> Self {
        Self::of(Body::text(body), media_type)
    }

    /// The same answer, but what was asked waits for a person.
    pub fn accepted(mut self) -> Self {
        self.status = 202;
        self
    }

    /// The answer with one more header.
    pub fn with(mut self, name: &'static str, value: String) -> Self {
        self.headers.push((name, value));
        self
    }

    /// The answer as a response.
    pub(crate) fn respond(self) -> Response {
        Response {
            status: self.status,
            headers: self
                .headers
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
            body: self.body,
        }
    }
}

/// The response that refuses, with the error as its body.
pub fn refusal(error: ApiError) -> Response {
    let status = error.code.status();
    Response {
        status,
        headers: BTreeMap::from([("content-type".to_owned(), "application/json".to_owned())]),
        body: Body::json(ErrorBody { error }),
    }
}
