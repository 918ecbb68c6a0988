//! One handler: a request of the interface in, its answer out, over a store and a model.
//!
//! A host opens a [`Service`] over its [`lesson_sync::Store`] with its clock and randomness
//! ([`Host`]), passes every request to [`Service::handle`], and calls [`Service::flush`] after each
//! answer. Retrieval is answered from memory: it waits for no store, no model and no network.
//!
//! Hosts that ask for others than the person who uses the device (the edge, MCP) find a request's [`Route`] by [`route`],
//! say who asks by a [`RequestContext`], and pass both to [`Service::handle_for`].
#![forbid(unsafe_code)]

mod convert;
mod embeddings;
mod handlers;
mod host;
mod http;
mod large;
mod remote;
mod service;
mod state;

pub use embeddings::model::{Indexing, loaded};
pub use host::{Host, fresh_id, uuid7};
pub use http::answer::refusal;
pub use http::context::{RequestContext, decision_prefix};
pub use http::fault::clip;
pub use http::idempotency::{HEADER as IDEMPOTENCY_KEY, check_key};
pub use http::idempotency_key::{Keyed, digest, fingerprint};
pub use http::path::{Target, parse as parse_path};
pub use http::router::{Route, methods, route, wrong_method};
pub use http::strict;
pub use large::on_server::{PATIENCE_MS, Unread, unread};
pub use large::part::MadeEvents;
pub use large::part_wanted::PartWanted;
pub use remote::network::Network;
pub use remote::sync::SyncRound;
pub use remote::timeout::timeout;
pub use remote::vectors::VectorsRound;
pub use state::embedder::{Embedder, NoModel, Reading};
pub use state::service_struct::Service;
pub use state::vectors::Wanted;
