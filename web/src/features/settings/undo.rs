//! What an import brought: the way to it, and taking it back.

use crate::api::{Asking, Client, json, read};
use crate::components::{ErrorNote, use_toasts};
use crate::format;
use leptos::prelude::*;
use lesson_types::{
    ApiError, Bulk, BulkAct, BulkDone, BulkItem, ImportedLesson, LessonView, Method, Revision,
};
use serde_json::{Map, Value};

/// Lessons that one request archives.
const BATCH: usize = 1_000;
/// Lessons that are listed before the rest is only counted.
const LISTED: usize = 10;

/// Fields of a text that are lists, which a revision writes with commas.
const LISTS: [&str; 3] = ["project_types", "tech_stacks", "tags"];

/// What taking an import back did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Undone {
    archived: u32,
    restored: u32,
    left: u32,
}

/// Links to what arrived, and *Undo*.
#[component]
pub fn Arrived(lessons: Vec<ImportedLesson>) -> impl IntoView {
    let client = Client::get_from_context();
    let toasts = use_toasts();
    let asking = Asking::default();
    let undone = RwSignal::new(None::<Undone>);
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
    let kept = StoredValue::new(lessons);
    let undo = move |_| {
        if undone.read_untracked().is_some() {
            return;
        }
        let lessons = kept.get_value();
        asking.run(take_back(client, lessons), move |answer| {
            toasts.good("The import was undone");
            undone.try_set(Some(answer));
        });
    };
    let words = move || {
        undone.get().map(
            |Undone {
                 archived,
                 restored,
                 left,
             }| {
                let mut words = format!(
                    "Undone: {} archived, {} restored to the previous text.",
                    format::plural(archived, "lesson", "lessons"),
                    format::plural(restored, "lesson", "lessons"),
                );
                if left > 0 {
                    words.push_str(&format!(
                        " {} changed since and stayed.",
                        format::plural(left, "lesson has", "lessons have")
                    ));
                }
                words
            },
        )
    };
    view! {
        <ul class="arrived">{links}</ul>
        {(rest > 0).then(|| view! { <p class="muted">{format!("and {} more", format::count(rest))}</p> })}
        <div class="actions">
            <a href=to_list class="button" data-testid="import-open">"Show imported lessons"</a>
            <button type="button" disabled=move || asking.busy.get() || undone.read().is_some() on:click=undo data-testid="import-undo">
                {move || if asking.busy.get() { "Undoing…" } else { "Undo import" }}
            </button>
        </div>
        <div aria-live="polite">
            {move || asking.error.get().map(|error| view! { <ErrorNote error/> })}
            {move || words().map(|words| view! { <p class="note" data-testid="import-undone">{words}</p> })}
        </div>
    }
}

/// Archives what was added and puts back the texts of what was updated. A text that changed since is left.
async fn take_back(client: Client, lessons: Vec<ImportedLesson>) -> Result<Undone, ApiError> {
    let mut undone = Undone::default();
    let added: Vec<BulkItem> = lessons
        .iter()
        .filter(|lesson| lesson.added && !lesson.archived)
        .map(|lesson| BulkItem {
            slug: lesson.slug.clone(),
            content_hash: None,
        })
        .collect();
    for batch in added.chunks(BATCH) {
        let request = Bulk {
            act: BulkAct::Archive,
            lessons: batch.to_vec(),
            tags: Vec::new(),
            reason: None,
        };
        let done: BulkDone = client.post_json("/v1/lessons/bulk", &request).await?;
        undone.archived += done.changed;
        undone.left += u32::try_from(done.refused.len()).unwrap_or(u32::MAX);
    }
    for lesson in lessons.iter().filter(|lesson| !lesson.added) {
        match put_back(client, lesson).await {
            Ok(_) => undone.restored += 1,
            Err(_) => undone.left += 1,
        }
    }
    Ok(undone)
}

/// Gives a lesson the text that it had before this revision.
async fn put_back(client: Client, lesson: &ImportedLesson) -> Result<LessonView, ApiError> {
    let path = format!("/v1/lessons/{}", format::encode(&lesson.slug));
    let revision: Revision = client
        .get(format!("{path}/revisions/{}", lesson.rev))
        .await?;
    let mut patch = Map::new();
    patch.insert("base_rev".to_owned(), lesson.rev.into());
    for field in revision.fields.into_iter().filter(|field| field.changed) {
        let before = field.before.unwrap_or_default();
        let value = if LISTS.contains(&&*field.name) {
            format::words(&before).into()
        } else {
            before.into()
        };
        patch.insert(field.name, value);
    }
    client
        .raw(Method::Patch, path, json(&Value::Object(patch)))
        .await
        .and_then(read)
}
