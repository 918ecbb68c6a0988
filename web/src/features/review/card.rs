//! The entry in front: why it is here, its text, and what can be done with it.

use super::double::Double;
use super::entry::Entry;
use super::hurts::Hurts;
use super::reasons::{ReasonChip, alike, question};
use super::review_page::{Command, ReviewPage};
use crate::components::{EffectChip, ErrorNote, LiftChip, Prose, TrustChip, When};
use crate::features::set_aside::{ConflictCard, SetAsidePage};
use crate::format;
use crate::review::Reviewing;
use leptos::prelude::*;
use lesson_types::{LessonView, Qualification, ReviewItem, Trust};

/// Longer texts are shown in part, in characters: nobody judges a book in a queue.
const LONG: usize = 20_000;

/// The entry in front.
#[component]
pub fn Card() -> impl IntoView {
    let page: ReviewPage = expect_context();
    let settling = SetAsidePage::provide(page.conflicts());
    let conflict = Memo::new(move |_| {
        page.current.with(|current| match current {
            Some((_, Entry::Conflict(conflict))) => Some((**conflict).clone()),
            _ => None,
        })
    });
    let item = Memo::new(move |_| {
        page.current.with(|current| match current {
            Some((_, Entry::Lesson(item))) => Some((**item).clone()),
            _ => None,
        })
    });
    let is_lesson = Memo::new(move |_| item.read().is_some());
    view! {
        <section class="review-front" id="review-front" aria-label="In front">
            {move || settling.error.get().map(|error| view! { <ErrorNote error/> })}
            {move || conflict.get().map(|conflict| view! { <ConflictCard conflict/> })}
            <Show when=move || is_lesson.get()>
                <article class="card review-card" aria-labelledby="review-title" data-testid="review-card"
                    data-slug=move || item.get().map(|item| item.slug)>
                    {move || item.get().map(|item| view! { <Head item/> })}
                    <Text item/>
                </article>
            </Show>
            <Acts item/>
        </section>
    }
}

#[component]
fn Head(item: ReviewItem) -> impl IntoView {
    let reviewing = Reviewing::get_from_context();
    let address = format!("/lessons/{}", format::encode(&item.slug));
    let questions = item
        .reasons
        .iter()
        .map(|reason| view! { <li dir="auto">{question(*reason, &item)}</li> })
        .collect_view();
    let chips = item
        .reasons
        .iter()
        .map(|reason| view! { <ReasonChip reason=*reason/> })
        .collect_view();
    let findings = item
        .findings
        .iter()
        .map(|finding| view! { <li dir="auto">{finding.clone()}</li> })
        .collect_view();
    let class = if item.trust == Trust::Quarantined {
        "note note-bad"
    } else {
        "note note-warn"
    };
    let others = item
        .duplicates
        .iter()
        .skip(1)
        .map(|other| view! { <li dir="auto">{alike(other)}</li> })
        .collect_view();
    let slug = item.slug.clone();
    let own = item.slug.clone();
    let tried = move || {
        reviewing.is_tried(&own).then(|| {
            view! { <span class="chip chip-good" data-testid="tried">"It gets another trial"</span> }
        })
    };
    let rated = move || {
        let words = match reviewing.has_rated(&slug)? {
            true => "You rated it helpful",
            false => "You rated it not helpful",
        };
        Some(view! { <span class="chip chip-good" data-testid="rated">{words}</span> })
    };
    view! {
        <header class="review-card-head">
            <div class="chips">{chips}{rated}{tried}</div>
            <h2 id="review-title" dir="auto"><a href=address>{item.title.clone()}</a></h2>
            <ul class="questions">{questions}{others}</ul>
            {item.hurts.clone().map(|lift| view! { <Hurts lift/> })}
            {(!item.findings.is_empty()).then(|| view! {
                <div class=class data-testid="findings"><strong>"Found in this text"</strong><ul>{findings}</ul></div>
            })}
        </header>
    }
}

/// The text and the numbers, once they are read. Those of the lesson before are never shown under
/// this one's title.
#[component]
fn Text(item: Memo<Option<ReviewItem>>) -> impl IntoView {
    let page: ReviewPage = expect_context();
    let shown = Memo::new(move |_| {
        let slug = item.with(|item| item.as_ref().map(|item| item.slug.clone()))?;
        page.lesson
            .with(|lesson| lesson.clone().filter(|lesson| lesson.slug == slug))
    });
    let text = Memo::new(move |_| {
        shown.with(|lesson| {
            let lesson = lesson.as_ref()?;
            Some((
                lesson.slug.clone(),
                [
                    (None, lesson.description.clone()),
                    (Some("When it applies"), lesson.context.clone()),
                    (Some("What to do"), lesson.recommendation.clone()),
                ],
            ))
        })
    });
    view! {
        <Double item mine=shown/>
        {move || match (text.get(), page.unreadable.get()) {
            (Some((slug, parts)), _) => view! { <div class="review-text" data-testid="review-text">{parts.map(|(heading, text)| part(&slug, heading, text)).collect_view()}</div> }.into_any(),
            (None, Some(error)) => view! { <ErrorNote error/> }.into_any(),
            (None, None) => view! { <div class="review-text waiting"><span class="spinner" aria-hidden="true"></span></div> }.into_any(),
        }}
        {move || shown.get().map(|lesson| view! { <Facts lesson/> })}
    }
}

