//! The model, the vectors of lessons, and their exchange with a server.

pub(crate) mod model;
pub(crate) mod progress;
pub(crate) mod semantic_reason;
