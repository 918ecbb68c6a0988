//! State that a service holds in memory, and how it is written to the store and read from it.

pub(crate) mod embedder;
pub(crate) mod held;
pub(crate) mod kept;
pub(crate) mod learned;
pub(crate) mod near;
pub(crate) mod open;
pub(crate) mod plan;
pub(crate) mod reader;
pub(crate) mod service_struct;
pub(crate) mod snapshot;
pub(crate) mod store_vectors;
pub(crate) mod vector_exchange;
pub(crate) mod vectors;
mod waiting;
pub(crate) mod writer;
