//! Measuring what lessons do: what their standing is, the switch, and what is known so far, learned and measured side by
//! side.

use crate::api::{Asking, Client, use_get};
use crate::components::{ErrorNote, LiftCell, Loading, from_runs, points, use_toasts};
use crate::features::measuring::measuring;
use crate::format;
use crate::markdown::visible;
use leptos::prelude::*;
use lesson_types::{
    LessonMeasured, LessonPage, LessonView, Lift, LiftGuard, LiftReport, LiftVerdict, StandingRule,
};
use serde_json::Value;

/// Lessons in the table.
const ROWS: usize = 20;

/// The switch, the lift of the loop, and the lessons that are known best.
#[component]
pub fn MeasureCard() -> impl IntoView {
    let client = Client::get_from_context();
    let toasts = use_toasts();
    let report = use_get::<LiftReport>(|| "/v1/lift?limit=20".to_owned());
    let asking = Asking::default();
    let on =
        Memo::new(move |_| report.map(|report| report.withhold > 0.0 || report.control_runs > 0.0));
    let set = move |wanted: bool| {
        let asked = client.patch_json::<Value>("/v1/policy", &measuring(wanted));
        asking.run(asked, move |_| {
            toasts.good(if wanted {
                "Lessons are measured from now on"
            } else {
                "Lessons are no longer measured"
            });
        });
    };
    view! {
        <section class="card" id="measure" tabindex="-1" data-testid="measure" aria-labelledby="measure-title">
            <h2 id="measure-title">"Standing and measuring"</h2>
            <Standing/>
            <h3>"Measuring"</h3>
            <p class="muted">"Lift is learned from runs as they come. Measuring makes it certain: with this on, one run in ten gets no lessons, and each lesson is left out of one run in five at random: the difference is its effect. It applies to everybody in the space and can be turned off at any time."</p>
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
                Some(Ok(report)) => known(&report).into_any(),
            }}
            <Lifts/>
        </section>
    }
}

/// The choice of what past use does to a lesson's place: its lift, or the rules of ratings and outcomes.
#[component]
fn Standing() -> impl IntoView {
    let client = Client::get_from_context();
    let toasts = use_toasts();
    let asking = Asking::default();
    let policy = use_get::<Value>(|| "/v1/policy".to_owned());
    let rule = Memo::new(move |_| {
        policy.data.with(|policy| {
            let policy = policy.as_ref()?.as_ref().ok()?;
            serde_json::from_value::<StandingRule>(policy["rank"]["standing"].clone()).ok()
        })
    });
    let set = move |wanted: StandingRule| {
        let body = serde_json::json!({ "rank": { "standing": wanted } });
        let asked = client.patch_json::<Value>("/v1/policy", &body);
        asking.run(asked, move |_| {
            toasts.good(match wanted {
                StandingRule::Lift => "Lessons are ranked by their lift from now on",
                StandingRule::Seeds => "Lessons are ranked by the rules from now on",
            });
        });
    };
    let choice = move |one: StandingRule, name: &'static str, about: &'static str| {
        view! {
            <label class="check">
                <input type="radio" name="standing" data-testid=format!("standing-rule-{}", one.as_str())
                    prop:checked=move || rule.get() == Some(one)
                    disabled=move || asking.busy.get() || rule.get().is_none()
                    on:change=move |_| set(one)/>
                <span><b>{name}</b>" "{about}</span>
            </label>
        }
    };
    view! {
        <fieldset data-testid="standing-rule">
            <legend>"What past use does to a lesson's place"</legend>
            {choice(StandingRule::Lift, "Lift.", "One number a lesson, learned from every run: how much more often runs succeed in which it is applied. Doubt counts for a lesson and grows back with time, so none is out for good.")}
            {choice(StandingRule::Seeds, "Seeds.", "The rules of ratings, feedback and outcomes. Five failures in a row keep a lesson out until a person gives it another trial.")}
        </fieldset>
        {move || asking.error.get().map(|error| view! { <ErrorNote error/> })}
    }
}

/// Draws the lift of the loop as a whole, and the counts of lessons by verdict.
fn known(report: &LiftReport) -> impl IntoView + use<> {
    let counts = report.counts;
    let words = format!(
        "{} helps, {} no difference seen, {} hurts, {} not known yet",
        counts.helps, counts.no_difference, counts.hurts, counts.unknown
    );
    view! {
        <dl class="facts">
            <div><dt>"The loop"</dt><dd data-testid="loop-lift">{told(&report.whole, None)}</dd></div>
            <div><dt>"Lessons"</dt><dd>{words}</dd></div>
        </dl>
    }
}

/// Lessons by their lift, each with what was measured of it.
#[component]
fn Lifts() -> impl IntoView {
    let page = use_get::<LessonPage>(|| format!("/v1/lessons?sort=lift&limit={ROWS}"));
    move || match page.data.get() {
        None => view! { <Loading/> }.into_any(),
        Some(Err(error)) => view! { <ErrorNote error/> }.into_any(),
        Some(Ok(page)) => {
            let seen = page
                .lessons
                .iter()
                .filter(|lesson| lesson.lift.at.is_some());
            let rows = seen.map(row).collect::<Vec<_>>();
            let none = rows.is_empty();
            (!none)
                .then(|| {
                    view! {
                        <div class="scroll" tabindex="0" role="group" aria-label="Lessons by their lift">
                            <table class="records" data-testid="lifts">
                                <caption class="sr-only">"Lessons by their lift, and what withholding them has shown"</caption>
                                <thead><tr><th scope="col">"Lesson"</th><th scope="col">"Lift, learned from every run"</th><th scope="col">"Measured by withholding"</th></tr></thead>
                                <tbody>{rows}</tbody>
                            </table>
                        </div>
                    }
                })
                .into_any()
        }
    }
}

fn row(lesson: &LessonView) -> impl IntoView + use<> {
    let address = format!("/lessons/{}", format::encode(&lesson.slug));
    let runs = from_runs(lesson.lift.runs);
    let lift = lesson.lift.clone();
    view! {
        <tr data-testid="lift" data-slug=lesson.slug.clone()>
            <th scope="row"><a href=address dir="auto">{visible(&lesson.title)}</a></th>
            <td><LiftCell lift/>" "<small class="muted">{runs}</small></td>
            <td>{measured(lesson.measured.as_ref())}</td>
        </tr>
    }
}

/// Puts into words what was measured of a lesson.
fn measured(held: Option<&LessonMeasured>) -> String {
    let Some(held) = held else {
        return "–".to_owned();
    };
    match (held.estimate, held.low, held.high) {
        (Some(estimate), Some(low), Some(high)) => between(estimate, low, high),
        _ => held.verdict.in_words(held.more_runs),
    }
}

fn between(estimate: f64, low: f64, high: f64) -> String {
    format!(
        "{} points ({} to {})",
        points(estimate),
        points(low),
        points(high)
    )
}

/// A lift with its interval, or why there is none.
fn told(lift: &Lift, more_runs: Option<u32>) -> String {
    match (lift.guard, lift.estimate, lift.low, lift.high) {
        (LiftGuard::Ratio, ..) => {
            "Turned off: lessons were shown and withheld in proportions that differ from those drawn".to_owned()
        }
        (LiftGuard::Given, Some(estimate), Some(low), Some(high)) => {
            between(estimate, low, high)
        }
        _ => LiftVerdict::Unknown.in_words(more_runs),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

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
