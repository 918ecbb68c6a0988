//! One lesson: its text, its standing, what moved it, and what a person can do with it.

mod acts;
mod course;
mod draft;
mod edit;
mod form;
mod history;
mod movers;
mod pager;
mod preview;
mod reconcile;
mod revisions;
mod shown;
mod standing;
mod terms;

use crate::api::{Query, use_get};
use crate::components::{BadgeChip, Empty, ErrorNote, Loading, Page, Prose, TrustChip};
use crate::format;
use crate::sync::{Stage as SyncStage, Syncing};
use crate::who;
use acts::Acts;
use course::Course;
pub use draft::{DraftOf, Keeper};
use edit::EditForm;
pub use form::{LessonFields, LessonForm};
use history::{HistoryList, PAGE};
use leptos::prelude::*;
use leptos_router::hooks::use_params_map;
use lesson_types::{ApiError, ErrorCode, History, LessonView};
use movers::Movers;
pub use preview::Preview;
use revisions::Revisions;
use shown::ShownList;
use standing::Standing;

/// Which view of the page is due. It stays the same while the lesson's numbers move, so that neither focus nor a
/// half-written edit is lost.
#[derive(Debug, Clone, PartialEq)]
enum Stage {
    Loading,
    Failed(ApiError),
    Shown(String),
}

/// The page of one lesson.
#[component]
pub fn LessonPage() -> impl IntoView {
    let params = use_params_map();
    let slug = Memo::new(move |_| params.read().get("slug").unwrap_or_default());
    let answer =
        use_get::<LessonView>(move || format!("/v1/lessons/{}", format::encode(&slug.get())));
    let stage = Memo::new(move |_| {
        answer.data.with(|data| match data {
            None => Stage::Loading,
            Some(Err(error)) => Stage::Failed(error.clone()),
            Some(Ok(lesson)) => Stage::Shown(lesson.slug.clone()),
        })
    });
    let lesson = Memo::new(move |_| {
        answer
            .data
            .with(|data| data.as_ref().and_then(|data| data.as_ref().ok()).cloned())
    });
    // The lesson as it was when the form was opened.
    let editing = RwSignal::new(None::<LessonView>);
    Effect::new(move |_| {
        slug.get();
        editing.set(None);
    });
    move || {
        if let Some(lesson) = editing.get() {
            return view! { <Page title=format!("Edit “{}”", lesson.title)><EditForm lesson editing/></Page> }.into_any();
        }
        match stage.get() {
            Stage::Loading => view! { <Page title="Lesson"><Loading/></Page> }.into_any(),
            Stage::Failed(error) if error.code == ErrorCode::NotFound => view! {
                <Page title="No such lesson">
                    <Empty title="There is no lesson by this name" text=error.message>
                        <a href="/lessons" class="button primary">"All lessons"</a>
                    </Empty>
                </Page>
            }
            .into_any(),
            Stage::Failed(error) => {
                view! { <Page title="Lesson"><ErrorNote error/></Page> }.into_any()
            }
            Stage::Shown(slug) => view! { <Shown slug lesson editing/> }.into_any(),
        }
    }
}

#[component]
fn Shown(
    slug: String,
    lesson: Memo<Option<LessonView>>,
    editing: RwSignal<Option<LessonView>>,
) -> impl IntoView {
    let me = Syncing::get_from_context().me();
    let title = Memo::new(move |_| {
        lesson.with(|lesson| {
            lesson
                .as_ref()
                .map(|lesson| lesson.title.clone())
                .unwrap_or_default()
        })
    });
    // The text is made anew only when it changed.
    let text = Memo::new(move |_| {
        lesson.with(|lesson| {
            lesson.as_ref().map(|lesson| {
                (
                    lesson.description.clone(),
                    lesson.context.clone(),
                    lesson.recommendation.clone(),
                )
            })
        })
    });
    let domain = Memo::new(move |_| {
        lesson.with(|lesson| {
            let lesson = lesson.as_ref();
            lesson
                .map(|lesson| lesson.domain.clone())
                .unwrap_or_default()
        })
    });
    let own = slug.clone();
    let answer = use_get::<History>(move || {
        format!("/v1/lessons/{}/history?limit={PAGE}", format::encode(&own))
    });
    let history = Memo::new(move |_| {
        answer
            .data
            .with(|data| data.as_ref().and_then(|data| data.as_ref().ok()).cloned())
    });
    let slug = StoredValue::new(slug);
    view! {
        <p class="back"><a href="/lessons">"← All lessons"</a></p>
        {move || view! { <Page title=title.get()/> }}
        {move || lesson.get().map(|lesson| view! { <Head lesson/> })}
        // The standing stands beside the text, and on a phone between the text and its history.
        <div class="split lesson-split">
            <article class="card" data-testid="lesson-text">{move || text.get().map(whole_text)}</article>
            <aside class="stack" aria-label="About this lesson">
                <Acts lesson editing/>
                <Standing slug=slug.get_value() lesson/>
                <Movers history/>
                <section class="card">
                    <h2>"About"</h2>
                    <dl class="facts">{move || lesson.get().map(|lesson| facts(&lesson, me.read().as_deref()))}</dl>
                </section>
            </aside>
            <div class="stack">
                <HistoryState answer/>
                <Show when=move || history.read().is_some()>
                    <Course history/>
                    <ShownList slug=slug.get_value() history/>
                    <Revisions slug=slug.get_value() history/>
                    <HistoryList slug=slug.get_value() domain history/>
                </Show>
            </div>
        </div>
    }
}

