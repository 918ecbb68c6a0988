//! Stages of a request before it is about lessons: context, route, path, strict JSON, bounds, redaction, idempotency;
//! answers and errors.

pub(crate) mod answer;
pub(crate) mod bounds;
pub(crate) mod context;
pub(crate) mod fault;
pub(crate) mod idempotency;
pub(crate) mod idempotency_key;
pub(crate) mod path;
pub(crate) mod redact;
pub(crate) mod router;
pub mod strict;
pub(crate) mod validate;
pub(crate) mod voice;
