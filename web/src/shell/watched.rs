//! Tells the worker whether somebody looks at the page, so that it asks a server more often meanwhile.

use crate::api::{Client, Engine};
use leptos::ev;
use leptos::prelude::*;
use leptos_use_event_listener::use_event_listener;
use web_sys::VisibilityState;

/// Tells it from now on.
pub fn tell_watched(client: Client) {
    let tell = move || client.watch(document().visibility_state() == VisibilityState::Visible);
    Effect::new(move |_| {
        if matches!(client.engine.get(), Engine::Ready(_)) {
            tell();
        }
    });
    let _ = use_event_listener(window(), ev::visibilitychange, move |_| tell());
}
