//! No such page.

use crate::components::{Empty, Page};
use leptos::prelude::*;

/// No such page, and where to go instead.
#[component]
pub fn NotFoundPage() -> impl IntoView {
    view! {
        <Page title="Page not found">
            <Empty title="There is nothing at this address" text="The link may be outdated or incomplete.">
                <a href="/lessons" class="button primary">"All lessons"</a>
                <a href="/playground" class="button">"Playground"</a>
            </Empty>
        </Page>
    }
}
