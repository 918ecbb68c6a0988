//! The first page: how agents do with their lessons, and what to look at.

use crate::components::Page;
use crate::features::none::NoneInUse;
use leptos::prelude::*;

/// The overview.
#[component]
pub fn OverviewPage() -> impl IntoView {
    view! { <Page title="Overview"><NoneInUse/></Page> }
}
