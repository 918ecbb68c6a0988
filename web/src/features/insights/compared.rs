//! What comparing two policies has come to, in words, drawings and rows.

use crate::components::{Column, DataTable, IntervalBar, Numbers, points};
use crate::format;
use leptos::prelude::*;
use lesson_types::{
    LiftArm, LiftGuard, ShadowFigures, ShadowOutcomes, ShadowPreference, ShadowReport,
    ShadowVerdict,
};

/// Whose lessons were applied.
pub fn preferred(held: ShadowPreference) -> AnyView {
    let words = format!(
        "Of {} with lessons of both, {} applied more of the second policy's, {} more of the one in force, {} as many of each.",
        format::plural(held.decisions, "run", "runs"),
        format::count(held.second),
        format::count(held.first),
        format::count(held.ties),
    );
    let said = said(held.verdict, held.guard, held.more_runs);
    let told = interval(held.estimate, held.low, held.high);
    section("preference", "Preference", said, told, words)
}

/// Whose runs went well.
pub fn ended_by(held: ShadowOutcomes) -> AnyView {
    let words = format!(
        "{} went well with the second policy, {} with the one in force.",
        arm(&held.second),
        arm(&held.first)
    );
    let said = said(held.verdict, held.guard, held.more_runs);
    let told = interval(held.estimate, held.low, held.high);
    section("policy-outcomes", "Outcomes", said, told, words)
}

/// A difference with the ends of its interval.
type Interval = (f64, f64, f64);

fn interval(estimate: Option<f64>, low: Option<f64>, high: Option<f64>) -> Option<Interval> {
    Some((estimate?, low?, high?))
}

fn of_preference(figures: &ShadowFigures) -> Option<Interval> {
    let held = figures.preference.as_ref()?;
    interval(held.estimate, held.low, held.high)
}

fn of_outcomes(figures: &ShadowFigures) -> Option<Interval> {
    let held = figures.outcomes.as_ref()?;
    interval(held.estimate, held.low, held.high)
}

fn section(
    testid: &'static str,
    heading: &'static str,
    said: String,
    told: Option<Interval>,
    words: String,
) -> AnyView {
    let bar = told.map(|(estimate, low, high)| view! { <IntervalBar estimate low high/> });
    view! {
        <section data-testid=testid>
            <h3>{heading}</h3>
            <p class="effect-head"><b>{said}</b></p>
            {bar}
            <p class="hint">{words}</p>
        </section>
    }
    .into_any()
}

fn arm(arm: &LiftArm) -> String {
    format!(
        "{} of {}",
        format::count(arm.successes),
        format::plural(arm.successes.saturating_add(arm.failures), "run", "runs")
    )
}

/// What may be said, or what it takes to say something.
fn said(verdict: ShadowVerdict, guard: LiftGuard, more: Option<u32>) -> String {
    match (verdict, guard, more) {
        (_, LiftGuard::Ratio, _) => {
            "Turned off: runs were split in proportions that differ from those drawn".to_owned()
        }
        (ShadowVerdict::First, ..) => "The policy in force is better".to_owned(),
        (ShadowVerdict::Second, ..) => "The second policy is better".to_owned(),
        (ShadowVerdict::NoDifference, ..) => "They do about the same".to_owned(),
        (ShadowVerdict::Unknown, _, Some(more)) => format!(
            "Not known yet: about {}",
            format::plural(more, "more run", "more runs")
        ),
        (ShadowVerdict::Unknown, ..) => "Not known yet".to_owned(),
    }
}