fn part(slug: &str, heading: Option<&'static str>, text: String) -> AnyView {
    if text.trim().is_empty() {
        return ().into_any();
    }
    let cut = text.char_indices().nth(LONG).map(|(at, _)| at);
    let more = cut.map(|_| {
        view! { <p><a href=format!("/lessons/{}", format::encode(slug))>"Open the lesson to read the rest"</a></p> }
    });
    let text = cut.map_or(text.clone(), |cut| format!("{}…", &text[..cut]));
    view! { {heading.map(|heading| view! { <h3>{heading}</h3> })}<Prose text/>{more} }.into_any()
}

#[component]
fn Facts(lesson: LessonView) -> impl IntoView {
    let held = lesson.standing;
    let rows = [
        (
            "Shown",
            format::plural(held.times_surfaced, "time", "times"),
        ),
        (
            "Rated",
            format!(
                "{} helpful, {} not",
                format::count(held.times_helpful),
                format::count(held.times_not_helpful)
            ),
        ),
        (
            "Applied",
            format!(
                "{}, {} went well",
                format::count(held.times_applied),
                format::count(held.success_count)
            ),
        ),
        ("Confidence", format::percent(held.confidence)),
        (
            "Source",
            if lesson.source.is_empty() {
                "not said".to_owned()
            } else {
                lesson.source
            },
        ),
    ]
    .map(|(name, value)| view! { <div><dt>{name}</dt><dd dir="auto">{value}</dd></div> })
    .collect_view();
    let changed = view! { <div><dt>"Changed"</dt><dd><When at=lesson.updated_at/></dd></div> };
    view! {
        <footer class="review-facts">
            <div class="chips">
                <LiftChip lift=lesson.lift/>
                {lesson.measured.map(|held| view! { <EffectChip verdict=held.verdict badge=held.badge interval=held.low.zip(held.high)/> })}
                {(lesson.trust != Trust::Approved).then(|| view! { <TrustChip trust=lesson.trust/> })}
                <code class="slug">{lesson.slug}</code>
            </div>
            <dl>{rows}{changed}</dl>
        </footer>
    }
}

/// The buttons. They stay in place while lessons come and go, so that the focus does too.
#[component]
fn Acts(item: Memo<Option<ReviewItem>>) -> impl IntoView {
    let page: ReviewPage = expect_context();
    let is_lesson = Memo::new(move |_| item.read().is_some());
    let approved = Memo::new(move |_| {
        item.with(|item| {
            item.as_ref()
                .is_some_and(|item| item.trust == Trust::Approved)
        })
    });
    let held_back = Memo::new(move |_| {
        item.with(|item| {
            item.as_ref()
                .is_some_and(|item| item.trust == Trust::Quarantined)
        })
    });
    let doubles = Memo::new(move |_| {
        item.with(|item| {
            item.as_ref()
                .is_some_and(|item| !item.duplicates.is_empty())
        })
    });
    let kept_out = Memo::new(move |_| {
        item.with(|item| {
            item.as_ref()
                .is_some_and(|item| item.qualification != Qualification::Qualified)
        })
    });
    let run = move |command| move |_| page.run(command);
    view! {
        <Show when=move || kept_out.get()>
            <p class="hint" id="review-trial-about">"Another trial: what was learned of it, and its streak of failures, is forgotten; counters stay."</p>
        </Show>
        <div class="review-acts" role="group" aria-label="What to do with it">
            <Show when=move || is_lesson.get()>
                <button type="button" class="primary" data-testid="review-approve" on:click=run(Command::Approve)>
                    {move || match (approved.get(), held_back.get()) { (true, _) => "Keep as it is", (_, true) => "Approve…", _ => "Approve" }}<kbd aria-hidden="true">"a"</kbd>
                </button>
                <Show when=move || doubles.get()>
                    <button type="button" data-testid="review-merge" on:click=run(Command::Merge)>"Merge…"<kbd aria-hidden="true">"m"</kbd></button>
                </Show>
                <button type="button" data-testid="review-helpful" on:click=run(Command::Helpful)>"Helpful"<kbd aria-hidden="true">"h"</kbd></button>
                <button type="button" data-testid="review-not-helpful" on:click=run(Command::NotHelpful)>"Not helpful"<kbd aria-hidden="true">"n"</kbd></button>
                <Show when=move || kept_out.get()>
                    <button type="button" data-testid="review-trial" aria-describedby="review-trial-about" on:click=run(Command::Trial)>"Another trial"<kbd aria-hidden="true">"t"</kbd></button>
                </Show>
                <button type="button" data-testid="review-archive" on:click=run(Command::Archive)>"Archive"<kbd aria-hidden="true">"x"</kbd></button>
            </Show>
            <button type="button" data-testid="review-skip" on:click=run(Command::Skip)>"Skip"<kbd aria-hidden="true">"s"</kbd></button>
            <span class="review-steps">
                <button type="button" data-testid="review-back" on:click=run(Command::Previous)><span class="sr-only">"Back"</span><span aria-hidden="true">"↑"</span><kbd aria-hidden="true">"k"</kbd></button>
                <button type="button" data-testid="review-next" on:click=run(Command::Next)><span class="sr-only">"Next"</span><span aria-hidden="true">"↓"</span><kbd aria-hidden="true">"j"</kbd></button>
            </span>
        </div>
    }
}
