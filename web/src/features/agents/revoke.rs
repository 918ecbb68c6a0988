//! Revoking a key, after a question.

use super::agents_page::{AgentsPage, CARD};
use crate::api::Asking;
use crate::components::{Dialog, ErrorNote, use_toasts};
use crate::dom;
use leptos::prelude::*;
use lesson_types::{AgentKey, AgentKeyRevoked};

/// The key that is asked about, and whether it is.
#[derive(Clone, Copy)]
pub struct Revoking {
    key: RwSignal<Option<AgentKey>>,
    open: RwSignal<bool>,
}

impl Revoking {
    /// Nothing is asked.
    pub fn new() -> Self {
        Self {
            key: RwSignal::new(None),
            open: RwSignal::new(false),
        }
    }

    /// Asks about this key.
    pub fn ask(self, key: AgentKey) {
        self.key.set(Some(key));
        self.open.set(true);
    }
}

/// The question.
#[component]
pub fn RevokeDialog(revoking: Revoking) -> impl IntoView {
    let open = revoking.open;
    let title = Signal::derive(move || {
        let key = revoking.key.read();
        let name = key.as_ref().map(|key| key.name.as_str());
        format!("Revoke the key of “{}”?", name.unwrap_or_default())
    });
    view! {
        <Dialog id="revoke-dialog" title open>
            <Question revoking/>
        </Dialog>
    }
}

#[component]
fn Question(revoking: Revoking) -> impl IntoView {
    let page: AgentsPage = expect_context();
    let toasts = use_toasts();
    let asking = Asking::default();
    let revoke = move |_| {
        let Some(key) = revoking.key.get_untracked() else {
            return;
        };
        let path = format!("/v1/agent-keys/{}/revoke", key.id);
        asking.run(
            page.client.post_json::<AgentKeyRevoked>(path, &()),
            move |answer| {
                // The key that was just made may be the one that is revoked.
                page.fresh
                    .try_update(|fresh| fresh.take_if(|made| made.id == key.id));
                revoking.open.try_set(false);
                page.read();
                toasts.good(if answer.revoked {
                    "Revoked. It stops working within a minute"
                } else {
                    "It was revoked already"
                });
                // A frame later: the dialog gives the focus back to the button first, which is about to go.
                request_animation_frame(|| dom::focus(CARD));
            },
        );
    };
    view! {
        <p>"Requests with this key are refused within a minute. What the agent has recorded stays."</p>
        <p>"This can't be undone. To let the agent in again, create a new key."</p>
        {move || asking.error.get().map(|error| view! { <ErrorNote error/> })}
        <div class="actions">
            <button type="button" on:click=move |_| revoking.open.set(false) data-testid="revoke-cancel">"Cancel"</button>
            <button type="button" class="danger" disabled=asking.busy on:click=revoke data-testid="revoke-confirm">
                {move || if asking.busy.get() { "Revoking…" } else { "Revoke" }}
            </button>
        </div>
    }
}
