//! The engine's numbers of runs over time, as charts and figures draw them.

use crate::components::{Mark, Plotted, Series};
use crate::format;
use lesson_types::{InsightStep, Insights, RunEnds, RunTotals, SuccessRate};

/// Lessons that have to be added in a step before a chart says so.
const WORTH_A_MARK: u32 = 3;

/// Days as people read them on an axis, such as `24 Aug`; what is no day stays as it is.
pub fn short_day(day: &str) -> String {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let mut parts = day.splitn(3, '-').skip(1);
    let number = |part: Option<&str>| part.and_then(|part| part.parse::<usize>().ok());
    let month = number(parts.next()).and_then(|month| MONTHS.get(month.wrapping_sub(1)));
    match (month, number(parts.next())) {
        (Some(month), Some(date)) => format!("{date} {month}"),
        _ => day.to_owned(),
    }
}

/// Names each step.
fn labels(insights: &Insights) -> Vec<String> {
    insights
        .steps
        .iter()
        .map(|step| short_day(&step.day))
        .collect()
}

fn rates(
    insights: &Insights,
    rate: impl Fn(&InsightStep) -> Option<SuccessRate>,
) -> Vec<Option<SuccessRate>> {
    insights.steps.iter().map(rate).collect()
}

/// Success of runs with lessons, with its interval, and of control runs.
pub fn success(insights: &Insights) -> Plotted {
    let shown = rates(insights, |step| step.shown);
    let control = rates(insights, |step| step.control);
    let values = |rates: &[Option<SuccessRate>]| {
        let share = |rate: &Option<SuccessRate>| rate.map(|rate| rate.share);
        rates.iter().map(share).collect::<Vec<_>>()
    };
    let of = |rates: &[Option<SuccessRate>]| {
        let runs = |rate: &Option<SuccessRate>| rate.map_or(0, |rate| rate.runs);
        rates.iter().map(runs).collect::<Vec<_>>()
    };
    let mut series = vec![Series {
        name: "with lessons".to_owned(),
        tone: "c1",
        dashed: false,
        range: shown
            .iter()
            .map(|rate| rate.map(|rate| (rate.low, rate.high)))
            .collect(),
        values: values(&shown),
        of: of(&shown),
    }];
    if control.iter().any(Option::is_some) {
        series.push(Series {
            name: "control".to_owned(),
            tone: "quiet",
            dashed: true,
            values: values(&control),
            range: Vec::new(),
            of: of(&control),
        });
    }
    Plotted {
        labels: labels(insights),
        series,
        marks: added(insights),
    }
}

/// When the most lessons were added.
fn added(insights: &Insights) -> Vec<Mark> {
    let most = insights
        .steps
        .iter()
        .enumerate()
        .max_by_key(|(_, step)| step.added)
        .filter(|(_, step)| step.added >= WORTH_A_MARK);
    most.map(|(at, step)| Mark {
        at,
        label: format!("{} added", format::plural(step.added, "lesson", "lessons")),
    })
    .into_iter()
    .collect()
}

/// Runs by how they ended.
pub fn ends(insights: &Insights) -> Plotted {
    let series = |name: &str, tone, count: fn(&RunTotals) -> u32| Series {
        name: name.to_owned(),
        tone,
        values: insights
            .steps
            .iter()
            .map(|step| Some(f64::from(count(&step.totals))))
            .collect(),
        ..Series::default()
    };
    Plotted {
        labels: labels(insights),
        series: vec![
            series("success", "c1", |all| {
                all.shown.successes + all.control.successes
            }),
            series("failure", "c3", |all| {
                all.shown.failures + all.control.failures
            }),
            series("pending", "quiet", |all| {
                all.shown.pending + all.control.pending
            }),
        ],
        marks: Vec::new(),
    }
}

/// Runs for which there was a lesson that fits, and runs that somebody judged, as shares.
pub fn coverage(insights: &Insights) -> Plotted {
    let series = |name: &str, tone, part: fn(&RunTotals) -> u32| Series {
        name: name.to_owned(),
        tone,
        values: insights
            .steps
            .iter()
            .map(|step| share(part(&step.totals), runs(step.totals.shown)))
            .collect(),
        of: insights
            .steps
            .iter()
            .map(|step| runs(step.totals.shown))
            .collect(),
        ..Series::default()
    };
    Plotted {
        labels: labels(insights),
        series: vec![
            series("coverage", "c1", |totals| totals.covered),
            series("with feedback", "c2", |totals| totals.judged),
        ],
        marks: Vec::new(),
    }
}

/// Tokens of lessons for each run.
pub fn tokens(insights: &Insights) -> Plotted {
    Plotted {
        labels: labels(insights),
        series: vec![Series {
            name: "tokens per run".to_owned(),
            tone: "c2",
            values: insights
                .steps
                .iter()
                .map(|step| share(step.totals.tokens, runs(step.totals.shown)).map(f64::round))
                .collect(),
            ..Series::default()
        }],
        marks: Vec::new(),
    }
}

/// Counts the runs, those without an outcome too.
pub fn runs(ends: RunEnds) -> u32 {
    ended(ends).saturating_add(ends.pending)
}

/// Counts those of them that ended.
pub fn ended(ends: RunEnds) -> u32 {
    ends.successes.saturating_add(ends.failures)
}

/// A part of a whole, where there is a whole.
pub fn share(part: u32, whole: u32) -> Option<f64> {
    (whole > 0).then(|| f64::from(part) / f64::from(whole))
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn days_are_short_on_an_axis() {
        assert_eq!(short_day("2026-08-24"), "24 Aug");
        assert_eq!(short_day("2026-13-01"), "2026-13-01");
        assert_eq!(short_day("soon"), "soon");
    }
}
