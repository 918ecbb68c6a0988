//! The effect of a lesson: its lift as learned from every run, and beside it what withholding it at random has shown.

use super::terms::{Meaning, Terms};
use crate::api::{Client, use_query};
use crate::components::{EffectChip, LiftHero, Loaded, points};
use crate::format;
use leptos::prelude::*;
use lesson_types::{LessonLift, LiftBelief, LiftGuard, LiftReport};

/// The lift with its interval, and what was measured.
#[component]
pub fn Effect(slug: String, lift: Memo<Option<LiftBelief>>, terms: Terms) -> impl IntoView {
    let client = Client::get_from_context();
    let path = format!("/v1/lift?limit=1&lesson={}", format::encode(&slug));
    let report = use_query(move || client.get::<LiftReport>(path.clone()));
    view! {
        <section class="effect" data-testid="effect">
            {move || lift.get().map(|lift| view! {
                <LiftHero lift>
                    <Meaning terms term="lift" word="Lift" about="How much more often runs succeed in which it is applied, learned from every run with an outcome. It helps or hurts only where the interval leaves 0 out."/>
                </LiftHero>
            })}
            <Loaded of=report lines=1 children={|report: Memo<LiftReport>| move || measured(report.get())}/>
        </section>
    }
}

/// Draws the result of withholding it at random; nothing where it never was withheld and withholding is off.
fn measured(report: LiftReport) -> AnyView {
    let is_on = report.withhold > 0.0;
    let Some(lesson) = report.lessons.into_iter().next() else {
        return is_on
            .then(|| view! { <p class="effect-none">"Withheld at random from one run in five; no run has drawn it yet."</p> })
            .into_any();
    };
    let lift = &lesson.lift;
    let (verdict, badge) = (lesson.verdict, lesson.badge.clone());
    let interval = lift.low.zip(lift.high);
    let words = match (lift.guard, lift.estimate, lift.low, lift.high) {
        (LiftGuard::Given, Some(estimate), Some(low), Some(high)) => format!(
            "Measured by withholding it at random: {} points ({} to {}). {}",
            points(estimate),
            points(low),
            points(high),
            arms(&lesson)
        ),
        (LiftGuard::Ratio, ..) => "Measuring is turned off for it: it was shown and withheld in proportions that differ from those drawn.".to_owned(),
        _ => match lesson.more_runs {
            Some(runs) => format!(
                "Withheld at random to measure it: about {} until that says something.",
                format::plural(runs, "more run", "more runs")
            ),
            None => "Withheld at random to measure it; that says nothing yet.".to_owned(),
        },
    };
    view! { <p class="hint" data-testid="measured-lift">{words}" "<EffectChip verdict badge interval/></p> }
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
