//! The pages' access to the engine: its client, the one way to read, and the one way to act.

mod asking;
mod body;
mod client;
mod latest;
mod query;
#[cfg(all(test, target_arch = "wasm32"))]
mod tests;

pub use asking::{Asking, act_apart};
pub use body::{object, read};
pub use client::{Acted, Client, Engine};
pub use latest::Latest;
pub use query::{Query, use_fetch, use_get, use_query};
