//! The columns of the list: their names, and the orders that a click on them asks for.

use super::feed::Feed;
use crate::parameters::use_replace;
use leptos::prelude::*;

/// The names of all columns.
#[component]
pub fn ColumnNames(feed: Feed) -> impl IntoView {
    COLUMNS
        .iter()
        .map(|column| view! { <ColumnName column feed/> })
        .collect_view()
}

/// A column: its name, the order that it stands for, and what it says.
struct Column {
    name: &'static str,
    sort: Option<&'static str>,
    about: &'static str,
    class: &'static str,
}

const COLUMNS: [Column; 7] = [
    column("Lesson", Some("title"), "cell-lesson", ""),
    column(
        "Status",
        Some("standout"),
        "cell-badge",
        "What needs you first, then what is known to work",
    ),
    column(
        "Lift",
        Some("lift"),
        "cell-score",
        "How many points more often runs succeed in which it is applied, with its 95% interval; coloured where that leaves 0 out",
    ),
    column(
        "Success",
        Some("success"),
        "cell-success",
        "Of runs with a final outcome that applied it, the share that went well",
    ),
    column(
        "Uses",
        Some("applied"),
        "cell-uses",
        "Runs with an outcome that applied it",
    ),
    column(
        "13 weeks",
        Some("trend"),
        "cell-trend",
        "Success over the last 13 weeks, four weeks at a time; sorted by how far it rose",
    ),
    column(
        "Last used",
        Some("last_used"),
        "cell-used",
        "When it was last applied, or named in feedback",
    ),
];

const fn column(
    name: &'static str,
    sort: Option<&'static str>,
    class: &'static str,
    about: &'static str,
) -> Column {
    Column {
        name,
        sort,
        about,
        class,
    }
}

#[component]
fn ColumnName(column: &'static Column, feed: Feed) -> impl IntoView {
    let Some(sort) = column.sort else {
        return view! {
            <span role="columnheader" class=column.class title=column.about>
                {column.name}{column.name.is_empty().then(|| view! { <span class="sr-only">{column.about}</span> })}
            </span>
        }
        .into_any();
    };
    // True if the list rises by this column, false if it falls; none while the list goes by something else.
    let way = Memo::new(move |_| {
        feed.with_filter(|filter| {
            (filter.sort == sort).then_some((filter.reverse == "true") != (sort == "title"))
        })
    });
    let replace = StoredValue::new_local(use_replace());
    let press = move |_| {
        let address = feed.filter().sorted_by(sort).address();
        replace.with_value(|replace| replace(&address));
    };
    view! {
        <span role="columnheader" class=column.class aria-sort=move || way.get().map(|rises| if rises { "ascending" } else { "descending" })>
            <button type="button" class="plain column-name" title=column.about data-testid=format!("sort-{sort}") on:click=press>
                {column.name}
                <span aria-hidden="true">{move || match way.get() { Some(true) => " ↑", Some(false) => " ↓", None => "" }}</span>
            </button>
        </span>
    }
    .into_any()
}
