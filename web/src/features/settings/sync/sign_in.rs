//! The same person again, after the session ended.

use super::draft::{CARD, SECRET};
use crate::api::{Asking, Client};
use crate::components::{ErrorNote, TextField, use_toasts};
use crate::dom;
use crate::sync::Syncing;
use leptos::prelude::*;
use lesson_types::{SignIn, SyncStatus};

/// The field.
const PASSWORD: &str = "sync-password";

/// Asks for the password.
#[component]
pub fn SignInForm() -> impl IntoView {
    let client = Client::get_from_context();
    let syncing = Syncing::get_from_context();
    let toasts = use_toasts();
    let password = RwSignal::new(String::new());
    let asking = Asking::default();
    Effect::new(move |_| {
        if asking.error.read().is_some() {
            dom::focus(PASSWORD);
        }
    });
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let request = SignIn {
            password: password.get_untracked(),
        };
        asking.run(
            client.post_json::<SyncStatus>("/v1/sync/sign-in", &request),
            move |status| {
                password.try_set(String::new());
                syncing.take(status);
                toasts.good("Signed in. Syncing continues");
                dom::focus(CARD);
            },
        );
    };
    let at_field = move |at: bool| {
        move || {
            asking
                .error
                .get()
                .filter(|error| (error.field.as_deref() == Some("password")) == at)
        }
    };
    let wrong = at_field(true);
    let general = at_field(false);
    view! {
        <form class="form" on:submit=submit data-testid="sync-sign-in">
            // For password managers, which keep a password by its name.
            <input type="text" class="hidden" autocomplete="username" aria-hidden="true" tabindex="-1" readonly
                prop:value=move || syncing.read(|status| status.email.clone())/>
            <TextField id=PASSWORD label="Password" value=password kind="password" max=SECRET required=true
                autocomplete="current-password" hint="Used to sign in; it is not stored."
                error=Signal::derive(move || wrong().map(|error| error.message))/>
            {move || general().map(|error| view! { <ErrorNote error/> })}
            <div class="actions">
                <button type="submit" class="primary" disabled=asking.busy data-testid="sync-sign-in-submit">
                    {move || if asking.busy.get() { "Signing in…" } else { "Sign in" }}
                </button>
            </div>
        </form>
    }
}
