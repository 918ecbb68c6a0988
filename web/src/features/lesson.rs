//! One lesson: its text, its standing, what moved it, and what a person can do with it.

mod acts;
mod back;
mod course;
mod draft;
mod edit;
mod effect;
mod form;
mod history;
mod movers;
mod overtaken;
mod pager;
mod preview;
mod reconcile;
mod revisions;
mod shown;
mod similar;
mod standing;
mod terms;
#[cfg(all(test, target_arch = "wasm32"))]
mod tests;

use crate::api::{Query, use_get};
use crate::components::{
    Empty, ErrorNote, LiftChip, Page, Prose, Skeleton, Tabs, TrustChip, When, use_toasts,
};
use crate::features::issues::LoopIssues;
use crate::features::runs::address;
use crate::format;
use crate::parameters::{use_parameters, use_replace};
use crate::sync::{Stage as SyncStage, Syncing};
use crate::who;
use acts::Acts;
use course::Course;
pub use draft::{DraftOf, Keeper};
use edit::EditForm;
pub use form::{LessonFields, LessonForm};
use history::{HistoryList, PAGE};
use leptos::prelude::*;
use leptos_router::hooks::{use_location, use_params_map};
use lesson_types::{ApiError, ErrorCode, History, LessonView, Trust};
use movers::Movers;
use overtaken::Overtaken;
pub use preview::Preview;
use revisions::Revisions;
use shown::ShownList;
pub use similar::Similar;
use standing::Performance;

/// The view of the page that is due. It stays the same while the lesson's numbers move, so that neither focus nor a
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
            return view! { <Page title=format!("Edit “{}”", lesson.title)/><EditForm lesson editing/> }.into_any();
        }
        match stage.get() {
            Stage::Loading => view! { <Page title="Lesson"><Skeleton lines=8/></Page> }.into_any(),
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
                    lesson.trust != Trust::Quarantined,
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
    let tab = use_tab();
    view! {
        <p class="back"><a href="/lessons">"← Lessons"</a></p>
        {move || view! { <Page title=title.get()/> }}
        {move || lesson.get().map(|lesson| view! { <Head lesson/> })}
        <LoopIssues/>
        <Overtaken slug=slug.get_value() lesson/>
        <Acts lesson editing/>
        <Kept slug=slug.get_value() lesson editing/>
        // The performance stands beside the text, and on a phone between the text and its history.
        <div class="lesson-page">
            <article class="panel lesson-text" data-testid="lesson-text">{move || text.get().map(whole_text)}</article>
            <aside class="lesson-aside" aria-label="About this lesson">
                <Performance slug=slug.get_value() lesson/>
                <section class="panel">
                    <header><h2>"About"</h2></header>
                    <dl class="facts pad">{move || lesson.get().map(|lesson| facts(&lesson, me.read().as_deref()))}</dl>
                </section>
            </aside>
            <div class="lesson-more">
                <HistoryState answer/>
                <Show when=move || history.read().is_some()>
                    <Course history/>
                    <section class="panel">
                        <Tabs id="lesson-tab" label="What happened to it" options=vec![(Tab::Activity, "Activity"), (Tab::Runs, "Runs"), (Tab::Revisions, "Revisions")] value=tab/>
                        <div class="lesson-tab" id="lesson-tab-panel" role="tabpanel" aria-labelledby=move || format!("lesson-tab-tab-{}", tab.get() as usize)>
                            {move || match tab.get() {
                                Tab::Activity => view! { <Movers history/><HistoryList slug=slug.get_value() domain history/> }.into_any(),
                                Tab::Runs => view! { <ShownList slug=slug.get_value() history/> }.into_any(),
                                Tab::Revisions => view! { <Revisions slug=slug.get_value() history/> }.into_any(),
                            }}
                        </div>
                    </section>
                </Show>
            </div>
        </div>
    }
}

/// A part of what happened to the lesson.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tab {
    Activity,
    Runs,
    Revisions,
}

impl Tab {
    fn read(word: &str) -> Self {
        match word {
            "runs" => Self::Runs,
            "revisions" => Self::Revisions,
            _ => Self::Activity,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Activity => "",
            Self::Runs => "runs",
            Self::Revisions => "revisions",
        }
    }
}

/// The tab that the address names; one that is chosen is put into it.
fn use_tab() -> RwSignal<Tab> {
    let parameters = use_parameters();
    let path = use_location().pathname;
    let tab = RwSignal::new(Tab::read(&parameters.read_untracked().text("tab")));
    let replace = use_replace();
    Effect::new(move |before: Option<Tab>| {
        let now = tab.get();
        if before.is_some_and(|before| before != now) {
            let query = match now.word() {
                "" => String::new(),
                word => format!("?tab={word}"),
            };
            replace(&format!("{}{query}", path.get_untracked()));
        }
        now
    });
    tab
}

