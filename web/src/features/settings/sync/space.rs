//! Choosing a space, or naming a new one.

use super::draft::Draft;
use crate::components::TextField;
use leptos::prelude::*;

/// The spaces of the person who signed in, and a new one.
#[component]
pub fn SpaceStep(draft: Draft) -> impl IntoView {
    let spaces = draft.spaces.get_untracked().unwrap_or_default();
    let none = spaces.is_empty();
    let error = draft.error_at("space");
    let rows = spaces
        .into_iter()
        .map(|space| view! { <SpaceRadio draft id=space.id name=space.name/> })
        .collect_view();
    view! {
        <fieldset class="choice" id="sync-space" tabindex="-1" aria-describedby="sync-space-error">
            <legend>{if none { "You have no space yet. Name your first one." } else { "Which space?" }}</legend>
            <div class="spaces">
                {rows}
                {(!none).then(|| view! { <SpaceRadio draft id=String::new() name="A new space".to_owned()/> })}
            </div>
            <div id="sync-space-error">{move || error.get().map(|error| view! { <p class="field-error">{error}</p> })}</div>
        </fieldset>
        <Show when=move || draft.space.read().is_empty()>
            <TextField id="sync-create" label="Name of the new space" value=draft.create max=lesson_types::limits::ID required=true
                placeholder="Such as the name of your team" error=draft.error_at("create")/>
        </Show>
    }
}

#[component]
fn SpaceRadio(draft: Draft, id: String, name: String) -> impl IntoView {
    let own = StoredValue::new(id.clone());
    let testid = if id.is_empty() {
        "sync-space-new"
    } else {
        "sync-space-choice"
    };
    view! {
        <label class="radio">
            <input type="radio" name="sync-space" value=id data-testid=testid
                prop:checked=move || own.with_value(|own| *draft.space.read() == *own)
                on:change=move |_| draft.space.set(own.get_value())/>
            <span dir="auto">{name}</span>
        </label>
    }
}
