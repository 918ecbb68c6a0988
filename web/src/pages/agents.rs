//! Agents: the keys they come with, and how each of them is set up.

mod address;
mod fresh;
mod keys;
mod make;
mod revoke;
mod setup;
mod snippet;

use crate::client::Client;
use crate::sync::{Stage, Syncing};
use crate::ui::{Empty, ErrorNote, Loading, Page};
use crate::view::view;
use keys::KeysCard;
use leptos::prelude::*;
use leptos::task::spawn_local;
use lesson_types::{AgentKey, AgentKeys, ApiError, MadeAgentKey, SyncPhase};
use setup::SetupCard;

/// The id of the card with the keys.
const CARD: &str = "agent-keys";

/// What the parts of the page share.
#[derive(Clone, Copy)]
struct Desk {
    client: Client,
    /// The keys as they were last read.
    keys: RwSignal<Option<Vec<AgentKey>>>,
    /// Why they could not be read the last time.
    error: RwSignal<Option<ApiError>>,
    /// Whether they are being read.
    busy: RwSignal<bool>,
    /// The latest reading; an earlier one that comes later is dropped.
    turn: StoredValue<u32>,
    /// The key that was just made; only here, until the person is done with it or leaves the page.
    fresh: RwSignal<Option<MadeAgentKey>>,
}

impl Desk {
    fn new() -> Self {
        Self {
            client: Client::get_from_context(),
            keys: RwSignal::new(None),
            error: RwSignal::new(None),
            busy: RwSignal::new(false),
            turn: StoredValue::new(0),
            fresh: RwSignal::new(None),
        }
    }

    /// Reads the keys. What was read before stays until then.
    fn read(self) {
        let turn = self.turn.try_update_value(|turn| {
            *turn = turn.wrapping_add(1);
            *turn
        });
        if turn.is_none() {
            return;
        }
        self.busy.set(true);
        spawn_local(async move {
            let answer = self.client.get::<AgentKeys>("/v1/agent-keys").await;
            // The page may have been left meanwhile, or asks something newer.
            if self.turn.try_get_value() != turn {
                return;
            }
            self.busy.set(false);
            match answer {
                Ok(list) => {
                    self.keys.set(Some(list.keys));
                    self.error.set(None);
                }
                Err(error) => self.error.set(Some(error)),
            }
        });
    }
}

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
        <p class="back"><a href="/data">"← Data"</a></p>
        <Page title="Agents" intro="Agents use the lessons of your space over HTTP or MCP, each with a key of its own.">
            {move || match stage.get() {
                Stage::Unknown => view! { <Loading/> }.into_any(),
                Stage::Failed(error) => view! { <ErrorNote error/> }.into_any(),
                Stage::Off => view! {
                    <Empty title="Agents need a server" text="They can't reach this browser. Connect a server: your lessons go there, an edge function gives them to agents, and what the agents do comes back here.">
                        <a href="/data#sync" class="button primary">"Connect a server"</a>
                    </Empty>
                }.into_any(),
                Stage::On => view! { <KeysCard/><SetupCard/> }.into_any(),
            }}
        </Page>
    }
}
