//! A lesson's standing at a glance, and what each number means.

use crate::format;
use leptos::prelude::*;
use lesson_api::{DerivedView, LessonView, Qualification, StandingView};

/// What the numbers mean, in the words people use.
const MEANINGS: [(&str, &str); 9] = [
    (
        "Confidence",
        "How sure we are of this lesson. Ratings and votes move it; it takes part in ranking.",
    ),
    (
        "Helpfulness",
        "Helpful ratings among all ratings, from two ratings on.",
    ),
    (
        "Success rate",
        "Decisions that went well among those in which the lesson was applied and the outcome is known.",
    ),
    (
        "Effectiveness",
        "How strongly feedback names this lesson as a cause of good results. It starts at 50% and drifts back when the lesson was only present.",
    ),
    (
        "Adjusted for cause",
        "Effectiveness, lowered when the lesson was often present but seldom a cause. This is what ranking uses.",
    ),
    (
        "Shown",
        "Retrievals that returned it. A search in this dashboard does not count.",
    ),
    (
        "Used",
        "Feedbacks that named it; “a cause” counts those in which it was one.",
    ),
    (
        "Applied",
        "Decisions with an outcome in which the agent applied it.",
    ),
    (
        "Failures in a row",
        "Losses since the last profit. Enough of them keep a lesson from being recommended.",
    ),
];

/// The standing as bars and counts.
#[component]
pub fn Standing(lesson: Memo<Option<LessonView>>) -> impl IntoView {
    let numbers = Memo::new(move |_| {
        lesson.with(|lesson| {
            lesson
                .as_ref()
                .map(|lesson| (lesson.standing.clone(), lesson.derived.clone()))
        })
    });
    view! {
        <section class="card" data-testid="standing">
            <h2>"Standing"</h2>
            {move || numbers.get().map(|(standing, derived)| view! { <Numbers standing derived/> })}
            <details>
                <summary>"What the numbers mean"</summary>
                <dl class="meanings">
                    {MEANINGS.map(|(name, meaning)| view! { <dt>{name}</dt><dd>{meaning}</dd> }).collect_view()}
                </dl>
            </details>
        </section>
    }
}

#[component]
fn Numbers(standing: StandingView, derived: DerivedView) -> impl IntoView {
    let (state, class) = match derived.qualification {
        Qualification::Qualified => ("May be recommended, as far as outcomes go", "note"),
        Qualification::Pending => (
            "Not recommended: it failed more often than it worked",
            "note note-warn",
        ),
        Qualification::Excluded => (
            "Not recommended: it failed too often in a row",
            "note note-bad",
        ),
    };
    let penalised = derived.effective_confidence < standing.confidence;
    let proven = match &standing.qualified_at {
        Some(at) => format!("since {}", format::time(at)),
        None if standing.proven_effective => "yes".to_owned(),
        None => "not yet".to_owned(),
    };
    let learned = if standing.frequency == 1 {
        "once".to_owned()
    } else {
        format!("{} times", standing.frequency)
    };
    view! {
        <p class=class data-testid="standing-qualification">{state}</p>
        <dl class="meters">
            <Meter id="confidence" label="Confidence" share=Some(standing.confidence)/>
            {penalised.then(|| view! { <Meter id="effective-confidence" label="After penalties" share=Some(derived.effective_confidence)/> })}
            <Meter id="helpfulness" label="Helpfulness" share=derived.effectiveness_score/>
            <Meter id="success" label="Success rate" share=derived.success_rate/>
            <Meter id="effectiveness" label="Effectiveness" share=Some(standing.effectiveness)/>
            <Meter id="adjusted" label="Adjusted for cause" share=Some(derived.causal_adjusted)/>
        </dl>
        <dl class="facts">
            <Fact id="shown" label="Shown" value=format::plural(standing.times_surfaced, "time", "times")/>
            <Fact id="rated" label="Rated" value=format!("{} helpful, {} not", standing.times_helpful, standing.times_not_helpful)/>
            <Fact id="used" label="Used" value=format!("{}, {} as a cause", standing.use_count, standing.causal_hits)/>
            <Fact id="applied" label="Applied" value=format!("{}, {} went well", standing.times_applied, standing.success_count)/>
            <Fact id="failures" label="Failures in a row" value=standing.consecutive_failures.to_string()/>
            <Fact id="proven" label="Proven" value=proven/>
            <Fact id="frequency" label="Learned" value=learned/>
        </dl>
    }
}

#[component]
fn Meter(id: &'static str, label: &'static str, share: Option<f64>) -> impl IntoView {
    let width = format::trim(share.unwrap_or(0.0).clamp(0.0, 1.0) * 100.0, 2);
    view! {
        <div>
            <dt>{label}</dt>
            <dd>
                <svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                    <rect class="bar-back" width="100" height="10"></rect>
                    <rect class="bar-fill" width=width height="10"></rect>
                </svg>
                <span class="num" data-testid=format!("standing-{id}") data-value=share.map(|share| share.to_string())>{format::percent_or_dash(share)}</span>
            </dd>
        </div>
    }
}

#[component]
fn Fact(id: &'static str, label: &'static str, value: String) -> impl IntoView {
    view! { <div><dt>{label}</dt><dd data-testid=format!("standing-{id}")>{value}</dd></div> }
}
