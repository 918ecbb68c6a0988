//! The choice of the queue's lessons to look at: the counters, each a filter, a search, and saved views.

use super::reasons::short;
use crate::components::SearchBox;
use crate::features::views::SavedViews;
use crate::format;
use crate::parameters::{use_parameters, use_replace};
use crate::review::{ReviewFilter, Reviewing};
use leptos::prelude::*;
use lesson_types::{ReviewCounts, ReviewReason};

/// Counters, search and views; the address holds what is chosen.
#[component]
pub fn Filters() -> impl IntoView {
    let reviewing = Reviewing::get_from_context();
    let parameters = use_parameters();
    let filter = Memo::new(move |_| ReviewFilter::read(&parameters.read()));
    let replace = StoredValue::new_local(use_replace());
    let apply = move |filter: ReviewFilter| {
        replace.with_value(|replace| replace(&filter.address("")));
    };
    let search = move |q: String| {
        apply(ReviewFilter {
            q,
            ..filter.get_untracked()
        });
    };
    let counts = Memo::new(move |_| reviewing.read(|queue| queue.counts));
    let counter = move |(reason, count): (ReviewReason, u32)| {
        let word = reason.as_str();
        let is_on = move || filter.read().reason == word;
        // A filter in force can be taken off when nothing is left of it.
        (count > 0 || is_on()).then(|| {
            view! {
                <li data-reason=word>
                    <button type="button" class="filter-chip" class:on=is_on aria-pressed=move || is_on().to_string() data-testid=format!("review-only-{word}")
                        on:click=move |_| {
                            let mut filter = filter.get_untracked();
                            filter.reason = if is_on() { String::new() } else { word.to_owned() };
                            apply(filter);
                        }>
                        <b class="num">{format::count(count)}</b>" "{format::lower(short(reason))}
                    </button>
                </li>
            }
        })
    };
    view! {
        <form class="lesson-bar" role="search" aria-label="Review" on:submit=|event| event.prevent_default()>
            <SearchBox id="review-q" label="Words of the title" placeholder="Words of the title"
                words=Signal::derive(move || filter.get().q) apply=search/>
            <ul class="review-counts filter-chips" aria-label="Waiting, by reason">{move || each(counts.get()).map(counter).collect_view()}</ul>
            <SavedViews place="/review"/>
            <Show when=move || !filter.read().is_plain()>
                <button type="button" class="plain" data-testid="review-clear" on:click=move |_| apply(ReviewFilter::default())>"Clear filters"</button>
            </Show>
        </form>
    }
}

fn each(counts: ReviewCounts) -> std::array::IntoIter<(ReviewReason, u32), 8> {
    use ReviewReason::{
        BottomFive, Disqualified, Hurts, NearDuplicate, NeverRated, Pruning, Quarantined,
        Unreviewed,
    };
    [
        (Quarantined, counts.quarantined),
        (Hurts, counts.hurts),
        (NearDuplicate, counts.near_duplicate),
        (Disqualified, counts.disqualified),
        (Pruning, counts.pruning),
        (BottomFive, counts.bottom_five),
        (NeverRated, counts.never_rated),
        (Unreviewed, counts.unreviewed),
    ]
    .into_iter()
}
