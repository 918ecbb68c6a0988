//! Views of what is read from the engine: a skeleton until it is there, the content, or why there is none.

use super::notice::ErrorNote;
use crate::api::{Client, Query};
use leptos::prelude::*;
use lesson_types::ON_SERVER;

/// Lines in the place of what is on its way.
#[component]
pub fn Skeleton(
    /// Number of lines.
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

/// Shows what a query answers. The content is made once and given the answer as a memo, so that a newer answer changes
/// what differs and leaves focus, sorting and open tabs alone.
#[component]
pub fn Loaded<T, F, V>(
    of: Query<T>,
    /// Lines of the skeleton.
    #[prop(default = 4)]
    lines: usize,
    /// Draws the answer.
    children: F,
) -> impl IntoView
where
    T: Clone + PartialEq + Send + Sync + 'static,
    F: Fn(Memo<T>) -> V + Send + Sync + 'static,
    V: IntoView + 'static,
{
    let client = Client::get_from_context();
    let kept = of.kept();
    let here = Memo::new(move |_| kept.read().is_some());
    let failed = Memo::new(move |_| of.error());
    let shown = move || {
        here.track();
        kept.get_untracked().map(|first| {
            children(Memo::new(move |_| {
                kept.get().unwrap_or_else(|| first.clone())
            }))
        })
    };
    view! {
        {move || failed.get().map(|error| {
            let again = error.field.as_deref() != Some(ON_SERVER);
            view! {
                <ErrorNote error/>
                {again.then(|| view! { <div class="actions"><button type="button" data-testid="ask-again" on:click=move |_| client.ask_again()>"Try again"</button></div> })}
            }
        })}
        {move || (!here.get() && failed.read().is_none()).then(|| view! { <Skeleton lines/> })}
        {shown}
    }
}
