//! A button that puts a text into the clipboard.

use super::use_toasts;
use crate::api::Asking;
use crate::dom;
use leptos::prelude::*;

/// Copies `text`, and says so; the text has to be on the page too, for browsers that refuse.
#[component]
pub fn CopyButton(
    #[prop(into)] text: Signal<String>,
    label: &'static str,
    /// Message once the text is copied.
    done: &'static str,
    #[prop(optional)] primary: bool,
    testid: &'static str,
) -> impl IntoView {
    let toasts = use_toasts();
    let asking = Asking::default();
    let copy = move |_| {
        let text = text.get_untracked();
        asking.settle(async move { dom::copy(&text).await }, move |copied| {
            if copied {
                toasts.good(done);
            } else {
                toasts
                    .bad("The browser did not allow copying. Select the text and copy it by hand.");
            }
        });
    };
    view! { <button type="button" class=if primary { "primary" } else { "" } on:click=copy data-testid=testid>{label}</button> }
}
