//! Connecting a server: who one is, then into which space.

use super::draft::{CARD, Draft, SECRET};
use super::large::{LARGE, LargeStep};
use super::local::local_stack;
use super::space::SpaceStep;
use crate::api::{Asking, Client, act_apart, use_fetch, use_get};
use crate::components::{ErrorNote, TextField, submit_by_key, use_toasts};
use crate::features::settings::storage::ask_to_keep;
use crate::sync::Syncing;
use crate::{dom, format};
use leptos::prelude::*;
use lesson_types::{ApiError, Connected, Hold, LessonPage, limits};

/// The first field.
const URL: &str = "sync-url";
/// The id of the place for errors that are not about one field.
const ERROR: &str = "sync-error";

/// The input at which an error of this field stands.
fn input(field: &str) -> Option<&'static str> {
    match field {
        "url" => Some(URL),
        "key" => Some("sync-key"),
        "email" => Some("sync-email"),
        "password" => Some("sync-password"),
        "invite" => Some("sync-invite"),
        "space" => Some("sync-space"),
        "create" => Some("sync-create"),
        _ => None,
    }
}

/// An account of syncing, and the form once it is asked for.
#[component]
pub fn Connect(draft: Draft) -> impl IntoView {
    let open = draft.open;
    let start = move |_| {
        open.set(true);
        dom::focus(URL);
    };
    view! {
        <p>"Everything works without syncing, online and offline; it stays off until you connect a server."</p>
        <p>"When you do, the lessons of this browser and all that happens with them go to the Supabase project that you name, and nowhere else; your other browsers and the people of the same space get them from there."</p>
        <Show when=move || open.get() fallback=move || view! {
            <div class="actions"><button type="button" on:click=start data-testid="sync-open">"Connect a server"</button></div>
        }>
            <ConnectForm draft/>
        </Show>
    }
}

#[component]
fn ConnectForm(draft: Draft) -> impl IntoView {
    let client = Client::get_from_context();
    let syncing = Syncing::get_from_context();
    let toasts = use_toasts();
    let Asking { busy, error, .. } = draft.asking;
    let stack = use_fetch(String::new, || async { Ok(local_stack().await) });
    Effect::new(move |_| {
        if let Some(stack) = stack.value().flatten() {
            draft.fill(draft.url, stack.url);
            draft.fill(draft.key, stack.key);
            draft.fill(draft.email, stack.email);
        }
    });
    Effect::new(move |_| {
        let Some(field) = error.with(|error| error.as_ref().map(|error| error.field.clone()))
        else {
            return;
        };
        let input = field.as_deref().and_then(input);
        if matches!(
            field.as_deref(),
            Some("url" | "key" | "email" | "password" | "invite")
        ) {
            draft.begin_anew();
        }
        dom::focus(input.unwrap_or(ERROR));
    });
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let request = draft.request();
        let hold = request.hold;
        draft.asking.run(
            async move {
                let answer: Connected = client.post_json("/v1/sync/connect", &request).await?;
                if answer.connected {
                    syncing.renew().await;
                }
                Ok::<_, ApiError>(answer)
            },
            move |answer| {
                if answer.connected {
                    draft.password.try_set(String::new());
                    toasts.good(match hold {
                        Some(Hold::Server) => "Connected. You work on the server",
                        _ => "Connected. Syncing started",
                    });
                    // Changes that are not sent yet are here only. A browser that does not agree says so on this page.
                    act_apart(ask_to_keep(), drop);
                    dom::focus(CARD);
                } else if draft.open.try_get_untracked() != Some(true) {
                    // It was cancelled, or the page left.
                } else if let Some(large) = answer.large {
                    draft.ask_where(answer.spaces, large);
                    dom::focus(LARGE);
                } else {
                    draft.offer(answer.spaces);
                    dom::focus("sync-space");
                }
            },
        );
    };
    let choosing = Memo::new(move |_| draft.spaces.read().is_some());
    let general = move || {
        error
            .get()
            .filter(|error| error.field.as_deref().and_then(input).is_none())
    };
    view! {
        <form class="form" on:submit=submit on:keydown=submit_by_key data-testid="sync-form">
            <Show when=move || choosing.get() fallback=move || view! { <PersonStep draft/> }>
                {move || match draft.large.get() {
                    Some(large) => view! { <LargeStep draft large/> }.into_any(),
                    None => view! { <SpaceStep draft/> }.into_any(),
                }}
            </Show>
            <Warning copies=Signal::derive(move || draft.large.read().is_none() || draft.hold.get() == Hold::Copy)/>
            <div id=ERROR tabindex="-1">{move || general().map(|error| view! { <ErrorNote error/> })}</div>
            <div class="actions">
                <button type="submit" class="primary" disabled=busy data-testid="sync-submit">
                    {move || match (busy.get(), choosing.get()) {
                        (true, true) => "Connecting…",
                        (true, false) => "Signing in…",
                        (false, true) => "Connect",
                        (false, false) => "Sign in",
                    }}
                </button>
                <Show when=move || choosing.get() fallback=move || view! {
                    <button type="button" on:click=move |_| draft.clear() data-testid="sync-cancel">"Cancel"</button>
                }>
                    <button type="button" on:click=move |_| { draft.begin_anew(); dom::focus(URL); } data-testid="sync-back">"Back"</button>
                </Show>
            </div>
        </form>
    }
}

