//! Runs by domain, agent or project type.

use crate::components::{Column, DataTable, Sorted, Sparkline, points};
use crate::day;
use crate::features::figures::{Change, rate_of, success_of};
use crate::features::runs::address_of_group;
use crate::features::trend::{ended, runs, share};
use crate::format;
use crate::markdown::visible;
use crate::sync::Syncing;
use crate::who;
use leptos::prelude::*;
use lesson_types::{InsightGroup, LiftGroup, LiftReport};

/// A row: a group by its name as people read it, and its lift where it is measured.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    name: String,
    group: InsightGroup,
    lift: Option<(f64, f64, f64)>,
}

/// The groups, most runs first.
#[component]
pub fn GroupTable(
    /// The property that runs are grouped by, such as `Agent`: the first column's name.
    kind: &'static str,
    groups: Signal<Vec<InsightGroup>>,
    /// The days of the range.
    days: Signal<u32>,
    lift: Memo<Option<LiftReport>>,
) -> impl IntoView {
    let me = Syncing::get_from_context().me();
    let rows = Signal::derive(move || {
        let me = me.get();
        lift.with(|lift| {
            groups
                .get()
                .into_iter()
                .map(|group| Row {
                    name: named(kind, &group.name, me.as_deref()),
                    lift: lift
                        .as_ref()
                        .and_then(|lift| lifted(kind, &group.name, lift)),
                    group,
                })
                .collect::<Vec<_>>()
        })
    });
    let all = |row: &Row| runs(row.group.totals.shown) + runs(row.group.totals.control);
    let per_run = |part: fn(&InsightGroup) -> u32| {
        move |row: &Row| share(part(&row.group), runs(row.group.totals.shown))
    };
    let covered = per_run(|group| group.totals.covered);
    let judged = per_run(|group| group.totals.judged);
    let tokens = per_run(|group| group.totals.tokens);
    let success = |row: &Row| row.group.success.map(|rate| rate.share);
    let control = |row: &Row| {
        let ends = row.group.totals.control;
        share(ends.successes, ended(ends))
    };
    let columns = vec![
        Column::new(kind, move |row: &Row| {
            // Runs can be listed by these two.
            let key = match kind {
                "Agent" => "by",
                "Domain" => "domain",
                _ => "",
            };
            if key.is_empty() || row.group.name.is_empty() {
                return row.name.clone().into_any();
            }
            let from = day::first_of_last(days.get_untracked());
            let href = address_of_group(key, &row.group.name, &from);
            view! { <a href=href dir="auto" title="Their runs">{row.name.clone()}</a> }.into_any()
        })
        .wide()
        .text(|row: &Row| row.name.clone()),
        Column::new("Runs", move |row: &Row| format::count(all(row)).into_any())
            .num()
            .by(move |row: &Row| Some(all(row)))
            .figure(move |row: &Row| Some(f64::from(all(row)))),
        Column::new("Success", move |row: &Row| {
            let rate = row.group.success;
            let about = rate.map(|rate| {
                format!(
                    "{} to {} of {}",
                    format::percent(rate.low),
                    format::percent(rate.high),
                    format::plural(rate.runs, "run", "runs")
                )
            });
            view! { <span title=about>{success_of(rate)}</span> }.into_any()
        })
        .num()
        .by(success)
        .figure(success),
        Column::new("Trend", |row: &Row| {
            view! { <Sparkline values=row.group.course.clone()/> }.into_any()
        }),
        Column::new("Control", move |row: &Row| {
            let ends = row.group.totals.control;
            rate_of(ends.successes, ended(ends)).into_any()
        })
        .num()
        .by(control)
        .figure(control),
        Column::new("Measured lift", |row: &Row| match row.lift {
            Some((lift, low, high)) => {
                let about = format!("{} to {} points", points(low), points(high));
                view! { <span class=Change::of(low, high).class() title=about>{points(lift)}</span> }.into_any()
            }
            None => "–".into_any(),
        })
        .num()
        .by(|row: &Row| row.lift.map(|lift| lift.0))
        .figure(|row: &Row| row.lift.map(|lift| lift.0)),
        Column::new("Coverage", move |row: &Row| {
            rate_of(row.group.totals.covered, runs(row.group.totals.shown)).into_any()
        })
        .num()
        .by(covered)
        .figure(covered),
        Column::new("Feedback", move |row: &Row| {
            rate_of(row.group.totals.judged, runs(row.group.totals.shown)).into_any()
        })
        .num()
        .by(judged)
        .figure(judged),
        Column::new("Tokens per run", move |row: &Row| {
            tokens(row)
                .map_or_else(|| "–".to_owned(), |mean| format::count(mean.round() as u64))
                .into_any()
        })
        .num()
        .by(tokens)
        .figure(tokens),
    ];
    let sorted = Sorted {
        column: 1,
        down: true,
    };
    view! { <DataTable caption="Runs of this range" columns rows sorted address="sort" none="There was no run in this range." testid="by-group" file=file_of(kind)/> }
}

/// The name of the table's file.
fn file_of(kind: &str) -> &'static str {
    match kind {
        "Agent" => "agents",
        "Domain" => "domains",
        _ => "project-types",
    }
}

fn named(kind: &str, name: &str, me: Option<&str>) -> String {
    if name.is_empty() {
        return "Not said".to_owned();
    }
    if kind == "Agent" {
        return who::name(name, me).unwrap_or_else(|| visible(name));
    }
    visible(name)
}

/// The lift of a group, where one is told.
fn lifted(kind: &str, name: &str, lift: &LiftReport) -> Option<(f64, f64, f64)> {
    let groups: &[LiftGroup] = match kind {
        "Domain" => &lift.by_domain,
        "Agent" => &lift.by_agent,
        _ => &[],
    };
    let lift = &groups.iter().find(|group| group.name == name)?.lift;
    Some((lift.estimate?, lift.low?, lift.high?))
}
