//! The search and the filters of the list of runs: a pill for each that is in force, the rest in one popover.

use super::feed::Feed;
use super::filter::Filter;
use crate::api::{Client, use_query};
use crate::components::{Pick, Pills, Popover, SearchBox};
use crate::features::views::SavedViews;
use crate::sync::Syncing;
use crate::who;
use leptos::prelude::*;
use lesson_types::{DecisionOutcome, Insights, limits};
use std::collections::BTreeSet;

/// Search, pills, popover and saved views.
#[component]
pub fn Filters(
    filter: Memo<Filter>,
    feed: Feed,
    /// Puts another filter in force.
    apply: Callback<Filter>,
) -> impl IntoView {
    let me = Syncing::get_from_context().me();
    let search = move |q: String| {
        apply.run(Filter {
            q,
            ..filter.get_untracked()
        });
    };
    let pills = Signal::derive(move || {
        let me = me.get();
        let agent = |by: &str| who::name(by, me.as_deref()).unwrap_or_else(|| by.to_owned());
        filter.read().facets(agent)
    });
    view! {
        <form class="lesson-bar" role="search" aria-label="Runs" on:submit=|event| event.prevent_default()>
            <SearchBox id="runs-q" label="Task" placeholder="Words of the task"
                words=Signal::derive(move || filter.get().q) apply=search/>
            <div class="filter-chips">
                <Pills pills off=Callback::new(move |name| apply.run(filter.get_untracked().without(name)))/>
                <FilterMenu filter feed apply/>
                <SavedViews place="/runs"/>
            </div>
            <Show when=move || !filter.read().is_plain()>
                <button type="button" class="plain" data-testid="runs-clear" on:click=move |_| apply.run(Filter::default())>"Clear filters"</button>
            </Show>
        </form>
    }
}

/// The filters in one popover.
#[component]
fn FilterMenu(filter: Memo<Filter>, feed: Feed, apply: Callback<Filter>) -> impl IntoView {
    let open = RwSignal::new(false);
    // Everybody who ever had a run, not only those on show; where that can't be told, these.
    let client = Client::get_from_context();
    let insights = use_query(move || client.get::<Insights>("/v1/insights"));
    let known = Memo::new(move |_| {
        let agents = insights.value().map_or_else(Vec::new, |all| all.by_agent);
        agents.into_iter().map(|one| one.name).collect()
    });
    view! {
        <Popover id="run-filters" label=Signal::stored("+ Filter".to_owned()) class="filter-chip" open>
            <Fields filter feed apply known/>
        </Popover>
    }
}

#[component]
fn Fields(
    filter: Memo<Filter>,
    feed: Feed,
    apply: Callback<Filter>,
    known: Memo<Vec<String>>,
) -> impl IntoView {
    let change = move |change: &dyn Fn(&mut Filter)| {
        let mut filter = filter.get_untracked();
        change(&mut filter);
        apply.run(filter);
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
    view! {
        <div class="filter-fields">
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
        </div>
    }
}
