//! Writing a lesson.

use crate::client::Client;
use crate::format;
use crate::pages::lesson::{LessonFields, LessonForm};
use crate::ui::{ErrorNote, Page, TextField, use_toasts};
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::components::A;
use leptos_router::hooks::use_navigate;
use lesson_api::{ApiError, LessonView, limits};

/// A form for a new lesson.
#[component]
pub fn NewLessonPage() -> impl IntoView {
    let client = Client::get_from_context();
    let toasts = use_toasts();
    let navigate = StoredValue::new_local(use_navigate());
    let fields = LessonFields::empty();
    let slug = RwSignal::new(String::new());
    let error = RwSignal::new(None::<ApiError>);
    let busy = RwSignal::new(false);
    let save = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        if busy.get_untracked() {
            return;
        }
        busy.set(true);
        error.set(None);
        let lesson = fields.new_lesson(&slug.get_untracked());
        spawn_local(async move {
            let answer = client.post_json::<LessonView>("/v1/lessons", &lesson).await;
            busy.try_set(false);
            match answer {
                Ok(lesson) => {
                    toasts.good(format!("“{}” was added", lesson.title));
                    let address = format!("/lessons/{}", format::encode(&lesson.slug));
                    navigate.try_with_value(|navigate| {
                        navigate(&address, leptos_router::NavigateOptions::default())
                    });
                }
                Err(failed) => {
                    error.try_set(Some(failed));
                }
            }
        });
    };
    view! {
        <Page title="New lesson" intro="What was learned, when it applies and what to do. Only the title is required.">
            <form class="card form" on:submit=save data-testid="new-lesson-form">
                <LessonForm fields/>
                <TextField id="new-slug" label="Reference name" value=slug max=limits::SLUG placeholder="made from the title"
                    hint="Small letters, digits and hyphens. “strategy-”, “warning-” or “evolved-” at its start says what form the lesson takes."/>
                {move || error.get().map(|error| view! { <ErrorNote error/> })}
                <div class="actions">
                    <button type="submit" class="primary" disabled=busy data-testid="save-lesson">{move || if busy.get() { "Saving…" } else { "Add lesson" }}</button>
                    <A href="/" attr:class="button">"Cancel"</A>
                </div>
            </form>
        </Page>
    }
}
