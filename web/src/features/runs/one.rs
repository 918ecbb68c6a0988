//! One run: its task, its lessons and what was made of them, the outcome, feedback and ratings.

use super::give::{Drafts, GiveFeedback, GiveOutcome};
use super::sorting::{duration, span};
use super::words::situation;
use crate::api::{Query, use_get};
use crate::components::{Empty, ErrorNote, Loading, MeasuredNote, Page, When};
use crate::features::playground::{address_for, how_seen, seen};
use crate::format;
use crate::markdown::visible;
use crate::outcome;
use crate::sync::Syncing;
use crate::who;
use leptos::prelude::*;
use lesson_types::{DecisionLesson, DecisionView, ErrorCode, GivenFeedback, GivenOpinion};

/// The run with this id.
#[component]
pub fn OneRun(id: String) -> impl IntoView {
    let answer = use_get::<DecisionView>(move || format!("/v1/decisions/{}", format::encode(&id)));
    let me = Syncing::get_from_context().me();
    let drafts = Drafts::new();
    view! {
        <p class="back"><a href="/runs">"← All runs"</a></p>
        {move || match answer.data.get() {
            None => view! { <Page title="Run"><Loading/></Page> }.into_any(),
            Some(Err(error)) if error.code == ErrorCode::NotFound => view! {
                <Page title="No such run">
                    <Empty title="There is no run by this name" text=error.message>
                        <a href="/runs" class="button primary">"All runs"</a>
                    </Empty>
                </Page>
            }.into_any(),
            Some(Err(error)) => view! { <Page title="Run"><ErrorNote error/></Page> }.into_any(),
            Some(Ok(run)) => view! { <Page title="Run"/><Whole run me=me.get() query=answer drafts/> }.into_any(),
        }}
    }
}

#[component]
fn Whole(
    run: DecisionView,
    me: Option<String>,
    query: Query<DecisionView>,
    drafts: Drafts,
) -> impl IntoView {
    let me = me.as_deref();
    let domain = run.domain.clone().unwrap_or_default();
    let words = situation(
        run.query.as_deref(),
        [&run.domain, &run.project_type, &run.phase],
        &run.tech_stack,
    );
    let steps = format!(
        "{}&decision={}",
        address_for(
            &run.query,
            &run.project_type,
            &run.tech_stack,
            &run.phase,
            &run.domain
        ),
        format::encode(&run.id)
    );
    let lessons = run
        .lessons
        .iter()
        .map(|lesson| one_lesson(lesson, &run.opinions, me))
        .collect::<Vec<_>>();
    let none = lessons.is_empty();
    let learned = run
        .learned
        .iter()
        .map(|one| view! { <li>{lesson_link(&one.slug, &one.title)}</li> })
        .collect::<Vec<_>>();
    let outcome = outcome_words(&run, &domain, me);
    let settled = run.outcome.is_some_and(outcome::is_final);
    let feedback = feedback_rows(&run.feedback, me);
    let given = me.is_none_or(|me| run.feedback.iter().any(|given| given.by == me));
    let measured = run
        .measured
        .clone()
        .map(|measured| view! { <MeasuredNote measured/> });
    let shown: Vec<String> = run
        .lessons
        .iter()
        .map(|lesson| lesson.slug.clone())
        .collect();
    let (id, of_feedback) = (run.id.clone(), run.id.clone());
    let facts = facts(&run, me);
    view! {
        <div class="split">
            <div class="stack">
                <section class="card" data-testid="run-situation">
                    <h2>"Task"</h2>
                    <p class="run-words" dir="auto">{words}</p>
                    <div class="actions"><a href=steps class="button" data-testid="run-steps">"Open in Playground"</a></div>
                </section>
                <section class="card">
                    <h2>"Lessons"</h2>
                    {none.then(|| view! { <p class="muted">"No recommendation of this run is known, only its outcome. It may be on its way from another device."</p> })}
                    <ol class="shown">{lessons}</ol>
                    {measured}
                </section>
                {(!learned.is_empty()).then(|| view! {
                    <section class="card" data-testid="run-learned">
                        <h2>"Learned"</h2>
                        <ul class="shown">{learned}</ul>
                    </section>
                })}
            </div>
            <aside class="stack">
                <section class="card" data-testid="run-details"><h2>"Details"</h2><dl class="facts">{facts}</dl></section>
                <section class="card" data-testid="run-outcome">
                    <h2>"Outcome"</h2>
                    {outcome}
                    {(!settled).then(|| view! { <GiveOutcome id domain query drafts/> })}
                </section>
                <section class="card">
                    <h2>"Feedback"</h2>
                    {feedback}
                    {(!given && !shown.is_empty()).then(|| view! { <GiveFeedback id=of_feedback lessons=shown query drafts/> })}
                </section>
            </aside>
        </div>
    }
}

