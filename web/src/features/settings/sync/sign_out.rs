//! Signing out, and what would be lost by it.

use super::draft::CARD;
use crate::api::{Asking, Client};
use crate::components::{Dialog, ErrorNote, use_toasts};
use crate::sync::Syncing;
use crate::{dom, format};
use leptos::prelude::*;
use lesson_types::{SignOut, SyncStatus};

/// The button, and the question it asks first.
#[component]
pub fn SignOutButton() -> impl IntoView {
    let syncing = Syncing::get_from_context();
    let open = RwSignal::new(false);
    let title = Signal::derive(move || {
        format!(
            "Sign out of {}?",
            syncing.read(|status| dom::host(&status.url))
        )
    });
    view! {
        <button type="button" on:click=move |_| open.set(true) data-testid="sign-out">"Sign out…"</button>
        <Dialog id="sign-out-dialog" title open>
            <Question open/>
        </Dialog>
    }
}

#[component]
fn Question(open: RwSignal<bool>) -> impl IntoView {
    let client = Client::get_from_context();
    let syncing = Syncing::get_from_context();
    let toasts = use_toasts();
    let asking = Asking::default();
    let lose = RwSignal::new(false);
    let unsent = Memo::new(move |_| syncing.read(|status| status.unsent));
    let set_aside = Memo::new(move |_| {
        syncing.read(|status| status.conflicts.saturating_add(status.set_aside))
    });
    let sign_out = move |_| {
        let request = SignOut {
            discard_unsent: (unsent.get_untracked() > 0 && lose.get_untracked()).then_some(true),
        };
        asking.run(
            async move {
                let answer = client
                    .post_json::<SyncStatus>("/v1/sync/sign-out", &request)
                    .await;
                if answer.is_err() {
                    // There may be something to send that was not known here.
                    syncing.renew().await;
                }
                answer
            },
            move |status| {
                open.try_set(false);
                dom::forget_traces();
                syncing.take(status);
                toasts.good("Signed out. The server keeps its lessons");
                dom::focus(CARD);
            },
        );
    };
    // That something is not sent is told above.
    let failed = move || {
        asking
            .error
            .get()
            .filter(|error| error.field.as_deref() != Some("discard_unsent"))
    };
    view! {
        <p>"The lessons are removed from this browser. They stay on the server, and come back when you connect again."</p>
        <Show when=move || { unsent.get() > 0 } fallback=|| view! { <p>"Everything made here is on the server."</p> }>
            <div class="note note-bad" role="alert" data-testid="sign-out-unsent">
                <strong>{move || format!("{} not on the server yet", format::plural(unsent.get(), "event is", "events are"))}</strong>
                <p>"Cancel and sync first to keep them. Once lost, they can't be restored."</p>
                <label class="check">
                    <input type="checkbox" prop:checked=lose on:change:target=move |event| lose.set(event.target().checked()) data-testid="discard-unsent"/>
                    <span>{move || if unsent.get() == 1 { "Lose it for good".to_owned() } else { format!("Lose these {} for good", format::count(unsent.get())) }}</span>
                </label>
            </div>
        </Show>
        <Show when=move || { set_aside.get() > 0 }>
            <p>{move || format!("{} set aside here and not decided on; that goes too.", format::plural(set_aside.get(), "change is", "changes are"))}</p>
        </Show>
        {move || failed().map(|error| view! { <ErrorNote error/> })}
        <div class="actions">
            <button type="button" on:click=move |_| open.set(false) data-testid="sign-out-cancel">"Cancel"</button>
            <button type="button" class="danger" on:click=sign_out data-testid="sign-out-confirm"
                disabled=move || asking.busy.get() || (unsent.get() > 0 && !lose.get())>
                {move || match unsent.get() { 0 => "Sign out", 1 => "Sign out and lose it", _ => "Sign out and lose them" }}
            </button>
        </div>
    }
}
