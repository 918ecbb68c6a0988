//! A server is connected: how it goes, and what can be done.

use super::hold::HoldSwitch;
use super::sign_in::SignInForm;
use super::sign_out::SignOutButton;
use crate::api::{Asking, Client};
use crate::components::{ErrorNote, When};
use crate::sync::{LONG, Sign, SyncIcon, Syncing, tone};
use crate::{dom, format};
use leptos::prelude::*;
use leptos_use_interval_fn::use_interval_fn;
use lesson_types::{SyncPhase, SyncStatus};

/// Interval at which times are told anew, in milliseconds.
const TICK: u64 = 10_000;

/// Everything about the connection.
#[component]
pub fn Connected() -> impl IntoView {
    let client = Client::get_from_context();
    let syncing = Syncing::get_from_context();
    let now = Asking::default();
    let phase = Memo::new(move |_| syncing.read(|status| status.phase));
    let sign = Memo::new(move |_| syncing.read(Sign::of));
    let message = Memo::new(move |_| syncing.read(|status| status.message.clone()));
    let waiting = Memo::new(move |_| syncing.read(|status| (status.conflicts, status.set_aside)));
    let is_moving = move || matches!(phase.get(), SyncPhase::Pushing | SyncPhase::Pulling);
    let sync_now = move |_| {
        now.run(client.post_json("/v1/sync/now", &()), move |status| {
            syncing.take(status)
        });
    };
    view! {
        <div class="card-head">
            <h2 id="sync-title">"Sync"</h2>
            {move || sign.get().map(|sign| view! { <span class=tone(sign.mark)><SyncIcon mark=sign.mark/>{sign.text}</span> })}
        </div>
        {move || message.get().map(|message| view! { <div class=note(phase.get()) data-testid="sync-message"><p>{message}</p></div> })}
        <p data-testid="sync-words">{move || syncing.read(words)}</p>
        <Progress/>
        {move || decide(waiting.get())}
        <Facts/>
        <Show when=move || phase.get() == SyncPhase::SignedOut><SignInForm/></Show>
        {move || now.error.get().map(|error| view! { <ErrorNote error/> })}
        <div class="actions">
            <Show when=move || phase.get() != SyncPhase::SignedOut>
                <button type="button" class="primary" disabled=move || now.busy.get() || is_moving() on:click=sync_now data-testid="sync-now">"Sync now"</button>
            </Show>
            <SignOutButton/>
        </div>
        <HoldSwitch/>
    }
}

/// Where it stands; where a message says so already, only what follows from it.
fn words(status: &SyncStatus) -> String {
    let (said, follows) = match status.phase {
        SyncPhase::Off => ("", ""),
        SyncPhase::Idle if status.unsent > 0 => {
            let changes = format::plural(status.unsent, "change waits", "changes wait");
            return format!("{changes} to be sent.");
        }
        SyncPhase::Idle if status.on_server => ("", "What you do here is sent at once."),
        SyncPhase::Offline | SyncPhase::Trouble if status.on_server => (
            "The server can't be reached. Retrying automatically. ",
            "You work on the server, so there is little to show until then; what was not sent yet is kept here.",
        ),
        SyncPhase::Idle if status.synced_at.is_none() => ("", "The first sync is about to begin."),
        SyncPhase::Idle if status.conflicts > 0 || status.set_aside > 0 => {
            ("", "Everything else is in sync.")
        }
        SyncPhase::Idle => ("", "This browser and the server are in sync."),
        SyncPhase::Pushing => ("", "Changes are being sent. You can keep working."),
        SyncPhase::Pulling => ("", "Changes are coming in. You can keep working."),
        SyncPhase::Offline => (
            "The server can't be reached. Retrying automatically. ",
            "You can go on working.",
        ),
        SyncPhase::Trouble => (
            "The server returned an unexpected answer. Retrying automatically. ",
            "You can go on working.",
        ),
        SyncPhase::SignedOut => (
            "Please sign in again. ",
            "You can keep working; nothing is sent until you sign in.",
        ),
        SyncPhase::Blocked => (
            "Syncing has stopped. ",
            "You can keep working; your changes are kept in this browser until syncing resumes.",
        ),
    };
    let said = if status.message.is_some() { "" } else { said };
    format!("{said}{follows}")
}

