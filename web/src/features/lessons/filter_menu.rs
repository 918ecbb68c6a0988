//! The filters of the list in one popover, opened by a chip.

use super::feed::Feed;
use super::filter::{Filter, facet_words, orders};
use crate::components::Pick;
use crate::dom;
use leptos::ev;
use leptos::html::Div;
use leptos::prelude::*;
use lesson_types::{BadgeKind, Category, Trust};
use wasm_bindgen::JsCast;

/// The chip and its popover. Escape, and a press elsewhere, close it.
#[component]
pub fn FilterMenu(
    open: RwSignal<bool>,
    filter: Memo<Filter>,
    feed: Feed,
    /// Puts another filter in force.
    change: Callback<Filter>,
) -> impl IntoView {
    let node = NodeRef::<Div>::new();
    let away = window_event_listener(ev::pointerdown, move |event| {
        let inside = node
            .get_untracked()
            .zip(event.target())
            .is_some_and(|(node, target)| {
                target
                    .dyn_ref::<web_sys::Node>()
                    .is_some_and(|target| node.contains(Some(target)))
            });
        if open.get_untracked() && !inside {
            open.set(false);
        }
    });
    on_cleanup(move || away.remove());
    let set = move |change_one: fn(&mut Filter, String)| {
        Callback::new(move |word: String| {
            let mut filter = filter.get_untracked();
            change_one(&mut filter, word);
            change.run(filter);
        })
    };
    view! {
        <div class="filter-menu" node_ref=node on:keydown=move |event| if event.key() == "Escape" && open.get_untracked() {
            event.stop_propagation();
            open.set(false);
            dom::focus("add-filter");
        }>
            <button type="button" id="add-filter" class="filter-chip" aria-expanded=move || open.get().to_string() aria-controls="filters"
                data-testid="add-filter" on:click=move |_| open.update(|open| *open = !*open)>
                <span aria-hidden="true">"+"</span>"Filter"
            </button>
            <div id="filters" class="popover filter-popover" role="group" aria-label="Filters" class:hidden=move || !open.get()>
                <Pick id="facet-category" label="Category" value=Signal::derive(move || filter.get().category)
                    on_pick=set(|filter, word| filter.category = word)
                    options=facet_words("All", Category::ALL.iter().map(|word| word.as_str()))/>
                <Pick id="facet-trust" label="Trust" value=Signal::derive(move || filter.get().trust)
                    on_pick=set(|filter, word| filter.trust = word)
                    options=facet_words("Any", Trust::ALL.iter().map(|word| word.as_str()))/>
                <Pick id="facet-badge" label="Badge" value=Signal::derive(move || filter.get().badge)
                    on_pick=set(|filter, word| filter.badge = word)
                    options=facet_words("Any", BadgeKind::ALL.iter().map(|word| word.as_str()))/>
                <div class="field">
                    <label for="facet-domain">"Domain"</label>
                    <input id="facet-domain" placeholder="Any" list="facet-domain-offers" autocomplete="off" maxlength="100"
                        prop:value=move || filter.get().domain
                        on:change:target=move |event| set(|filter, word| filter.domain = word.trim().to_owned()).run(event.target().value())
                        data-testid="facet-domain"/>
                    <datalist id="facet-domain-offers">
                        {move || feed.domains().into_iter().map(|word| view! { <option value=word></option> }).collect_view()}
                    </datalist>
                </div>
                <Pick id="facet-archived" label="Show" value=Signal::derive(move || filter.get().archived)
                    on_pick=set(|filter, word| filter.archived = word)
                    options=vec![(String::new(), "In use".into()), ("true".into(), "Archived".into())]/>
                <Pick id="sort" label="Order" value=Signal::derive(move || filter.get().sort)
                    on_pick=set(|filter, word| {
                        filter.sort = word;
                        filter.reverse.clear();
                    })
                    options=orders()/>
            </div>
        </div>
    }
}
