//! The overview of a space that is worked on on the server: the numbers that the server counts, and the latest runs.

use super::activity::Activity;
use crate::api::{Client, use_query};
use crate::components::{Loaded, OnServerNote};
use crate::features::figures::{Figure, Figures};
use crate::features::issues::LoopIssues;
use crate::format;
use crate::more::{More, more};
use leptos::prelude::*;
use lesson_types::Stats;

/// The part of the page that is known without all lessons.
#[component]
pub fn OnServer() -> impl IntoView {
    let client = Client::get_from_context();
    let stats = use_query(move || client.get::<Stats>("/v1/stats"));
    view! {
        <LoopIssues/>
        <Loaded of=stats let:stats>
            {move || view! { <Figures figures=figures(&stats.get())/> }}
        </Loaded>
        <OnServerNote text="you work on this space on the server: what lessons do over time and what needs attention are reckoned from all runs, in a browser that keeps a copy".to_owned()/>
        {more(More::Week)}
        <Activity/>
    }
}

fn figures(stats: &Stats) -> Vec<Figure> {
    let count = |label, n: u32| Figure {
        label,
        value: format::count(n),
        change: None,
    };
    vec![
        count("Lessons", stats.lessons),
        count("Unreviewed", stats.unreviewed),
        count("Proven", stats.proven),
        count("Rated", stats.lessons_rated),
    ]
}
