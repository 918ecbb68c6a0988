//! No such page.

use crate::ui::{Empty, Page};
use leptos::prelude::*;
use leptos_router::components::A;

/// No such page, and where to go instead.
#[component]
pub fn NotFoundPage() -> impl IntoView {
    view! {
        <Page title="Page not found">
            <Empty title="There is nothing at this address" text="The link may be old, or a letter may be missing.">
                <A href="/" attr:class="button primary">"All lessons"</A>
                <A href="/recommend" attr:class="button">"Recommend"</A>
            </Empty>
        </Page>
    }
}
