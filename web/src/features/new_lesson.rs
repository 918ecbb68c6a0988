//! Writing a lesson.

use crate::api::{Asking, Client};
use crate::components::{ErrorNote, Page, TextField, use_toasts};
use crate::features::lesson::{LessonFields, LessonForm};
use crate::format;
use leptos::prelude::*;
use leptos_router::hooks::use_navigate;
use lesson_types::{LessonView, limits};

/// A form for a new lesson.
#[component]
pub fn NewLessonPage() -> impl IntoView {
    let client = Client::get_from_context();
    let toasts = use_toasts();
    let navigate = StoredValue::new_local(use_navigate());
    let fields = LessonFields::empty();
    let slug = RwSignal::new(String::new());
    let asking = Asking::default();
    let save = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let lesson = fields.new_lesson(&slug.get_untracked());
        asking.run(
            async move { client.post_json::<LessonView>("/v1/lessons", &lesson).await },
            move |lesson| {
                toasts.good(format!("“{}” was added", lesson.title));
                let address = format!("/lessons/{}", format::encode(&lesson.slug));
                navigate.try_with_value(|navigate| {
                    navigate(&address, leptos_router::NavigateOptions::default())
                });
            },
        );
    };
    view! {
        <Page title="New lesson" intro="What was learned, when it applies and what to do. Only the title is required.">
            <form class="card form" on:submit=save data-testid="new-lesson-form">
                <LessonForm fields/>
                <TextField id="new-slug" label="Reference name" value=slug max=limits::SLUG placeholder="made from the title"
                    hint="Small letters, digits and hyphens. “strategy-”, “warning-” or “evolved-” at its start says what form the lesson takes."/>
                {move || asking.error.get().map(|error| view! { <ErrorNote error/> })}
                <div class="actions">
                    <button type="submit" class="primary" disabled=asking.busy data-testid="save-lesson">{move || if asking.busy.get() { "Saving…" } else { "Add lesson" }}</button>
                    <a href="/lessons" class="button">"Cancel"</a>
                </div>
            </form>
        </Page>
    }
}
