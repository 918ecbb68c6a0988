//! The filters of the list in one popover, opened by a chip.

use super::feed::Feed;
use super::filter::{Filter, facet_words, orders, use_in_words};
use crate::components::{Pick, Popover};
use leptos::prelude::*;
use lesson_types::{BadgeKind, Category, Trust};

/// The chip and its popover.
#[component]
pub fn FilterMenu(
    filter: Memo<Filter>,
    feed: Feed,
    /// Puts another filter in force.
    change: Callback<Filter>,
) -> impl IntoView {
    let open = RwSignal::new(false);
    let set = move |change_one: fn(&mut Filter, String)| {
        Callback::new(move |word: String| {
            let mut filter = filter.get_untracked();
            change_one(&mut filter, word);
            change.run(filter);
        })
    };
    view! {
        <Popover id="filters" label=Signal::stored("+ Filter".to_owned()) class="filter-chip" open>
            <div class="filter-fields">
                <Pick id="facet-category" label="Category" value=Signal::derive(move || filter.get().category)
                    on_pick=set(|filter, word| filter.category = word)
                    options=facet_words("All", Category::ALL.iter().map(|word| word.as_str()))/>
                <Pick id="facet-trust" label="Trust" value=Signal::derive(move || filter.get().trust)
                    on_pick=set(|filter, word| filter.trust = word)
                    options=facet_words("Any", Trust::ALL.iter().map(|word| word.as_str()))/>
                <Pick id="facet-badge" label="Use" value=Signal::derive(move || filter.get().badge)
                    on_pick=set(|filter, word| filter.badge = word)
                    options=uses()/>
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
        </Popover>
    }
}

/// The choices of the facet by use.
fn uses() -> Vec<(String, String)> {
    let kinds = BadgeKind::ALL.iter().map(|kind| kind.as_str());
    let kinds = kinds.map(|word| (word.to_owned(), use_in_words(word).to_owned()));
    std::iter::once((String::new(), "Any".to_owned()))
        .chain(kinds)
        .collect()
}
