//! An edit that came too late: both texts side by side, and the decision.

use super::set_aside_page::SetAsidePage;
use crate::components::{Versus, When};
use crate::features::editor::editor_of;
use crate::format;
use leptos::prelude::*;
use lesson_types::{Category, ConflictField, EditConflict, LessonPatch, Settlement};

/// One edit.
#[component]
pub fn ConflictCard(conflict: EditConflict) -> impl IntoView {
    let page: SetAsidePage = expect_context();
    let EditConflict {
        id,
        at,
        now,
        slug,
        fields,
    } = conflict;
    let heading = format!("conflict-{id}");
    let about = heading.clone();
    let merge_about = StoredValue::new(heading.clone());
    let there = now.is_some();
    let rev = now.as_ref().map_or(0, |lesson| lesson.rev);
    let editor = editor_of(&slug, rev);
    let slug_of = StoredValue::new(slug.clone());
    let archived = now.as_ref().is_some_and(|lesson| lesson.archived);
    let title = now.map_or_else(|| slug.clone(), |lesson| lesson.title);
    let address = format!("/lessons/{}", format::encode(&slug));
    let merging = RwSignal::new(false);
    let texts: Vec<(String, RwSignal<String>)> = fields
        .iter()
        .map(|field| (field.name.clone(), RwSignal::new(field.theirs.clone())))
        .collect();
    let fields = fields
        .into_iter()
        .zip(texts.clone())
        .map(|(field, (_, merged))| view! { <Field field merging merged/> })
        .collect_view();
    let texts = StoredValue::new(texts);
    let id = StoredValue::new(id);
    let save = move |_| {
        let texts = texts.with_value(|texts| {
            let texts = texts.iter();
            texts
                .map(|(name, text)| (name.clone(), text.get_untracked()))
                .collect::<Vec<_>>()
        });
        page.merge(id.get_value(), slug_of.get_value(), patch(rev, &texts));
    };
    let settle = move |keep, done: &'static str| page.settle(vec![id.get_value()], keep, done);
    view! {
        <article class="card conflict" aria-labelledby=heading.clone() data-testid="conflict" data-slug=slug>
            <div class="conflict-head">
                <h3 id=heading.clone() dir="auto">
                    {if there { view! { <a href=address>{title}</a> }.into_any() } else { title.into_any() }}
                </h3>
                <p class="muted" data-testid="conflict-who">"Your edit of "<When at=at.clone()/>{move || editor.get().map(|who| format!("; in force is the text by {who}"))}</p>
            </div>
            {archived.then(|| view! { <p class="note">"The lesson is archived now."</p> })}
            {(!there).then(|| view! { <p class="note note-warn">"The lesson is not there any more, so your text can't be put into it. Copy what you want to keep."</p> })}
            {fields}
            <div class="actions">
                {there.then(|| view! {
                    <button type="button" class="primary" aria-describedby=about.clone() disabled=page.asking.busy data-testid="keep-mine"
                        on:click=move |_| settle(Settlement::Mine, "Your text is in force and waits to be sent")>"Keep mine"</button>
                    {move || if merging.get() {
                        view! { <button type="button" class="primary" aria-describedby=merge_about.get_value() disabled=page.asking.busy data-testid="save-merged" on:click=save>"Save the merged text"</button> }.into_any()
                    } else {
                        view! { <button type="button" aria-describedby=merge_about.get_value() disabled=page.asking.busy data-testid="merge-conflict" on:click=move |_| merging.set(true)>"Merge…"</button> }.into_any()
                    }}
                })}
                <button type="button" aria-describedby=about.clone() disabled=page.asking.busy data-testid="keep-theirs"
                    on:click=move |_| settle(Settlement::Theirs, "The server's text stays; yours is dropped")>"Keep the server's"</button>
            </div>
        </article>
    }
}

/// Both sides of a field, and below them the text that a merge would save: theirs at first, so that nothing of it is lost
/// unseen.
#[component]
fn Field(field: ConflictField, merging: RwSignal<bool>, merged: RwSignal<String>) -> impl IntoView {
    let name = format::field_label(&field.name);
    let (heading, about) = (name.clone(), format!("{name}, merged"));
    let (theirs, mine) = (field.theirs.clone(), field.mine.clone());
    let take_mine = mine.clone();
    view! {
        <section class="versus" data-testid="conflict-field" data-field=field.name.clone()>
            <h4>{heading}</h4>
            <Versus name titles=("In force", "Yours") left=field.theirs right=field.mine/>
            <Show when=move || merging.get()>
                <div class="field">
                    <div class="actions">
                        <button type="button" class="plain" on:click={ let text = theirs.clone(); move |_| merged.set(text.clone()) }>"Take the server's"</button>
                        <button type="button" class="plain" data-testid="take-mine" on:click={ let text = take_mine.clone(); move |_| merged.set(text.clone()) }>"Take mine"</button>
                    </div>
                    <textarea rows="4" aria-label=about.clone() data-testid="merged-text" prop:value=merged
                        on:input:target=move |event| merged.set(event.target().value())></textarea>
                </div>
            </Show>
        </section>
    }
}

/// The edit that puts these texts into a lesson; lists are written with commas.
fn patch(base_rev: u32, fields: &[(String, String)]) -> LessonPatch {
    let mut patch = LessonPatch {
        base_rev,
        ..LessonPatch::default()
    };
    for (name, text) in fields {
        let words = || Some(format::words(text));
        let text = || Some(text.clone());
        match name.as_str() {
            "title" => patch.title = text(),
            "description" => patch.description = text(),
            "context" => patch.context = text(),
            "recommendation" => patch.recommendation = text(),
            "category" => patch.category = text().as_deref().and_then(Category::parse),
            "domain" => patch.domain = text(),
            "project_types" => patch.project_types = words(),
            "tech_stacks" => patch.tech_stacks = words(),
            "tags" => patch.tags = words(),
            "extra" => patch.extra = text(),
            _ => {}
        }
    }
    patch
}
