//! Figures side by side, each with how it changed against as many days before.

use crate::components::points;
use crate::format;
use leptos::prelude::*;

/// A figure with how it changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// What it is.
    pub label: &'static str,
    /// The figure as text.
    pub value: String,
    /// The change as text with its sign, and whether it is for the better; nothing where there is none to tell.
    pub change: Option<(String, bool)>,
}

/// A share now and before.
pub fn share_figure(label: &'static str, now: Option<f64>, before: Option<f64>) -> Figure {
    let change = now.zip(before).map(|(now, before)| now - before);
    Figure {
        label,
        value: format::percent_or_dash(now),
        change: change
            .map(|change| (points(change), change > 0.0))
            .filter(|(text, _)| text != "0"),
    }
}

/// A mean now and before; less of it is better where `less` says so.
pub fn mean_figure(
    label: &'static str,
    now: Option<f64>,
    before: Option<f64>,
    places: usize,
    less: bool,
) -> Figure {
    let text = |value: f64| {
        if places == 0 {
            format::count(value.round().max(0.0) as u64)
        } else {
            format::trim(value, places)
        }
    };
    let change = now
        .zip(before)
        .filter(|(_, before)| *before > 0.0)
        .map(|(now, before)| now / before - 1.0);
    Figure {
        label,
        value: now.map_or_else(|| "–".to_owned(), text),
        change: change
            .map(|change| (format!("{}%", points(change)), (change < 0.0) == less))
            .filter(|(text, _)| text != "0%"),
    }
}

/// Figures side by side, each with how it changed against as many days before.
#[component]
pub fn Figures(figures: Vec<Figure>) -> impl IntoView {
    let each = figures
        .into_iter()
        .map(|figure| {
            let change = figure.change.map(|(text, better)| {
                view! { <span class=tone(better) title="Compared with the same number of days before">{text}</span> }
            });
            view! { <div class="kpi"><dt>{figure.label}</dt><dd><b>{figure.value}</b>{change}</dd></div> }.into_any()
        })
        .collect::<Vec<_>>();
    view! { <dl class="panel kpis" data-testid="figures">{each}</dl> }
}

fn tone(better: bool) -> &'static str {
    if better { "up" } else { "down" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_tells_its_change_and_whether_it_is_for_the_better() {
        let figure = mean_figure("Tokens", Some(860.0), Some(1_000.0), 0, true);
        assert_eq!(figure.value, "860");
        assert_eq!(figure.change, Some(("−14%".to_owned(), true)));
        assert_eq!(mean_figure("x", Some(1.0), None, 1, true).change, None);
        let share = share_figure("Success", Some(0.7), Some(0.75));
        assert_eq!(share.change, Some(("−5".to_owned(), false)));
        assert_eq!(share_figure("x", None, Some(0.5)).value, "–");
    }
}
