//! Charts as inline SVG, each with its numbers as text beside or below it.

use crate::format;
use leptos::prelude::*;

/// A step of a funnel.
#[derive(Debug, Clone, PartialEq)]
pub struct FunnelStep {
    /// Name of the things counted.
    pub label: &'static str,
    /// Explanation of them for a newcomer.
    pub about: &'static str,
    /// Number of them.
    pub value: u32,
}

/// Steps one below the other, each as wide as what is left of the first, narrowing to the next; a table that shows its
/// numbers.
#[component]
pub fn Funnel(
    /// Subject of the steps, for those who can't see it.
    caption: &'static str,
    steps: Vec<FunnelStep>,
) -> impl IntoView {
    let most = steps.first().map_or(1, |step| step.value).max(1);
    let wide = |value: u32| (f64::from(value) / f64::from(most) * 100.0).max(0.6);
    let mut before = None::<(u32, &'static str)>;
    let rows = steps
        .iter()
        .enumerate()
        .map(|(place, step)| {
            let top = wide(step.value);
            let bottom = steps.get(place + 1).map_or(top, |next| wide(next.value));
            let shape = [
                (50.0 - top / 2.0, 0.0),
                (50.0 + top / 2.0, 0.0),
                (50.0 + bottom / 2.0, 20.0),
                (50.0 - bottom / 2.0, 20.0),
            ]
            .map(|(x, y)| format!("{},{y}", format::trim(x, 2)))
            .join(" ");
            let share = match before.replace((step.value, step.label)) {
                Some((all, name)) if all > 0 => format!(
                    "{} of {}",
                    format::percent(f64::from(step.value) / f64::from(all)),
                    format::lower(name)
                ),
                _ => String::new(),
            };
            view! {
                <tr data-testid="funnel-step">
                    <th scope="row">{step.label}<span class="muted">{step.about}</span></th>
                    <td class="funnel-cell">
                        <svg class="funnel" viewBox="0 0 100 20" preserveAspectRatio="none" aria-hidden="true"><polygon points=shape></polygon></svg>
                    </td>
                    <td class="num">{format::count(step.value)}</td>
                    <td class="muted">{share}</td>
                </tr>
            }
            .into_any()
        })
        .collect::<Vec<_>>();
    view! {
        <table class="funnel-table">
            <caption class="sr-only">{caption}</caption>
            <thead class="sr-only"><tr><th scope="col">"Step"</th><th scope="col">"Drawing"</th><th scope="col">"Number"</th><th scope="col">"Share of the step before"</th></tr></thead>
            <tbody>{rows}</tbody>
        </table>
    }
}

/// A part of a whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Band {
    /// Name of the part.
    pub label: &'static str,
    /// Its range, in words.
    pub range: &'static str,
    /// Number of things in it.
    pub value: u32,
    /// Names its colour in the styles: `band-1` to `band-4`.
    pub class: &'static str,
}

/// One bar in parts, and a table that is its key.
#[component]
pub fn Bands(
    caption: &'static str,
    heads: (&'static str, &'static str),
    bands: Vec<Band>,
) -> impl IntoView {
    let all: u64 = bands.iter().map(|band| u64::from(band.value)).sum();
    let share = |value: f64| {
        if all == 0 {
            0.0
        } else {
            value / all as f64 * 100.0
        }
    };
    let mut left = 0.0;
    let parts = bands
        .iter()
        .map(|band| {
            let wide = share(f64::from(band.value));
            let x = left;
            left += wide;
            view! {
                <rect class=band.class x=format!("{}%", format::trim(x, 3)) y="0%" width=format!("{}%", format::trim(wide, 3)) height="100%">
                    <title>{format!("{}: {}", band.label, format::count(band.value))}</title>
                </rect>
            }
            .into_any()
        })
        .collect::<Vec<_>>();
    let rows = bands
        .iter()
        .map(|band| {
            view! {
                <tr data-testid="band">
                    <th scope="row"><svg class="swatch" aria-hidden="true"><rect class=band.class width="100%" height="100%" rx="3"></rect></svg>{band.label}<span class="muted">{band.range}</span></th>
                    <td class="num">{format::count(band.value)}</td>
                    <td class="num muted">{if all == 0 { "–".to_owned() } else { format!("{}%", format::trim(share(f64::from(band.value)), 1)) }}</td>
                </tr>
            }
            .into_any()
        })
        .collect::<Vec<_>>();
    view! {
        <svg class="bands" aria-hidden="true">{parts}</svg>
        <table class="bands-table">
            <caption class="sr-only">{caption}</caption>
            <thead><tr><th scope="col">{heads.0}</th><th scope="col" class="num">{heads.1}</th><th scope="col" class="num">"Share"</th></tr></thead>
            <tbody>{rows}</tbody>
        </table>
    }
}
