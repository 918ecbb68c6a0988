//! One handler: a request of the interface in, its answer out, over a store and a model.
//!
//! A host opens a [`Service`] over its [`lesson_sync::Store`] with its clock and randomness
//! ([`Host`]), passes every request to [`Service::handle`], and calls [`Service::flush`] after each
//! answer. Retrieval is answered from memory: it waits for no store, no model and no network.
#![forbid(unsafe_code)]

mod convert;
pub mod edge;
mod embeddings;
mod handlers;
mod host;
mod http;
mod mcp;
mod race;
mod remote;
mod service;
mod state;

pub use embeddings::model::Indexing;
pub use host::{Host, uuid7};
pub use remote::exchange::VectorsRound;
pub use remote::sync::SyncRound;
pub use state::embedder::Embedder;
pub use state::held::Service;
pub use state::vectors::Wanted;
