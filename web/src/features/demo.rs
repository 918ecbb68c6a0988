//! The demo: a space of its own with sample lessons and a simulated history.

use crate::api::Asking;
use crate::space::Space;
use leptos::prelude::*;

/// True if the demo can be opened from the current space.
pub fn offers_demo() -> bool {
    Space::current() == Space::Own && !Space::is_of_host()
}

/// Opens the demo; from within it, and where a program on this machine has the lessons, there is nothing to open.
#[component]
pub fn DemoButton(
    /// Set if this is the page's primary action.
    #[prop(optional)]
    primary: bool,
) -> impl IntoView {
    offers_demo().then(|| {
        view! {
            <button type="button" class:primary=primary on:click=|_| Space::Demo.open() data-testid="open-demo">"Load the demo"</button>
        }
    })
}

/// Says on every page that this is the demo, and leads out of it.
#[component]
pub fn DemoBanner() -> impl IntoView {
    let removing = Asking::default();
    let remove = move |_| removing.settle(Space::remove_demo(), drop);
    (Space::current() == Space::Demo).then(|| {
        view! {
            <div class="demo-banner" role="note" data-testid="demo-banner">
                <span><strong>"Demo"</strong>" · 90 simulated days. Nothing here is synced, and your own lessons are untouched."</span>
                <button type="button" on:click=|_| Space::Own.open() data-testid="leave-demo">"Go to my space"</button>
                <button type="button" disabled=removing.busy on:click=remove data-testid="remove-demo">"Remove the demo"</button>
            </div>
        }
    })
}
