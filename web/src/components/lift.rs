//! A lesson's lift: one number with its interval, judged only where the interval leaves 0 out.

use super::figures::{IntervalBar, points};
use crate::format;
use leptos::prelude::*;
use lesson_types::{LiftBelief, LiftWord};

/// The class of a number: green and red only where its interval leaves 0 out.
pub fn lift_class(lift: &LiftBelief) -> &'static str {
    match lift.verdict {
        LiftWord::Helps => "up",
        LiftWord::Hurts => "down",
        LiftWord::Unsure => "muted",
    }
}

/// The lift in words: `lift +8 points (±6), from 12 runs`.
pub fn lift_words(lift: &LiftBelief) -> String {
    if lift.at.is_none() {
        return "lift not seen yet".to_owned();
    }
    format!(
        "lift {} points (±{}), {}",
        points(lift.mean),
        reach(lift),
        from_runs(lift.runs)
    )
}

/// The runs that a lift is from.
pub fn from_runs(runs: u32) -> String {
    format!("from {}", format::plural(runs, "run", "runs"))
}

/// Half of the interval in points.
fn reach(lift: &LiftBelief) -> String {
    points((lift.high - lift.low) / 2.0)
        .trim_start_matches('+')
        .to_owned()
}

/// The lift of a row: the number with its interval, or a dash before anything was seen.
#[component]
pub fn LiftCell(lift: LiftBelief) -> impl IntoView {
    if lift.at.is_none() {
        return view! { <span class="muted" title="Nothing has been seen of it yet">"–"</span> }
            .into_any();
    }
    let (class, title) = (lift_class(&lift), lift_words(&lift));
    view! { <span class=class title=title data-testid="lift-cell">{points(lift.mean)}<small class="muted">{format!(" ±{}", reach(&lift))}</small></span> }
        .into_any()
}

/// The lift as a label: *Helps +8*, *Hurts −12*, or the number in grey.
#[component]
pub fn LiftChip(lift: LiftBelief) -> impl IntoView {
    let title = lift_words(&lift);
    let (class, words) = match lift.verdict {
        _ if lift.at.is_none() => ("chip", "New".to_owned()),
        LiftWord::Helps => ("chip chip-good", format!("Helps {}", points(lift.mean))),
        LiftWord::Hurts => ("chip chip-bad", format!("Hurts {}", points(lift.mean))),
        LiftWord::Unsure => ("chip", format!("{} ±{}", points(lift.mean), reach(&lift))),
    };
    view! { <span class=class title=title data-testid="lift-chip">{words}</span> }
}

/// The lift as the one number of a page, with its interval and the runs that it is from; `children` explain it.
#[component]
pub fn LiftHero(lift: LiftBelief, children: Children) -> impl IntoView {
    let verdict = match lift.verdict {
        LiftWord::Helps => Some(("chip chip-good", "Helps")),
        LiftWord::Hurts => Some(("chip chip-bad", "Hurts")),
        LiftWord::Unsure => None,
    };
    let seen = lift.at.is_some();
    let told = if seen {
        format!(
            "{} that applied it and ended.",
            capital(&from_runs(lift.runs))
        )
    } else {
        "Nothing has been seen of it yet. This is where every lesson begins.".to_owned()
    };
    view! {
        <p class="effect-head" data-testid="lift" data-verdict=lift.verdict.as_str()>
            <span class=format!("effect-big {}", lift_class(&lift))>
                {points(lift.mean)}<small>{format!(" points (±{})", reach(&lift))}</small>
            </span>
            {verdict.map(|(class, word)| view! { <span class=class>{word}</span> })}
            {children()}
        </p>
        <IntervalBar estimate=lift.mean low=lift.low high=lift.high/>
        <p class="hint" data-testid="lift-runs">{told}</p>
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn lift(mean: f64, half: f64, verdict: LiftWord) -> LiftBelief {
        LiftBelief {
            mean,
            low: mean - half,
            high: mean + half,
            runs: 12,
            verdict,
            at: Some("2026-11-27T12:00:00.000Z".to_owned()),
        }
    }

    #[test]
    fn a_lift_is_told_with_its_interval_and_runs_and_coloured_only_where_that_leaves_zero() {
        let helps = lift(0.08, 0.06, LiftWord::Helps);
        assert_eq!(lift_words(&helps), "lift +8 points (±6), from 12 runs");
        assert_eq!(lift_class(&helps), "up");
        let open = lift(-0.12, 0.2, LiftWord::Unsure);
        assert_eq!(lift_words(&open), "lift −12 points (±20), from 12 runs");
        assert_eq!(lift_class(&open), "muted");
        assert_eq!(lift_class(&lift(-0.12, 0.1, LiftWord::Hurts)), "down");
        assert_eq!(lift_words(&LiftBelief::default()), "lift not seen yet");
    }
}
