//! The list of runs: when, what was asked, by whom, how many lessons, and what came of it.

use super::export::ExportRuns;
use super::feed::Feed;
use super::filter::Filter;
use super::words::{address, situation};
use crate::api::{Client, resource};
use crate::components::{Empty, ErrorNote, Page, Pick, Skeleton, When};
use crate::format;
use crate::outcome;
use crate::parameters::Parameters;
use crate::print::{MOST, use_whole_print};
use crate::sync::Syncing;
use crate::who;
use leptos::prelude::*;
use leptos_router::hooks::use_navigate;
use leptos_router::{NavigateOptions, location::State};
use leptos_use_fn_debounce_throttle::use_debounce_fn;
use lesson_types::{DecisionOutcome, DecisionView, Insights, limits};
use std::collections::BTreeSet;

/// A pause in typing after which runs are looked for, in milliseconds.
const PAUSE: f64 = 250.0;

/// Filters, table, and the way to more.
#[component]
pub fn RunList(query: Memo<Parameters>) -> impl IntoView {
    let filter = Memo::new(move |_| Filter::read(&query.read()));
    let feed = Feed::new(filter);
    use_whole_print(
        move || feed.next.read().is_none(),
        move || feed.fetch_all(MOST),
    );
    let is_plain = move || filter.read() == Filter::default();
    let none = Memo::new(move |_| feed.total.get() == Some(0));
    let waiting = Memo::new(move |_| feed.total.read().is_none() && feed.error.read().is_none());
    view! {
        <Page title="Runs" intro="Each task that an agent got lessons for: which lessons it got, which it applied, and how it ended.">
            <Filters filter feed/>
            <div class="run-head">
                <p class="list-head" aria-live="polite" data-testid="runs-total">
                    {move || feed.total.get().map(|total| format::plural(total, "run", "runs"))}
                </p>
                <Show when=move || !feed.runs.read().is_empty()><ExportRuns feed/></Show>
            </div>
            {move || feed.error.get().map(|error| view! { <ErrorNote error/> })}
            <Show when=move || waiting.get()><Skeleton lines=8/></Show>
            {move || none.get().then(|| if is_plain() {
                view! {
                    <Empty title="No runs yet" text="A run starts when an agent asks for lessons, or when you record one in the Playground. What was applied, the outcome and feedback are then recorded for the same run and shown here.">
                        <a href="/playground" class="button primary">"Open the Playground"</a>
                        <a href="/agents" class="button">"Connect an agent"</a>
                    </Empty>
                }
            } else {
                view! { <Empty title="No run fits" text="Clear a filter to see more."/> }
            })}
            <Show when=move || !feed.runs.read().is_empty()><Table feed/></Show>
            <Show when=move || feed.next.read().is_some()>
                <button type="button" disabled=feed.busy on:click=move |_| feed.more() data-testid="runs-more">
                    {move || if feed.busy.get() { "Loading…" } else { "Load more" }}
                </button>
            </Show>
        </Page>
    }
}

