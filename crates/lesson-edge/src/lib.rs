//! The edge: HTTP and MCP for agents, over spaces on a server.
//!
//! A host hands every request to [`Edge::handle`] and calls [`Edge::settle`] after the answer.
//! Lessons are recommended from memory; a write is answered once the server has it. Each space is a
//! replica of its own, so nothing of one is seen in another.
#![forbid(unsafe_code)]

mod acked_write;
mod address;
mod agent;
mod budget;
mod config;
mod edge;
mod host;
mod key_form;
mod key_ring;
mod keys;
mod limits;
mod lookups;
mod mcp;
mod message;
mod model;
mod on_server;
mod pack;
mod rate;
mod request_guard;
mod serve;
mod settle;
mod setup;
mod snapshot_cache;
mod space;
mod spaces;
mod unanswered;

pub use config::EdgeConfig;
pub use edge::Edge;
pub use host::WithKeys;
pub use limits::BODY_BYTES;
pub use message::{CountRequest, EdgeAnswer, EdgeRequest};
