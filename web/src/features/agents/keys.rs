//! The keys of the space: who has one, when it was last used, and the way to take it back.

use super::agents_page::{AgentsPage, CARD};
use super::fresh::FreshKey;
use super::make::MakeForm;
use super::revoke::{RevokeDialog, Revoking};
use crate::components::{Empty, ErrorNote, Loading, When};
use crate::format;
use leptos::prelude::*;
use lesson_types::{AgentKey, ApiError, ErrorCode};

/// Making a key, and the list of them.
#[component]
pub fn KeysCard() -> impl IntoView {
    let page: AgentsPage = expect_context();
    let is_fresh = Memo::new(move |_| page.fresh.read().is_some());
    let revoking = Revoking::new();
    view! {
        <section class="card" id=CARD tabindex="-1" aria-labelledby="agent-keys-title" data-testid="agent-keys">
            <div class="card-head">
                <h2 id="agent-keys-title">"API keys"</h2>
                <button type="button" class="plain" disabled=page.busy on:click=move |_| page.read() data-testid="refresh-keys">"Refresh"</button>
            </div>
            <p>"With a key, an agent reads the lessons of this space, adds to them and reports outcomes, until you revoke it. Give each agent its own key, so that you can tell them apart and revoke one alone."</p>
            <Show when=move || is_fresh.get() fallback=|| view! { <MakeForm/> }><FreshKey/></Show>
            {move || page.error.get().map(|error| view! { <NotRead error/> })}
            <List revoking/>
            <RevokeDialog revoking/>
        </section>
    }
}

/// The keys could not be read: offline, signed out, or something else.
#[component]
fn NotRead(error: ApiError) -> impl IntoView {
    let page: AgentsPage = expect_context();
    let act = match error.code {
        ErrorCode::Unauthorized => {
            view! { <a href="/settings#sync" class="button">"Sign in again"</a> }.into_any()
        }
        _ => view! { <button type="button" disabled=page.busy on:click=move |_| page.read() data-testid="retry-keys">"Try again"</button> }.into_any(),
    };
    view! { <ErrorNote error/><div class="actions">{act}</div> }
}

#[component]
fn List(revoking: Revoking) -> impl IntoView {
    let page: AgentsPage = expect_context();
    let part = move |revoked: bool| {
        Memo::new(move |_| {
            let keys = page.keys.read();
            let keys = keys.iter().flatten();
            keys.filter(|key| key.revoked_at.is_some() == revoked)
                .cloned()
                .collect::<Vec<_>>()
        })
    };
    let (in_force, revoked) = (part(false), part(true));
    let awaited = move || page.keys.read().is_none() && page.error.read().is_none();
    let none = move || page.keys.read().is_some() && in_force.read().is_empty();
    view! {
        <Show when=awaited><Loading label="Reading the keys…"/></Show>
        <Show when=none>
            <Empty title="No agent has a key" text="Create one above, then set the agent up below."/>
        </Show>
        <Show when=move || !in_force.read().is_empty()>
            <ul class="keys" aria-label="Keys in force">
                <For each=move || in_force.get() key=drawn let:key><Row key revoking/></For>
            </ul>
        </Show>
        <Show when=move || !revoked.read().is_empty()>
            <details data-testid="revoked-keys">
                <summary>{move || format::plural(revoked.read().len() as u32, "revoked key", "revoked keys")}</summary>
                <ul class="keys">
                    <For each=move || revoked.get() key=drawn let:key><Row key revoking/></For>
                </ul>
            </details>
        </Show>
    }
}

/// Returns the identity of a key's row: the key's id, and its last use, which is drawn and may change.
fn drawn(key: &AgentKey) -> (String, Option<String>) {
    (key.id.clone(), key.last_used_at.clone())
}

#[component]
fn Row(key: AgentKey, revoking: Revoking) -> impl IntoView {
    let in_force = key.revoked_at.is_none();
    let label = format!("Revoke {}", key.name);
    let used = match key.last_used_at.clone() {
        Some(at) => view! { ", last used "<When at/> }.into_any(),
        None => ", never used".into_any(),
    };
    let ended = key
        .revoked_at
        .clone()
        .map(|at| view! { ", revoked "<When at/> });
    let name = key.name.clone();
    let own = StoredValue::new(key.clone());
    view! {
        <li data-testid="agent-key" data-name=name>
            <div>
                <b dir="auto">{key.name}</b>
                <span class="muted">"Created "<When at=key.created_at/>{used}{ended}</span>
            </div>
            {in_force.then(|| view! {
                <button type="button" aria-label=label on:click=move |_| revoking.ask(own.get_value()) data-testid="revoke-key">"Revoke…"</button>
            })}
        </li>
    }
}
