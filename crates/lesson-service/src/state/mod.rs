//! What the engine holds in memory, and how it is written and read again.

pub(crate) mod embedder;
pub(crate) mod exchanged;
pub(crate) mod held;
pub(crate) mod keep_vectors;
pub(crate) mod near;
pub(crate) mod open;
pub(crate) mod plan;
pub(crate) mod reader;
pub(crate) mod snapshot;
pub(crate) mod vectors;
pub(crate) mod writer;
