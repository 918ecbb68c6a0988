//! The list of runs: filters, table, and the way to more.

use super::export::ExportRuns;
use super::feed::Feed;
use super::filter::Filter;
use super::filters::Filters;
use super::sorting::{MOST as MOST_SORTED, Sorting};
use super::table::Table;
use crate::components::{Empty, ErrorNote, Page, Skeleton};
use crate::format;
use crate::parameters::{Parameters, use_replace};
use crate::print::{MOST, use_whole_print};
use leptos::prelude::*;

/// Rows of a sorted list that are drawn at a time.
const ROWS: usize = 25;

/// Filters, table, and the way to more.
#[component]
pub fn RunList(query: Memo<Parameters>) -> impl IntoView {
    let filter = Memo::new(move |_| Filter::read(&query.read()));
    let feed = Feed::new(filter);
    let sorting = Sorting::new(filter, feed);
    let replace = StoredValue::new_local(use_replace());
    let apply = Callback::new(move |filter: Filter| {
        replace.with_value(|replace| replace(&filter.address()));
    });
    use_whole_print(
        move || feed.next.read().is_none(),
        move || feed.fetch_all(MOST),
    );
    let is_sorted = Memo::new(move |_| !sorting.runs.read().is_empty());
    // As many as were asked for.
    let shown = RwSignal::new(ROWS);
    Effect::new(move |_| {
        filter.track();
        shown.set(ROWS);
    });
    let runs = Signal::derive(move || match is_sorted.get() {
        true => sorting
            .runs
            .with(|runs| runs.iter().take(shown.get()).cloned().collect()),
        false => feed.runs.get(),
    });
    let more = Memo::new(move |_| match is_sorted.get() {
        true => sorting.runs.with(Vec::len) > shown.get(),
        false => feed.next.read().is_some(),
    });
    let is_plain = move || filter.read().is_plain();
    let none = Memo::new(move |_| feed.total.get() == Some(0));
    let waiting = Memo::new(move |_| feed.total.read().is_none() && feed.error.read().is_none());
    view! {
        <Page title="Runs" intro="Each task that an agent got lessons for: which lessons it got, which it applied, and how it ended.">
            <Filters filter feed apply/>
            <div class="run-head">
                <p class="list-head" aria-live="polite" data-testid="runs-total">
                    {move || feed.total.get().map(|total| format::plural(total, "run", "runs"))}
                </p>
                <Show when=move || !feed.runs.read().is_empty()><ExportRuns feed/></Show>
            </div>
            {move || feed.error.get().or_else(|| sorting.error.get()).map(|error| view! { <ErrorNote error/> })}
            {move || sorting.is_cut.get().then(|| view! {
                <p class="note" data-testid="runs-cut">{format!("Sorted are the newest {} runs. Narrow the dates to sort others.", format::count(MOST_SORTED as u64))}</p>
            })}
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
            <Show when=move || !feed.runs.read().is_empty()><Table runs filter apply/></Show>
            <Show when=move || more.get()>
                <button type="button" disabled=feed.busy data-testid="runs-more" on:click=move |_| if is_sorted.get_untracked() {
                    shown.update(|shown| *shown += ROWS);
                } else {
                    feed.more();
                }>
                    {move || if feed.busy.get() { "Loading…" } else { "Load more" }}
                </button>
            </Show>
        </Page>
    }
}
