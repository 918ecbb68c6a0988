//! A lesson's numbers over its life, each point with the event that moved it, and a table of the same.

use crate::components::{Numbers, Step, StepChart, points as points_of, points_to};
use crate::dom;
use crate::format;
use leptos::prelude::*;
use lesson_types::{BadgeKind, CoursePoint, History};

/// A number of the course.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measure {
    Lift,
    Effectiveness,
    Adjusted,
    Success,
    Confidence,
}

impl Measure {
    const ALL: [Self; 5] = [
        Self::Lift,
        Self::Effectiveness,
        Self::Adjusted,
        Self::Success,
        Self::Confidence,
    ];

    fn id(self) -> &'static str {
        match self {
            Self::Lift => "lift",
            Self::Effectiveness => "effectiveness",
            Self::Adjusted => "adjusted",
            Self::Success => "success",
            Self::Confidence => "confidence",
        }
    }

    fn label(self) -> &'static str {
        match self {
            Self::Lift => "Lift",
            Self::Effectiveness => "Effectiveness",
            Self::Adjusted => "Causal score",
            Self::Success => "Success rate",
            Self::Confidence => "Confidence",
        }
    }

    /// A number as the chart draws it, 0 at the bottom and 1 at the top; a lift has 0 in the middle and `reach` at the ends.
    fn drawn(self, value: f64, reach: f64) -> f64 {
        match self {
            Self::Lift => 0.5 + value / reach / 2.0,
            _ => value,
        }
    }

    fn of(self, point: &CoursePoint) -> Option<f64> {
        match self {
            Self::Lift => point.lift,
            Self::Effectiveness => Some(point.effectiveness),
            Self::Adjusted => Some(point.causal_adjusted),
            Self::Success => point.success_rate,
            Self::Confidence => Some(point.confidence),
        }
    }
}

