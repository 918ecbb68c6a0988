//! Notices above every page when something is the matter with the engine or the store.

use crate::api::{Client, Engine};
use leptos::prelude::*;

/// The engine failed to open, or was started anew, or what was stored is gone.
#[component]
pub fn Notices(client: Client) -> impl IntoView {
    let failed = move || match client.engine.get() {
        Engine::Failed(message) => Some(view! {
            <div class="note note-bad" role="alert" data-testid="engine-failed">
                <strong>"The engine is not running"</strong>
                <p>{message}</p>
                <button type="button" on:click=|_| { let _ = window().location().reload(); }>"Reload the page"</button>
            </div>
        }),
        _ => None,
    };
    let restarted = move || {
        client.restarted.get().map(|message| {
            view! {
                <div class="note note-warn" role="alert" data-testid="engine-restarted">
                    <strong>"The engine was restarted; everything stored is kept"</strong>
                    <p>{message}</p>
                    <button type="button" on:click=move |_| client.restarted.set(None)>"Close"</button>
                </div>
            }
        })
    };
    let cleared = move || {
        client.cleared.get().then(|| {
            view! {
                <div class="note note-warn" role="alert" data-testid="store-cleared">
                    <strong>"What was stored in this browser was deleted"</strong>
                    <p>"You or the browser deleted it while this page was open. What you see is what is left. To get lessons back, import an export or connect to your server again, both in Settings."</p>
                    <button type="button" on:click=move |_| client.cleared.set(false)>"Close"</button>
                </div>
            }
        })
    };
    view! { {failed} {restarted} {cleared} }
}
