//! A key that was just made, shown this once.

use super::agents_page::{AgentsPage, CARD};
use crate::components::CopyButton;
use crate::dom;
use leptos::prelude::*;

/// The panel, which gets the focus.
pub const PANEL: &str = "fresh-key";

/// The key, to be copied before it is gone.
#[component]
pub fn FreshKey() -> impl IntoView {
    let page: AgentsPage = expect_context();
    let name = move || {
        let fresh = page.fresh.read();
        fresh.as_ref().map(|made| made.name.clone())
    };
    let key = Signal::derive(move || {
        let fresh = page.fresh.read();
        fresh
            .as_ref()
            .map(|made| made.key.clone())
            .unwrap_or_default()
    });
    let done = move |_| {
        page.fresh.set(None);
        dom::focus(CARD);
    };
    view! {
        <div class="note note-warn fresh-key" id=PANEL tabindex="-1" role="group" aria-labelledby="fresh-key-title" data-testid="fresh-key">
            <strong id="fresh-key-title">"The key of “"<span dir="auto">{name}</span>"”"</strong>
            <p>"Copy it now: it won't be shown again. If it gets lost, revoke it and create another. Anyone who has it can act as this agent."</p>
            <code class="secret" data-testid="fresh-key-text">{key}</code>
            <div class="actions">
                <CopyButton text=key label="Copy the key" done="Key copied" primary=true testid="copy-key"/>
                <button type="button" on:click=done data-testid="fresh-key-done">"I saved it"</button>
            </div>
        </div>
    }
}