/// The chart with its measures, the chosen point in words, and the table.
#[component]
pub fn Course(history: Memo<Option<History>>) -> impl IntoView {
    let points = Memo::new(move |_| {
        history.with(|history| {
            history
                .as_ref()
                .map(|history| history.course.clone())
                .unwrap_or_default()
        })
    });
    let measure = RwSignal::new(Measure::Lift);
    // By date, unless most of it happened within a moment.
    let by_date = RwSignal::new(None::<bool>);
    let dated = Memo::new(move |_| {
        by_date
            .get()
            .unwrap_or_else(|| points.with(|points| is_spread(&places_in_time(points))))
    });
    // As far as lifts and their intervals go, in steps of ten points.
    let reach = Memo::new(move |_| {
        points.with(|points| {
            let ends = points
                .iter()
                .flat_map(|point| [point.lift_low, point.lift_high])
                .flatten();
            let most = ends.fold(0.0, |most: f64, end| most.max(end.abs()));
            (most * 10.0).ceil().max(1.0) / 10.0
        })
    });
    let scale = Signal::derive(move || match measure.get() {
        Measure::Lift => [reach.get(), 0.0, -reach.get()].map(points_of),
        _ => ["100%", "50%", "0%"].map(str::to_owned),
    });
    let steps = Memo::new(move |_| {
        let (measure, reach) = (measure.get(), reach.get());
        points.with(|points| {
            let xs = if dated.get() {
                places_in_time(points)
            } else {
                places_in_order(points.len())
            };
            let mut proven = false;
            points
                .iter()
                .enumerate()
                .zip(xs)
                .map(|((place, point), x)| {
                    let was = std::mem::replace(&mut proven, point.badge == BadgeKind::Proven);
                    Step {
                        x,
                        y: measure.of(point).map(|value| measure.drawn(value, reach)),
                        range: point
                            .lift_low
                            .zip(point.lift_high)
                            .filter(|_| measure == Measure::Lift)
                            .map(|(low, high)| {
                                let drawn = |end| measure.drawn(end, reach);
                                (drawn(low), drawn(high))
                            }),
                        label: told(points, place, measure),
                        marked: proven != was,
                    }
                })
                .collect()
        })
    });
    // Edits and verdicts of the text, and the first failure, where they stand among the points.
    let marks = Memo::new(move |_| {
        let dated = dated.get();
        points.with(|points| {
            let at: Vec<f64> = points
                .iter()
                .map(|point| js_sys::Date::parse(&point.at))
                .collect();
            let xs = if dated {
                places(&at)
            } else {
                places_in_order(points.len())
            };
            let turns = history.with(|history| history.as_ref().map(turns).unwrap_or_default());
            turns
                .into_iter()
                .filter_map(|(time, label)| {
                    Some((place_of(js_sys::Date::parse(&time), &at, &xs)?, label))
                })
                .collect::<Vec<_>>()
        })
    });
    let count = Memo::new(move |_| points.with(Vec::len));
    let chosen = RwSignal::new(usize::MAX);
    let level = Signal::derive(move || match measure.get() {
        Measure::Lift => Some(0.5),
        measure => points.with(|points| points.first().and_then(|first| measure.of(first))),
    });
    let caption = Signal::derive(move || {
        format!(
            "{} over time, {}",
            measure.get().label(),
            format::plural(
                u32::try_from(count.get()).unwrap_or(u32::MAX),
                "point",
                "points"
            )
        )
    });
    let choice = move || {
        Measure::ALL.map(|one| {
        view! {
            <label class="segment">
                <input type="radio" name="course-measure" prop:checked=move || measure.get() == one on:change=move |_| measure.set(one)
                    data-testid=format!("course-{}", one.id())/>
                <span>{one.label()}</span>
            </label>
        }
    })
    };
    let ends = move || {
        points.with(|points| {
            let day = |point: Option<&CoursePoint>| {
                let at = point.map(|point| format::time(&point.at));
                at.unwrap_or_default().chars().take(10).collect::<String>()
            };
            (day(points.first()), day(points.last()))
        })
    };
    let has_success = move || points.with(|points| points.iter().any(|p| p.success_rate.is_some()));
    view! {
        <section class="panel course-panel" aria-labelledby="course-heading" data-testid="course">
            <header><h2 id="course-heading">"Trend"</h2></header>
            <div class="pad stack">
            {move || match count.get() {
                0 => ().into_any(),
                1 => view! { <p class="muted" data-testid="course-still">"Nothing has moved this lesson yet. Its numbers change with the first rating, vote, feedback or outcome."</p> }.into_any(),
                _ => view! {
                    <div class="course-tools">
                        <fieldset class="segments"><legend class="sr-only">"Number to show"</legend>{choice()}</fieldset>
                        <label class="check">
                            <input type="checkbox" prop:checked=dated on:change:target=move |event| by_date.set(Some(event.target().checked())) data-testid="course-by-date"/>
                            <span>"Spread by date"</span>
                        </label>
                    </div>
                    <Show when=move || measure.get() != Measure::Success || has_success() fallback=|| view! {
                        <p class="muted">"There is no success rate yet: no run that applied this lesson has an outcome."</p>
                    }>
                        <figure class="course">
                            <StepChart caption steps chosen level scale marks/>
                            <div class="axis" aria-hidden="true"><span>{move || ends().0}</span><span>{move || ends().1}</span></div>
                            <figcaption class="course-told" data-testid="course-told">
                                {move || steps.with(|steps| steps.get(chosen.get().min(steps.len().saturating_sub(1))).map(|step| step.label.clone()))}
                            </figcaption>
                        </figure>
                    </Show>
                    <p class="hint">"Each step is an event of the ledger. Point at it, or move with the arrow keys. A filled point marks where the lesson was proven or stopped being so; the dashed line is its starting value, of lift 0; the band is the interval of 95%."</p>
                    <CourseTable points/>
                }.into_any(),
            }}
            </div>
        </section>
    }
}

