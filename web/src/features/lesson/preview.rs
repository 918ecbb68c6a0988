//! The text of a form as it will be shown.

use super::form::{FormText, LessonFields};
use crate::components::Prose;
use crate::markdown::visible;
use leptos::prelude::*;
use leptos_use_fn_debounce_throttle::use_debounce_fn;

/// A pause in typing after which the preview is made anew, in milliseconds.
const PAUSE: f64 = 150.0;

/// The preview. It is made anew after a pause in typing, so that a long text does not slow the keys.
#[component]
pub fn Preview(fields: LessonFields) -> impl IntoView {
    let open = RwSignal::new(true);
    let shown = RwSignal::new(fields.text_untracked());
    let show_soon = use_debounce_fn(move || shown.set(fields.text_untracked()), PAUSE);
    Effect::new(move |before: Option<()>| {
        fields.text();
        if before.is_some() {
            show_soon();
        }
    });
    let parts = move || {
        let FormText {
            title,
            description,
            context,
            recommendation,
            ..
        } = shown.get();
        let part = |heading: Option<&'static str>, text: String| {
            (!text.trim().is_empty()).then(|| {
                view! { {heading.map(|heading| view! { <h3 class="preview-heading">{heading}</h3> })} <Prose text/> }.into_any()
            })
        };
        let title = if title.trim().is_empty() {
            "Untitled".to_owned()
        } else {
            visible(&title)
        };
        view! {
            <p class="preview-title" dir="auto">{title}</p>
            {part(None, description)}
            {part(Some("When it applies"), context)}
            {part(Some("What to do"), recommendation)}
        }
    };
    view! {
        <section class="preview" aria-label="Preview" data-testid="preview">
            <div class="card-head">
                <h2>"Preview"</h2>
                <button type="button" class="plain" aria-expanded=move || open.get().to_string() on:click=move |_| open.update(|open| *open = !*open)>
                    {move || if open.get() { "Hide" } else { "Show" }}
                </button>
            </div>
            <Show when=move || open.get()><div class="preview-text" tabindex="0" role="group" aria-label="Text as it will be shown">{parts}</div></Show>
        </section>
    }
}
