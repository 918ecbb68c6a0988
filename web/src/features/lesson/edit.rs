//! Editing a lesson. The form keeps what was typed when the store changes under it.

use super::form::{LessonFields, LessonForm};
use crate::api::{Client, json};
use crate::components::{ErrorNote, Prose, use_toasts};
use crate::format;
use crate::markdown::visible;
use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use leptos::task::spawn_local;
use lesson_types::{ApiError, ErrorCode, LessonView, Method};

/// A pause in typing after which the preview is made anew, in milliseconds.
const PAUSE: u32 = 150;

/// A form with the lesson's text.
#[component]
pub fn EditForm(lesson: LessonView, editing: RwSignal<Option<LessonView>>) -> impl IntoView {
    let client = Client::get_from_context();
    let toasts = use_toasts();
    let fields = LessonFields::of(&lesson);
    let from = StoredValue::new(lesson);
    let base_rev = RwSignal::new(from.with_value(|lesson| lesson.rev));
    let error = RwSignal::new(None::<ApiError>);
    let busy = RwSignal::new(false);
    let path = from.with_value(|lesson| format!("/v1/lessons/{}", format::encode(&lesson.slug)));
    let path = StoredValue::new(path);
    let save = move || {
        let Some(patch) = from.with_value(|lesson| fields.patch(lesson, base_rev.get_untracked()))
        else {
            toasts.good("Nothing was changed");
            editing.set(None);
            return;
        };
        busy.set(true);
        error.set(None);
        spawn_local(async move {
            let answer = client
                .raw(Method::Patch, path.get_value(), json(&patch))
                .await;
            busy.try_set(false);
            match answer {
                Ok(_) => {
                    toasts.good("Saved. The text waits for review again");
                    editing.try_set(None);
                }
                Err(failed) => {
                    error.try_set(Some(failed));
                }
            }
        });
    };
    let overwrite = move |_| {
        busy.set(true);
        spawn_local(async move {
            match client.get::<LessonView>(path.get_value()).await {
                Ok(newest) => {
                    base_rev.set(newest.rev);
                    save();
                }
                Err(failed) => {
                    busy.try_set(false);
                    error.try_set(Some(failed));
                }
            }
        });
    };
    let conflict = move || {
        error.with(|error| {
            error
                .as_ref()
                .is_some_and(|error| error.code == ErrorCode::Conflict)
        })
    };
    view! {
        <form class="card form" data-testid="edit-form" on:submit=move |event| {
            event.prevent_default();
            if !busy.get_untracked() {
                save();
            }
        }>
            <LessonForm fields/>
            <Preview fields/>
            <p class="hint">"Saving resets the approval: it belongs to the text that was seen."</p>
            {move || error.get().map(|error| view! { <ErrorNote error/> })}
            <Show when=conflict>
                <div class="note note-warn" data-testid="edit-conflict">
                    <p>"The lesson was changed since this form was opened. Your text is still here."</p>
                    <div class="actions">
                        <button type="button" disabled=busy on:click=overwrite>"Save mine over it"</button>
                        <button type="button" on:click=move |_| editing.set(None)>"Drop mine and show the newest"</button>
                    </div>
                </div>
            </Show>
            <div class="actions">
                <button type="submit" class="primary" disabled=busy data-testid="save-edit">{move || if busy.get() { "Saving…" } else { "Save" }}</button>
                <button type="button" on:click=move |_| editing.set(None)>"Cancel"</button>
            </div>
        </form>
    }
}

/// The text as it will be shown. It is made anew after a pause in typing, so that a long text does not slow the keys.
#[component]
fn Preview(fields: LessonFields) -> impl IntoView {
    let open = RwSignal::new(true);
    let shown = RwSignal::new(fields.text_untracked());
    let pause = StoredValue::new_local(None::<Timeout>);
    Effect::new(move |before: Option<()>| {
        fields.track_text();
        if before.is_some() {
            let timer = Timeout::new(PAUSE, move || {
                shown.try_set(fields.text_untracked());
            });
            // The timer before it is dropped, which stops it.
            pause.set_value(Some(timer));
        }
    });
    let parts = move || {
        let [title, description, context, recommendation] = shown.get();
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
