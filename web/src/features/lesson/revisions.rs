//! A lesson's texts as they were, and what each edit changed, word by word.

use super::back::{offer_edit, restore_revision};
use crate::api::{Asking, Client, use_get};
use crate::components::{Edited, ErrorNote, Loading, When, use_toasts};
use crate::format;
use crate::markdown::visible;
use crate::sync::Syncing;
use crate::who;
use leptos::prelude::*;
use lesson_types::{History, Revision, RevisionField, RevisionMark};

/// The revisions, newest first; each is read when it is opened.
#[component]
pub fn Revisions(slug: String, history: Memo<Option<History>>) -> impl IntoView {
    let marks = Memo::new(move |_| {
        history.with(|history| {
            history
                .as_ref()
                .map(|history| history.revisions.clone())
                .unwrap_or_default()
        })
    });
    let slug = StoredValue::new(slug);
    let newest = Memo::new(move |_| marks.with(|marks| marks.last().map_or(0, |mark| mark.rev)));
    view! {
        <section class="stack">
            <div class="card-head"><h3>"Revisions of the text"</h3><span class="chip">{move || format::count(marks.with(Vec::len) as u64)}</span></div>
            <Show when=move || marks.with(|marks| marks.len() == 1)>
                <p class="muted">"The text is unchanged since it was added."</p>
            </Show>
            <div class="groups">
                <For each=move || marks.get().into_iter().rev() key=|mark| mark.rev let:mark>
                    <OneRevision slug=slug.get_value() mark newest/>
                </For>
            </div>
        </section>
    }
}

#[component]
fn OneRevision(slug: String, mark: RevisionMark, newest: Memo<u32>) -> impl IntoView {
    let open = RwSignal::new(false);
    let rev = mark.rev;
    let me = Syncing::get_from_context().me();
    let at = mark.at.clone();
    let who = move || who::or_device(&mark.by, me.read().as_deref(), &mark.actor);
    let slug = StoredValue::new(slug);
    view! {
        <details class="group" data-testid="revision" data-rev=rev.to_string() on:toggle=move |_| open.set(true)>
            <summary>
                <span class="rank">{rev}</span>
                <span class="revision-head">
                    <span>{mark.summary}</span>
                    <span class="muted"><When at=at.clone()/>{move || who().map(|who| format!(" · by {who}"))}</span>
                </span>
            </summary>
            {move || open.get().then(|| view! { <Text slug=slug.get_value() rev newest/> })}
        </details>
    }
}

#[component]
fn Text(slug: String, rev: u32, newest: Memo<u32>) -> impl IntoView {
    let client = Client::get_from_context();
    let toasts = use_toasts();
    let of = StoredValue::new(slug.clone());
    let asking = Asking::default();
    let text = use_get::<Revision>(move || {
        format!("/v1/lessons/{}/revisions/{rev}", format::encode(&slug))
    });
    move || match text.data.get() {
        None => view! { <Loading label="Reading the text…"/> }.into_any(),
        Some(Err(error)) => view! { <ErrorNote error/> }.into_any(),
        Some(Ok(text)) => {
            let whole = StoredValue::new(text.fields.clone());
            let restore = move |_| {
                let restored = restore_revision(client, of.get_value(), whole.get_value());
                asking.settle(restored, move |restored| match restored {
                    Ok(Some((before, saved))) => offer_edit(client, toasts, before, saved),
                    Ok(None) => toasts.good("This text is in force already"),
                    Err(error) => toasts.bad(error.message),
                });
            };
            let first = text.fields.iter().all(|field| field.before.is_none());
            let (changed, rest): (Vec<_>, Vec<_>) = text
                .fields
                .into_iter()
                .partition(|field| field.changed || first);
            let rest: Vec<_> = rest
                .into_iter()
                .filter(|field| !field.after.is_empty())
                .collect();
            let rest = StoredValue::new(rest);
            view! {
                <div class="stack revision-text">
                    {changed.into_iter().filter(|field| !first || !field.after.is_empty()).map(|field| view! { <Field field/> }).collect::<Vec<_>>()}
                    <Show when=move || rest.with_value(|rest| !rest.is_empty())>
                        <details>
                            <summary>"The rest of the text, unchanged"</summary>
                            <div class="stack">{rest.get_value().into_iter().map(|field| view! { <Field field/> }).collect::<Vec<_>>()}</div>
                        </details>
                    </Show>
                    <Show when=move || newest.get() != rev>
                        <div class="actions"><button type="button" disabled=asking.busy data-testid="revision-restore" on:click=restore>
                            {format!("Restore revision {rev}")}
                        </button></div>
                    </Show>
                </div>
            }
            .into_any()
        }
    }
}

#[component]
fn Field(field: RevisionField) -> impl IntoView {
    let name = format::field_label(&field.name);
    let sides = match field.before.filter(|_| field.changed) {
        Some(before) => {
            view! { <Edited name=name.clone() before=visible(&before) after=visible(&field.after)/> }
                .into_any()
        }
        None => {
            view! { <div class="side-text" dir="auto" tabindex="0" role="group" aria-label=name.clone()>{visible(&field.after)}</div> }
                .into_any()
        }
    };
    view! { <section class="versus" data-testid="revision-field" data-field=field.name.clone()><h3>{name.clone()}</h3>{sides}</section> }
}
