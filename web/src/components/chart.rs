//! The data of charts, and the frame around one: its title, its numbers as a table, and as CSV.

use crate::dom;
use leptos::prelude::*;

/// A line or a set of columns: a value for each place along the bottom.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Series {
    /// Name of the quantity, as the legend has it.
    pub name: String,
    /// Its colour in the styles: `c1` to `c4`, `good`, `bad` or `quiet`.
    pub tone: &'static str,
    /// Drawn as one to compare with.
    pub dashed: bool,
    /// A value for each place; `None` where there is none.
    pub values: Vec<Option<f64>>,
    /// An interval around each value, drawn as a band; empty without.
    pub range: Vec<Option<(f64, f64)>>,
    /// The number that each value is a share of; empty where the values are no shares.
    pub of: Vec<u32>,
}

/// Something that happened at a place along the bottom.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// The place, from 0.
    pub at: usize,
    /// Name of the event.
    pub label: String,
}

/// The contents of a chart.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plotted {
    /// Names each place along the bottom, such as days.
    pub labels: Vec<String>,
    /// The lines or sets of columns.
    pub series: Vec<Series>,
    /// Events at their places along the bottom.
    pub marks: Vec<Mark>,
}

/// Format of a chart's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Shares of one, as percentages; the axis goes to 100 %.
    Share,
    /// Counts, and means of them.
    Count,
}

impl Unit {
    /// A value as text.
    pub fn text(self, value: f64) -> String {
        match self {
            Self::Share => format!("{}%", crate::format::trim(value * 100.0, 1)),
            Self::Count if value.fract() == 0.0 && value >= 0.0 => {
                crate::format::count(value as u64)
            }
            Self::Count => crate::format::trim(value, 2),
        }
    }
}

/// The numbers of a chart, in rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Numbers {
    /// Names of the columns.
    pub heads: Vec<String>,
    /// The rows; the first cell names the row.
    pub rows: Vec<Vec<String>>,
}

impl Plotted {
    /// True if there is a value to draw, other than nothing counted.
    pub fn says_something(&self) -> bool {
        let values = self
            .series
            .iter()
            .flat_map(|series| series.values.iter().flatten());
        values.into_iter().any(|value| *value != 0.0)
            || self
                .series
                .iter()
                .any(|series| !series.range.is_empty() && series.values.iter().any(Option::is_some))
    }

    /// Its numbers in rows: one for each place.
    pub fn numbers(&self, first: &str, unit: Unit) -> Numbers {
        let mut heads = vec![first.to_owned()];
        for series in &self.series {
            heads.push(series.name.clone());
            if !series.range.is_empty() {
                heads.push(format!("{}, low", series.name));
                heads.push(format!("{}, high", series.name));
            }
            if !series.of.is_empty() {
                heads.push(format!("{}, runs", series.name));
            }
        }
        let text = |value: Option<f64>| value.map(|value| unit.text(value)).unwrap_or_default();
        let row = |(at, label): (usize, &String)| {
            let mut row = vec![label.clone()];
            for series in &self.series {
                row.push(text(series.values.get(at).copied().flatten()));
                if !series.range.is_empty() {
                    let range = series.range.get(at).copied().flatten();
                    row.push(text(range.map(|range| range.0)));
                    row.push(text(range.map(|range| range.1)));
                }
                if !series.of.is_empty() {
                    let of = series.of.get(at).copied();
                    row.push(of.map(|of| of.to_string()).unwrap_or_default());
                }
            }
            row
        };
        Numbers {
            heads,
            rows: self.labels.iter().enumerate().map(row).collect(),
        }
    }
}

impl Numbers {
    /// The same as comma-separated values (RFC 4180). A cell that a spreadsheet would take for a formula is quoted by an
    /// apostrophe.
    pub fn csv(&self) -> String {
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| csv_cell(cell)).collect();
            cells.join(",") + "\r\n"
        };
        let rows = self.rows.iter().map(|row| line(row));
        std::iter::once(line(&self.heads)).chain(rows).collect()
    }
}

/// A cell of comma-separated values (RFC 4180); what a spreadsheet would take for a formula is quoted by an apostrophe.
pub fn csv_cell(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '@', '\t', '\r'])
        || (text.starts_with('-') && text.parse::<f64>().is_err());
    let text = if formula {
        format!("'{text}")
    } else {
        text.to_owned()
    };
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

