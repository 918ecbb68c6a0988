//! The success of the last weeks as a line as small as a word.

use crate::format;
use leptos::prelude::*;

const WIDE: f64 = 72.0;
const HIGH: f64 = 20.0;
/// Room for the line's own thickness.
const EDGE: f64 = 2.0;

/// The line. Nothing while there are less than two points.
#[component]
pub fn Trend(points: Vec<Option<f64>>) -> impl IntoView {
    let known: Vec<(usize, f64)> = points
        .iter()
        .enumerate()
        .filter_map(|(place, share)| Some((place, (*share)?)))
        .collect();
    let (Some((_, first)), Some((_, last)), true) = (known.first(), known.last(), known.len() > 1)
    else {
        return ().into_any();
    };
    let class = if last < first { "trend down" } else { "trend" };
    let label = format!(
        "Success over 13 weeks: from {} to {}",
        format::percent(*first),
        format::percent(*last)
    );
    view! {
        <svg class=class role="img" aria-label=label viewBox=format!("0 0 {WIDE} {HIGH}")>
            <polyline points=line(&known, points.len())></polyline>
        </svg>
    }
    .into_any()
}

fn line(known: &[(usize, f64)], all: usize) -> String {
    let step = (WIDE - 2.0 * EDGE) / all.saturating_sub(1).max(1) as f64;
    let points = known.iter().map(|(place, share)| {
        let x = EDGE + *place as f64 * step;
        let y = EDGE + (1.0 - share.clamp(0.0, 1.0)) * (HIGH - 2.0 * EDGE);
        format!("{},{}", format::trim(x, 1), format::trim(y, 1))
    });
    points.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weeks_without_an_outcome_leave_a_gap_that_the_line_crosses() {
        assert_eq!(line(&[(0, 0.0), (2, 1.0)], 3), "2,18 70,2");
        assert_eq!(line(&[(0, 7.0)], 1), "2,2");
    }
}
