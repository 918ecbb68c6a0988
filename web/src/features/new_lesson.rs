//! Writing a lesson.

use crate::api::{Asking, Client};
use crate::components::{ErrorNote, Page, TextField, use_toasts};
use crate::dom;
use crate::features::lesson::{DraftOf, Keeper, LessonFields, LessonForm, Preview, Similar};
use crate::format;
use leptos::prelude::*;
use leptos_router::hooks::use_navigate;
use lesson_types::{LessonView, limits};

/// A form for a new lesson, with what was typed into it before.
#[component]
pub fn NewLessonPage() -> impl IntoView {
    let client = Client::get_from_context();
    let toasts = use_toasts();
    let navigate = StoredValue::new_local(use_navigate());
    let fields = LessonFields::empty();
    let plain = StoredValue::new(fields.text_untracked());
    let kept = DraftOf::New.find();
    if let Some(draft) = &kept {
        fields.fill(draft.text.clone());
    }
    let keeper = Keeper::follow(DraftOf::New, None, fields, plain.get_value());
    let kept = RwSignal::new(kept.map(|draft| draft.at));
    let asking = Asking::default();
    let Asking { busy, error, .. } = asking;
    let submit = move || {
        let asked = client.post_json::<LessonView>("/v1/lessons", &fields.new_lesson());
        asking.run(asked, move |lesson| {
            // The page may have been left meanwhile.
            navigate.try_with_value(|navigate| {
                keeper.finish();
                toasts.good(format!("“{}” was added", lesson.title));
                let address = format!("/lessons/{}", format::encode(&lesson.slug));
                navigate(&address, leptos_router::NavigateOptions::default());
            });
        });
    };
    let start_over = move |_| {
        let text = fields.text_untracked();
        fields.fill(plain.get_value());
        kept.set(None);
        let back = move || fields.fill(text.clone());
        toasts.with_act("Your draft was dropped", "Bring it back", back);
        dom::focus("lesson-title");
    };
    view! {
        <Page title="New lesson" intro="What was learned, when it applies and what to do. Only the title is required.">
            <form class="lesson-edit" data-testid="new-lesson-form"
                on:submit=move |event| { event.prevent_default(); submit(); }
                on:keydown=move |event| if dom::is_submit(&event) { event.prevent_default(); submit(); }
            >
                {move || kept.get().map(|at| view! {
                    <div class="note draft-note" role="status" data-testid="draft-kept">
                        <span>{format!("Your draft, typed {}.", format::ago((js_sys::Date::now() - at) / 1_000.0))}</span>
                        <button type="button" class="plain" data-testid="drop-draft" on:click=start_over>"Start over"</button>
                    </div>
                })}
                <div class="edit-split">
                    <div class="form edit-fields">
                        <LessonForm fields/>
                        <TextField id="new-slug" label="Slug" value=fields.slug max=limits::SLUG placeholder="made from the title"
                            hint="Lowercase letters, digits and hyphens. The prefix “strategy-”, “warning-” or “evolved-” sets the kind of lesson."/>
                        <Similar fields own=None/>
                    </div>
                    <Preview fields/>
                </div>
                {move || error.get().map(|error| view! { <ErrorNote error/> })}
                <div class="form-foot">
                    <button type="submit" class="primary" disabled=busy data-testid="save-lesson">{move || if busy.get() { "Saving…" } else { "Add lesson" }}</button>
                    <a href="/lessons" class="button">"Cancel"</a>
                    <p class="hint">"What you type is kept in this browser until you add it."</p>
                </div>
            </form>
        </Page>
    }
}
