//! Proposals: what agents' keys would change of lessons that are not theirs to change, each with its diff, and a person's word on it.

use crate::api::{Asking, Client, use_get};
use crate::components::{Edited, ErrorNote, When, use_toasts};
use crate::format;
use crate::who;
use leptos::prelude::*;
use lesson_types::{LessonView, OpenProposal, Proposals, RevisionField, SettleProposal, Trust};

/// The proposals that wait; nothing where none does, or where they can't be read.
#[component]
pub fn ProposalsCard() -> impl IntoView {
    let asked = use_get::<Proposals>(|| "/v1/proposals".to_owned());
    let waiting = Memo::new(move |_| asked.map(|list| list.proposals.clone()).unwrap_or_default());
    view! {
        <Show when=move || waiting.with(|waiting| !waiting.is_empty())>
            <section class="card" aria-labelledby="proposals-title" data-testid="proposals">
                <h2 id="proposals-title">"What agents propose"</h2>
                <p class="hint">"Agents are given the text in force until you accept a change. Tab moves from one to the next."</p>
                <ul class="proposals">
                    <For each=move || waiting.get() key=drawn let(one)>
                        <OneProposal one/>
                    </For>
                </ul>
            </section>
        </Show>
    }
}

/// Drawn anew when the text in force has changed.
fn drawn(one: &OpenProposal) -> (String, String) {
    (one.proposal.id.clone(), one.content_hash.clone())
}

#[component]
fn OneProposal(one: OpenProposal) -> impl IntoView {
    let client = Client::get_from_context();
    let toasts = use_toasts();
    let asking = Asking::default();
    let reason = RwSignal::new(String::new());
    let path = StoredValue::new(format!(
        "/v1/lessons/{}/proposals/{}",
        format::encode(&one.slug),
        format::encode(&one.proposal.id)
    ));
    let seen = StoredValue::new(one.content_hash);
    let settle = move |accept: bool| {
        let reason = reason.get_untracked();
        let request = SettleProposal {
            accept,
            content_hash: accept.then(|| seen.get_value()),
            reason: (!reason.trim().is_empty()).then_some(reason),
        };
        asking.run(
            client.post_json::<LessonView>(path.get_value(), &request),
            move |_| {
                toasts.good(if accept { "Accepted" } else { "Rejected" });
                client.ask_again();
            },
        );
    };
    let held = one.proposal;
    let who = who::name(&held.by, None).unwrap_or_else(|| "a file".to_owned());
    let is_held_back = held.trust == Trust::Quarantined;
    let findings = held
        .findings
        .into_iter()
        .map(|finding| view! { <li dir="auto">{finding}</li> })
        .collect_view();
    let fields = held.fields.into_iter().map(field).collect_view();
    let href = format!("/lessons/{}", format::encode(&one.slug));
    let label = format!("Proposal for {}", one.title);
    view! {
        <li data-testid="proposal" data-slug=one.slug aria-label=label>
            <p><a href=href dir="auto">{one.title}</a>" · "<span dir="auto">{who}</span>", "<When at=held.at/></p>
            {held.moved_on.then(|| view! {
                <p class="note note-warn" data-testid="proposal-moved">"The lesson has changed since; this is against its text now."</p>
            })}
            {is_held_back.then(|| view! {
                <div class="note note-bad" data-testid="proposal-findings"><strong>"Found in this text"</strong><ul>{findings}</ul></div>
            })}
            {held.archive.then(|| view! { <p>"Archive the lesson."</p> })}
            {fields}
            {is_held_back.then(|| view! {
                <label class="field"><span>"Why it may be accepted all the same"</span>
                    <input type="text" prop:value=reason on:input:target=move |event| reason.set(event.target().value()) data-testid="proposal-reason"/>
                </label>
            })}
            {move || asking.error.get().map(|error| view! { <ErrorNote error/> })}
            <div class="actions">
                <button type="button" disabled=asking.busy data-testid="proposal-accept" on:click=move |_| settle(true)>"Accept"</button>
                <button type="button" disabled=asking.busy data-testid="proposal-reject" on:click=move |_| settle(false)>"Reject"</button>
            </div>
        </li>
    }
}

fn field(field: RevisionField) -> impl IntoView {
    let name = format::spaced(&field.name);
    view! {
        <p class="side-label">{name.clone()}</p>
        <Edited name before=field.before.unwrap_or_default() after=field.after/>
    }
}
