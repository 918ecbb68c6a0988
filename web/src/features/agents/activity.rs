//! The runs of each agent, and when they were.

use crate::api::{Client, use_query};
use crate::components::{Column, DataTable, Loaded, Segmented, Sorted, When};
use crate::day;
use crate::features::figures::success_of;
use crate::features::runs::address_of_group;
use crate::features::trend::runs;
use crate::format;
use crate::parameters::in_address;
use crate::sync::Syncing;
use crate::who;
use leptos::prelude::*;
use lesson_types::{InsightGroup, Insights};

/// An agent's runs, with its name as people read it.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    name: String,
    group: InsightGroup,
    runs: u32,
    /// The first day of the range.
    from: String,
}

/// A table of agents over a range of days.
#[component]
pub fn ActivityCard() -> impl IntoView {
    let client = Client::get_from_context();
    let me = Syncing::get_from_context().me();
    // Thirty days, unless the address says otherwise; 0 are all.
    let days = in_address(
        "range",
        |word| match word {
            "7" => 7_u32,
            "90" => 90,
            "all" => 0,
            _ => 30,
        },
        |days| match days {
            0 => "all".to_owned(),
            30 => String::new(),
            days => days.to_string(),
        },
    );
    let insights = use_query(move || {
        let query = match days.get() {
            0 => String::new(),
            days => format!("?days={days}"),
        };
        client.get::<Insights>(format!("/v1/insights{query}"))
    });
    view! {
        <section class="panel" aria-labelledby="activity-title" data-testid="agent-activity">
            <header>
                <h2 id="activity-title">"Activity"</h2>
                <span class="grow"></span>
                <Segmented label="Range" options=vec![(7, "7d"), (30, "30d"), (90, "90d"), (0, "All")] value=days testid="activity-range"/>
            </header>
            <Loaded of=insights let:insights>
                {move || {
                    let rows = rows(insights.get(), me.get().as_deref());
                    if rows.is_empty() {
                        view! { <p class="pad muted" data-testid="activity-none">"No agent had a run in this range. Set one up below, or start a run in the "<a href="/playground">"Playground"</a>"."</p> }.into_any()
                    } else {
                        view! { <DataTable caption="Agents and their runs" columns=columns() rows=Signal::stored(rows) sorted=Sorted { column: 1, down: true } address="sort" testid="agents"/> }.into_any()
                    }
                }}
            </Loaded>
        </section>
    }
}

fn rows(insights: Insights, me: Option<&str>) -> Vec<Row> {
    let from = day::first_of_last(insights.days);
    insights
        .by_agent
        .into_iter()
        .map(|group| Row {
            name: who::name(&group.name, me).unwrap_or_else(|| "not known".to_owned()),
            runs: runs(group.totals.shown).saturating_add(runs(group.totals.control)),
            from: from.clone(),
            group,
        })
        .collect()
}

/// Runs without a final outcome, control runs among them, as on the other pages.
fn pending(row: &Row) -> u32 {
    let totals = row.group.totals;
    totals.shown.pending.saturating_add(totals.control.pending)
}

fn columns() -> Vec<Column<Row>> {
    vec![
        Column::new("Agent", |row: &Row| {
            let silent = row.group.silent_days.map(|days| {
                let words = format!("no outcome for {}", format::plural(days, "day", "days"));
                view! { " "<span class="chip chip-warn">{words}</span> }
            });
            let href = address_of_group("by", &row.group.name, &row.from);
            view! { <a href=href dir="auto" title="Their runs">{row.name.clone()}</a>{silent} }
                .into_any()
        })
        .wide(),
        Column::new("Runs", |row: &Row| format::count(row.runs).into_any())
            .num()
            .by(|row: &Row| Some(row.runs)),
        Column::new("Success", |row: &Row| {
            success_of(row.group.success).into_any()
        })
        .num()
        .by(|row: &Row| row.group.success.map(|success| success.share)),
        Column::new("Pending", |row: &Row| {
            format::count(pending(row)).into_any()
        })
        .num()
        .by(|row: &Row| Some(pending(row))),
        Column::new("Control", |row: &Row| {
            format::count(runs(row.group.totals.control)).into_any()
        })
        .num()
        .by(|row: &Row| Some(runs(row.group.totals.control))),
        Column::new("Applied", |row: &Row| {
            format::count(row.group.totals.applied).into_any()
        })
        .num()
        .by(|row: &Row| Some(row.group.totals.applied)),
        Column::new("Last run", |row: &Row| {
            view! { <When at=row.group.last_at.clone()/> }.into_any()
        })
        .num()
        .by(|row: &Row| Some(row.group.last_at.clone())),
    ]
}
