//! Figures side by side, each with how it changed against as many days before.

use crate::components::points;
use crate::features::trend;
use crate::format;
use leptos::prelude::*;
use lesson_types::SuccessRate;

/// Runs with an outcome below which a share of successes is not told as a percentage: of ten out of ten, Wilson's interval
/// still begins at 72 %.
pub const FEW: u32 = 10;
/// The quantile of the normal distribution for an interval of 95 %, to as many places as the engine has it: the same change
/// is judged alike by both.
const Z: f64 = 1.96;

/// A figure with how it changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The name that it is shown under.
    pub label: &'static str,
    /// The figure as text.
    pub value: String,
    /// The change as text with its sign; nothing where there is none to tell.
    pub change: Option<(String, Change)>,
}

/// The direction in which a figure goes, as far as its interval tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// The interval lies above 0.
    Rises,
    /// The interval lies below 0.
    Falls,
    /// The interval holds 0, or there is none.
    Open,
}

impl Change {
    /// The class of its text.
    pub fn class(self) -> &'static str {
        match self {
            Self::Rises => "up",
            Self::Falls => "down",
            Self::Open => "muted",
        }
    }

    /// Of a difference with its interval.
    pub fn of(low: f64, high: f64) -> Self {
        if low > 0.0 {
            Self::Rises
        } else if high < 0.0 {
            Self::Falls
        } else {
            Self::Open
        }
    }

    /// Of two shares, each a part and its whole, by Newcombe's interval of their difference (1998, method 10).
    pub fn of_shares(now: (u32, u32), before: (u32, u32)) -> Self {
        let (Some((p, low, high)), Some((q, least, most))) = (wilson(now), wilson(before)) else {
            return Self::Open;
        };
        Self::of(
            p - q - (p - low).hypot(most - q),
            p - q + (high - p).hypot(q - least),
        )
    }
}

/// A share with Wilson's interval; nothing where there is no whole.
fn wilson((part, whole): (u32, u32)) -> Option<(f64, f64, f64)> {
    let (share, n) = (trend::share(part, whole)?, f64::from(whole));
    let (z, over) = (Z * Z / n, 1.0 + Z * Z / n);
    let middle = (share + z / 2.0) / over;
    let reach = Z * (share * (1.0 - share) / n + z / (4.0 * n)).sqrt() / over;
    Some((share, middle - reach, middle + reach))
}

/// A share of runs as people can take it: a percentage, or the numbers where they are too few for one.
pub fn rate(part: u32, whole: u32) -> String {
    match trend::share(part, whole) {
        Some(_) if whole < FEW => format!("{part} of {whole}"),
        share => format::percent_or_dash(share),
    }
}

/// The same with the runs that it is of: `67% of 120`, `3 of 5`; a dash where there is none.
pub fn rate_of(part: u32, whole: u32) -> String {
    if whole < FEW {
        return rate(part, whole);
    }
    format!("{} of {}", rate(part, whole), format::count(whole))
}

/// A share of successes with the runs that it is of.
pub fn success_of(held: Option<SuccessRate>) -> String {
    held.map_or_else(
        || "–".to_owned(),
        |held| {
            rate_of(
                (held.share * f64::from(held.runs)).round() as u32,
                held.runs,
            )
        },
    )
}

/// A share now and before, each a part and its whole.
pub fn share_figure(label: &'static str, now: (u32, u32), before: Option<(u32, u32)>) -> Figure {
    let change = before.filter(|before| now.1 >= FEW && before.1 >= FEW);
    let change = change.and_then(|before| {
        let by = trend::share(now.0, now.1)? - trend::share(before.0, before.1)?;
        Some((points(by), Change::of_shares(now, before)))
    });
    Figure {
        label,
        value: rate(now.0, now.1),
        change: change.filter(|(text, _)| text != "0"),
    }
}

/// A mean now and before. It has no interval, so its change is told and not judged.
pub fn mean_figure(
    label: &'static str,
    now: Option<f64>,
    before: Option<f64>,
    places: usize,
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
            .map(|change| (format!("{}%", points(change)), Change::Open))
            .filter(|(text, _)| text != "0%"),
    }
}

/// Figures side by side, each with how it changed against as many days before.
#[component]
pub fn Figures(figures: Vec<Figure>) -> impl IntoView {
    let each = figures
        .into_iter()
        .map(|figure| {
            let change = figure.change.map(|(text, change)| {
                view! { <span class=change.class() title="Compared with the same number of days before">{text}</span> }
            });
            view! { <div class="kpi"><dt>{figure.label}</dt><dd><b>{figure.value}</b>{change}</dd></div> }.into_any()
        })
        .collect::<Vec<_>>();
    view! { <dl class="panel kpis" data-testid="figures">{each}</dl> }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn a_figure_tells_its_change_and_judges_it_only_where_its_interval_leaves_zero() {
        let figure = mean_figure("Tokens", Some(860.0), Some(1_000.0), 0);
        assert_eq!(figure.value, "860");
        assert_eq!(figure.change, Some(("−14%".to_owned(), Change::Open)));
        assert_eq!(mean_figure("x", Some(1.0), None, 1).change, None);
        let change = |now, before| share_figure("Success", now, Some(before)).change;
        assert_eq!(
            change((14, 20), (15, 20)),
            Some(("−5".to_owned(), Change::Open))
        );
        assert_eq!(
            change((140, 400), (300, 400)),
            Some(("−40".to_owned(), Change::Falls))
        );
        assert_eq!(
            change((300, 400), (140, 400)),
            Some(("+40".to_owned(), Change::Rises))
        );
        assert_eq!(change((1, 1), (300, 400)), None);
    }

    #[test]
    fn few_runs_are_no_percentage() {
        for ((part, whole), told) in [((0, 0), "–"), ((1, 1), "1 of 1"), ((9, 10), "90%")] {
            assert_eq!(rate(part, whole), told);
        }
        assert_eq!(rate_of(3, 5), "3 of 5");
        assert_eq!(rate_of(800, 1_200), "67% of 1,200");
        assert_eq!(success_of(None), "–");
    }

    #[test]
    fn the_interval_of_a_difference_is_newcombes() {
        // Newcombe (1998), table II, example (a): 56/70 and 48/80 lie 0.0524 to 0.3339 apart.
        assert_eq!(Change::of_shares((56, 70), (48, 80)), Change::Rises);
        // Example (c): 9/10 and 3/10 lie 0.1705 to 0.8090 apart; one success less on either side and 0 is near.
        assert_eq!(Change::of_shares((9, 10), (3, 10)), Change::Rises);
        assert_eq!(Change::of_shares((7, 10), (5, 10)), Change::Open);
    }
}
