//! Small drawings of a few numbers: an estimate with its interval, and a course in the size of a word.

use crate::format;
use leptos::prelude::*;
use std::fmt::Write as _;

/// An estimate of a difference with its interval around zero, in points of a percentage.
#[component]
pub fn IntervalBar(
    /// −1 to 1.
    estimate: f64,
    low: f64,
    high: f64,
) -> impl IntoView {
    // As wide as it takes, and zero always in it.
    let reach = [low.abs(), high.abs(), estimate.abs(), 0.05]
        .into_iter()
        .fold(0.0, f64::max)
        * 1.25;
    let at = move |value: f64| percent((value / reach + 1.0) / 2.0);
    let wide = percent(((high - low) / reach / 2.0).max(0.005));
    let words = format!(
        "{} points, between {} and {}",
        points(estimate),
        points(low),
        points(high)
    );
    let class = if high < 0.0 {
        "interval interval-bad"
    } else if low > 0.0 {
        "interval interval-good"
    } else {
        "interval"
    };
    view! {
        <svg class=class role="img" aria-label=words data-testid="interval">
            <line class="interval-axis" x1="0%" x2="100%" y1="50%" y2="50%"></line>
            <line class="interval-zero" x1="50%" x2="50%" y1="20%" y2="80%"></line>
            <text class="plot-middle" x="50%" y="100%">"0"</text>
            <rect class="interval-bar" x=at(low) width=wide y="38%" height="24%" rx="4"></rect>
            <circle class="interval-dot" cx=at(estimate) cy="50%" r="5"></circle>
            <text x=at(low) y="26%">{points(low)}</text>
            <text class="plot-end" x=at(high) y="26%">{points(high)}</text>
        </svg>
    }
}

fn percent(share: f64) -> String {
    format!("{}%", format::trim(share.clamp(0.0, 1.0) * 100.0, 2))
}

/// A difference of shares in points of a percentage, with its sign.
pub fn points(difference: f64) -> String {
    points_to(difference, 0)
}

/// The same with up to this many decimals.
pub fn points_to(difference: f64, decimals: usize) -> String {
    let points = format::trim(difference * 100.0, decimals);
    match points.strip_prefix('-') {
        Some("0") => "0".to_owned(),
        Some(loss) => format!("−{loss}"),
        None if points == "0" => "0".to_owned(),
        None => format!("+{points}"),
    }
}

/// A course of values as a line in the size of a word; its numbers stand beside it.
#[component]
pub fn Sparkline(
    /// Oldest first; `None` where there is none.
    values: Vec<Option<f64>>,
) -> impl IntoView {
    let d = course(&values);
    view! {
        <svg class="sparkline" viewBox="0 0 72 20" preserveAspectRatio="none" aria-hidden="true">
            <path class="plot-line plot-quiet" d=d></path>
        </svg>
    }
}

/// The path of a course, from its least value at the bottom to its greatest at the top.
fn course(values: &[Option<f64>]) -> String {
    let known = || values.iter().flatten().copied();
    let (low, high) = (
        known().fold(f64::MAX, f64::min),
        known().fold(f64::MIN, f64::max),
    );
    let span = (high - low).max(1e-9);
    let last = values.len().saturating_sub(1).max(1) as f64;
    let mut d = String::new();
    for (at, value) in values.iter().enumerate() {
        let Some(value) = value else { continue };
        let y = if high - low < 1e-9 {
            10.0
        } else {
            18.0 - (value - low) / span * 16.0
        };
        let letter = if d.is_empty() { 'M' } else { 'L' };
        // Writing to a text does not fail.
        let _ = write!(d, "{letter}{:.1} {y:.1}", 1.0 + at as f64 / last * 70.0);
    }
    d
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn a_course_fills_its_height_and_skips_gaps() {
        assert_eq!(course(&[Some(0.0), None, Some(1.0)]), "M1.0 18.0L71.0 2.0");
        assert_eq!(course(&[Some(3.0), Some(3.0)]), "M1.0 10.0L71.0 10.0");
        assert_eq!(course(&[None]), "");
    }

    #[test]
    fn points_have_their_sign() {
        for (difference, text) in [(0.091, "+9"), (-0.052, "−5"), (0.001, "0"), (-0.001, "0")] {
            assert_eq!(points(difference), text);
        }
        assert_eq!(points_to(-0.1764, 1), "−17.6");
    }
}
