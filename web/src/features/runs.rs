//! Runs: the decisions that lessons were recommended for, newest first, and one of them in full.
//!
//! A run's id may hold anything, so it stands in the query of the address: a slash or a dot in a path means something
//! else to those who serve the page.

mod export;
mod feed;
mod filter;
mod filters;
mod give;
mod list;
mod one;
mod sorting;
mod table;
mod words;

use crate::dom;
use crate::parameters::use_parameters;
use filter::chosen;
use leptos::prelude::*;
use list::RunList;
use one::OneRun;
pub use words::{address, address_of_group, address_of_lesson, situation};

/// The list, or the run that the address names.
#[component]
pub fn RunsPage() -> impl IntoView {
    let query = use_parameters();
    let run = Memo::new(move |_| chosen(&query.read()));
    // Both have the same path, so the app does not notice the move.
    Effect::new(move |before: Option<Option<String>>| {
        let now = run.get();
        if before.is_some_and(|before| before != now) {
            dom::focus("main");
            window().scroll_to_with_x_and_y(0.0, 0.0);
        }
        now
    });
    move || match run.get() {
        Some(id) => view! { <OneRun id/> }.into_any(),
        None => view! { <RunList query/> }.into_any(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn an_address_holds_any_id() {
        assert_eq!(address("d-1"), "/runs?run=d-1");
        assert_eq!(
            address("key/run.1 50%2F"),
            "/runs?run=key%2Frun.1%2050%252F"
        );
        assert_eq!(address_of_lesson("a-b"), "/runs?lesson=a-b");
    }

    #[test]
    fn a_situation_is_its_question_or_what_else_is_known() {
        let word = |word: &str| Some(word.to_owned());
        let (none, perps, rust) = (None, word("perps"), ["rust".to_owned()]);
        assert_eq!(
            situation(Some("Which?"), [&perps, &none, &none], &rust),
            "Which?"
        );
        assert_eq!(
            situation(Some(" "), [&perps, &none, &none], &rust),
            "perps, rust"
        );
        assert_eq!(
            situation(None, [&none, &none, &none], &[]),
            "A task without words"
        );
    }
}
