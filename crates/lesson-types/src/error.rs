//! Errors with a stable code, the field at fault and what to do.

use serde::{Deserialize, Serialize};

/// The stable code of an error and its HTTP status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum ErrorCode {
    /// The request is malformed or a field is out of bounds: 400.
    InvalidRequest,
    /// No credentials, or credentials that don't hold: 401.
    Unauthorized,
    /// Known, but not allowed: 403.
    Forbidden,
    /// Nothing by that name: 404.
    NotFound,
    /// The path takes other methods: 405.
    MethodNotAllowed,
    /// It contradicts what is stored: 409.
    Conflict,
    /// More than one lesson fits: 409, with the candidates.
    Ambiguous,
    /// Over a size limit: 413.
    TooLarge,
    /// Too many requests: 429.
    RateLimited,
    /// A part that is needed does not answer, or storage is full: 503.
    Unavailable,
}

impl ErrorCode {
    /// The code as it stands in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidRequest => "invalid_request",
            Self::Unauthorized => "unauthorized",
            Self::Forbidden => "forbidden",
            Self::NotFound => "not_found",
            Self::MethodNotAllowed => "method_not_allowed",
            Self::Conflict => "conflict",
            Self::Ambiguous => "ambiguous",
            Self::TooLarge => "too_large",
            Self::RateLimited => "rate_limited",
            Self::Unavailable => "unavailable",
        }
    }

    /// The HTTP status that goes with it.
    pub fn status(self) -> u16 {
        match self {
            Self::InvalidRequest => 400,
            Self::Unauthorized => 401,
            Self::Forbidden => 403,
            Self::NotFound => 404,
            Self::MethodNotAllowed => 405,
            Self::Conflict | Self::Ambiguous => 409,
            Self::TooLarge => 413,
            Self::RateLimited => 429,
            Self::Unavailable => 503,
        }
    }
}

/// An error: its cause, and the remedy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "typescript", ts(optional_fields))]
pub struct ApiError {
    /// The stable code.
    pub code: ErrorCode,
    /// One sentence for a person: what was wrong and what to do.
    pub message: String,
    /// The request field at fault, as a path such as `market.volatility`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The slugs that would have fitted, when the code is `ambiguous`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
}

impl ApiError {
    /// An error without a field.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            field: None,
            candidates: Vec::new(),
        }
    }

    /// A bad request that names its field.
    pub fn invalid(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidRequest, message).at(field)
    }

    /// The same error, naming the field at fault.
    #[must_use]
    pub fn at(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }
}

impl std::fmt::Display for ApiError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.field {
            Some(field) => write!(f, "{}: {field}: {}", self.code.as_str(), self.message),
            None => write!(f, "{}: {}", self.code.as_str(), self.message),
        }
    }
}

impl std::error::Error for ApiError {}

/// The body of every answer that is an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ErrorBody {
    /// The error.
    pub error: ApiError,
}
