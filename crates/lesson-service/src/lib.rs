//! One handler: a request of the interface in, its answer out, over a store and a model.
//!
//! A host opens a [`Service`] over its [`lesson_sync::Store`] with its clock and randomness
//! ([`Host`]), passes every request to [`Service::handle`], and calls [`Service::flush`] after each
//! answer. Retrieval is answered from memory: it waits for no store, no model and no network.
#![forbid(unsafe_code)]

mod agent_keys;
mod asker;
mod bounds;
mod bulk;
mod by_words;
mod compare;
mod connect;
mod convert;
mod delete_space;
pub mod edge;
mod exchange;
mod fault;
mod feedback;
mod heard;
mod history;
mod host;
mod idempotency;
mod issues;
mod ledger;
mod lessons;
mod linked;
mod listing;
mod mcp;
mod model;
mod override_policy;
mod path;
mod progress;
mod race;
mod redact;
mod repeat;
mod report;
mod retrieve;
mod review;
mod router;
mod runs;
mod service;
mod session;
mod set_aside;
mod shorten;
mod space_policy;
mod state;
mod strict;
mod sync;
mod tools;
mod trace_part;
mod transfer;
mod validate;
mod vectors;
mod withheld;
mod writer;

pub use exchange::VectorsRound;
pub use host::{Host, uuid7};
pub use model::{Embedder, Indexing};
pub use service::Service;
pub use sync::SyncRound;
pub use vectors::Wanted;
