//! The filters in force, a pill each: a press takes it off.

use leptos::prelude::*;

/// The pills; each is the filter's name, as its address has it, and the filter in words.
#[component]
pub fn Pills(
    #[prop(into)] pills: Signal<Vec<(&'static str, String)>>,
    /// Takes the filter of this name off.
    off: Callback<&'static str>,
) -> impl IntoView {
    let drawn = move |(name, label): (&'static str, String)| {
        view! {
            <button type="button" class="filter-chip on" aria-label=format!("{label} ✕ take this filter off") data-testid=format!("chip-{name}")
                on:click=move |_| off.run(name)>
                {label.clone()}<span aria-hidden="true">"✕"</span>
            </button>
        }
    };
    move || pills.get().into_iter().map(drawn).collect_view()
}
