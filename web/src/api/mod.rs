//! How pages talk to the engine: its client, requests that stay current, and requests that a form makes.

mod asking;
mod client;
mod query;
mod resource;

pub use asking::Asking;
pub use client::{Client, Engine, json, object, read};
pub use query::{Query, use_get};
pub use resource::resource;
