//! Agents: the keys they come with, and how each of them is set up.

mod address;
mod desk;
mod fresh;
mod keys;
mod make;
mod revoke;
mod setup;
mod snippet;

use crate::components::{Empty, ErrorNote, Loading, Page};
use crate::sync::{Stage, Syncing};
use desk::Desk;
use keys::KeysCard;
use leptos::prelude::*;
use lesson_types::SyncPhase;
use setup::SetupCard;

/// Everything about agents.
#[component]
pub fn AgentsPage() -> impl IntoView {
    let syncing = Syncing::get_from_context();
    let desk = Desk::new();
    provide_context(desk);
    let stage = Memo::new(move |_| syncing.stage());
    // What decides whether the server answers: the keys are read anew when it changes.
    let reach = Memo::new(move |_| {
        syncing.read(|status| {
            let out = matches!(status.phase, SyncPhase::Offline | SyncPhase::Trouble);
            let signed_out = status.phase == SyncPhase::SignedOut;
            (status.space_id.clone(), out, signed_out)
        })
    });
    Effect::new(move |space: Option<String>| {
        let (now, ..) = reach.get();
        if space.is_some_and(|space| space != now) {
            desk.keys.set(None);
            desk.error.set(None);
            desk.fresh.set(None);
        }
        if !now.is_empty() {
            desk.read();
        }
        now
    });
    let online = window_event_listener(leptos::ev::online, move |_| {
        if desk.error.read_untracked().is_some() {
            desk.read();
        }
    });
    on_cleanup(move || online.remove());
    view! {
        <Page title="Agents" intro="Agents use the lessons of your space over HTTP or MCP, each with a key of its own.">
            {move || match stage.get() {
                Stage::Unknown => view! { <Loading/> }.into_any(),
                Stage::Failed(error) => view! { <ErrorNote error/> }.into_any(),
                Stage::Off => view! {
                    <Empty title="Agents need a server" text="They can't reach this browser. Connect a server: your lessons go there, an edge function gives them to agents, and what the agents do comes back here.">
                        <a href="/settings#sync" class="button primary">"Connect a server"</a>
                    </Empty>
                }.into_any(),
                Stage::On => view! { <KeysCard/><SetupCard/> }.into_any(),
            }}
        </Page>
    }
}
