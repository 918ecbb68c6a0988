//! The search of a list whose address holds what is looked for.

use leptos::prelude::*;
use leptos_use_fn_debounce_throttle::use_debounce_fn;
use lesson_types::limits;

/// A pause in typing after which the list is searched, in milliseconds.
const PAUSE: f64 = 250.0;

/// The field, with its label for those who can't see it.
#[component]
pub fn SearchBox(
    /// Names the field in the page.
    id: &'static str,
    label: &'static str,
    placeholder: &'static str,
    /// The words in force.
    #[prop(into)]
    words: Signal<String>,
    /// Puts others in force.
    #[prop(into)]
    apply: Callback<String>,
) -> impl IntoView {
    // As one types; the address follows a pause.
    let typed = RwSignal::new(words.get_untracked());
    let search_soon = use_debounce_fn(
        move || apply.run(typed.get_untracked().trim().to_owned()),
        PAUSE,
    );
    // Going back, or clearing the filters; a blank at the end of what is typed stays.
    Effect::new(move |_| {
        let named = words.get();
        if typed.with_untracked(|typed| typed.trim() != named) {
            typed.set(named);
        }
    });
    view! {
        <div class="lesson-search">
            <label for=id class="sr-only">{label}</label>
            <input id=id type="search" placeholder=placeholder autocomplete="off" maxlength=limits::WORD.to_string()
                prop:value=typed data-testid=id
                on:input:target=move |event| {
                    typed.set(event.target().value());
                    search_soon();
                }/>
        </div>
    }
}
