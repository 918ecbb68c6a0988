//! What a lesson does: its lift where it is withheld at random, else what was observed.

use crate::api::{Client, resource};
use crate::components::{EffectChip, Explain, IntervalBar, Loaded, points};
use crate::features::figures::Change;
use crate::format;
use leptos::prelude::*;
use lesson_types::{LessonLift, LiftGuard, LiftReport};

/// The lift with its interval, or the evidence, or what it takes to know.
#[component]
pub fn Effect(slug: String) -> impl IntoView {
    let client = Client::get_from_context();
    let path = format!("/v1/lift?limit=1&lesson={}", format::encode(&slug));
    let report = resource(move || client.get::<LiftReport>(path.clone()));
    view! {
        <section class="effect" data-testid="effect">
            <Loaded of=report lines=2 children={|report: Memo<LiftReport>| move || told(report.get())}/>
        </section>
    }
}

fn told(report: LiftReport) -> AnyView {
    let measured = report.withhold > 0.0 || report.control_runs > 0.0;
    let Some(lesson) = report.lessons.into_iter().next() else {
        return view! {
            <p class="effect-none">{if measured {
                "No run has drawn or applied this lesson yet."
            } else {
                "Not measured. Nothing has been observed of it yet."
            }}</p>
        }
        .into_any();
    };
    let lift = &lesson.lift;
    match (lift.guard, lift.estimate, lift.low, lift.high) {
        (LiftGuard::Given, Some(estimate), Some(low), Some(high)) => view! {
            <p class="effect-head">
                <span class=format!("effect-big {}", Change::of(low, high).class())>{points(estimate)}<small>" points"</small></span>
                {effect(&lesson)}
                <Explain id="effect-about" word="Lift">
                    <span class="meaning">
                        <b>"Lift"</b>
                        <span>"How much more often runs succeed with it than without, measured by withholding it at random."</span>
                        <span class="meaning-formula">"success with − success without, each weighted by the probability that it was drawn; a 95 % interval that holds however often one looks"</span>
                    </span>
                </Explain>
            </p>
            <IntervalBar estimate low high/>
            <p class="hint">{arms(&lesson)}</p>
        }
        .into_any(),
        (LiftGuard::Ratio, ..) => view! {
            <p class="effect-none">"The estimate is turned off: it was shown and withheld in proportions that differ from those drawn."</p>
        }
        .into_any(),
        _ => observed(&lesson, measured),
    }
}

/// What was seen without chance having decided; no proof, and said so.
fn observed(lesson: &LessonLift, measured: bool) -> AnyView {
    let missing = match lesson.more_runs {
        Some(runs) => format!(
            "About {} until its lift is known.",
            format::plural(runs, "more run", "more runs")
        ),
        None if measured => "Its lift is not known yet.".to_owned(),
        None => "Its lift is not measured.".to_owned(),
    };
    if lesson.belief.runs == 0 {
        return view! { <p class="effect-none">{missing}</p> }.into_any();
    }
    view! {
        <p class="effect-head">
            <span class="effect-big">{points(lesson.belief.mean)}<small>" points observed"</small></span>
            {effect(lesson)}
            <Explain id="effect-about" word="Evidence">
                <span class="meaning">
                    <b>"Evidence"</b>
                    <span>"How runs that applied it went, compared with similar runs. They were not chosen at random, so this is no proof."</span>
                    <span class="meaning-formula">"success where it was applied − success expected in that situation, drawn towards 0 while runs are few"</span>
                </span>
            </Explain>
        </p>
        <p class="hint">{format!("In {}. {missing}", format::plural(lesson.belief.runs, "run", "runs"))}</p>
    }
    .into_any()
}

fn arms(lesson: &LessonLift) -> String {
    let (with, without) = (&lesson.lift.shown, &lesson.lift.withheld);
    format!(
        "{} of {} went well with it, {} of {} without.",
        format::count(with.successes),
        format::count(with.successes.saturating_add(with.failures)),
        format::count(without.successes),
        format::count(without.successes.saturating_add(without.failures)),
    )
}

fn effect(lesson: &LessonLift) -> AnyView {
    let (verdict, badge) = (lesson.verdict, lesson.badge.clone());
    view! { <EffectChip verdict badge/> }.into_any()
}