/// Why there is no history to show yet.
#[component]
fn HistoryState(answer: Query<History>) -> impl IntoView {
    let syncing = Syncing::get_from_context();
    let state = Memo::new(move |_| {
        answer.data.with(|data| match data {
            None => Some(None),
            Some(Err(error)) => Some(Some(error.clone())),
            Some(Ok(_)) => None,
        })
    });
    move || {
        match state.get() {
        None => ().into_any(),
        Some(None) => view! { <section class="card"><h2>"History"</h2><Loading label="Reading the ledger…"/></section> }.into_any(),
        // What the server keeps can be missing for a while; that is no fault.
        Some(Some(error)) if error.code == ErrorCode::Unavailable && syncing.stage() == SyncStage::On => view! {
            <section class="card">
                <h2>"History"</h2>
                <div class="note" data-testid="history-elsewhere">
                    <p>"The history of a shared lesson is kept on the server. It shows here when the server can be reached; everything you do meanwhile is kept and becomes part of it."</p>
                </div>
            </section>
        }.into_any(),
        Some(Some(error)) => view! { <section class="card"><h2>"History"</h2><ErrorNote error/></section> }.into_any(),
    }
    }
}

#[component]
fn Head(lesson: LessonView) -> impl IntoView {
    let findings = lesson
        .findings
        .into_iter()
        .map(|finding| view! { <li>{finding}</li> })
        .collect::<Vec<_>>();
    view! {
        <div class="chips">
            <BadgeChip badge=lesson.derived.badge/>
            <TrustChip trust=lesson.trust/>
            {lesson.archived.then(|| view! { <span class="chip" data-testid="archived">"Archived"</span> })}
            <code class="slug" data-testid="lesson-slug">{lesson.slug}</code>
        </div>
        {(!findings.is_empty()).then(|| view! {
            <div class="note note-warn" data-testid="findings"><strong>"Found in this text"</strong><ul>{findings}</ul></div>
        })}
        {lesson.merged_into.map(|into| view! {
            <div class="note"><p>"Merged into "<a href=format!("/lessons/{}", format::encode(&into))>{into.clone()}</a>"."</p></div>
        })}
    }
}

fn whole_text((description, context, recommendation): (String, String, String)) -> AnyView {
    let parts = [
        (None, description),
        (Some("When it applies"), context),
        (Some("What to do"), recommendation),
    ];
    parts
        .into_iter()
        .filter(|(_, text)| !text.trim().is_empty())
        .map(|(heading, text)| {
            view! { {heading.map(|heading| view! { <h2>{heading}</h2> })} <Prose text/> }.into_any()
        })
        .collect::<Vec<_>>()
        .into_any()
}

fn facts(lesson: &LessonView, me: Option<&str>) -> AnyView {
    let list = |words: &[String], none: &str| {
        if words.is_empty() {
            none.to_owned()
        } else {
            words.join(", ")
        }
    };
    let word = |word: &str, none: &str| {
        if word.is_empty() {
            none.to_owned()
        } else {
            word.to_owned()
        }
    };
    let at = format::time(&lesson.created_at);
    let added = match who::name(&lesson.by, me) {
        Some(who) => format!("{at}, by {who}"),
        None => at,
    };
    let rows = [
        ("Kind", lesson.kind.as_str().to_owned()),
        ("Category", lesson.category.as_str().to_owned()),
        ("Domain", word(&lesson.domain, "general")),
        ("Projects", list(&lesson.project_types, "all")),
        ("Technologies", list(&lesson.tech_stacks, "all")),
        ("Tags", list(&lesson.tags, "none")),
        ("Source", word(&lesson.source, "not said")),
        ("Added", added),
        ("Changed", format::time(&lesson.updated_at)),
        ("Revision", lesson.rev.to_string()),
    ];
    rows.into_iter()
        .map(|(name, value)| view! { <div><dt>{name}</dt><dd>{value}</dd></div> })
        .collect::<Vec<_>>()
        .into_any()
}
