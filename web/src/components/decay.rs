//! The loss of a record's weight with age, as a curve and as a small one per record. The numbers are the engine's.

use crate::format;
use leptos::prelude::*;
use lesson_types::Decay;

fn across(share: f64) -> String {
    format!("{}%", format::trim(2.0 + share.clamp(0.0, 1.0) * 96.0, 2))
}

fn up(weight: f64) -> String {
    format!("{}%", format::trim(92.0 - weight.clamp(0.0, 1.0) * 84.0, 2))
}

fn lines(decay: &Decay) -> Vec<AnyView> {
    let span = decay.points.last().map_or(1.0, |last| last.age_days);
    decay
        .points
        .windows(2)
        .filter_map(|pair| {
            let [from, to] = pair else { return None };
            Some(view! {
                <line class="decay-line" x1=across(from.age_days / span) x2=across(to.age_days / span) y1=up(from.weight) y2=up(to.weight)></line>
            }.into_any())
        })
        .collect()
}

/// The curve with one record's place on it; one that is older than the curve stands at its end.
#[component]
pub fn DecaySpark(
    decay: Decay,
    /// In days.
    age: f64,
    /// 0 to 1.
    weight: f64,
) -> impl IntoView {
    let span = decay.points.last().map_or(1.0, |last| last.age_days);
    let label = format!("{}, counts {}", format::age(age), format::percent(weight));
    view! {
        <svg class="spark" role="img" aria-label=label>
            {lines(&decay)}
            <line class="decay-drop" x1=across(age / span) x2=across(age / span) y1=up(weight) y2=up(0.0)></line>
            <circle class="dot" cx=across(age / span) cy=up(weight) r="3.5"></circle>
        </svg>
    }
}

/// The curve, large, with its numbers as a table.
#[component]
pub fn DecayCurve(decay: Decay) -> impl IntoView {
    if decay.half_life_days <= 0.0 {
        return view! { <p class="muted">"Records don't lose weight with age here."</p> }
            .into_any();
    }
    let span = decay.points.last().map_or(1.0, |last| last.age_days);
    let said = format!(
        "The weight of a record halves every {}: recent successes count more.",
        days(decay.half_life_days)
    );
    // One row per half-life says it all.
    let per_half_life = decay
        .points
        .iter()
        .filter(|point| {
            let halves = point.age_days / decay.half_life_days;
            (halves - halves.round()).abs() < 1e-9
        })
        .cloned()
        .collect::<Vec<_>>();
    let ticks = per_half_life
        .iter()
        .map(|point| {
            view! { <circle class="dot" cx=across(point.age_days / span) cy=up(point.weight) r="4"></circle> }.into_any()
        })
        .collect::<Vec<_>>();
    let rows = per_half_life
        .into_iter()
        .map(|point| {
            view! { <tr><th scope="row">{days(point.age_days)}</th><td class="num">{format::percent_fine(point.weight)}</td></tr> }.into_any()
        })
        .collect::<Vec<_>>();
    view! {
        <figure class="decay" data-testid="decay">
            <figcaption>{said}</figcaption>
            <svg class="decay-curve" role="img" aria-label="Weight of a record by its age">
                <line class="grid-line" x1="0%" x2="100%" y1=up(0.0) y2=up(0.0)></line>
                <line class="grid-line" x1="0%" x2="100%" y1=up(0.5) y2=up(0.5)></line>
                <line class="grid-line" x1="0%" x2="100%" y1=up(1.0) y2=up(1.0)></line>
                {lines(&decay)}
                {ticks}
            </svg>
            <div class="axis" aria-hidden="true"><span>"new: 100%"</span><span>{format!("{} old", days(span))}</span></div>
            <details>
                <summary>"The numbers as a table"</summary>
                <table>
                    <caption class="sr-only">"Weight of a record by its age"</caption>
                    <thead><tr><th scope="col">"Age"</th><th scope="col" class="num">"Counts"</th></tr></thead>
                    <tbody>{rows}</tbody>
                </table>
            </details>
        </figure>
    }
    .into_any()
}

fn days(days: f64) -> String {
    let text = format::trim(days, 1);
    if text == "1" {
        "1 day".to_owned()
    } else {
        format!("{text} days")
    }
}
