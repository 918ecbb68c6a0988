//! Measuring what lessons do: the switch, and what is known so far.

use crate::api::{Asking, Client, json, read, use_get};
use crate::components::{ErrorNote, Loading, points, use_toasts};
use crate::format;
use crate::markdown::visible;
use leptos::prelude::*;
use lesson_types::{
    LessonLift, Lift, LiftGuard, LiftReport, LiftVerdict, MeasurePolicyPatch, Method, PolicyPatch,
};
use serde_json::Value;

/// What the switch sets: one decision in ten gets no lessons, and each lesson that would be shown is left out of one in five.
const CONTROL_RUNS: f64 = 0.1;
const WITHHOLD: f64 = 0.2;

/// The switch, the lift of the loop, and the lessons that are known best.
#[component]
pub fn MeasureCard() -> impl IntoView {
    let client = Client::get_from_context();
    let toasts = use_toasts();
    let report = use_get::<LiftReport>(|| "/v1/lift?limit=20".to_owned());
    let asking = Asking::default();
    let on = Memo::new(move |_| {
        report.data.with(|report| match report {
            Some(Ok(report)) => Some(report.withhold > 0.0 || report.control_runs > 0.0),
            _ => None,
        })
    });
    let set = move |wanted: bool| {
        let share = |share: f64| Some(if wanted { share } else { 0.0 });
        let patch = PolicyPatch {
            measure: Some(MeasurePolicyPatch {
                control_runs: share(CONTROL_RUNS),
                withhold: share(WITHHOLD),
                ..MeasurePolicyPatch::default()
            }),
            ..PolicyPatch::default()
        };
        let asked = client.raw(Method::Patch, "/v1/policy".to_owned(), json(&patch));
        asking.run(
            async move { asked.await.and_then(read::<Value>) },
            move |_| {
                toasts.good(if wanted {
                    "Lessons are measured from now on"
                } else {
                    "Lessons are no longer measured"
                });
            },
        );
    };
    view! {
        <section class="card" id="measure" tabindex="-1" data-testid="measure" aria-labelledby="measure-title">
            <h2 id="measure-title">"Measuring"</h2>
            <p class="muted">"A success rate says more about the task than about the lesson. With this on, one run in ten gets no lessons, and each lesson is left out of one run in five at random: the difference is its effect. It applies to everybody in the space and can be turned off at any time."</p>
            <label class="check">
                <input type="checkbox" data-testid="measure-on"
                    prop:checked=move || on.get() == Some(true)
                    disabled=move || asking.busy.get() || on.get().is_none()
                    on:change:target=move |event| set(event.target().checked())/>
                <span>"Measure the lessons of this space"</span>
            </label>
            {move || asking.error.get().map(|error| view! { <ErrorNote error/> })}
            {move || match report.data.get() {
                None => view! { <Loading/> }.into_any(),
                Some(Err(error)) => view! { <ErrorNote error/> }.into_any(),
                Some(Ok(report)) => known(report).into_any(),
            }}
        </section>
    }
}

/// What is known so far.
fn known(report: LiftReport) -> impl IntoView {
    let counts = report.counts;
    let words = format!(
        "{} helps, {} no difference seen, {} hurts, {} not known yet",
        counts.helps, counts.no_difference, counts.hurts, counts.unknown
    );
    let rows = report.lessons.iter().map(row).collect::<Vec<_>>();
    let none = rows.is_empty();
    view! {
        <dl class="facts">
            <div><dt>"The loop"</dt><dd data-testid="loop-lift">{told(&report.whole, None)}</dd></div>
            <div><dt>"Lessons"</dt><dd>{words}</dd></div>
        </dl>
        {(!none).then(|| view! {
            <div class="scroll" tabindex="0" role="group" aria-label="Lessons by what they do">
                <table class="records" data-testid="lifts">
                    <caption class="sr-only">"Lessons by what they do"</caption>
                    <thead><tr><th scope="col">"Lesson"</th><th scope="col">"What it does"</th><th scope="col">"Lift"</th><th scope="col">"Observed"</th></tr></thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        })}
    }
}

fn row(lesson: &LessonLift) -> impl IntoView + use<> {
    let address = format!("/lessons/{}", format::encode(&lesson.slug));
    let name = if lesson.title.is_empty() {
        &lesson.slug
    } else {
        &lesson.title
    };
    let observed = match lesson.belief.runs {
        0 => "–".to_owned(),
        runs => format!(
            "{} points in {}",
            points(lesson.belief.mean),
            format::plural(runs, "run", "runs")
        ),
    };
    view! {
        <tr data-testid="lift" data-slug=lesson.slug.clone()>
            <th scope="row"><a href=address dir="auto">{visible(name)}</a></th>
            <td>{lesson.verdict.in_words(None)}</td>
            <td>{told(&lesson.lift, lesson.more_runs)}</td>
            <td class="muted">{observed}</td>
        </tr>
    }
}

/// A lift with its interval, or why there is none.
fn told(lift: &Lift, more_runs: Option<u32>) -> String {
    match (lift.guard, lift.estimate, lift.low, lift.high) {
        (LiftGuard::Ratio, ..) => {
            "Turned off: lessons were shown and withheld in proportions that differ from those drawn".to_owned()
        }
        (LiftGuard::Given, Some(estimate), Some(low), Some(high)) => {
            format!(
                "{} points ({} to {})",
                points(estimate),
                points(low),
                points(high)
            )
        }
        _ => LiftVerdict::Unknown.in_words(more_runs),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lift_is_told_with_its_interval_or_why_there_is_none() {
        let given = Lift {
            estimate: Some(0.151),
            low: Some(-0.02),
            high: Some(0.3),
            guard: LiftGuard::Given,
            ..Lift::default()
        };
        assert_eq!(told(&given, None), "+15 points (−2 to +30)");
        let few = Lift::default();
        assert_eq!(told(&few, Some(120)), "not known yet: about 120 more runs");
        assert_eq!(told(&few, None), "not known yet");
        let ratio = Lift {
            guard: LiftGuard::Ratio,
            ..Lift::default()
        };
        assert!(told(&ratio, Some(1)).starts_with("Turned off"));
    }
}
