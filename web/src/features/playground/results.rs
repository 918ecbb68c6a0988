//! The lessons that fit, why, what was left out, and the text for the agent.

use super::left_out::LeftOutList;
use super::trace::Waterfall;
use super::walk::{Answered, Walk};
use crate::api::use_get;
use crate::components::{BadgeChip, CopyButton, Empty, Loading, Prose, RelevanceChip, TrustChip};
use crate::features::none::NoneInUse;
use crate::format;
use leptos::prelude::*;
use lesson_types::{LessonPage, Recommended, TraceEntry};

/// What the engine answered.
#[component]
pub fn Results(answered: Answered, walk: Walk) -> impl IntoView {
    let given = answered.given;
    let trace = given.trace.unwrap_or_default();
    let left_out = given.left_out.unwrap_or_default();
    let situation = answered.situation;
    let how = match (given.semantic, &given.semantic_reason) {
        (true, None) => "Ranked by words, meaning, context and standing".to_owned(),
        (true, Some(why)) => format!("Ranked by words, meaning, context and standing; {why}"),
        (false, None) => "Ranked by words, context and standing".to_owned(),
        (false, Some(why)) => format!("Ranked by words, context and standing: {why}"),
    };
    let counts = format!(
        "{how}. {} considered; {} left out for their outcomes, {} for their relevance.",
        format::plural(given.total_considered, "lesson", "lessons"),
        format::count(given.excluded_low_effectiveness),
        format::count(given.excluded_low_relevance),
    );
    let none = given.recommended.is_empty();
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
    view! {
        <section class="card" aria-labelledby="results">
            <h2 id="results" tabindex="-1">"Lessons that fit"</h2>
            <p class="muted" data-testid="recommend-summary">{counts}</p>
            {given.stale.then(|| view! { <p class="note note-warn">"These may be older than what is stored."</p> })}
            {none.then(|| view! { <NoneFits pool_empty/> })}
            <ol class="recommended">{items}</ol>
        </section>
        <LeftOutList counts=left_out entries=trace situation client=walk.client/>
        {(!none).then(|| view! { <PromptText text=given.prompt/> })}
    }
}

/// Why nothing is recommended: what was said of the situation, or that no lesson is in use.
#[component]
fn NoneFits(pool_empty: bool) -> impl IntoView {
    let fits = || {
        view! {
            <Empty title="No lesson fits" text="Say more of the situation, or leave out the domain, phase or technologies that narrow it. Below stands why each lesson was left out."/>
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

/// Whether lessons are in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InUse {
    /// The engine has not said.
    Unknown,
    None,
    Some,
    /// There were none when the situation was ranked.
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
    let open = RwSignal::new(false);
    let kept = StoredValue::new(entry);
    let more = StoredValue::new(lesson.recommendation.clone());
    let more_open = RwSignal::new(false);
    view! {
        <li data-testid="recommended-item" data-slug=slug>
            <div class="item-head">
                <span class="rank" aria-label=format!("Rank {}", item.rank)>{item.rank}</span>
                <div>
                    <h3><a href=address>{item.title}</a></h3>
                    <div class="chips">
                        <BadgeChip badge=item.badge/>
                        <RelevanceChip relevance=item.relevance/>
                        <TrustChip trust=lesson.trust/>
                        <code class="slug">{item.slug}</code>
                    </div>
                </div>
            </div>
            <Prose text=about/>
            <details on:toggle=move |_| more_open.set(true)>
                <summary>"What to do"</summary>
                {move || more_open.get().then(|| view! { <Prose text=more.get_value()/> })}
            </details>
            {kept.with_value(Option::is_some).then(|| view! {
                <details data-testid="why" on:toggle=move |_| open.set(true)>
                    <summary>"Why this rank"</summary>
                    {move || open.get().then(|| kept.get_value().map(|entry| view! { <Waterfall entry/> }))}
                </details>
            })}
        </li>
    }
}

/// What the agent gets, to copy.
#[component]
fn PromptText(text: String) -> impl IntoView {
    let kept = text.clone();
    view! {
        <section class="card">
            <div class="card-head">
                <h2>"Text for the agent"</h2>
                <CopyButton text=kept label="Copy" done="The prompt is in the clipboard" testid="copy-prompt"/>
            </div>
            <pre class="prompt" tabindex="0" dir="auto" data-testid="prompt-text">{text}</pre>
        </section>
    }
}
