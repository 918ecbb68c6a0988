//! Editing a lesson. What is typed is kept as a draft; an edit that somebody else was faster than is put together with
//! theirs.

use super::back::offer_edit;
use super::draft::{DraftOf, Keeper};
use super::form::{LessonFields, LessonForm};
use super::preview::Preview;
use super::reconcile::Reconcile;
use super::similar::Similar;
use crate::api::{Asking, Client};
use crate::components::{ErrorNote, use_toasts};
use crate::dom;
use crate::format;
use leptos::prelude::*;
use lesson_types::{ApiError, ErrorCode, LessonView};

/// A form with the lesson's text, or with the draft that was kept of it.
#[component]
pub fn EditForm(lesson: LessonView, editing: RwSignal<Option<LessonView>>) -> impl IntoView {
    let client = Client::get_from_context();
    let toasts = use_toasts();
    let of = DraftOf::Edit(lesson.slug.clone());
    let kept = of.find();
    // A draft goes on from the text that it began with: what changed since comes up when it is saved.
    let from = kept
        .as_ref()
        .and_then(|draft| draft.base.clone())
        .unwrap_or_else(|| lesson.clone());
    let fields = LessonFields::of(&from);
    let plain = LessonFields::text_of(&from);
    if let Some(draft) = &kept {
        fields.fill(draft.text.clone());
    }
    let keeper = Keeper::follow(of.clone(), Some(from.clone()), fields, plain);
    let path = StoredValue::new(format!("/v1/lessons/{}", format::encode(&lesson.slug)));
    let from = RwSignal::new(from);
    let theirs = RwSignal::new(None::<LessonView>);
    let slug = Some(lesson.slug.clone());
    let newest = StoredValue::new(lesson);
    let asking = Asking::default();
    let Asking { busy, error, .. } = asking;
    let saved = move || async move {
        let patch = from.with_untracked(|from| fields.patch(from, from.rev));
        let Some(patch) = patch else {
            return Ok(None);
        };
        let sent = client.patch_json::<LessonView>(path.get_value(), &patch);
        let failed = match sent.await {
            Ok(saved) => return Ok(Some(saved)),
            Err(failed) => failed,
        };
        if failed.code != ErrorCode::Conflict {
            return Err(failed);
        }
        // Somebody was faster: their text, to be put together with this one.
        theirs.set(Some(client.get::<LessonView>(path.get_value()).await?));
        Ok::<_, ApiError>(None)
    };
    let done = move |stored: Option<LessonView>| {
        // The page was left meanwhile.
        if theirs.is_disposed() {
            return;
        }
        if theirs.with_untracked(Option::is_some) && stored.is_none() {
            dom::focus("reconcile");
            return;
        }
        keeper.finish();
        match stored {
            Some(saved) => offer_edit(client, toasts, from.get_untracked(), saved),
            None => toasts.good("Nothing was changed"),
        }
        editing.set(None);
    };
    let submit = move || {
        if theirs.with_untracked(Option::is_none) {
            asking.run(saved(), done);
        }
    };
    let cancel = move |_| {
        let draft = keeper.is_changed().then(|| of.find()).flatten();
        let text = fields.text_untracked();
        keeper.finish();
        editing.set(None);
        if let Some(draft) = draft {
            let of = of.clone();
            // The form's own values are gone by then.
            let edited = newest.get_value();
            let bring_back = move || {
                of.keep(&super::draft::Draft {
                    text: text.clone(),
                    ..draft.clone()
                });
                editing.try_set(Some(edited.clone()));
            };
            toasts.with_act("Your changes were discarded", "Bring them back", bring_back);
        }
    };
    let settled = Callback::new(move |newest: LessonView| {
        keeper.rebase(newest.clone());
        from.set(newest);
        theirs.set(None);
        asking.run(saved(), done);
    });
    let note = kept.map(|draft| {
        let at = format::ago((js_sys::Date::now() - draft.at) / 1_000.0);
        view! { <p class="note" role="status" data-testid="draft-kept">{format!("Your draft from {at}. It is kept in this browser until you save or discard it.")}</p> }
    });
    view! {
        <form class="lesson-edit" data-testid="edit-form"
            on:submit=move |event| { event.prevent_default(); submit(); }
            on:keydown=move |event| if dom::is_submit(&event) { event.prevent_default(); submit(); }
        >
            {note}
            {move || theirs.get().map(|theirs| view! { <Reconcile base=from.get_untracked() theirs fields busy settled/> })}
            <div class="edit-split">
                <div class="form edit-fields"><LessonForm fields/><Similar fields own=slug/></div>
                <Preview fields/>
            </div>
            {move || error.get().map(|error| view! { <ErrorNote error/> })}
            <div class="form-foot">
                <button type="submit" class="primary" disabled=move || busy.get() || theirs.read().is_some() data-testid="save-edit">{move || if busy.get() { "Saving…" } else { "Save" }}</button>
                <button type="button" data-testid="cancel-edit" on:click=cancel>"Cancel"</button>
                <p class="hint">"Saving another text resets the approval, which applies to the text that was reviewed; tags don't."</p>
            </div>
        </form>
    }
}
