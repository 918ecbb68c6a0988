//! Page frames and the states between: loading, empty, failed.

use crate::dom;
use leptos::prelude::*;
use lesson_types::{ApiError, ErrorCode, ON_SERVER};

/// A page: its title in the window and as its heading, and what can be done at its head.
#[component]
pub fn Page(
    /// The heading.
    #[prop(into)]
    title: String,
    /// A sentence below it.
    #[prop(optional, into)]
    intro: Signal<String>,
    /// Beside the heading.
    #[prop(optional, into)]
    actions: ViewFn,
    #[prop(optional)] children: Option<Children>,
) -> impl IntoView {
    dom::set_title(&title);
    view! {
        <div class="page-head">
            <div>
                <h1>{title}</h1>
                <Show when=move || !intro.read().is_empty()><p class="intro">{intro}</p></Show>
            </div>
            <div class="actions">{actions.run()}</div>
        </div>
        {children.map(|children| children())}
    }
}

/// A word about something, in its colour.
#[component]
pub fn Chip(
    /// `good`, `bad`, `warn`, `info`, `accent` or nothing.
    #[prop(default = "")]
    tone: &'static str,
    #[prop(into)] label: String,
) -> impl IntoView {
    let class = if tone.is_empty() {
        "chip".to_owned()
    } else {
        format!("chip chip-{tone}")
    };
    view! { <span class=class>{label}</span> }
}

/// Something is on its way.
#[component]
pub fn Loading(#[prop(into, default = "Loading…".to_owned())] label: String) -> impl IntoView {
    view! {
        <div class="loading" role="status">
            <span class="spinner" aria-hidden="true"></span>
            {label}
        </div>
    }
}

/// There is nothing yet, and what to do about it.
#[component]
pub fn Empty(
    #[prop(into)] title: String,
    #[prop(into)] text: String,
    #[prop(optional)] children: Option<Children>,
) -> impl IntoView {
    view! {
        <div class="empty" data-testid="empty">
            <h2>{title}</h2>
            <p>{text}</p>
            {children.map(|children| view! { <div class="actions">{children()}</div> })}
        </div>
    }
}

/// Shows an error: what went wrong and what to do.
#[component]
pub fn ErrorNote(error: ApiError) -> impl IntoView {
    if error.field.as_deref() == Some(ON_SERVER) {
        return view! { <OnServerNote text=error.message/> }.into_any();
    }
    let heading = match error.code {
        ErrorCode::NotFound => "Not found",
        ErrorCode::MethodNotAllowed => "Not taken in this way",
        ErrorCode::InvalidRequest => "This can't be taken as it is",
        ErrorCode::Conflict => "This contradicts what is stored",
        ErrorCode::Ambiguous => "More than one lesson fits",
        ErrorCode::TooLarge => "Too large",
        ErrorCode::Unavailable => "It could not be done now",
        _ => "This did not work",
    };
    let field = error
        .field
        .map(|field| view! { <p class="muted">"Field: "<code>{field}</code></p> });
    let candidates = (!error.candidates.is_empty()).then(|| {
        let list = error
            .candidates
            .iter()
            .map(|slug| view! { <li><code>{slug.clone()}</code></li> })
            .collect_view();
        view! { <ul>{list}</ul> }
    });
    view! {
        <div class="note note-bad" role="alert" data-testid="error">
            <strong>{heading}</strong>
            <p>{error.message}</p>
            {field}
            {candidates}
        </div>
    }
    .into_any()
}

/// Why a place has nothing to show while one works on the server: no fault, and nothing to try again.
#[component]
pub fn OnServerNote(
    /// The engine's words, without a full stop.
    text: String,
) -> impl IntoView {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    let text: String = first.chain(letters).collect();
    view! {
        <div class="note" data-testid="on-server-note">
            <p>{text}"."</p>
            <a href="/settings#sync">"Sync settings"</a>
        </div>
    }
}