#[component]
fn CourseTable(points: Memo<Vec<CoursePoint>>) -> impl IntoView {
    let open = RwSignal::new(false);
    let rows = move || {
        points
            .get()
            .into_iter()
            .rev()
            .map(|point| {
                view! {
                    <tr>
                        <th scope="row"><time datetime=point.at.clone()>{format::time(&point.at)}</time></th>
                        <td>{said(&point)}</td>
                        <td class="num">{lifted(&point)}</td>
                        <td class="num">{format::percent_fine(point.effectiveness)}</td>
                        <td class="num">{format::percent_fine(point.causal_adjusted)}</td>
                        <td class="num">{succeeded(&point).unwrap_or_else(|| "–".to_owned())}</td>
                        <td class="num">{format::percent_fine(point.confidence)}</td>
                    </tr>
                }
                .into_any()
            })
            .collect::<Vec<_>>()
    };
    let save = move |_| {
        dom::download_text(
            "course.csv",
            "text/csv",
            &points.with_untracked(|points| csv(points)),
        );
    };
    view! {
        <details on:toggle=move |_| open.set(true)>
            <summary>"The numbers as a table"</summary>
            <div class="actions"><button type="button" on:click=save data-testid="course-csv">"CSV"</button></div>
            <div class="scroll" tabindex="0" role="group" aria-label="Table of numbers over time">
                <Show when=move || open.get()>
                    <table data-testid="course-table">
                        <caption class="sr-only">"Numbers after each event, newest first"</caption>
                        <thead><tr>
                            <th scope="col">"When"</th><th scope="col">"Event"</th><th scope="col" class="num">"Lift"</th><th scope="col" class="num">"Effectiveness"</th>
                            <th scope="col" class="num">"Adjusted"</th><th scope="col" class="num">"Success"</th><th scope="col" class="num">"Confidence"</th>
                        </tr></thead>
                        <tbody>{rows}</tbody>
                    </table>
                </Show>
            </div>
        </details>
    }
}

/// The points as comma-separated values, oldest first.
fn csv(points: &[CoursePoint]) -> String {
    let heads = [
        "When",
        "Event",
        "Lift",
        "Effectiveness",
        "Adjusted",
        "Success",
        "Confidence",
    ];
    let row = |point: &CoursePoint| {
        vec![
            format::time(&point.at),
            said(point),
            lifted(point),
            format::percent_fine(point.effectiveness),
            format::percent_fine(point.causal_adjusted),
            succeeded(point).unwrap_or_default(),
            format::percent_fine(point.confidence),
        ]
    };
    let numbers = Numbers {
        heads: heads.map(str::to_owned).into(),
        rows: points.iter().map(row).collect(),
    };
    numbers.csv()
}

/// When the text was edited or judged, and when it failed first.
fn turns(history: &History) -> Vec<(String, String)> {
    let edits = history.revisions.iter().filter(|mark| mark.rev > 1);
    let edits = edits.map(|mark| (mark.at.clone(), "Edited".to_owned()));
    let judged = history.events.iter().filter_map(|event| {
        let word = event.summary.split([':', ';']).next()?;
        matches!(word, "Approved" | "Quarantined").then(|| (event.at.clone(), word.to_owned()))
    });
    let failure = history
        .course
        .iter()
        .find(|point| point.success_rate.is_some_and(|rate| rate < 1.0));
    let failure = failure.map(|point| (point.at.clone(), "First failure".to_owned()));
    edits.chain(judged).chain(failure).collect()
}

/// Where a time stands among points with these times and places; `None` before the first one.
fn place_of(time: f64, at: &[f64], xs: &[f64]) -> Option<f64> {
    let after = at.iter().position(|point| *point >= time);
    match after {
        Some(0) if at.first() == Some(&time) => xs.first().copied(),
        Some(0) => None,
        Some(after) => {
            let (before_at, after_at) = (at.get(after - 1)?, at.get(after)?);
            let (before_x, after_x) = (xs.get(after - 1)?, xs.get(after)?);
            let span = after_at - before_at;
            let share = if span > 0.0 {
                (time - before_at) / span
            } else {
                1.0
            };
            Some(before_x + (after_x - before_x) * share)
        }
        None => (!time.is_nan()).then(|| xs.last().copied()).flatten(),
    }
}

fn said(point: &CoursePoint) -> String {
    if point.events > 1 {
        format!(
            "{} and {} before",
            point.summary,
            format::plural(point.events - 1, "event", "events")
        )
    } else {
        point.summary.clone()
    }
}

/// The lift then, with its interval, in points; a dash where it is not known.
fn lifted(point: &CoursePoint) -> String {
    match (point.lift, point.lift_low, point.lift_high) {
        (Some(lift), Some(low), Some(high)) => format!(
            "{} ({} to {})",
            points_to(lift, 1),
            points_to(low, 1),
            points_to(high, 1)
        ),
        _ => "–".to_owned(),
    }
}

/// The share of successes then with the runs that it is of.
fn succeeded(point: &CoursePoint) -> Option<String> {
    let rate = point.success_rate?;
    Some(format!(
        "{} of {}",
        format::percent_fine(rate),
        format::count(point.times_applied)
    ))
}