/// A chart with its title, what its colours mean, and its numbers as a table or a file.
#[component]
pub fn ChartFrame(
    /// Names the chart in the page, and the file of its numbers.
    id: &'static str,
    title: &'static str,
    /// The series that the legend names by their colours.
    #[prop(optional, into)]
    legend: Signal<Vec<Series>>,
    numbers: Signal<Numbers>,
    /// Beside the title, such as a range of time.
    #[prop(optional, into)]
    tools: ViewFn,
    /// The drawing.
    children: ChildrenFn,
) -> impl IntoView {
    let as_table = RwSignal::new(false);
    let children = StoredValue::new(children);
    let save = move |_| {
        dom::download_text(
            &format!("{id}.csv"),
            "text/csv",
            &numbers.read_untracked().csv(),
        )
    };
    let heading = format!("{id}-title");
    let named_by = heading.clone();
    view! {
        <section class="chart-frame" aria-labelledby=named_by data-testid=id>
            <header class="chart-head">
                <h2 id=heading>{title}</h2>
                <ul class="legend">{move || legend.get().into_iter().map(key).collect_view()}</ul>
                <div class="chart-tools">
                    {tools.run()}
                    <button type="button" aria-pressed=move || as_table.get().to_string() aria-label=format!("{title}: as a table")
                        data-testid=format!("{id}-table") on:click=move |_| as_table.update(|on| *on = !*on)>"Table"</button>
                    <button type="button" aria-label=format!("{title}: download CSV") data-testid=format!("{id}-csv") on:click=save>"CSV"</button>
                </div>
            </header>
            <div class="chart-body">
                {move || if as_table.get() {
                    view! { <NumbersTable title numbers/> }.into_any()
                } else {
                    children.with_value(|children| children()).into_any()
                }}
            </div>
        </section>
    }
}

/// Draws an entry of the legend: a sample of the line, and the name of its series.
fn key(series: Series) -> AnyView {
    let class = line_class(&series);
    view! {
        <li><svg viewBox="0 0 16 8" aria-hidden="true"><path class=class d="M1 4h14"></path></svg>{series.name}</li>
    }
    .into_any()
}

/// The look of a series' line.
pub fn line_class(series: &Series) -> String {
    let dashed = if series.dashed { " plot-dashed" } else { "" };
    format!("plot-line plot-{}{dashed}", series.tone)
}

#[component]
fn NumbersTable(title: &'static str, numbers: Signal<Numbers>) -> impl IntoView {
    let head = |(place, name): (usize, String)| {
        view! { <th scope="col" class=(place != 0).then_some("num")>{name}</th> }.into_any()
    };
    let row = |row: Vec<String>| {
        let mut cells = row.into_iter();
        let name = cells.next().unwrap_or_default();
        let cells = cells
            .map(|cell| view! { <td class="num">{cell}</td> }.into_any())
            .collect::<Vec<_>>();
        view! { <tr><th scope="row">{name}</th>{cells}</tr> }.into_any()
    };
    view! {
        <div class="chart-table" tabindex="0" role="group" aria-label=format!("{title}, as a table")>
            <table>
                <caption class="sr-only">{title}</caption>
                <thead><tr>{move || numbers.get().heads.into_iter().enumerate().map(head).collect::<Vec<_>>()}</tr></thead>
                <tbody>{move || numbers.get().rows.into_iter().map(row).collect::<Vec<_>>()}</tbody>
            </table>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn numbers_become_csv_that_a_spreadsheet_reads_as_text() {
        let plotted = Plotted {
            labels: vec!["1 Nov".into(), "a,b".into(), "=cmd".into()],
            series: vec![Series {
                name: "Success \"all\"".into(),
                values: vec![Some(0.5), None, Some(1.0)],
                range: vec![Some((0.25, 0.75)), None, None],
                of: vec![4, 0, 1],
                ..Series::default()
            }],
            marks: Vec::new(),
        };
        let csv = plotted.numbers("Day", Unit::Share).csv();
        assert_eq!(
            csv,
            "Day,\"Success \"\"all\"\"\",\"Success \"\"all\"\", low\",\"Success \"\"all\"\", high\",\"Success \"\"all\"\", runs\"\r\n\
             1 Nov,50%,25%,75%,4\r\n\"a,b\",,,,0\r\n'=cmd,100%,,,1\r\n"
        );
        assert_eq!(csv_cell("-1.5"), "-1.5");
        assert_eq!(csv_cell("-x"), "'-x");
    }
}