/// The fields for the server, and for the person who signs in there.
#[component]
fn PersonStep(draft: Draft) -> impl IntoView {
    view! {
        <div class="columns-2">
            <TextField id=URL label="Project URL" value=draft.url kind="url" max=2_000 required=true autocomplete="url"
                placeholder="https://abc.supabase.co" error=draft.error_at("url")/>
            <TextField id="sync-key" label="Publishable key" value=draft.key max=SECRET required=true
                hint="Project settings, API keys: the publishable (anon) key, never the secret one." error=draft.error_at("key")/>
            <TextField id="sync-email" label="E-mail" value=draft.email kind="email" max=limits::ID required=true autocomplete="username"
                error=draft.error_at("email")/>
            <TextField id="sync-password" label="Password" value=draft.password kind="password" max=SECRET required=true
                autocomplete="current-password" hint="Used to sign in; it is not stored." error=draft.error_at("password")/>
            <TextField id="sync-invite" label="Invitation code, if you have one" value=draft.invite max=SECRET placeholder="lli_…"
                hint="An owner of the space gave it to you; it brings you into the space." error=draft.error_at("invite")/>
        </div>
    }
}

/// The effect of connecting on the lessons that are here.
#[component]
fn Warning(
    /// True if the lessons of the space come here.
    #[prop(into)]
    copies: Signal<bool>,
) -> impl IntoView {
    let in_use = use_get::<LessonPage>(|| "/v1/lessons?limit=1".to_owned());
    let archived = use_get::<LessonPage>(|| "/v1/lessons?limit=1&archived=true".to_owned());
    let total = |query: crate::api::Query<LessonPage>| {
        query
            .data
            .with(|page| page.as_ref()?.as_ref().ok().map(|page| page.total))
    };
    let words = move || {
        let archived = total(archived)?;
        let all = total(in_use)?.saturating_add(archived);
        Some(if all == 0 {
            let come = if copies.get() {
                " The lessons of the space come here."
            } else {
                ""
            };
            format!("This browser has no lessons yet.{come}")
        } else {
            let lessons = format::plural(all, "lesson", "lessons");
            let of_them = if archived == 0 {
                String::new()
            } else {
                format!(" ({} archived)", format::count(archived))
            };
            let verb = if all == 1 { "is" } else { "are" };
            let come = if copies.get() {
                ", and the lessons of the space come here"
            } else {
                ""
            };
            format!(
                "The {lessons} in this browser{of_them} {verb} added to the space when you connect{come}. Everyone in the space sees them."
            )
        })
    };
    view! { <div class="note note-warn" data-testid="sync-warning"><p>{move || words().unwrap_or_else(|| "The lessons in this browser are added to the space when you connect.".to_owned())}</p></div> }
}
