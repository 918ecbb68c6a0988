//! What is read from the engine: a skeleton until it is there, the content, or why there is none.

use super::notice::ErrorNote;
use crate::api::Client;
use leptos::prelude::*;
use lesson_types::ApiError;

/// Lines in the place of what is on its way.
#[component]
pub fn Skeleton(
    /// How many lines.
    #[prop(default = 4)]
    lines: usize,
) -> impl IntoView {
    view! {
        <div class="skeleton" role="status" data-testid="skeleton">
            {(0..lines).map(|_| view! { <span></span> }).collect_view()}
            <div class="sr-only">"Loading…"</div>
        </div>
    }
}

/// Shows the answer of a resource; what is shown stays until a newer answer that differs is there.
#[component]
pub fn Loaded<T, F, V>(
    of: LocalResource<Result<T, ApiError>>,
    /// Lines of the skeleton.
    #[prop(default = 4)]
    lines: usize,
    /// Draws the answer.
    children: F,
) -> impl IntoView
where
    T: Clone + PartialEq + Send + Sync + 'static,
    F: Fn(T) -> V + Send + Sync + 'static,
    V: IntoView + 'static,
{
    let client = Client::get_from_context();
    let answer = Memo::new(move |_| of.get());
    move || {
        match answer.get() {
        None => view! { <Skeleton lines/> }.into_any(),
        Some(Ok(value)) => children(value).into_any(),
        Some(Err(error)) => view! {
            <ErrorNote error/>
            <div class="actions"><button type="button" data-testid="ask-again" on:click=move |_| client.ask_again()>"Try again"</button></div>
        }
        .into_any(),
    }
    }
}