/// Comparisons before the last one.
#[component]
pub fn Earlier(all: Signal<Vec<ShadowFigures>>) -> impl IntoView {
    let columns = vec![
        Column::new("From", |row: &ShadowFigures| {
            when(row.from.as_deref()).into_any()
        })
        .by(|row: &ShadowFigures| row.from.clone()),
        Column::new("To", |row: &ShadowFigures| {
            when(row.to.as_deref()).into_any()
        })
        .by(|row: &ShadowFigures| row.to.clone()),
        Column::new("Preference", |row: &ShadowFigures| {
            difference(of_preference(row)).into_any()
        })
        .num()
        .by(|row: &ShadowFigures| row.preference.as_ref()?.estimate),
        Column::new("Outcomes", |row: &ShadowFigures| {
            difference(of_outcomes(row)).into_any()
        })
        .num()
        .by(|row: &ShadowFigures| row.outcomes.as_ref()?.estimate),
    ];
    view! {
        <details data-testid="earlier-comparisons">
            <summary>"Earlier comparisons"</summary>
            <DataTable caption="Earlier comparisons" columns rows=all testid="earlier"/>
        </details>
    }
}

fn when(at: Option<&str>) -> String {
    at.map_or_else(|| "–".to_owned(), format::time)
}

/// A difference with its interval, such as `+6 (−2 to +14)`.
fn difference(told: Option<Interval>) -> String {
    told.map_or_else(
        || "–".to_owned(),
        |(estimate, low, high)| {
            format!("{} ({} to {})", points(estimate), points(low), points(high))
        },
    )
}

/// All comparisons in rows, for the table and the file.
pub fn numbers(report: &ShadowReport) -> Numbers {
    let heads = [
        "Comparison",
        "From",
        "To",
        "Runs with both",
        "Prefer the second",
        "Prefer the one in force",
        "Preference",
        "Runs of the second",
        "Of these went well",
        "Runs of the one in force",
        "Of those went well",
        "Outcomes",
    ];
    let last = report.comparison.iter().map(|held| &held.figures);
    let rows = last.chain(&report.earlier).map(|figures| {
        let preference = figures.preference.as_ref();
        let outcomes = figures.outcomes.as_ref();
        let count = |n: Option<u32>| n.map(format::count).unwrap_or_default();
        let ended = |arm: &LiftArm| arm.successes.saturating_add(arm.failures);
        vec![
            figures.id.chars().take(8).collect(),
            when(figures.from.as_deref()),
            when(figures.to.as_deref()),
            count(preference.map(|held| held.decisions)),
            count(preference.map(|held| held.second)),
            count(preference.map(|held| held.first)),
            difference(of_preference(figures)),
            count(outcomes.map(|held| ended(&held.second))),
            count(outcomes.map(|held| held.second.successes)),
            count(outcomes.map(|held| ended(&held.first))),
            count(outcomes.map(|held| held.first.successes)),
            difference(of_outcomes(figures)),
        ]
    });
    Numbers {
        heads: heads.map(str::to_owned).into(),
        rows: rows.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_of_two_policies_is_said_in_words() {
        for (verdict, guard, more, words) in [
            (
                ShadowVerdict::Second,
                LiftGuard::Given,
                None,
                "The second policy is better",
            ),
            (
                ShadowVerdict::Unknown,
                LiftGuard::TooFew,
                Some(1_200),
                "Not known yet: about 1,200 more runs",
            ),
            (
                ShadowVerdict::Unknown,
                LiftGuard::Given,
                None,
                "Not known yet",
            ),
        ] {
            assert_eq!(said(verdict, guard, more), words);
        }
        assert!(said(ShadowVerdict::First, LiftGuard::Ratio, None).starts_with("Turned off"));
        assert_eq!(difference(Some((0.06, -0.02, 0.14))), "+6 (−2 to +14)");
        assert_eq!(difference(None), "–");
    }

    #[test]
    fn every_comparison_is_a_row() {
        let figures = |id: &str| ShadowFigures {
            id: id.to_owned(),
            from: None,
            to: None,
            preference: None,
            outcomes: None,
        };
        let told = numbers(&ShadowReport {
            comparison: None,
            earlier: vec![figures("0123456789"), figures("b")],
        });
        assert_eq!(told.rows.len(), 2);
        assert_eq!(told.rows[0][0], "01234567");
        assert!(told.rows.iter().all(|row| row.len() == told.heads.len()));
    }
}
