//! One HTTP request and its answer, as the host's shim hands them over.

use lesson_types::{ApiError, Body, ErrorBody, ErrorCode, Response};
use std::collections::BTreeMap;
use std::pin::Pin;
use std::rc::Rc;

/// Counts a request of a key by its id where all isolates count together; whether the key may go on.
pub type CountRequest = Rc<dyn Fn(&str) -> Pin<Box<dyn Future<Output = bool>>>>;

/// An HTTP request.
#[derive(Clone, Default)]
pub struct EdgeRequest {
    /// Such as `POST`.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// Names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The address that the request came from, as the host knows it; never one that the caller could claim.
    /// Empty where the host does not know.
    pub client: String,
    /// The body, as far as it was read: [`crate::BODY_BYTES`] and one byte more at most.
    pub body: Vec<u8>,
    /// Has the host fetch the model pack beside the request, which it then hands to [`crate::Edge::load_model`], or
    /// says by [`crate::Edge::no_model`] that it can't.
    pub fetch_model: Option<Rc<dyn Fn()>>,
    /// The platform's own counter of requests, where it has one. One that fails lets everybody go on.
    pub count: Option<CountRequest>,
}

impl std::fmt::Debug for EdgeRequest {
    /// Headers carry keys; they stay out of logs.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.method)
    }
}

/// An HTTP response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EdgeAnswer {
    /// The HTTP status.
    pub status: u16,
    /// Names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The body; empty where there is none.
    pub body: String,
}

impl EdgeAnswer {
    /// An answer without a body.
    pub(crate) fn empty(status: u16) -> Self {
        Self {
            status,
            headers: BTreeMap::new(),
            body: String::new(),
        }
    }

    /// A JSON answer.
    pub(crate) fn json(status: u16, body: Body) -> Self {
        Self {
            status,
            headers: BTreeMap::from([("content-type".to_owned(), "application/json".to_owned())]),
            body: body.into_string(),
        }
    }

    /// The engine's answer.
    pub(crate) fn of(response: Response) -> Self {
        Self {
            status: response.status,
            headers: response.headers,
            body: response.body.into_string(),
        }
    }
}

/// An error answer with its headers.
#[derive(Debug, Clone)]
pub(crate) struct Refusal {
    pub error: ApiError,
    pub headers: Vec<(&'static str, String)>,
}

impl From<ApiError> for Refusal {
    fn from(error: ApiError) -> Self {
        Self {
            error,
            headers: Vec::new(),
        }
    }
}

impl Refusal {
    /// 401: no key, or an invalid one. The message is the same for every cause.
    pub fn unauthorized(given: bool) -> Self {
        let (message, challenge) = if given {
            (
                "this agent key is not in force; make one in the dashboard under Data, Agents",
                "Bearer realm=\"lessonloop\", error=\"invalid_token\"",
            )
        } else {
            (
                "an agent key is needed: send `authorization: Bearer llk_…`; make one in the dashboard under Data, Agents",
                "Bearer realm=\"lessonloop\"",
            )
        };
        Self {
            error: ApiError::new(ErrorCode::Unauthorized, message).at("authorization"),
            headers: vec![("www-authenticate", challenge.to_owned())],
        }
    }

    /// 429: the key's rate limit.
    pub fn too_often(seconds: u64) -> Self {
        Self {
            error: ApiError::new(
                ErrorCode::RateLimited,
                format!("too many requests with this key; try again in {seconds} s"),
            ),
            headers: vec![("retry-after", seconds.to_string())],
        }
    }

    /// 429: what the key may cost, in bytes or in work.
    pub fn too_much(what: &str, seconds: u64) -> Self {
        let mut refusal = Self::too_often(seconds);
        refusal.error.message = format!(
            "this key has asked for too much at once ({what}); nothing was done, try again in {seconds} s"
        );
        refusal
    }

    /// 429: too many look-ups of invalid keys from this network, or with this beginning.
    pub fn too_many_keys(seconds: u64) -> Self {
        let mut refusal = Self::too_often(seconds);
        refusal.error.message = format!(
            "too many keys that are not in force came from your address; try again in {seconds} s"
        );
        refusal
    }

    /// 503, with the seconds after which to try again.
    pub fn unavailable(message: impl Into<String>, seconds: u64) -> Self {
        Self {
            error: ApiError::new(ErrorCode::Unavailable, message),
            headers: vec![("retry-after", seconds.to_string())],
        }
    }

    /// 403.
    pub fn forbidden(field: &str, message: &str) -> Self {
        ApiError::new(ErrorCode::Forbidden, message)
            .at(field)
            .into()
    }

    /// The error as a response of the service.
    pub fn response(self) -> Response {
        let mut headers: BTreeMap<String, String> = self
            .headers
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        headers.insert("content-type".to_owned(), "application/json".to_owned());
        Response {
            status: self.error.code.status(),
            headers,
            // An error holds strings only, which always become JSON.
            body: Body::json(ErrorBody { error: self.error }),
        }
    }
}
