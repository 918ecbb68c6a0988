//! How pages talk to the engine: its client, requests that stay current, and requests that a form makes.

mod asking;
mod client;
mod resource;

pub use asking::Asking;
pub use client::{Client, Engine, Query, json, object, read, use_get};
pub use resource::resource;