fn note(phase: SyncPhase) -> &'static str {
    match phase {
        SyncPhase::Blocked => "note note-bad",
        SyncPhase::SignedOut | SyncPhase::Trouble => "note note-warn",
        _ => "note",
    }
}

#[component]
fn Progress() -> impl IntoView {
    let syncing = Syncing::get_from_context();
    let progress = Memo::new(move |_| syncing.read(|status| status.progress));
    let there = Memo::new(move |_| {
        progress
            .get()
            .is_some_and(|progress| progress.total >= LONG)
    });
    let part = move || progress.get().unwrap_or_default();
    view! {
        <Show when=move || there.get()>
            <div class="progress">
                <span>"Progress"</span>
                <progress aria-label="Progress of syncing" max=move || part().total.to_string() value=move || part().done.to_string()></progress>
                <span class="num">{move || format!("{} of {}", format::count(part().done), format::count(part().total))}</span>
            </div>
        </Show>
    }
}

/// Draws the edits and changes that wait for a person; nothing where there are none.
fn decide((conflicts, set_aside): (u32, u32)) -> Option<AnyView> {
    let parts: Vec<String> = [
        (conflicts, "conflicting edit", "conflicting edits"),
        (set_aside, "change was refused", "changes were refused"),
    ]
    .into_iter()
    .filter(|(n, ..)| *n > 0)
    .map(|(n, one, many)| format::plural(n, one, many))
    .collect();
    (!parts.is_empty()).then(|| {
        view! {
            <div class="note note-warn" data-testid="sync-set-aside">
                <p>{format!("{}.", parts.join(", "))}</p>
                <a href="/settings/conflicts" class="button">{if conflicts > 0 { "Look and decide" } else { "Look" }}</a>
            </div>
        }
        .into_any()
    })
}

#[component]
fn Facts() -> impl IntoView {
    let syncing = Syncing::get_from_context();
    let tick = RwSignal::new(());
    use_interval_fn(move || tick.set(()), TICK);
    let url = Memo::new(move |_| syncing.read(|status| status.url.clone()));
    let email = Memo::new(move |_| syncing.read(|status| status.email.clone()));
    let space = Memo::new(move |_| syncing.read(|status| status.space.clone()));
    let synced = Memo::new(move |_| syncing.read(|status| status.synced_at.clone()));
    let next = Memo::new(move |_| {
        syncing.read(|status| {
            let again = matches!(status.phase, SyncPhase::Offline | SyncPhase::Trouble);
            status.next_at.clone().filter(|_| again)
        })
    });
    let told = move |at: String, words: fn(f64) -> String| {
        tick.track();
        view! { <When at words/> }
    };
    let row =
        |name: &'static str, value: AnyView| view! { <div><dt>{name}</dt><dd>{value}</dd></div> };
    view! {
        <dl class="facts facts-wide">
            {row("Server", view! { <span title=move || url.get() data-testid="sync-server">{move || dom::host(&url.read())}</span> }.into_any())}
            {row("Space", view! { <span dir="auto" data-testid="sync-space-name">{space}</span> }.into_any())}
            {row("Signed in as", view! { <span dir="auto" data-testid="sync-person">{email}</span> }.into_any())}
            {row("Last synced", view! { <span data-testid="sync-when">{move || match synced.get() {
                Some(at) => told(at, format::ago).into_any(),
                None => "never yet".into_any(),
            }}</span> }.into_any())}
            {row("Not sent yet", view! { <span class="num" data-testid="sync-unsent">{move || format::plural(syncing.read(|status| status.unsent), "event", "events")}</span> }.into_any())}
            {move || next.get().map(|at| row("Next try", told(at, |seconds| format::until(-seconds)).into_any()))}
        </dl>
    }
}
