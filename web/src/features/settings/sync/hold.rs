//! Where the connected space is had, and changing that.

use crate::api::{Asking, Client};
use crate::components::{ErrorNote, use_toasts};
use crate::sync::Syncing;
use leptos::prelude::*;
use lesson_types::{Hold, HoldSpace, SyncStatus};

/// Says where the space is had, with the button that has it elsewhere.
#[component]
pub fn HoldSwitch() -> impl IntoView {
    let client = Client::get_from_context();
    let syncing = Syncing::get_from_context();
    let toasts = use_toasts();
    let on_server = syncing.on_server();
    let change = Asking::default();
    let act = move |_| {
        let hold = if on_server.get_untracked() {
            Hold::Copy
        } else {
            Hold::Server
        };
        change.run(
            async move {
                client
                    .post_json::<SyncStatus>("/v1/sync/hold", &HoldSpace { hold })
                    .await
            },
            move |status| {
                toasts.good(match hold {
                    Hold::Server => "You now work on the server",
                    Hold::Copy => "The space is being copied",
                });
                syncing.take(status);
                client.ask_again();
            },
        );
    };
    view! {
        <div data-testid="sync-hold">
            <p>{move || if on_server.get() {
                "You work on the server: each page reads what it needs from it, and no copy of the space is kept here. Without a connection there is nothing to show; unsent changes are kept."
            } else {
                "A copy of the space is kept in this browser, so that everything works without a connection."
            }}</p>
            {move || change.error.get().map(|error| view! { <ErrorNote error/> })}
            <div class="actions">
                <button type="button" disabled=change.busy on:click=act data-testid="sync-hold-change">
                    {move || if on_server.get() { "Keep a copy here" } else { "Work on the server" }}
                </button>
            </div>
        </div>
    }
}
