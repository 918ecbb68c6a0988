//! The types that cross a process boundary: between the dashboard and the engine worker, between
//! an agent and the edge, and in tests. JSON, `snake_case`, UTF-8; times are RFC 3339 UTC strings.
//!
//! Unknown request fields are refused by name (`deny_unknown_fields`). Answers carry every field
//! that is declared here, so that a client written in another language can rely on it.
#![forbid(unsafe_code)]

mod body;
mod bulk;
mod decisions;
#[cfg(feature = "schema")]
pub mod description;
mod digest;
mod edge_setup;
mod endpoints;
mod envelope;
mod error;
mod feedback;
mod fields;
mod history;
mod insights;
mod keys;
mod lesson;
mod lift;
pub mod limits;
mod members;
mod proposals;
mod recommend;
mod report;
mod review;
mod sync;
mod tools;
mod transfer;
mod voices;
mod words;
mod worker;

pub use body::Body;
pub use bulk::*;
pub use decisions::*;
pub use digest::*;
pub use edge_setup::*;
pub use endpoints::{
    ENDPOINTS, Embeds, Endpoint, EndpointName, Lookup, Needs, Rows, Tool, Wording,
};
pub use envelope::{Method, Request, Response};
pub use error::{ApiError, ErrorBody, ErrorCode};
pub use feedback::*;
pub use fields::{Field, FieldType, Fields, TextUse, Typed};
pub use history::*;
pub use insights::*;
pub use keys::*;
pub use lesson::*;
pub use lift::*;
pub use members::*;
pub use proposals::*;
pub use recommend::*;
pub use report::*;
pub use review::*;
pub use sync::*;
pub use tools::*;
pub use transfer::*;
pub use voices::*;
pub use words::*;
pub use worker::*;
