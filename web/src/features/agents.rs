//! Agents: what they did, how each of them is set up, and the keys they come with.

mod activity;
mod address;
mod agents_page;
mod edge_state;
mod fresh;
mod keys;
mod make;
mod revoke;
mod setup;
mod snippet;
mod voices;

use crate::components::{ErrorNote, Page, Skeleton};
use crate::sync::{Stage, Syncing};
use activity::ActivityCard;
use agents_page::AgentsPage;
use keys::KeysCard;
use leptos::prelude::*;
use leptos_use_event_listener::use_event_listener;
use setup::SetupCard;
use voices::VoicesCard;

/// Everything about agents.
#[component]
pub fn AgentsPage() -> impl IntoView {
    let syncing = Syncing::get_from_context();
    let page = AgentsPage::new();
    provide_context(page);
    let stage = Memo::new(move |_| syncing.stage());
    let _ = use_event_listener(window(), leptos::ev::online, move |_| {
        if page.error.read_untracked().is_some() {
            page.read();
        }
    });
    let on = Memo::new(move |_| stage.get() == Stage::On);
    view! {
        <Page title="Agents" intro="What your agents do with lessons, how to set each one up, and their API keys.">
            <ActivityCard/>
            <VoicesCard/>
            {move || match stage.get() {
                Stage::Unknown => view! { <Skeleton/> }.into_any(),
                Stage::Failed(error) => view! { <ErrorNote error/> }.into_any(),
                Stage::Off => view! { <SetupCard on/> }.into_any(),
                Stage::On => view! { <KeysCard/><SetupCard on/> }.into_any(),
            }}
        </Page>
    }
}
