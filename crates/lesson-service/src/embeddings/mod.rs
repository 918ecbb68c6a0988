//! The model: loading it, embedding texts, how far the lessons have their vectors.

pub(crate) mod model;
pub(crate) mod progress;
pub(crate) mod semantic_reason;
