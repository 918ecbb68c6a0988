//! A banner over a lesson whose text replaced an edit of one's own: who was faster, and the way to both texts.

use crate::api::use_get;
use crate::components::When;
use crate::features::editor::editor_of;
use crate::sync::Syncing;
use leptos::prelude::*;
use lesson_types::{LessonView, SetAsideList};

/// Nothing while no edit of this lesson waits for a decision.
#[component]
pub fn Overtaken(slug: String, lesson: Memo<Option<LessonView>>) -> impl IntoView {
    let syncing = Syncing::get_from_context();
    let some = Memo::new(move |_| syncing.read(|status| status.conflicts > 0));
    let slug = StoredValue::new(slug);
    view! {
        <Show when=move || some.get()><Banner slug=slug.get_value() lesson/></Show>
    }
}

#[component]
fn Banner(slug: String, lesson: Memo<Option<LessonView>>) -> impl IntoView {
    let list = use_get::<SetAsideList>(|| "/v1/sync/set-aside".to_owned());
    let slug = StoredValue::new(slug);
    let at = Memo::new(move |_| {
        list.data.with(|list| match list {
            Some(Ok(list)) => {
                let mut conflicts = list.conflicts.iter();
                let own = |slug: &String| conflicts.find(|one| one.slug == *slug);
                slug.with_value(own).map(|one| one.at.clone())
            }
            _ => None,
        })
    });
    let rev = Memo::new(move |_| lesson.with(|lesson| lesson.as_ref().map_or(0, |held| held.rev)));
    move || {
        at.get().map(|at| {
            let editor = editor_of(&slug.get_value(), rev.get());
            view! {
                <div class="note note-warn note-act" role="status" data-testid="overtaken">
                    <p>{move || match editor.get() {
                        Some(who) => format!("This is the text by {who}, who was faster. Your edit, made "),
                        None => "This text was faster. Your edit, made ".to_owned(),
                    }}<When at/>", is kept."</p>
                    <a href="/settings/conflicts" class="button">"Compare and decide"</a>
                </div>
            }
        })
    }
}
