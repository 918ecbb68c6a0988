//! Tasks that no lesson fitted: where a lesson is worth writing.

use crate::components::{Column, DataTable, When};
use crate::features::figures::rate_of;
use crate::features::trend::{ended, runs, share};
use crate::format;
use crate::markdown::visible;
use leptos::prelude::*;
use lesson_types::UncoveredTask;

/// The tasks, those with most runs first.
#[component]
pub fn UncoveredTable(tasks: Signal<Vec<UncoveredTask>>, total: Signal<u32>) -> impl IntoView {
    let columns = vec![
        Column::new("Task", |row: &UncoveredTask| {
            let href = format!("/runs?run={}", format::encode(&row.last_run));
            view! { <a href=href dir="auto" title="The latest run of it">{visible(&row.query)}</a> }
                .into_any()
        })
        .wide(),
        Column::new("Domain", |row: &UncoveredTask| match row.domain.as_str() {
            "" => view! { <span class="muted">"general"</span> }.into_any(),
            domain => visible(domain).into_any(),
        }),
        Column::new("Runs", |row: &UncoveredTask| {
            format::count(runs(row.ends)).into_any()
        })
        .num()
        .by(|row: &UncoveredTask| Some(runs(row.ends))),
        Column::new("Success", |row: &UncoveredTask| {
            rate_of(row.ends.successes, ended(row.ends)).into_any()
        })
        .num()
        .by(success),
        Column::new("Best match", |row: &UncoveredTask| {
            format::percent_or_dash(row.best).into_any()
        })
        .num()
        .by(|row: &UncoveredTask| row.best),
        Column::new("Last run", |row: &UncoveredTask| {
            let at = row.last_at.clone();
            view! { <When at=at/> }.into_any()
        })
        .num()
        .by(|row: &UncoveredTask| Some(row.last_at.clone())),
    ];
    let more = move || {
        let shown = tasks.read().len() as u32;
        (total.get() > shown).then(|| {
            view! { <p class="quiet">{format!("The first {} of {}.", format::count(shown), format::plural(total.get(), "task", "tasks"))}</p> }
        })
    };
    view! {
        <p class="chart-note by-note">"No lesson of medium relevance or better fit these tasks. A lesson for a frequent one is worth the most: "<a href="/lessons/new">"write it"</a>"."</p>
        <DataTable caption="Tasks that no lesson fits" columns rows=tasks address="sort" none="Every task in this range had a lesson that fits." testid="uncovered"/>
        {more}
    }
}

fn success(row: &UncoveredTask) -> Option<f64> {
    share(row.ends.successes, ended(row.ends))
}
