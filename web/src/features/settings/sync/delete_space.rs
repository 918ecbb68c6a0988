//! Deleting the space on the server, in two steps: the name is typed, then what goes is confirmed.

use super::draft::CARD;
use crate::api::{Asking, Client};
use crate::components::{Dialog, ErrorNote, TextField, use_toasts};
use crate::sync::{Stage, Syncing};
use crate::{dom, format};
use leptos::prelude::*;
use lesson_types::{ConfirmDeletion, DeleteSpace, SpaceDeletion, SyncStatus};

/// The card, where a server is connected.
#[component]
pub fn DeleteSpaceCard() -> impl IntoView {
    let syncing = Syncing::get_from_context();
    let is_on = Memo::new(move |_| matches!(syncing.stage(), Stage::On));
    let space = Memo::new(move |_| syncing.read(|status| status.space.clone()));
    let open = RwSignal::new(false);
    let title = Signal::derive(move || format!("Delete the space “{}”?", space.get()));
    view! {
        <Show when=move || is_on.get()>
            <section class="card" aria-labelledby="delete-space-title" data-testid="delete-space-card">
                <h2 id="delete-space-title">"Delete this space"</h2>
                <p>"Its owner can delete the space on the server, with its lessons, their whole history, its members and its agents' keys. Nothing can be restored: export it first if you may need it again."</p>
                <div class="actions">
                    <button type="button" class="danger" on:click=move |_| open.set(true) data-testid="delete-space">"Delete the space…"</button>
                </div>
                <Dialog id="delete-space-dialog" title open>
                    <Steps open space/>
                </Dialog>
            </section>
        </Show>
    }
}

#[component]
fn Steps(open: RwSignal<bool>, space: Memo<String>) -> impl IntoView {
    let client = Client::get_from_context();
    let syncing = Syncing::get_from_context();
    let toasts = use_toasts();
    let asking = Asking::default();
    let name = RwSignal::new(String::new());
    let told = RwSignal::new(None::<ConfirmDeletion>);
    let send = move |_| {
        let request = DeleteSpace {
            name: name.get_untracked(),
            code: told.get_untracked().map(|told| told.code),
        };
        asking.run(
            async move {
                let answer = client
                    .post_json::<SpaceDeletion>("/v1/space/delete", &request)
                    .await;
                if answer.is_err() && request.code.is_some() {
                    // Its ten minutes may be over: back to the first step, with what went wrong.
                    told.try_set(None);
                }
                answer
            },
            move |answer: SpaceDeletion| {
                if !answer.deleted {
                    told.try_set(answer.confirm);
                    return;
                }
                open.try_set(false);
                dom::forget_traces();
                syncing.take(SyncStatus::default());
                toasts.good("The space is deleted");
                dom::focus(CARD);
            },
        );
    };
    let is_typed = move || name.get() == space.get();
    view! {
        <Show when=move || told.get().is_some() fallback=move || view! {
            <p>"Type the exact name of the space to see what would be deleted."</p>
            <TextField id="delete-space-name" label="Name of the space" value=name max=200/>
        }>
            <div class="note note-bad" role="alert" data-testid="delete-space-told">
                <strong>"This is deleted permanently, for everybody"</strong>
                <p>{move || told.get().map(|told| words(&told))}</p>
                <p>"The lessons are removed from this browser, too. Other browsers keep what they have until they sign out."</p>
            </div>
        </Show>
        {move || asking.error.get().map(|error| view! { <ErrorNote error/> })}
        <div class="actions">
            <button type="button" on:click=move |_| open.set(false) data-testid="delete-space-cancel">"Cancel"</button>
            <button type="button" class="danger" on:click=send data-testid="delete-space-next"
                disabled=move || asking.busy.get() || !is_typed()>
                {move || if told.get().is_some() { "Delete permanently" } else { "Continue" }}
            </button>
        </div>
    }
}

/// Lists what would be deleted, in one sentence.
fn words(told: &ConfirmDeletion) -> String {
    format!(
        "{}, {}, {} and {}.",
        format::plural(told.lessons, "lesson", "lessons"),
        format::plural(told.events, "event of the ledger", "events of the ledger"),
        format::plural(told.members, "membership", "memberships"),
        format::plural(
            told.agent_keys,
            "agent's key in force",
            "agents' keys in force"
        ),
    )
}
