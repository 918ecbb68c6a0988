//! A lesson's standing: its lift first, and folded under it how that is computed and what the sources' rules count.

use super::terms::{Meaning, Terms};
use crate::api::use_get;
use crate::components::When;
use crate::format;
use leptos::prelude::*;
use lesson_types::{
    DerivedView, LessonView, Qualification, StandingExplained, StandingView, Trust,
};

/// The lesson's effect, and its standing as bars and counts.
#[component]
pub fn Performance(slug: String, lesson: Memo<Option<LessonView>>) -> impl IntoView {
    let numbers = Memo::new(move |_| {
        lesson.with(|lesson| {
            lesson.as_ref().map(|lesson| {
                let held_back = lesson.trust == Trust::Quarantined;
                (lesson.standing.clone(), lesson.derived.clone(), held_back)
            })
        })
    });
    let lift = Memo::new(move |_| lesson.with(|lesson| Some(lesson.as_ref()?.lift.clone())));
    let slug = StoredValue::new(slug);
    let explained = use_get::<StandingExplained>(move || {
        format!("/v1/lessons/{}/standing", format::encode(&slug.get_value()))
    });
    let terms = Terms(Memo::new(move |_| {
        explained
            .data
            .with(|data| data.as_ref().and_then(|data| data.as_ref().ok()).cloned())
    }));
    view! {
        <section class="panel performance" data-testid="standing">
            <header><h2>"Performance"</h2></header>
            <div class="pad">
                <super::effect::Effect slug=slug.get_value() lift terms/>
                {move || numbers.get().map(|(standing, derived, held_back)| view! { <Numbers standing derived held_back terms/> })}
            </div>
        </section>
    }
}

#[component]
fn Numbers(
    standing: StandingView,
    derived: DerivedView,
    held_back: bool,
    terms: Terms,
) -> impl IntoView {
    let (state, class) = match derived.qualification {
        _ if held_back => (
            "Held back: not recommended until a person approves it",
            "note note-bad",
        ),
        Qualification::Qualified => ("Eligible for recommendation", "note"),
        Qualification::Pending => (
            "Not recommended: it failed more often than it worked",
            "note note-warn",
        ),
        Qualification::Excluded => (
            "Not recommended: what came of it speaks against it. Another trial brings it back",
            "note note-warn",
        ),
    };
    let penalised = derived.effective_confidence < standing.confidence;
    let proven = match &standing.qualified_at {
        Some(at) => view! { <When at=at.clone()/> }.into_any(),
        None if standing.proven_effective => "yes".into_any(),
        None => "not yet".into_any(),
    };
    let learned = if standing.frequency == 1 {
        "once".to_owned()
    } else {
        format!("{} times", format::count(standing.frequency))
    };
    let n = |count: u32| format::count(count);
    view! {
        <div class=class>
            <p data-testid="standing-qualification">{state}</p>
            <Meaning terms term="qualification" word="Recommended or not" about="Outcomes decide whether agents may be given this lesson."/>
        </div>
        <details class="computed" data-testid="computed">
        <summary>"How this is computed"</summary>
        <Formula terms/>
        <p class="hint">"What the rules of ratings, feedback and outcomes count. Ranking goes by it where the standing in Settings is “seeds”."</p>
        <dl class="meters">
            <Meter id="success" label="Success rate" share=derived.success_rate of=standing.times_applied terms term="success_rate"
                about="Of runs with a final outcome that applied it, the share that went well."/>
            <Meter id="adjusted" label="Causal score" share=Some(derived.causal_adjusted) terms term="causal_adjusted"
                about="Effectiveness, lowered when the lesson was often available and seldom a cause."/>
            <Meter id="confidence" label="Confidence" share=Some(standing.confidence) terms term="confidence"
                about="How sure we are of this lesson. Ratings and votes move it."/>
            {penalised.then(|| view! { <Meter id="effective-confidence" label="After penalties" share=Some(derived.effective_confidence) terms term="effective_confidence"
                about="Confidence as shown while ratings are poor. The stored value stays."/> })}
            <Meter id="helpfulness" label="Helpfulness" share=derived.effectiveness_score of=standing.times_helpful.saturating_add(standing.times_not_helpful) terms term="effectiveness_score"
                about="The share of helpful ratings."/>
            <Meter id="effectiveness" label="Effectiveness" share=Some(standing.effectiveness) terms term="effectiveness"
                about="How strongly feedback on sessions names it as a cause of good work."/>
        </dl>
        <dl class="facts">
            <Fact id="proven" label="Qualified by use" value=proven>
                <Meaning terms term="proven" word="Qualified by use" about="It was applied at least three times, and at least half of those runs succeeded. Most useless lessons pass this rule too, so look at its lift."/>
            </Fact>
            <Fact id="shown" label="Shown" value=format::plural(standing.times_surfaced, "time", "times").into_any()/>
            <Fact id="rated" label="Rated" value=format!("{} helpful, {} not", n(standing.times_helpful), n(standing.times_not_helpful)).into_any()/>
            <Fact id="used" label="Used" value=format!("{}, {} as a cause", n(standing.use_count), n(standing.causal_hits)).into_any()/>
            <Fact id="applied" label="Applied" value=format!("{}, {} went well", n(standing.times_applied), n(standing.success_count)).into_any()/>
            <Fact id="failures" label="Failures in a row" value=n(standing.consecutive_failures).into_any()/>
            <Fact id="frequency" label="Learned" value=learned.into_any()/>
            <RankFactor terms/>
        </dl>
        </details>
    }
}

