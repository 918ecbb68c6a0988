//! The lessons that an import brought: the way to them, and taking them back and bringing them again.

use super::import_log::{ImportLog, Logged, Undone};
use crate::api::{Asking, Client};
use crate::components::{ErrorNote, When, use_toasts};
use crate::format;
use leptos::prelude::*;
use lesson_types::ImportedLesson;

/// Lessons that are listed before the rest is only counted.
const LISTED: usize = 10;

/// Links to what arrived, and *Undo*.
#[component]
pub fn Arrived(
    lessons: Vec<ImportedLesson>,
    /// The import in the log of imports.
    id: Option<String>,
) -> impl IntoView {
    let rest = u32::try_from(lessons.len().saturating_sub(LISTED)).unwrap_or(u32::MAX);
    let links = lessons
        .iter()
        .take(LISTED)
        .map(|lesson| {
            let address = format!("/lessons/{}", format::encode(&lesson.slug));
            let what = match (lesson.added, lesson.archived) {
                (true, true) => "archived",
                (true, false) => "added",
                (false, _) => "updated",
            };
            view! { <li data-testid="import-lesson"><a href=address>{lesson.slug.clone()}</a>" "<span class="muted">{what}</span></li> }
        })
        .collect_view();
    let all_archived = lessons.iter().all(|lesson| lesson.archived);
    let to_list = if all_archived {
        "/lessons?archived=true"
    } else {
        "/lessons?sort=created"
    };
    view! {
        <ul class="arrived">{links}</ul>
        {(rest > 0).then(|| view! { <p class="muted">{format!("and {} more", format::count(rest))}</p> })}
        <div class="actions">
            <a href=to_list class="button" data-testid="import-open">"Show imported lessons"</a>
            {id.map(|id| view! { <Turn id testid="import-undo" what="Undo import"/> })}
        </div>
    }
}

/// Undoes an import, then redoes it; what undoing did stands beside it.
#[component]
fn Turn(id: String, testid: &'static str, what: &'static str) -> impl IntoView {
    let client = Client::get_from_context();
    let log = ImportLog::get_from_context();
    let toasts = use_toasts();
    let asking = Asking::default();
    let id = StoredValue::new(id);
    let undone = Memo::new(move |_| log.find(&id.get_value()).and_then(|one| one.undone));
    // Two buttons, so that a second click on one does not take back what the first did.
    let turn = move |is_undo: bool| {
        if undone.read_untracked().is_some() == is_undo {
            return;
        }
        let id = id.get_value();
        asking.run(
            async move { log.turn(client, &id).await },
            move |one: Logged| {
                toasts.good(if one.undone.is_some() {
                    "The import was undone"
                } else {
                    "The import was redone"
                });
            },
        );
    };
    let is_undone = Memo::new(move |_| undone.read().is_some());
    view! {
        <button type="button" disabled=move || asking.busy.get() || is_undone.get() on:click=move |_| turn(true) data-testid=testid>
            {move || if asking.busy.get() && !is_undone.get() { "Undoing…" } else { what }}
        </button>
        <Show when=move || is_undone.get()>
            <button type="button" disabled=asking.busy on:click=move |_| turn(false) data-testid=testid.replace("undo", "redo")>
                {move || if asking.busy.get() { "Redoing…" } else { "Redo" }}
            </button>
        </Show>
        <div aria-live="polite">
            {move || asking.error.get().map(|error| view! { <ErrorNote error/> })}
            {move || undone.get().map(|undone| view! { <p class="note" data-testid=testid.replace("undo", "undone")>{words(undone)}</p> })}
        </div>
    }
}

fn words(undone: Undone) -> String {
    let mut words = format!(
        "Undone: {} archived, {} restored to the previous text.",
        format::plural(undone.archived, "lesson", "lessons"),
        format::plural(undone.restored, "lesson", "lessons"),
    );
    if undone.left > 0 {
        words.push_str(&format!(
            " {} changed since and stayed.",
            format::plural(undone.left, "lesson has", "lessons have")
        ));
    }
    words
}

/// The imports of this browser, the latest first, each with its *Undo*.
#[component]
pub fn Imports() -> impl IntoView {
    let log = ImportLog::get_from_context();
    let ids = Memo::new(move |_| {
        log.0
            .with(|all| all.iter().map(|one| one.id.clone()).collect::<Vec<_>>())
    });
    view! {
        <Show when=move || !ids.read().is_empty()>
            <details class="imports" data-testid="imports">
                <summary>{move || format!("Imports in this browser ({})", format::count(u32::try_from(ids.read().len()).unwrap_or(u32::MAX)))}</summary>
                <p class="hint">"What an agent has written is taken back under "<a href="/agents">"Agents"</a>"."</p>
                <ul class="lines">
                    <For each=move || ids.get() key=Clone::clone let:id>{row(log, id)}</For>
                </ul>
            </details>
        </Show>
    }
}

fn row(log: ImportLog, id: String) -> AnyView {
    let Some(one) = untrack(|| log.find(&id)) else {
        return ().into_any();
    };
    let at = js_sys::Date::new(&one.at.into()).to_iso_string();
    let added = one.lessons.iter().filter(|lesson| lesson.added).count();
    let updated = one.lessons.len() - added;
    let n = |count: usize| format::count(u32::try_from(count).unwrap_or(u32::MAX));
    let told = format!("{} added, {} updated", n(added), n(updated));
    view! {
        <li class="import-row" data-testid="import-row">
            <span class="line-text" dir="auto">{one.name}</span>
            <span class="muted">{told}</span>
            <span class="muted"><When at=String::from(at)/></span>
            <Turn id testid="import-row-undo" what="Undo"/>
        </li>
    }
    .into_any()
}
