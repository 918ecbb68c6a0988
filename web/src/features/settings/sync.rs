//! Syncing with a server: connect one, see how it goes, sign out.

mod connect;
mod connected;
mod delete_space;
mod draft;
mod hold;
mod large;
mod local;
mod sign_in;
mod sign_out;
mod space;

use crate::components::{ErrorNote, Loading};
use crate::space::Space;
use crate::sync::{Stage, Syncing};
use connect::Connect;
use connected::Connected;
pub use delete_space::DeleteSpaceCard;
use draft::{CARD, Draft};
use leptos::prelude::*;
pub use local::local_stack;

/// The card about syncing.
#[component]
pub fn SyncCard() -> impl IntoView {
    let syncing = Syncing::get_from_context();
    let stage = Memo::new(move |_| syncing.stage());
    // Kept outside of what each stage draws: what somebody is typing outlives a stage that failed for a moment.
    let draft = Draft::new();
    Effect::new(move |_| {
        if stage.get() == Stage::On {
            draft.clear();
        }
    });
    view! {
        <section class="card" id=CARD tabindex="-1" aria-labelledby="sync-title" data-testid="sync-card">
            {move || match stage.get() {
                Stage::Unknown => view! { <Heading/><Loading/> }.into_any(),
                Stage::Failed(error) => view! { <Heading/><ErrorNote error/> }.into_any(),
                Stage::Off => view! { <Heading/><Connect draft/> }.into_any(),
                Stage::On => view! { <Connected/> }.into_any(),
            }}
        </section>
    }
}

#[component]
fn Heading() -> impl IntoView {
    view! { <h2 id="sync-title">"Sync"</h2> }
}

/// Where the data of this browser is kept: true whether a server is connected or not.
pub fn whereabouts() -> Signal<String> {
    let syncing = Syncing::get_from_context();
    let here = if Space::is_of_host() {
        "in files on this machine"
    } else {
        "in this browser"
    };
    Signal::derive(move || {
        match syncing.stage() {
        Stage::Off => format!("Everything is kept {here}. Nothing leaves it."),
        Stage::On if syncing.read(|status| status.on_server) => syncing.read(|status| {
            format!(
                "Everything is kept in the space “{}” on {}; this browser keeps what it has not sent yet.",
                status.space,
                crate::dom::host(&status.url)
            )
        }),
        Stage::On => syncing.read(|status| {
            format!(
                "Everything is kept {here} and in the space “{}” on {}. It goes nowhere else.",
                status.space,
                crate::dom::host(&status.url)
            )
        }),
        Stage::Unknown | Stage::Failed(_) => format!("Everything is kept {here}."),
    }
    })
}
