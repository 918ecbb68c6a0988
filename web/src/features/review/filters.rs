//! Which lessons of the queue are looked at: the counters, each a filter, a search, and saved views.

use super::reasons::short;
use crate::features::views::SavedViews;
use crate::format;
use crate::parameters::use_parameters;
use crate::review::{ReviewFilter, Reviewing};
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;
use leptos_use_fn_debounce_throttle::use_debounce_fn;
use lesson_types::{ReviewCounts, ReviewReason, limits};

/// A pause in typing after which the queue is searched, in milliseconds.
const PAUSE: f64 = 250.0;

/// Counters, search and views; the address holds what is chosen.
#[component]
pub fn Filters() -> impl IntoView {
    let reviewing = Reviewing::get_from_context();
    let parameters = use_parameters();
    let filter = Memo::new(move |_| ReviewFilter::read(&parameters.read()));
    let navigate = StoredValue::new_local(use_navigate());
    let apply = move |filter: ReviewFilter| {
        let options = NavigateOptions {
            replace: true,
            scroll: false,
            ..NavigateOptions::default()
        };
        navigate.with_value(|navigate| navigate(&filter.address(""), options));
    };
    let words = RwSignal::new(filter.get_untracked().q);
    let search_soon = use_debounce_fn(
        move || {
            let q = words.get_untracked().trim().to_owned();
            apply(ReviewFilter {
                q,
                ..filter.get_untracked()
            });
        },
        PAUSE,
    );
    Effect::new(move |_| {
        let named = filter.get().q;
        if words.with_untracked(|words| words.trim() != named) {
            words.set(named);
        }
    });
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
            <div class="lesson-search">
                <label for="review-q" class="sr-only">"Words of the title"</label>
                <input id="review-q" type="search" placeholder="Words of the title" autocomplete="off" maxlength=limits::WORD.to_string()
                    prop:value=words data-testid="review-q"
                    on:input:target=move |event| {
                        words.set(event.target().value());
                        search_soon();
                    }/>
            </div>
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
