//! The engine for one person's agents on one machine: a project's store, a personal one, or both.
//!
//! [`Local::handle`] answers a request over both stores: recommend, search and patterns give the best of both by score,
//! lists, stats, health, tags, lift and review are of both, a lesson named by its slug is found in either, acts on many
//! reach those of both, what is new goes to the project's. [`Local::handle_in`] asks one of them.
//! [`Local::message`] and [`Local::message_line`] answer the Model Context Protocol over HTTP and over standard input.
//! Before each answer, what other processes have written to the stores is read.
#![forbid(unsafe_code)]

mod joined;
mod local;
mod mcp;
mod requests;
mod spread;
mod stdio;

pub use local::{Local, Named, Which};
