//! All lessons: search as you type, facets, order, a list of any length, and acts on many at once.

mod bar;
mod columns;
mod feed;
mod filter;
mod filter_menu;
mod list;
mod row;
mod selection;
mod window;

use crate::components::{Empty, ErrorNote, Loading, Page, Pills};
use crate::dom;
use crate::features::none::NoneInUse;
use crate::features::views::SavedViews;
use crate::format;
use crate::parameters::{use_parameters, use_replace};
use crate::shell::{Act, Places, use_acts};
use bar::SelectionBar;
use feed::Feed;
use filter::{Filter, LIST};
use filter_menu::FilterMenu;
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;
use leptos_use_fn_debounce_throttle::use_debounce_fn;
use list::LessonList;
pub use selection::Selection;

/// A pause in typing after which the search is made, in milliseconds.
const PAUSE: f64 = 120.0;

/// The list of lessons.
#[component]
pub fn LessonsPage() -> impl IntoView {
    let query = use_parameters();
    let filter = Memo::new(move |_| Filter::read(&query.read()));
    let replace = StoredValue::new_local(use_replace());
    // The address holds the filter, so that going back finds it as it was.
    let apply = move |filter: Filter| {
        replace.with_value(|replace| replace(&filter.address()));
    };
    let change = move |change: &dyn Fn(&mut Filter)| {
        let mut filter = filter.get_untracked();
        change(&mut filter);
        apply(filter);
    };

    let typed = RwSignal::new(filter.get_untracked().q);
    let search_soon = use_debounce_fn(
        move || change(&|filter| filter.q = typed.get_untracked()),
        PAUSE,
    );
    let on_type = move |text: String| {
        typed.set(text);
        search_soon();
    };

    // Going back finds the list where it was left.
    let places = Places::get_from_context();
    let back = places
        .came_back()
        .then(|| places.find(&window().location().search().unwrap_or_default()))
        .flatten();
    let feed = Feed::new(filter, back.map_or(0, |place| place.total));
    let selection = Selection::get_from_context();
    let go = StoredValue::new_local(use_navigate());
    use_acts([
        Act::new("Search lessons", || dom::focus("search-input")).key("/"),
        Act::new("Write a lesson", move || {
            go.with_value(|go| go("/lessons/new", NavigateOptions::default()));
        })
        .key("n"),
    ]);
    let clear = move || {
        typed.set(String::new());
        apply(Filter::default());
    };
    view! {
        <Page
            title="Lessons"
            actions=|| view! {
                <a href="/settings#import" class="button" data-testid="import-link">"Import"</a>
                <a href="/lessons/new" class="button primary" data-testid="new-lesson">"New lesson"</a>
            }.into_any()
        >
            <form class="lesson-bar" role="search" on:submit=|event| event.prevent_default()>
                <div class="lesson-search">
                    <label for="search-input" class="sr-only">"Search"</label>
                    <input
                        id="search-input"
                        type="search"
                        placeholder="Search, or describe a situation"
                        prop:value=typed
                        on:input:target=move |event| on_type(event.target().value())
                        autocomplete="off"
                        maxlength="8000"
                        aria-keyshortcuts="/"
                        data-testid="search-input"
                    />
                    <kbd aria-hidden="true">"/"</kbd>
                </div>
                <div class="filter-chips">
                    <Pills pills=Signal::derive(move || filter.get().facets()) off=Callback::new(move |name| apply(filter.get_untracked().without(name)))/>
                    <FilterMenu filter feed change=Callback::new(apply)/>
                    <SavedViews place=LIST/>
                </div>
                <p class="list-status" aria-live="polite" data-testid="list-status">
                    {move || match (feed.total.get(), feed.loaded.get()) {
                        (n, true) => {
                            let found = format::plural(n, "lesson", "lessons");
                            let how = if filter.get().q.is_empty() { "" } else if feed.semantic.get() { ", found by meaning and keywords" } else { ", found by keywords" };
                            format!("{found}{how}")
                        }
                        _ => String::new(),
                    }}
                </p>
                <Show when=move || !filter.get().is_plain() || feed.error.read().is_some()>
                    <button type="button" class="plain" data-testid="clear-filters" on:click=move |_| clear()>"Clear"</button>
                </Show>
            </form>
            {move || feed.error.get().map(|error| view! { <ErrorNote error/> })}
            {move || (!feed.loaded.get() && feed.error.read().is_none()).then(|| view! { <Loading label="Loading lessons…"/> })}
            {move || (feed.loaded.get() && feed.total.get() == 0).then(|| {
                if filter.get().is_plain() {
                    view! { <NoneInUse/> }.into_any()
                } else {
                    view! { <Empty title="No lesson fits" text="Try fewer words, or clear the filters. Archived lessons are shown under “Archived”."/> }.into_any()
                }
            })}
            <LessonList feed selection back/>
            <SelectionBar feed selection archived=Signal::derive(move || filter.get().archived == "true")/>
        </Page>
    }
}
