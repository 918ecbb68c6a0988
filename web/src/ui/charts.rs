//! Charts as inline SVG, each with its numbers as text beside or below it.

use crate::format;
use leptos::prelude::*;

/// One bar of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// What it stands for.
    pub label: String,
    /// Its value.
    pub value: u32,
    /// A word about it.
    pub note: String,
}

/// Bars one below the other, drawn against the longest; a table that shows its numbers.
#[component]
pub fn BarList(
    /// What the bars are about, for those who can't see them.
    caption: &'static str,
    /// Heads of the columns: what a bar stands for, its number.
    heads: (&'static str, &'static str),
    bars: Vec<Bar>,
) -> impl IntoView {
    let most = bars.iter().map(|bar| bar.value).max().unwrap_or(0).max(1);
    let rows = bars
        .into_iter()
        .map(|bar| {
            let width = f64::from(bar.value) / f64::from(most) * 100.0;
            view! {
                <tr>
                    <th scope="row">{bar.label}</th>
                    <td class="bar-cell">
                        <svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                            <rect class="bar-back" width="100" height="10"></rect>
                            <rect class="bar-fill" width=format::trim(width, 2) height="10"></rect>
                        </svg>
                    </td>
                    <td class="num">{format::count(bar.value)}</td>
                    <td class="muted">{bar.note}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <table class="bars">
            <caption class="sr-only">{caption}</caption>
            <thead class="sr-only">
                <tr><th scope="col">{heads.0}</th><th scope="col">"Bar"</th><th scope="col">{heads.1}</th><th scope="col">"Note"</th></tr>
            </thead>
            <tbody>{rows}</tbody>
        </table>
    }
}

/// Columns side by side, such as one a day, with a table of the numbers to open.
#[component]
pub fn Columns(
    caption: &'static str,
    heads: (&'static str, &'static str),
    columns: Vec<(String, u32)>,
) -> impl IntoView {
    const STEP: f64 = 12.0;
    const HIGH: f64 = 80.0;
    const LEAST: usize = 30;
    let most = columns.iter().map(|(_, n)| *n).max().unwrap_or(0).max(1);
    // A few days keep the width that a month's have, so that one day is no wall.
    let wide = columns.len().max(LEAST) as f64 * STEP;
    let first = columns
        .first()
        .map(|(day, _)| day.clone())
        .unwrap_or_default();
    let last = columns
        .last()
        .map(|(day, _)| day.clone())
        .unwrap_or_default();
    let rects = columns
        .iter()
        .enumerate()
        .map(|(i, (label, n))| {
            let high = (f64::from(*n) / f64::from(most) * HIGH).max(1.0);
            view! {
                <rect
                    class="bar-fill"
                    x=format::trim(i as f64 * STEP + 1.0, 1)
                    y=format::trim(HIGH - high, 2)
                    width=format::trim(STEP - 2.0, 1)
                    height=format::trim(high, 2)
                    rx="1.5"
                >
                    <title>{format!("{label}: {}", format::count(*n))}</title>
                </rect>
            }
        })
        .collect_view();
    let rows = columns
        .iter()
        .map(|(label, n)| view! { <tr><th scope="row">{label.clone()}</th><td class="num">{format::count(*n)}</td></tr> })
        .collect_view();
    view! {
        <figure class="columns">
            <svg viewBox=format!("0 0 {wide} {HIGH}") role="img" aria-label=caption preserveAspectRatio="none">{rects}</svg>
            <div class="axis" aria-hidden="true"><span>{first}</span><span>{format!("most: {}", format::count(most))}</span><span>{last}</span></div>
            <details>
                <summary>"The numbers as a table"</summary>
                <table>
                    <caption class="sr-only">{caption}</caption>
                    <thead><tr><th scope="col">{heads.0}</th><th scope="col" class="num">{heads.1}</th></tr></thead>
                    <tbody>{rows}</tbody>
                </table>
            </details>
        </figure>
    }
}
