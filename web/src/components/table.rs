//! Rows to compare: a plain table whose columns sort.

use super::chart::Numbers;
use crate::dom;
use crate::parameters::in_address;
use leptos::prelude::*;
use leptos_use_event_listener::use_event_listener;
use std::cmp::Ordering;
use std::rc::Rc;

/// Draws a cell.
type Draw<Row> = Rc<dyn Fn(&Row) -> AnyView>;
/// Writes a cell.
type Write<Row> = Rc<dyn Fn(&Row) -> String>;
/// Compares two rows.
type Compare<Row> = Rc<dyn Fn(&Row, &Row) -> Ordering>;

/// A column of a table.
pub struct Column<Row> {
    label: &'static str,
    class: &'static str,
    draw: Draw<Row>,
    compare: Option<Compare<Row>>,
    write: Option<Write<Row>>,
}

impl<Row> Clone for Column<Row> {
    fn clone(&self) -> Self {
        Self {
            draw: Rc::clone(&self.draw),
            compare: self.compare.clone(),
            write: self.write.clone(),
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
            write: None,
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

    /// Stands in the table's file as what `write` gives; a column without is left out of it.
    pub fn text(self, write: impl Fn(&Row) -> String + 'static) -> Self {
        Self {
            write: Some(Rc::new(write)),
            ..self
        }
    }

    /// The same for a number that may be missing.
    pub fn figure(self, number: impl Fn(&Row) -> Option<f64> + 'static) -> Self {
        self.text(move |row| number(row).map_or_else(String::new, |n| crate::format::trim(n, 6)))
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

/// Order of a table's rows: the column that sorts, and whether the greatest comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sorted {
    /// The column, from 0.
    pub column: usize,
    /// The greatest first.
    pub down: bool,
}

impl Sorted {
    /// As a word of the page's address: the column's name, and `.up` where the least comes first.
    fn word(self, labels: &[&str]) -> String {
        let label = labels.get(self.column).copied().unwrap_or_default();
        let way = if self.down { "" } else { ".up" };
        format!("{}{way}", label.to_ascii_lowercase().replace(' ', "-"))
    }

    /// Reads a word of the page's address; `None` where it names no column that sorts.
    fn read(word: &str, labels: &[&str]) -> Option<Self> {
        let all =
            (0..labels.len()).flat_map(|column| [true, false].map(|down| Self { column, down }));
        all.filter(|sorted| {
            labels
                .get(sorted.column)
                .is_some_and(|label| !label.is_empty())
        })
        .find(|sorted| sorted.word(labels) == word)
    }
}

/// A table. The first press on a column's name sorts the greatest first, the second turns it round.
#[component]
pub fn DataTable<Row>(
    /// Description of the table, for those who can't see it.
    caption: &'static str,
    columns: Vec<Column<Row>>,
    #[prop(into)] rows: Signal<Vec<Row>>,
    /// Order at first; without it, the order in which the rows came.
    #[prop(optional)]
    sorted: Option<Sorted>,
    /// Where the page's address says how it is sorted, such as `sort`; nowhere without.
    #[prop(optional)]
    address: Option<&'static str>,
    /// Rows that are shown until all are asked for.
    #[prop(default = 20)]
    first: usize,
    /// Text in the place of rows when there is none.
    #[prop(default = "There is nothing here.")]
    none: &'static str,
    testid: &'static str,
    /// The name of its file, such as `lessons`; there is none without.
    #[prop(optional)]
    file: Option<&'static str>,
) -> impl IntoView
where
    Row: Clone + Send + Sync + 'static,
{
    let labels: Vec<&'static str> = columns
        .iter()
        .map(|column| match column.compare {
            Some(_) => column.label,
            None => "",
        })
        .collect();
    let sort = match address {
        Some(key) => {
            let words = labels.clone();
            in_address(
                key,
                move |word| Sorted::read(word, &labels).or(sorted),
                move |now: &Option<Sorted>| match now {
                    Some(now) if Some(*now) != sorted => now.word(&words),
                    _ => String::new(),
                },
            )
        }
        None => RwSignal::new(sorted),
    };
    let all = RwSignal::new(false);
    // On paper there is nothing to press.
    let _ = use_event_listener(window(), leptos::ev::beforeprint, move |_| all.set(true));
    let columns = StoredValue::new_local(columns);
    let in_order = move || {
        let mut rows = rows.get();
        columns.with_value(|columns| order(columns, &mut rows, sort.get()));
        rows
    };
    let save = file.map(|name| {
        let save = move |_| {
            let text = columns.with_value(|columns| written(columns, &untrack(in_order)));
            dom::download_text(&format!("{name}.csv"), "text/csv", &text);
        };
        view! {
            <div class="table-file"><button type="button" class="plain" aria-label=format!("{caption}: download CSV")
                data-testid=format!("{testid}-csv") on:click=save>"CSV"</button></div>
        }
    });
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
        let rows = in_order();
        columns.with_value(|columns| {
            let shown = if all.get() { rows.len() } else { first };
            rows.iter()
                .take(shown)
                .map(|row| drawn(columns, row, testid))
                .collect::<Vec<_>>()
        })
    };
    let empty = Memo::new(move |_| rows.with(Vec::is_empty));
    view! {
        {save}
        <div class="scroll" class:hidden=move || empty.get() tabindex="0" role="group" aria-label=caption>
            <table class="data-table" role="table" data-testid=testid>
                <caption class="sr-only">{caption}</caption>
                // A phone shows rows as cards, which would take the roles away.
                <thead role="rowgroup"><tr role="row">{heads}</tr></thead>
                <tbody role="rowgroup">{body}</tbody>
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

/// Puts rows in order; equal ones keep theirs either way.
fn order<Row>(columns: &[Column<Row>], rows: &mut [Row], sorted: Option<Sorted>) {
    if let Some(Sorted { column, down }) = sorted
        && let Some(compare) = columns
            .get(column)
            .and_then(|column| column.compare.as_ref())
    {
        rows.sort_by(|a, b| if down { compare(b, a) } else { compare(a, b) });
    }
}

/// All rows as comma-separated values.
fn written<Row>(columns: &[Column<Row>], rows: &[Row]) -> String {
    let cells = || {
        columns
            .iter()
            .filter_map(|column| Some((column.label, column.write.as_ref()?)))
    };
    Numbers {
        heads: cells().map(|(label, _)| label.to_owned()).collect(),
        rows: rows
            .iter()
            .map(|row| cells().map(|(_, write)| write(row)).collect())
            .collect(),
    }
    .csv()
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
        return view! { <th scope="col" role="columnheader" class=class>{label}</th> }.into_any();
    }
    view! {
        <th scope="col" role="columnheader" class=class aria-sort=state>
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
                view! { <th scope="row" role="rowheader" class=column.class>{cell}</th> }.into_any()
            } else {
                view! { <td role="cell" class=column.class data-label=column.label>{cell}</td> }
                    .into_any()
            }
        })
        .collect::<Vec<_>>();
    view! { <tr role="row" data-testid=format!("{testid}-row")>{cells}</tr> }.into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn a_file_has_the_columns_that_say_what_they_are_in() {
        let draw = |_: &(&str, Option<f64>)| ().into_any();
        let columns = vec![
            Column::new("Name", draw).text(|row: &(&str, Option<f64>)| row.0.to_owned()),
            Column::new("Drawing", draw),
            Column::new("Success", draw).figure(|row: &(&str, Option<f64>)| row.1),
        ];
        let rows = [("=a, b", Some(0.25)), ("c", None)];
        assert_eq!(
            written(&columns, &rows),
            "Name,Success\r\n\"'=a, b\",0.25\r\nc,\r\n"
        );
    }

    #[test]
    fn an_address_says_how_a_table_is_sorted() {
        let labels = ["", "Runs", "Tokens per run"];
        for (column, down, word) in [
            (1, true, "runs"),
            (1, false, "runs.up"),
            (2, true, "tokens-per-run"),
        ] {
            let sorted = Sorted { column, down };
            assert_eq!(sorted.word(&labels), word);
            assert_eq!(Sorted::read(word, &labels), Some(sorted));
        }
        for word in ["", ".up", "score", "Runs"] {
            assert_eq!(Sorted::read(word, &labels), None, "{word}");
        }
    }
}