#[component]
fn Filters(filter: Memo<Filter>, feed: Feed) -> impl IntoView {
    let navigate = StoredValue::new_local(use_navigate());
    let apply = move |filter: Filter| {
        let options = NavigateOptions {
            replace: true,
            scroll: false,
            state: State::new(None),
            resolve: true,
        };
        navigate.with_value(|navigate| navigate(&filter.address(), options));
    };
    let change = move |change: &dyn Fn(&mut Filter)| {
        let mut filter = filter.get_untracked();
        change(&mut filter);
        apply(filter);
    };
    // Where no field is chosen, both kinds of words may be met.
    let options = std::iter::once((String::new(), "Any".to_owned()))
        .chain(DecisionOutcome::ALL.iter().map(|one| {
            let label = match one {
                DecisionOutcome::Success => "Success or profit",
                DecisionOutcome::Failure => "Failure or loss",
                DecisionOutcome::Pending => "Pending",
            };
            (one.as_str().to_owned(), label.to_owned())
        }))
        .collect::<Vec<_>>();
    let me = Syncing::get_from_context().me();
    // Everybody who ever had a run, not only those on show; where that can't be told, these.
    let client = Client::get_from_context();
    let insights = resource(move || client.get::<Insights>("/v1/insights"));
    let known = Memo::new(move |_| match insights.get() {
        Some(Ok(insights)) => insights.by_agent.into_iter().map(|one| one.name).collect(),
        _ => Vec::new(),
    });
    let askers = move || {
        let now = filter.get().by;
        let me = me.get();
        let mut all = known.get();
        all.extend(feed.askers());
        let mut seen = BTreeSet::new();
        all.retain(|by| !by.is_empty() && seen.insert(by.clone()));
        if !now.is_empty() && !all.contains(&now) {
            all.push(now.clone());
        }
        let named = all.into_iter().map(|by| {
            let name = who::name(&by, me.as_deref()).unwrap_or_default();
            (by, name)
        });
        std::iter::once((String::new(), "Any".to_owned()))
            .chain(named)
            .map(|(by, name)| {
                let chosen = by == now;
                view! { <option value=by selected=chosen>{name}</option> }
            })
            .collect_view()
    };
    // As one types; the address follows a pause.
    let words = RwSignal::new(filter.get_untracked().q);
    let search_soon = use_debounce_fn(
        move || change(&|filter| filter.q = words.get_untracked().trim().to_owned()),
        PAUSE,
    );
    // Going back, or clearing the filters; a blank at the end of what is typed stays.
    Effect::new(move |_| {
        let named = filter.get().q;
        if words.with_untracked(|words| words.trim() != named) {
            words.set(named);
        }
    });
    let day = move |id: &'static str, label: &'static str, part: fn(&mut Filter) -> &mut String| {
        let value = move || {
            let mut filter = filter.get();
            part(&mut filter).clone()
        };
        view! {
            <div class="field">
                <label for=id>{label}</label>
                <input id=id type="date" title="Days in UTC" prop:value=value data-testid=id
                    on:change:target=move |event| {
                        let day = event.target().value();
                        change(&|filter| part(filter).clone_from(&day));
                    }/>
            </div>
        }
    };
    let is_filtered = move || filter.read() != Filter::default();
    view! {
        <form class="run-filters" role="search" aria-label="Runs" on:submit=|event| event.prevent_default()>
                <div class="field run-search">
                    <label for="runs-q">"Task"</label>
                    <input id="runs-q" type="search" placeholder="Words of the task" autocomplete="off" maxlength=limits::WORD.to_string()
                        prop:value=words data-testid="runs-q"
                        on:input:target=move |event| {
                            words.set(event.target().value());
                            search_soon();
                        }/>
                </div>
                <Pick id="runs-outcome" label="Outcome" value=Signal::derive(move || filter.get().outcome) options
                    on_pick=Callback::new(move |word: String| change(&|filter| filter.outcome.clone_from(&word)))/>
                <div class="field">
                    <label for="runs-by">"Agent"</label>
                    <select id="runs-by" data-testid="runs-by" prop:value=move || filter.get().by
                        on:change:target=move |event| {
                            let by = event.target().value();
                            change(&|filter| filter.by.clone_from(&by));
                        }>
                        {askers}
                    </select>
                </div>
                <div class="field">
                    <label for="runs-domain">"Domain"</label>
                    <input id="runs-domain" placeholder="Any" list="runs-domain-offers" autocomplete="off" maxlength=limits::WORD.to_string()
                        prop:value=move || filter.get().domain data-testid="runs-domain"
                        on:change:target=move |event| {
                            let word = event.target().value();
                            change(&|filter| filter.domain = word.trim().to_owned());
                        }/>
                    <datalist id="runs-domain-offers">
                        {move || feed.domains().into_iter().map(|word| view! { <option value=word></option> }).collect_view()}
                    </datalist>
                </div>
                <div class="field">
                    <label for="runs-lesson">"Lesson"</label>
                    <input id="runs-lesson" placeholder="Any; or its slug" autocomplete="off" maxlength=limits::SLUG.to_string()
                        prop:value=move || filter.get().lesson data-testid="runs-lesson"
                        on:change:target=move |event| {
                            let word = event.target().value();
                            change(&|filter| filter.lesson = word.trim().to_owned());
                        }/>
                </div>
                {day("runs-from", "From", |filter| &mut filter.from)}
                {day("runs-to", "To", |filter| &mut filter.to)}
            <Show when=is_filtered>
                <button type="button" class="plain" data-testid="runs-clear" on:click=move |_| apply(Filter::default())>"Clear filters"</button>
            </Show>
        </form>
    }
}

#[component]
fn Table(feed: Feed) -> impl IntoView {
    let me = Syncing::get_from_context().me();
    let rows = move || {
        let me = me.get();
        feed.runs.with(|runs| {
            runs.iter()
                .map(|run| row(run, me.as_deref()))
                .collect::<Vec<_>>()
        })
    };
    view! {
        <section class="panel">
            <div class="scroll" tabindex="0" role="group" aria-label="Runs, newest first">
                <table class="data-table runs" role="table" data-testid="runs">
                    <caption class="sr-only">"Runs, newest first"</caption>
                    <thead role="rowgroup"><tr role="row">
                        <th scope="col" role="columnheader" class="wide">"Task"</th><th scope="col" role="columnheader">"Agent"</th><th scope="col" role="columnheader" class="num">"Lessons"</th>
                        <th scope="col" role="columnheader" class="num">"Applied"</th><th scope="col" role="columnheader">"Outcome"</th><th scope="col" role="columnheader" class="num">"When"</th>
                    </tr></thead>
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
    view! {
        <tr role="row" data-testid="run" data-run=run.id.clone() data-outcome=told.as_str()>
            <th scope="row" role="rowheader" class="wide"><a href=address(&run.id) dir="auto" title=words.clone()>{words.clone()}</a></th>
            <td role="cell" class="run-who" data-label="Agent">{who::name(&run.by, me)}</td>
            <td role="cell" class="num" data-label="Lessons">{if control { "control".to_owned() } else { run.lessons.len().to_string() }}</td>
            <td role="cell" class="num" data-label="Applied">{applied}</td>
            <td role="cell" data-label="Outcome"><span class=outcome::chip(run.outcome)>{chip}</span></td>
            <td role="cell" class="num muted" data-label="When">{when}</td>
        </tr>
    }
    .into_any()
}
