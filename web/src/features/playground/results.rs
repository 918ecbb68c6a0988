//! The lessons that fit, why, what was left out, and the text for the agent.

use super::left_out::LeftOutList;
use super::playground_state::{Answered, PlaygroundState};
use super::prompt_text::PromptText;
use super::trace::Waterfall;
use crate::api::use_get;
use crate::components::{BadgeChip, Chip, Empty, Loading, MeasuredNote, Prose, RelevanceChip};
use crate::features::none::NoneInUse;
use crate::format;
use leptos::prelude::*;
use lesson_types::{BadgeKind, LessonPage, Recommended, TraceEntry};

/// The engine's answer: the lessons, how they were ranked, what was left out, and the text for the agent.
#[component]
pub fn Results(answered: Answered, state: PlaygroundState) -> impl IntoView {
    let given = answered.given;
    let trace = given.trace.unwrap_or_default();
    let left_out = given.left_out.unwrap_or_default();
    let situation = answered.situation;
    let (mode, reason) = (
        if given.semantic {
            "Semantic"
        } else {
            "By words"
        },
        given.semantic_reason.clone(),
    );
    let how = match (given.semantic, &reason) {
        (true, None) => "Ranked by words and meaning".to_owned(),
        (true, Some(why)) => format!("Ranked by words and meaning; {why}"),
        (false, None) => "Ranked by words".to_owned(),
        (false, Some(why)) => format!("Ranked by words: {why}"),
    };
    let counts = format!(
        "{how}. {} considered.",
        format::plural(given.total_considered, "lesson", "lessons"),
    );
    let none = given.recommended.is_empty();
    // Of a run that is measured, lessons may be missing that fit.
    let measured = given
        .measured
        .filter(|run| run.control || !run.withheld.is_empty());
    let is_control = measured.as_ref().is_some_and(|run| run.control);
    // The pool may be empty because of the situation's own fields.
    let pool_empty = given.total_considered == 0;
    let items = given
        .recommended
        .into_iter()
        .map(|item| {
            let entry = trace
                .iter()
                .find(|entry| entry.rank.is_some() && entry.slug == item.slug)
                .cloned();
            view! { <Item item entry/> }.into_any()
        })
        .collect::<Vec<_>>();
    let semantic = given.semantic;
    view! {
        <section class="panel" aria-labelledby="results">
            <header>
                <h2 id="results" tabindex="-1">"Lessons"</h2>
                <Chip tone=if semantic { "accent" } else { "" } label=mode/>
                <small data-testid="recommend-summary">{counts}</small>
            </header>
            {given.stale.then(|| view! { <p class="note note-warn">"These may be out of date."</p> })}
            {measured.map(|measured| view! { <MeasuredNote measured/> })}
            {(none && !is_control).then(|| view! { <div class="pad"><NoneFits pool_empty/></div> })}
            <ol class="hits">{items}</ol>
            <LeftOutList counts=left_out entries=trace situation client=state.client/>
        </section>
        {(!none).then(|| view! { <PromptText text=given.prompt/> })}
    }
}

/// Why nothing is recommended: what was said of the task, or that no lesson is in use.
#[component]
fn NoneFits(pool_empty: bool) -> impl IntoView {
    let fits = || {
        view! {
            <Empty title="No lesson fits" text="Describe the task in more detail, or remove the domain, phase or tech stack that narrow it. Below you see why each lesson was left out."/>
        }
    };
    if !pool_empty {
        return fits().into_any();
    }
    let in_use = use_get::<LessonPage>(|| "/v1/lessons?limit=1".to_owned());
    let use_now = Memo::new(move |before: Option<&InUse>| {
        let total = in_use.data.with(|page| match page {
            None => None,
            Some(Ok(page)) => Some(page.total),
            Some(Err(_)) => Some(1),
        });
        match (total, before) {
            (None, _) => InUse::Unknown,
            (Some(0), _) => InUse::None,
            (Some(_), Some(InUse::None | InUse::Now)) => InUse::Now,
            (Some(_), _) => InUse::Some,
        }
    });
    (move || match use_now.get() {
        InUse::Unknown => view! { <Loading/> }.into_any(),
        InUse::None => view! { <NoneInUse text="Load the samples to try it, or import what your agents have already learned." then=". Recommend again."/> }.into_any(),
        InUse::Now => view! { <Empty title="There are lessons now" text="Recommend again to see which of them fit."/> }.into_any(),
        InUse::Some => fits().into_any(),
    })
    .into_any()
}

/// The use of lessons in the space, as far as the engine has said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InUse {
    /// The engine has not said.
    Unknown,
    None,
    Some,
    /// There were none when the task was ranked.
    Now,
}

#[component]
fn Item(item: Recommended, entry: Option<TraceEntry>) -> impl IntoView {
    let lesson = item.lesson;
    let about = if lesson.description.trim().is_empty() {
        lesson.context.clone()
    } else {
        lesson.description.clone()
    };
    let slug = item.slug.clone();
    let address = format!("/lessons/{}", format::encode(&slug));
    let is_first = item.rank == 1;
    let open = RwSignal::new(is_first);
    let score = entry.as_ref().map(|entry| format!("{:.2}", entry.score));
    let kept = StoredValue::new(entry);
    let more = StoredValue::new(lesson.recommendation.clone());
    let more_open = RwSignal::new(false);
    view! {
        <li class="hit" data-testid="recommended-item" data-slug=slug>
            <div class="hit-head">
                <span class="hit-rank"><span class="sr-only">"Rank "</span>{item.rank}</span>
                <h3><a href=address dir="auto">{item.title}</a></h3>
                {(item.badge.kind != BadgeKind::New).then(|| view! { <BadgeChip badge=item.badge/> })}
                <span class="grow"></span>
                <RelevanceChip relevance=item.relevance/>
                {score.map(|score| view! { <b class="hit-score num" title="Score">{score}</b> })}
            </div>
            <Prose text=about/>
            {kept.with_value(Option::is_some).then(|| view! {
                <details data-testid="why" prop:open=is_first on:toggle:target=move |event| open.set(event.target().open())>
                    <summary>"Why this rank"</summary>
                    {move || open.get().then(|| kept.get_value().map(|entry| view! { <Waterfall entry/> }))}
                </details>
            })}
            <details on:toggle=move |_| more_open.set(true)>
                <summary>"What to do"</summary>
                {move || more_open.get().then(|| view! { <Prose text=more.get_value()/> })}
            </details>
        </li>
    }
}