/// A point in words: when, what, and by how much it moved.
fn told(points: &[CoursePoint], place: usize, measure: Measure) -> String {
    let Some(point) = points.get(place) else {
        return String::new();
    };
    let before = place
        .checked_sub(1)
        .and_then(|before| measure.of(points.get(before)?));
    let moved = match (before, measure.of(point)) {
        (_, None) => "no number yet".to_owned(),
        (before, Some(now)) if matches!(measure, Measure::Lift | Measure::Success) => {
            let what = match measure {
                Measure::Lift => format!("Lift {} points", lifted(point)),
                _ => format!("Success {}", succeeded(point).unwrap_or_default()),
            };
            what + &before.map_or_else(String::new, |before| format!(", {}", by(now - before)))
        }
        (None, Some(now)) => format!("{} {}", measure.label(), format::percent_fine(now)),
        (Some(before), Some(now)) => format!(
            "{} {} → {} ({})",
            measure.label(),
            format::percent_fine(before),
            format::percent_fine(now),
            by(now - before)
        ),
    };
    format!("{}: {}. {moved}.", format::time(&point.at), said(point))
}

/// A difference in points of a percentage.
fn by(difference: f64) -> String {
    let points = difference * 100.0;
    if points.abs() < 0.005 {
        return "unchanged".to_owned();
    }
    let sign = if points > 0.0 { "+" } else { "−" };
    format!("{sign}{} points", format::trim(points.abs(), 2))
}

fn places_in_order(count: usize) -> Vec<f64> {
    let last = count.saturating_sub(1).max(1) as f64;
    (0..count).map(|place| place as f64 / last).collect()
}

fn places_in_time(points: &[CoursePoint]) -> Vec<f64> {
    let times: Vec<f64> = points
        .iter()
        .map(|point| js_sys::Date::parse(&point.at))
        .collect();
    places(&times)
}

/// Times as shares of their span; a clock that went back counts as standing still.
fn places(times: &[f64]) -> Vec<f64> {
    let mut latest = f64::MIN;
    let steady: Vec<f64> = times
        .iter()
        .map(|time| {
            if *time > latest {
                latest = *time;
            }
            latest
        })
        .collect();
    let first = steady.first().copied().unwrap_or_default();
    let span = latest - first;
    if span.is_nan() || span <= 0.0 {
        return places_in_order(times.len());
    }
    steady.iter().map(|time| (time - first) / span).collect()
}

/// True if points stand far enough apart to be told from each other: fewer than half are within 0.01 of the next one.
fn is_spread(places: &[f64]) -> bool {
    const NEAR: f64 = 0.01;
    let pairs = places.windows(2);
    let near = pairs.filter(|pair| pair[1] - pair[0] < NEAR).count();
    near * 2 < places.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn places_are_shares_of_the_span_and_never_go_back() {
        assert_eq!(places(&[0.0, 5.0, 10.0]), [0.0, 0.5, 1.0]);
        assert_eq!(places(&[0.0, 10.0, 5.0, 20.0]), [0.0, 0.5, 0.5, 1.0]);
        assert_eq!(places(&[7.0, 7.0, 7.0]), [0.0, 0.5, 1.0]);
        assert_eq!(places(&[f64::NAN, 1.0]).len(), 2);
        assert!(places(&[]).is_empty());
        assert!(is_spread(&[0.0, 0.5, 1.0]));
        assert!(!is_spread(&[0.0, 0.001, 0.002, 1.0]));
    }

    #[test]
    fn a_mark_stands_between_the_points_of_its_time() {
        let (at, xs) = ([0.0, 10.0, 20.0], [0.0, 0.5, 1.0]);
        for (time, place) in [
            (-1.0, None),
            (0.0, Some(0.0)),
            (5.0, Some(0.25)),
            (20.0, Some(1.0)),
            (99.0, Some(1.0)),
            (f64::NAN, None),
        ] {
            assert_eq!(place_of(time, &at, &xs), place, "{time}");
        }
    }

    #[test]
    fn a_difference_says_its_direction() {
        assert_eq!(by(0.05), "+5 points");
        assert_eq!(by(-0.0325), "−3.25 points");
        assert_eq!(by(0.0), "unchanged");
    }
}
