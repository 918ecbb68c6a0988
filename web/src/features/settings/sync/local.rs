//! The stack that `cargo xtask serve` runs beside the dashboard, for trying out syncing and agents without an account
//! elsewhere.

use crate::dom;
use crate::features::settings::samples::fetch;
use leptos::prelude::window;
use serde::Deserialize;

/// Where it is told.
const ADDRESS: &str = "/local-stack.json";

/// The values that forms are filled with.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct LocalStack {
    /// Its address.
    pub url: String,
    /// Its publishable key.
    pub key: String,
    /// The person who is known there.
    pub email: String,
    /// The address of its edge function, where it has one.
    pub edge: Option<String>,
}

/// The stack of this machine. `None` where there is none; only asked for on this machine, so that no other host sees a
/// request for a file that it does not have.
pub async fn local_stack() -> Option<LocalStack> {
    let host = window().location().hostname().ok()?;
    if !["localhost", "127.0.0.1", "[::1]"].contains(&host.as_str()) {
        return None;
    }
    let text = fetch(ADDRESS).await.ok()?;
    dom::json(&text)
}