fn facts(run: &DecisionView, me: Option<&str>) -> AnyView {
    let some = |text: &Option<String>| text.as_deref().filter(|text| !text.is_empty()).map(visible);
    let tech = run.tech_stack.iter().map(|word| visible(word));
    let tech = tech.collect::<Vec<_>>().join(", ");
    let rows = [
        ("When", run.at.as_deref().map(format::time)),
        ("Who", who::name(&run.by, me)),
        ("Run", Some(visible(&run.id))),
        ("Took", duration(run).map(span)),
        (
            "Tokens of lessons",
            run.tokens.filter(|tokens| *tokens > 0).map(format::count),
        ),
        ("Domain", some(&run.domain)),
        ("Project type", some(&run.project_type)),
        ("Tech stack", some(&Some(tech))),
        ("Phase", some(&run.phase)),
    ];
    rows.into_iter()
        .filter_map(|(name, value)| {
            let value = value?;
            Some(view! { <div><dt>{name}</dt><dd dir="auto">{value}</dd></div> })
        })
        .collect::<Vec<_>>()
        .into_any()
}

fn one_lesson(lesson: &DecisionLesson, opinions: &[GivenOpinion], me: Option<&str>) -> AnyView {
    let (class, label) = seen(lesson.applied, lesson.match_type);
    let sure = lesson
        .applied
        .then(|| format!("confidence {}", format::percent(lesson.confidence)));
    let counted = lesson.counted.then(|| "counted in its score".to_owned());
    let relevance = format!("relevance {}", format::trim(lesson.relevance, 3));
    let facts: Vec<String> = std::iter::once(relevance)
        .chain(how_seen(lesson.match_type).map(str::to_owned))
        .chain(sure)
        .chain(counted)
        .collect();
    let said = opinions
        .iter()
        .filter(|opinion| opinion.lesson == lesson.slug)
        .map(|given| opinion(given, me))
        .collect::<Vec<_>>();
    let quote = lesson.quote.as_deref().map(visible);
    view! {
        <li data-testid="run-lesson" data-slug=lesson.slug.clone() data-applied=lesson.applied.to_string()>
            <div class="shown-head">
                {lesson_link(&lesson.slug, &lesson.title)}
                <span class=class>{label}</span>
            </div>
            <p class="muted shown-facts">{facts.join(" · ")}</p>
            {quote.map(|quote| view! { <blockquote dir="auto" data-testid="run-quote">{quote}</blockquote> })}
            {(!said.is_empty()).then(|| view! { <ul class="run-said">{said}</ul> })}
        </li>
    }
    .into_any()
}

/// A lesson by its title, with its slug for those who look for it.
fn lesson_link(slug: &str, title: &str) -> AnyView {
    let name = if title.is_empty() { slug } else { title };
    view! { <a href=format!("/lessons/{}", format::encode(slug)) title=slug.to_owned() dir="auto">{visible(name)}</a> }
        .into_any()
}

fn opinion(given: &GivenOpinion, me: Option<&str>) -> AnyView {
    let what = match (given.is_vote, given.is_positive) {
        (true, true) => "Voted up",
        (true, false) => "Voted down",
        (false, true) => "Rated helpful",
        (false, false) => "Rated not helpful",
    };
    view! { <li data-testid="run-opinion">{what}{by_and_when(&given.by, &given.at, me)}</li> }
        .into_any()
}

/// Draws the name and the time, after what they did.
fn by_and_when(by: &str, at: &str, me: Option<&str>) -> AnyView {
    let by = who::name(by, me).map(|who| format!(" by {who}"));
    view! { <span class="muted">{by}" · "<When at=at.to_owned()/></span> }.into_any()
}

fn outcome_words(run: &DecisionView, domain: &str, me: Option<&str>) -> AnyView {
    match run.outcome {
        None => {
            view! { <p class="muted">"Pending: no outcome has been reported yet."</p> }.into_any()
        }
        Some(told) => {
            let words = format!(
                "{}{}",
                outcome::label(told, domain),
                outcome::percent(run.pnl_percent)
            );
            let when = run.outcome_at.as_deref().unwrap_or_default();
            let by = by_and_when(&run.outcome_by, when, me);
            view! { <p><span class=outcome::chip(run.outcome)>{words}</span>" "{by}</p> }.into_any()
        }
    }
}

fn feedback_rows(feedback: &[GivenFeedback], me: Option<&str>) -> AnyView {
    let rows = feedback
        .iter()
        .map(|given| {
            let causes = if given.causal.is_empty() {
                "none made a difference".to_owned()
            } else {
                format!("made a difference: {}", given.causal.join(", "))
            };
            let by = by_and_when(&given.by, &given.at, me);
            view! {
                <li data-testid="run-feedback">
                    <p><b>{outcome::of_session(given.outcome)}</b>{by}</p>
                    <p class="muted shown-facts">{format!("Of {}: {causes}", format::plural(given.lessons.len() as u32, "lesson", "lessons"))}</p>
                </li>
            }
        })
        .collect::<Vec<_>>();
    let none = rows.is_empty();
    view! {
        {none.then(|| view! { <p class="muted">"None yet."</p> })}
        <ul class="shown">{rows}</ul>
    }
    .into_any()
}