/// A draft of an edit that was kept, and the way back into it.
#[component]
fn Kept(
    slug: String,
    lesson: Memo<Option<LessonView>>,
    editing: RwSignal<Option<LessonView>>,
) -> impl IntoView {
    let of = StoredValue::new(DraftOf::Edit(slug));
    let draft = RwSignal::new(of.with_value(DraftOf::find));
    let drop = move |_| {
        let toasts = use_toasts();
        of.with_value(DraftOf::drop);
        let dropped = draft.get_untracked();
        draft.set(None);
        if let Some(dropped) = dropped {
            let back = move || {
                of.try_with_value(|of| of.keep(&dropped));
                draft.try_set(Some(dropped.clone()));
            };
            toasts.with_act("Your draft was dropped", "Bring it back", back);
        }
    };
    move || {
        draft.get().map(|held| {
            let ago = format::ago((js_sys::Date::now() - held.at) / 1_000.0);
            view! {
                <div class="note draft-note" role="status" data-testid="draft-waits">
                    <span>{format!("You started editing this lesson {ago}. Your draft is kept.")}</span>
                    <span class="actions">
                        <button type="button" class="primary" data-testid="draft-continue" on:click=move |_| editing.set(lesson.get_untracked())>"Continue editing"</button>
                        <button type="button" data-testid="draft-drop" on:click=drop>"Discard it"</button>
                    </span>
                </div>
            }
        })
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
        Some(None) => view! { <section class="panel pad"><Skeleton/></section> }.into_any(),
        // History that the server keeps can be missing for a while; that is no fault.
        Some(Some(error)) if error.code == ErrorCode::Unavailable && syncing.stage() == SyncStage::On => view! {
            <section class="panel pad">
                <h2>"History"</h2>
                <div class="note" data-testid="history-elsewhere">
                    <p>"The history of a shared lesson is kept on the server. It shows here when the server can be reached; everything you do meanwhile is kept and becomes part of it."</p>
                </div>
            </section>
        }.into_any(),
        Some(Some(error)) => view! { <section class="panel pad"><h2>"History"</h2><ErrorNote error/></section> }.into_any(),
    }
    }
}

#[component]
fn Head(lesson: LessonView) -> impl IntoView {
    let held_back = lesson.trust == Trust::Quarantined;
    // An approval has answered for what was found.
    let findings = (lesson.trust != Trust::Approved).then_some(lesson.findings);
    let findings = findings
        .unwrap_or_default()
        .into_iter()
        .map(|finding| view! { <li dir="auto">{finding}</li> })
        .collect::<Vec<_>>();
    let (class, heading) = if held_back {
        (
            "note note-bad",
            "Held back: no agent is given this text until a person approves it with a reason",
        )
    } else {
        ("note note-warn", "Found in this text")
    };
    view! {
        <div class="chips lesson-chips">
            {held_back.then(|| view! { <TrustChip trust=lesson.trust/> })}
            {(!held_back).then(|| view! { <LiftChip lift=lesson.lift/><TrustChip trust=lesson.trust/> })}
            {lesson.archived.then(|| view! { <span class="chip" data-testid="archived">"Archived"</span> })}
            <code class="slug" data-testid="lesson-slug">{lesson.slug}</code>
        </div>
        {(held_back || !findings.is_empty()).then(|| view! {
            <div class=class data-testid="findings"><strong>{heading}</strong><ul>{findings}</ul></div>
        })}
        {lesson.merged_into.map(|into| view! {
            <div class="note"><p>"Merged into "<a href=format!("/lessons/{}", format::encode(&into))>{into.clone()}</a>"."</p></div>
        })}
    }
}

/// The text; its links can be followed where it is not held back.
fn whole_text(
    (description, context, recommendation, links): (String, String, String, bool),
) -> AnyView {
    let parts = [
        (None, description),
        (Some("When it applies"), context),
        (Some("What to do"), recommendation),
    ];
    parts
        .into_iter()
        .filter(|(_, text)| !text.trim().is_empty())
        .map(|(heading, text)| {
            view! { {heading.map(|heading| view! { <h2>{heading}</h2> })} <Prose text links/> }
                .into_any()
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
    let by = who::name(&lesson.by, me).map(|who| format!(", by {who}"));
    let added = view! { <When at=lesson.created_at.clone()/>{by} }.into_any();
    let changed = view! { <When at=lesson.updated_at.clone()/> }.into_any();
    let rows = [
        ("Kind", lesson.kind.as_str().to_owned()),
        ("Category", lesson.category.as_str().to_owned()),
        ("Domain", word(&lesson.domain, "general")),
        ("Project type", list(&lesson.project_types, "all")),
        ("Tech stack", list(&lesson.tech_stacks, "all")),
        ("Tags", list(&lesson.tags, "none")),
        ("Revision", lesson.rev.to_string()),
    ];
    let extra =
        (!lesson.extra.is_empty()).then(|| ("Other fields of its file", lesson.extra.clone()));
    let rows = rows
        .into_iter()
        .chain(extra)
        .map(|(name, value)| (name, value.into_any()));
    let source = match run_of(lesson) {
        Some(id) => view! { <a href=address(&id) data-testid="source-run">"the run that it was learned in"</a> }.into_any(),
        None => word(&lesson.source, "not said").into_any(),
    };
    rows.chain([("Source", source), ("Added", added), ("Changed", changed)])
        .map(|(name, value)| view! { <div><dt>{name}</dt><dd>{value}</dd></div> })
        .collect::<Vec<_>>()
        .into_any()
}

/// The id of the run whose session gave a lesson, as its source names it. Runs of an agent's key have the key before theirs.
fn run_of(lesson: &LessonView) -> Option<String> {
    let id = lesson.source.strip_prefix("session ")?;
    Some(match lesson.by.strip_prefix("agent:") {
        Some(key) => format!("{key}/{id}"),
        None => id.to_owned(),
    })
}
