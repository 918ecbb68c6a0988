//! Connecting a server: who one is, then into which space.

use super::CARD;
use super::local::local_stack;
use super::space::SpaceStep;
use crate::asking::Asking;
use crate::client::{Client, use_get};
use crate::pages::data::storage::ask_to_keep;
use crate::sync::Syncing;
use crate::ui::{ErrorNote, TextField, use_toasts};
use crate::view::view;
use crate::{dom, format};
use leptos::prelude::*;
use leptos::task::spawn_local;
use lesson_types::{ApiError, Connect as Request, Connected, LessonPage, SpaceChoice, limits};

/// The first field.
const URL: &str = "sync-url";
/// Characters in a key or a password.
pub const SECRET: usize = 4_096;
/// What is not about one field.
const ERROR: &str = "sync-error";

/// What has been typed so far, and the spaces to choose from once the server has told them.
#[derive(Clone, Copy)]
pub struct Draft {
    url: RwSignal<String>,
    key: RwSignal<String>,
    email: RwSignal<String>,
    /// Kept until a server is connected or the page is left.
    password: RwSignal<String>,
    /// The spaces of this person, once they are known.
    pub spaces: RwSignal<Option<Vec<SpaceChoice>>>,
    /// The id of the chosen one; empty for a new one.
    pub space: RwSignal<String>,
    /// The name of a new one.
    pub create: RwSignal<String>,
    /// The request, and what was wrong with it.
    pub asking: Asking,
}

impl Draft {
    fn new() -> Self {
        let field = || RwSignal::new(String::new());
        Self {
            url: field(),
            key: field(),
            email: field(),
            password: field(),
            spaces: RwSignal::new(None),
            space: field(),
            create: field(),
            asking: Asking::default(),
        }
    }

    fn request(self) -> Request {
        let typed = |field: RwSignal<String>| field.get_untracked().trim().to_owned();
        let chosen = self.spaces.with_untracked(Option::is_some);
        let space = format::filled(&self.space.get_untracked()).filter(|_| chosen);
        let create = (chosen && space.is_none()).then(|| typed(self.create));
        Request {
            url: typed(self.url),
            key: typed(self.key),
            email: typed(self.email),
            password: self.password.get_untracked(),
            space,
            create,
        }
    }

    /// What is wrong with a field of the request.
    pub fn error_at(self, field: &'static str) -> Signal<Option<String>> {
        let error = self.asking.error;
        Signal::derive(move || {
            let error = error.read();
            let error = error.as_ref()?;
            (error.field.as_deref() == Some(field)).then(|| error.message.clone())
        })
    }

    /// Takes the spaces and offers the only one, or a new one where there is none.
    fn offer(self, spaces: Vec<SpaceChoice>) {
        let first = spaces.first().map(|space| space.id.clone());
        self.space.try_set(first.unwrap_or_default());
        self.spaces.try_set(Some(spaces));
    }

    fn fill(self, field: RwSignal<String>, text: String) {
        if field.try_with_untracked(String::is_empty) == Some(true) {
            field.set(text);
        }
    }
}

/// The input at which an error of this field stands.
fn input(field: &str) -> Option<&'static str> {
    match field {
        "url" => Some(URL),
        "key" => Some("sync-key"),
        "email" => Some("sync-email"),
        "password" => Some("sync-password"),
        "space" => Some("sync-space"),
        "create" => Some("sync-create"),
        _ => None,
    }
}

/// What syncing is, and the form once it is asked for.
#[component]
pub fn Connect() -> impl IntoView {
    let open = RwSignal::new(false);
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
            <ConnectForm open/>
        </Show>
    }
}

#[component]
fn ConnectForm(open: RwSignal<bool>) -> impl IntoView {
    let client = Client::get_from_context();
    let syncing = Syncing::get_from_context();
    let toasts = use_toasts();
    let draft = Draft::new();
    let Asking { busy, error } = draft.asking;
    spawn_local(async move {
        if let Some(stack) = local_stack().await {
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
        if matches!(field.as_deref(), Some("url" | "key" | "email" | "password")) {
            draft.spaces.set(None);
        }
        dom::focus(input.unwrap_or(ERROR));
    });
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let request = draft.request();
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
                    toasts.good("Connected. Syncing begins");
                    // What is not sent yet is here only. A browser that does not agree says so on this page.
                    spawn_local(async move {
                        let _ = ask_to_keep().await;
                    });
                    dom::focus(CARD);
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
        <form class="form" on:submit=submit data-testid="sync-form">
            <Show when=move || choosing.get() fallback=move || view! { <PersonStep draft/> }>
                <SpaceStep draft/>
            </Show>
            <Warning/>
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
                    <button type="button" on:click=move |_| open.set(false) data-testid="sync-cancel">"Cancel"</button>
                }>
                    <button type="button" on:click=move |_| { draft.spaces.set(None); dom::focus(URL); } data-testid="sync-back">"Back"</button>
                </Show>
            </div>
        </form>
    }
}

/// Which server, and who signs in there.
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
                autocomplete="current-password" hint="It signs you in and is not kept." error=draft.error_at("password")/>
        </div>
    }
}

/// What connecting does to the lessons that are here.
#[component]
fn Warning() -> impl IntoView {
    let in_use = use_get::<LessonPage>(|| "/v1/lessons?limit=1".to_owned());
    let archived = use_get::<LessonPage>(|| "/v1/lessons?limit=1&archived=true".to_owned());
    let total = |query: crate::client::Query<LessonPage>| {
        query
            .data
            .with(|page| page.as_ref()?.as_ref().ok().map(|page| page.total))
    };
    let words = move || {
        let archived = total(archived)?;
        let all = total(in_use)?.saturating_add(archived);
        Some(if all == 0 {
            "This browser has no lessons yet. The lessons of the space come here.".to_owned()
        } else {
            let lessons = format::plural(all, "lesson", "lessons");
            let of_them = if archived == 0 {
                String::new()
            } else {
                format!(" ({} archived)", format::count(archived))
            };
            let verb = if all == 1 { "is" } else { "are" };
            format!(
                "The {lessons} in this browser{of_them} {verb} added to the space when you connect, and the lessons of the space come here. Everyone in the space sees them."
            )
        })
    };
    view! { <div class="note note-warn" data-testid="sync-warning"><p>{move || words().unwrap_or_else(|| "The lessons in this browser are added to the space when you connect.".to_owned())}</p></div> }
}