/// The weight of the lift in ranking with this lesson's numbers.
#[component]
fn Formula(terms: Terms) -> impl IntoView {
    let told = Memo::new(move |_| {
        terms.0.with(|answer| {
            let terms = &answer.as_ref()?.terms;
            let lift = terms.iter().find(|term| term.name == "lift")?;
            let number = |name: &str| {
                let found = lift.numbers.iter().find(|number| number.name == name);
                found?.value
            };
            let (mean, hoped, first) = (lift.value?, number("with_doubt")?, number("with_doubt_at_first")?);
            Some(format!(
                "score = relevance × (lift + 0.2 · doubt) / (the same of a new lesson) = relevance × ({} + {}) / {} = relevance × {}",
                format::trim(mean, 3),
                format::trim(hoped - mean, 3),
                format::trim(first, 3),
                format::trim((hoped / first).max(0.0), 2)
            ))
        })
    });
    move || {
        told.get()
            .map(|told| view! { <p class="meaning-formula" data-testid="lift-formula">{told}</p> })
    }
}

/// The factor by which all of the above multiplies a score.
#[component]
fn RankFactor(terms: Terms) -> impl IntoView {
    let value = Memo::new(move |_| {
        terms.0.with(|answer| {
            let terms = &answer.as_ref()?.terms;
            terms.iter().find(|term| term.name == "rank_factor")?.value
        })
    });
    move || {
        value.get().map(|value| view! {
            <Fact id="rank-factor" label="Weight by these rules" value=format!("× {}", format::trim(value, 3)).into_any()>
                <Meaning terms term="rank_factor" word="Weight by these rules" about="The factor by which these counts multiply its relevance where the standing is “seeds”."/>
            </Fact>
        })
    }
}

#[component]
fn Meter(
    id: &'static str,
    label: &'static str,
    share: Option<f64>,
    terms: Terms,
    term: &'static str,
    about: &'static str,
    /// The count that it is a share of, where it is of runs or ratings.
    #[prop(optional)]
    of: Option<u32>,
) -> impl IntoView {
    let of = of.filter(|of| share.is_some() && *of > 0);
    let width = format::trim(share.unwrap_or(0.0).clamp(0.0, 1.0) * 100.0, 2);
    view! {
        <div>
            <dt>{label}<Meaning terms term word=label about/></dt>
            <dd>
                <svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                    <rect class="bar-back" width="100" height="10"></rect>
                    <rect class="bar-fill" width=width height="10"></rect>
                </svg>
                <span class="num" data-testid=format!("standing-{id}") data-value=share.map(|share| share.to_string())>{format::percent_or_dash(share)}</span>
                {of.map(|of| view! { <small class="muted">{format!("of {}", format::count(of))}</small> })}
            </dd>
        </div>
    }
}

#[component]
fn Fact(
    id: &'static str,
    label: &'static str,
    value: AnyView,
    #[prop(optional)] children: Option<Children>,
) -> impl IntoView {
    view! { <div><dt>{label}{children.map(|children| children())}</dt><dd data-testid=format!("standing-{id}")>{value}</dd></div> }
}
