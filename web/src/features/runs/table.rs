//! The table of runs; a press on a column's name sorts by it.

use super::filter::Filter;
use super::sorting::{Key, duration, span};
use super::words::{address, situation};
use crate::components::When;
use crate::format;
use crate::outcome;
use crate::sync::Syncing;
use crate::who;
use leptos::prelude::*;
use lesson_types::{DecisionOutcome, DecisionView};

/// The table.
#[component]
pub fn Table(
    #[prop(into)] runs: Signal<Vec<DecisionView>>,
    filter: Memo<Filter>,
    /// Puts another filter in force.
    apply: Callback<Filter>,
) -> impl IntoView {
    let me = Syncing::get_from_context().me();
    let rows = move || {
        let me = me.get();
        runs.with(|runs| {
            runs.iter()
                .map(|run| row(run, me.as_deref()))
                .collect::<Vec<_>>()
        })
    };
    let head = move |key: Key| {
        let state = move || {
            let filter = filter.get();
            let descends = (key.is_number() || key == Key::When) != filter.is_reversed();
            (Key::read(&filter.sort) == key).then_some(if descends {
                "descending"
            } else {
                "ascending"
            })
        };
        let class = match key {
            Key::Task => "wide",
            key if key.is_number() => "num",
            _ => "",
        };
        let about = match key {
            Key::Duration => Some("From the first recommendation to the outcome"),
            Key::Tokens => Some("Tokens of its lessons, by their texts of today"),
            Key::Learned => Some("Lessons that came out of it"),
            _ => None,
        };
        view! {
            <th scope="col" role="columnheader" class=class aria-sort=state title=about>
                <button type="button" class="sort" data-testid=format!("runs-sort-{}", key.label().to_ascii_lowercase())
                    on:click=move |_| apply.run(filter.get_untracked().sorted_by(key.word()))>
                    {key.label()}
                    <svg viewBox="0 0 10 10" aria-hidden="true"><path d="M5 1v8M2 6l3 3 3-3"></path></svg>
                </button>
            </th>
        }
    };
    view! {
        <section class="panel">
            <div class="scroll" tabindex="0" role="group" aria-label="Runs">
                <table class="data-table runs" role="table" data-testid="runs">
                    <caption class="sr-only">"Runs"</caption>
                    <thead role="rowgroup"><tr role="row">{Key::ALL.map(head).collect_view()}</tr></thead>
                    <tbody role="rowgroup">{rows}</tbody>
                </table>
            </div>
        </section>
    }
}

fn row(run: &DecisionView, me: Option<&str>) -> AnyView {
    let domain = run.domain.as_deref().unwrap_or_default();
    let at = run.at.as_ref().or(run.outcome_at.as_ref());
    let when = at.map(|at| view! { <When at=at.clone()/> });
    let words = situation(
        run.query.as_ref().map(|_| run.title.as_str()),
        [&run.domain, &run.project_type, &run.phase],
        &run.tech_stack,
    );
    let applied = run.lessons.iter().filter(|lesson| lesson.applied).count();
    let told = run.outcome.unwrap_or(DecisionOutcome::Pending);
    let chip = format!(
        "{}{}",
        outcome::label(told, domain),
        outcome::percent(run.pnl_percent)
    );
    let control = run
        .measured
        .as_ref()
        .is_some_and(|measured| measured.control);
    let none = || "–".to_owned();
    let tokens = run.tokens.map_or_else(none, format::count);
    let learned = match run.learned.len() {
        0 => none(),
        n => n.to_string(),
    };
    view! {
        <tr role="row" data-testid="run" data-run=run.id.clone() data-outcome=told.as_str()>
            <th scope="row" role="rowheader" class="wide"><a href=address(&run.id) dir="auto" title=words.clone()>{words.clone()}</a></th>
            <td role="cell" class="run-who" data-label="Agent">{who::name(&run.by, me)}</td>
            <td role="cell" class="num" data-label="Lessons">{if control { "control".to_owned() } else { run.lessons.len().to_string() }}</td>
            <td role="cell" class="num" data-label="Applied">{applied}</td>
            <td role="cell" class="num" data-label="Duration">{duration(run).map_or_else(none, span)}</td>
            <td role="cell" class="num" data-label="Tokens">{tokens}</td>
            <td role="cell" class="num" data-label="Learned">{learned}</td>
            <td role="cell" data-label="Outcome"><span class=outcome::chip(run.outcome)>{chip}</span></td>
            <td role="cell" class="num muted" data-label="When">{when}</td>
        </tr>
    }
    .into_any()
}
