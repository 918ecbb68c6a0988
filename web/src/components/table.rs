//! Rows to compare: a plain table whose columns sort.

use leptos::prelude::*;
use std::cmp::Ordering;
use std::rc::Rc;

/// Draws a cell.
type Draw<Row> = Rc<dyn Fn(&Row) -> AnyView>;
/// Compares two rows.
type Compare<Row> = Rc<dyn Fn(&Row, &Row) -> Ordering>;

/// A column of a table.
pub struct Column<Row> {
    label: &'static str,
    class: &'static str,
    draw: Draw<Row>,
    compare: Option<Compare<Row>>,
}

impl<Row> Clone for Column<Row> {
    fn clone(&self) -> Self {
        Self {
            draw: Rc::clone(&self.draw),
            compare: self.compare.clone(),
            ..*self
        }
    }
}

impl<Row> Column<Row> {
    /// A column of text.
    pub fn new(label: &'static str, draw: impl Fn(&Row) -> AnyView + 'static) -> Self {
        Self {
            label,
            class: "",
            draw: Rc::new(draw),
            compare: None,
        }
    }

    /// Takes the room that the others leave, and is cut where it is longer.
    pub fn wide(self) -> Self {
        Self {
            class: "wide",
            ..self
        }
    }

    /// Numbers: at the right, digits below each other.
    pub fn num(self) -> Self {
        Self {
            class: "num",
            ..self
        }
    }

    /// Can be sorted by what `key` gives; rows without one come last.
    pub fn by<K: PartialOrd + 'static>(self, key: impl Fn(&Row) -> Option<K> + 'static) -> Self {
        Self {
            compare: Some(Rc::new(move |a, b| match (key(a), key(b)) {
                (Some(a), Some(b)) => a.partial_cmp(&b).unwrap_or(Ordering::Equal),
                (Some(_), None) => Ordering::Greater,
                (None, Some(_)) => Ordering::Less,
                (None, None) => Ordering::Equal,
            })),
            ..self
        }
    }
}

/// How a table is sorted: by which column, the greatest first or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sorted {
    /// The column, from 0.
    pub column: usize,
    /// The greatest first.
    pub down: bool,
}

/// A table. The first press on a column's name sorts the greatest first, the second turns it round.
#[component]
pub fn DataTable<Row>(
    /// What it shows, for those who can't see it.
    caption: &'static str,
    columns: Vec<Column<Row>>,
    #[prop(into)] rows: Signal<Vec<Row>>,
    /// How it is sorted at first; in the order that it came without.
    #[prop(optional)]
    sorted: Option<Sorted>,
    /// Rows that are shown until all are asked for.
    #[prop(default = 20)]
    first: usize,
    /// What stands there when there is no row.
    #[prop(default = "There is nothing here.")]
    none: &'static str,
    testid: &'static str,
) -> impl IntoView
where
    Row: Clone + Send + Sync + 'static,
{
    let sort = RwSignal::new(sorted);
    let all = RwSignal::new(false);
    let columns = StoredValue::new_local(columns);
    let heads = columns.with_value(|columns| {
        columns
            .iter()
            .enumerate()
            .map(|(at, column)| {
                head(
                    at,
                    column.label,
                    column.class,
                    column.compare.is_some(),
                    sort,
                )
            })
            .collect::<Vec<_>>()
    });
    let body = move || {
        let mut rows = rows.get();
        columns.with_value(|columns| {
            if let Some(Sorted { column, down }) = sort.get()
                && let Some(compare) = columns
                    .get(column)
                    .and_then(|column| column.compare.clone())
            {
                // Equal rows keep their order either way.
                rows.sort_by(|a, b| if down { compare(b, a) } else { compare(a, b) });
            }
            let shown = if all.get() { rows.len() } else { first };
            rows.iter()
                .take(shown)
                .map(|row| drawn(columns, row, testid))
                .collect::<Vec<_>>()
        })
    };
    let empty = Memo::new(move |_| rows.with(Vec::is_empty));
    view! {
        <div class="scroll" class:hidden=move || empty.get() tabindex="0" role="group" aria-label=caption>
            <table class="data-table" data-testid=testid>
                <caption class="sr-only">{caption}</caption>
                <thead><tr>{heads}</tr></thead>
                <tbody>{body}</tbody>
            </table>
        </div>
        {move || (!all.get() && rows.read().len() > first).then(|| view! {
            <div class="table-more"><button type="button" class="plain" data-testid=format!("{testid}-all") on:click=move |_| all.set(true)>
                {format!("Show all {}", crate::format::count(rows.read().len() as u64))}
            </button></div>
        })}
        {move || empty.get().then(|| view! { <p class="quiet">{none}</p> })}
    }
}

fn head(
    at: usize,
    label: &'static str,
    class: &'static str,
    sorts: bool,
    sort: RwSignal<Option<Sorted>>,
) -> AnyView {
    let state = move || {
        let sorted = sort.get().filter(|sorted| sorted.column == at)?;
        Some(if sorted.down {
            "descending"
        } else {
            "ascending"
        })
    };
    let turn = move |_| {
        sort.update(|sort| {
            let down = sort.is_none_or(|sorted| sorted.column != at || !sorted.down);
            *sort = Some(Sorted { column: at, down });
        });
    };
    if !sorts {
        return view! { <th scope="col" class=class>{label}</th> }.into_any();
    }
    view! {
        <th scope="col" class=class aria-sort=state>
            <button type="button" class="sort" on:click=turn>
                {label}
                <svg viewBox="0 0 10 10" aria-hidden="true"><path d="M5 1v8M2 6l3 3 3-3"></path></svg>
            </button>
        </th>
    }
    .into_any()
}

/// A row; its first cell names it.
fn drawn<Row>(columns: &[Column<Row>], row: &Row, testid: &'static str) -> AnyView {
    let cells = columns
        .iter()
        .enumerate()
        .map(|(at, column)| {
            let cell = (column.draw)(row);
            if at == 0 {
                view! { <th scope="row" class=column.class>{cell}</th> }.into_any()
            } else {
                view! { <td class=column.class>{cell}</td> }.into_any()
            }
        })
        .collect::<Vec<_>>();
    view! { <tr data-testid=format!("{testid}-row")>{cells}</tr> }.into_any()
}
