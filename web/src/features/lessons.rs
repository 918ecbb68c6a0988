//! All lessons: search as you type, facets, order, a list of any length, and acts on many at once.

mod bar;
mod feed;
mod filter;
mod list;
mod selection;
mod window;

use crate::components::{Empty, ErrorNote, Loading, Page, Pick};
use crate::dom;
use crate::features::none::NoneInUse;
use crate::format;
use crate::parameters::use_parameters;
use crate::shell::{Act, Places, use_acts};
use bar::SelectionBar;
use feed::Feed;
use filter::{Filter, facet_words};
use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use leptos_router::hooks::use_navigate;
use leptos_router::{NavigateOptions, location::State};
use lesson_types::{BadgeKind, Category, Trust};
use list::LessonList;
pub use selection::Selection;

/// A pause in typing after which the search is made, in milliseconds.
const PAUSE: u32 = 120;

/// The list of lessons.
#[component]
pub fn LessonsPage() -> impl IntoView {
    let query = use_parameters();
    let filter = Memo::new(move |_| Filter::read(&query.read()));
    let navigate = StoredValue::new_local(use_navigate());
    // The address holds the filter, so that going back finds it as it was.
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

    let typed = RwSignal::new(filter.get_untracked().q);
    let pause = StoredValue::new_local(None::<Timeout>);
    let on_type = move |text: String| {
        typed.set(text);
        let timer = Timeout::new(PAUSE, move || {
            if let Some(text) = typed.try_get_untracked() {
                change(&|filter| filter.q = text.clone());
            }
        });
        // The timer before it is dropped, which stops it.
        pause.set_value(Some(timer));
    };

    // Only a phone folds the facets away; see `.facets` in the styles.
    let facets_open = RwSignal::new(false);
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
    view! {
        <Page
            title="Lessons"
            actions=|| view! { <a href="/lessons/new" class="button primary" data-testid="new-lesson">"New lesson"</a> }.into_any()
        >
            <form class="filters" role="search" on:submit=|event| event.prevent_default()>
                <div class="field search">
                    <label for="search-input">"Search"</label>
                    <input
                        id="search-input"
                        type="search"
                        placeholder="Words or a situation, such as “database security”"
                        prop:value=typed
                        on:input:target=move |event| on_type(event.target().value())
                        autocomplete="off"
                        maxlength="8000"
                        data-testid="search-input"
                    />
                </div>
                <button type="button" class="facet-toggle" aria-controls="facets" aria-expanded=move || facets_open.get().to_string()
                    on:click=move |_| facets_open.update(|open| *open = !*open)>
                    {move || match filter.get().facets() {
                        0 => "Filter and order".to_owned(),
                        n => format!("Filter and order ({n} on)"),
                    }}
                </button>
                <div id="facets" class=move || if facets_open.get() { "facets open" } else { "facets" }>
                    <Pick id="facet-category" label="Category" value=Signal::derive(move || filter.get().category)
                        on_pick=Callback::new(move |word: String| change(&|filter| filter.category = word.clone()))
                        options=facet_words("All", Category::ALL.iter().map(|word| word.as_str()))/>
                    <Pick id="facet-trust" label="Trust" value=Signal::derive(move || filter.get().trust)
                        on_pick=Callback::new(move |word: String| change(&|filter| filter.trust = word.clone()))
                        options=facet_words("Any", Trust::ALL.iter().map(|word| word.as_str()))/>
                    <Pick id="facet-badge" label="Badge" value=Signal::derive(move || filter.get().badge)
                        on_pick=Callback::new(move |word: String| change(&|filter| filter.badge = word.clone()))
                        options=facet_words("Any", BadgeKind::ALL.iter().map(|word| word.as_str()))/>
                    <div class="field">
                        <label for="facet-domain">"Domain"</label>
                        <input id="facet-domain" placeholder="Any" list="facet-domain-offers" autocomplete="off" maxlength="100"
                            prop:value=move || filter.get().domain
                            on:change:target=move |event| {
                                let word = event.target().value();
                                change(&|filter| filter.domain = word.trim().to_owned());
                            }
                            data-testid="facet-domain"/>
                        <datalist id="facet-domain-offers">
                            {move || feed.domains().into_iter().map(|word| view! { <option value=word></option> }).collect_view()}
                        </datalist>
                    </div>
                    <Pick id="facet-archived" label="Show" value=Signal::derive(move || filter.get().archived)
                        on_pick=Callback::new(move |word: String| change(&|filter| filter.archived = word.clone()))
                        options=vec![(String::new(), "In use".into()), ("true".into(), "Archived".into())]/>
                    <Pick id="sort" label="Order" value=Signal::derive(move || filter.get().sort)
                        on_pick=Callback::new(move |word: String| change(&|filter| filter.sort = word.clone()))
                        options=filter::orders()/>
                </div>
            </form>
            <div class="list-head">
                <p aria-live="polite" data-testid="list-status">
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
                    <button type="button" class="plain" data-testid="clear-filters" on:click=move |_| {
                        typed.set(String::new());
                        apply(Filter::default());
                    }>"Clear search and filters"</button>
                </Show>
            </div>
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
