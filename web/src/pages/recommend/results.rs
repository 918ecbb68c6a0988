//! The lessons that fit, why, what was left out, and the text for the agent.

use super::left_out::LeftOutList;
use super::trace::Waterfall;
use super::{Answered, Walk};
use crate::format;
use crate::pages::data::SamplesButton;
use crate::ui::{BadgeChip, CopyButton, Empty, Prose, RelevanceChip, TrustChip};
use leptos::prelude::*;
use leptos_router::components::A;
use lesson_api::{Recommended, TraceEntry};

/// What the engine answered.
#[component]
pub fn Results(answered: Answered, walk: Walk) -> impl IntoView {
    let given = answered.given;
    let trace = given.trace.unwrap_or_default();
    let left_out = given.left_out.unwrap_or_default();
    let situation = answered.situation;
    let how = if given.semantic {
        "Ranked by meaning, context and standing"
    } else {
        "Ranked by keywords, context and standing"
    };
    let counts = format!(
        "{how}. {} considered; {} left out for their outcomes, {} for their relevance.",
        format::plural(given.total_considered, "lesson", "lessons"),
        format::count(given.excluded_low_effectiveness),
        format::count(given.excluded_low_relevance),
    );
    let none = given.recommended.is_empty();
    let hint = given.hint.clone();
    let store_empty = none && given.total_considered == 0;
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
            {none.then(|| view! {
                <Empty title="No lesson fits" text=hint.unwrap_or_else(|| "Say more about the situation, or leave out a field.".to_owned())>
                    {store_empty.then(|| view! { <SamplesButton then=". Recommend again."/> })}
                    <A href="/data" attr:class="button">"Import lessons"</A>
                </Empty>
            })}
            <ol class="recommended">{items}</ol>
        </section>
        <LeftOutList counts=left_out entries=trace situation client=walk.client/>
        {(!none).then(|| view! { <PromptText text=given.prompt/> })}
    }
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
                    <h3><A href=address>{item.title}</A></h3>
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
