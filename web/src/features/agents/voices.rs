//! Voices: who has lessons and proposals in the space, and the withdrawal of one, with what it would change first.

use crate::api::{Asking, Client, use_get};
use crate::components::{Dialog, ErrorNote, use_toasts};
use crate::format;
use crate::who;
use leptos::prelude::*;
use lesson_types::{VoiceView, VoiceWithdrawal, Voices, WithdrawVoice};

/// The voice that is asked about, and whether it is.
#[derive(Clone, Copy)]
struct Withdrawing {
    voice: RwSignal<Option<VoiceView>>,
    open: RwSignal<bool>,
}

/// The agents that have written; nothing where none has, or where it can't be read.
#[component]
pub fn VoicesCard() -> impl IntoView {
    let asked = use_get::<Voices>(|| "/v1/voices".to_owned());
    let agents = Memo::new(move |_| {
        let voices = asked.map(|list| list.voices.clone()).unwrap_or_default();
        let is_agent = |one: &VoiceView| one.voice.starts_with("agent:") || one.withdrawn;
        voices.into_iter().filter(is_agent).collect::<Vec<_>>()
    });
    let withdrawing = Withdrawing {
        voice: RwSignal::new(None),
        open: RwSignal::new(false),
    };
    let title = Signal::derive(move || {
        let voice = withdrawing.voice.read();
        let name = voice.as_ref().map(|one| name(&one.voice));
        let verb = match voice.as_ref().is_some_and(|one| one.withdrawn) {
            true => "Reinstate",
            false => "Withdraw",
        };
        format!("{verb} “{}”?", name.unwrap_or_default())
    });
    view! {
        <Show when=move || agents.with(|agents| !agents.is_empty())>
            <section class="card" aria-labelledby="voices-title" data-testid="voices">
                <h2 id="voices-title">"Who has written"</h2>
                <p>"Withdraw an agent, and nothing that it said counts: its lessons are archived, its proposals, ratings, outcomes and feedback taken off. You see first what that changes, and can take it back."</p>
                <ul class="keys">
                    <For each=move || agents.get() key=|one| format!("{one:?}") let(one)><Row one withdrawing/></For>
                </ul>
            </section>
            <Dialog id="withdraw-dialog" title open=withdrawing.open>
                <Show when=move || withdrawing.open.get()><Question withdrawing/></Show>
            </Dialog>
        </Show>
    }
}

fn name(voice: &str) -> String {
    who::name(voice, None).unwrap_or_else(|| voice.to_owned())
}

#[component]
fn Row(one: VoiceView, withdrawing: Withdrawing) -> impl IntoView {
    let mut words = vec![
        format::plural(one.lessons, "lesson", "lessons"),
        format!("{} unreviewed", format::count(one.unreviewed)),
        format::plural(one.proposals, "proposal", "proposals"),
    ];
    if !one.fails_alone.is_empty() {
        let alone = u32::try_from(one.fails_alone.len()).unwrap_or(u32::MAX);
        words.push(format!(
            "alone says that {} fail",
            format::plural(alone, "approved lesson", "approved lessons")
        ));
    }
    if one.withdrawn {
        words.push("withdrawn".to_owned());
    }
    let called = name(&one.voice);
    let label = if one.withdrawn {
        format!("Reinstate {called}")
    } else {
        format!("Withdraw {called}")
    };
    let verb = if one.withdrawn {
        "Reinstate…"
    } else {
        "Withdraw…"
    };
    let href = format!("/lessons?by={}", format::encode(&one.voice));
    let voice = one.voice.clone();
    let own = StoredValue::new(one);
    let ask = move |_| {
        withdrawing.voice.set(Some(own.get_value()));
        withdrawing.open.set(true);
    };
    view! {
        <li data-testid="voice" data-voice=voice>
            <div><a href=href dir="auto"><b>{called}</b></a><span class="muted">{words.join(", ")}</span></div>
            <button type="button" aria-label=label on:click=ask data-testid="withdraw">{verb}</button>
        </li>
    }
}

/// The changes that withdrawing or reinstating would make, and the question whether to do it.
#[component]
fn Question(withdrawing: Withdrawing) -> impl IntoView {
    let client = Client::get_from_context();
    let toasts = use_toasts();
    let asking = Asking::default();
    let found = RwSignal::new(None::<VoiceWithdrawal>);
    let send = move |confirm: bool| {
        let Some(voice) = withdrawing.voice.get_untracked() else {
            return;
        };
        let request = WithdrawVoice {
            since: None,
            undo: voice.withdrawn,
            confirm,
        };
        let path = format!("/v1/voices/{}/withdraw", format::encode(&voice.voice));
        asking.run(
            client.post_json::<VoiceWithdrawal>(path, &request),
            move |answer| {
                if !answer.done {
                    found.try_set(Some(answer));
                    return;
                }
                withdrawing.open.try_set(false);
                toasts.good(if answer.withdrawn {
                    "Withdrawn"
                } else {
                    "Reinstated"
                });
                client.ask_again();
            },
        );
    };
    send(false);
    let ready = Memo::new(move |_| found.read().is_some() && !asking.busy.get());
    view! {
        {move || found.get().map(|found| view! { <Preview found/> })}
        {move || asking.error.get().map(|error| view! { <ErrorNote error/> })}
        <div class="actions">
            <button type="button" on:click=move |_| withdrawing.open.set(false) data-testid="withdraw-cancel">"Cancel"</button>
            <button type="button" class="danger" disabled=move || !ready.get() on:click=move |_| send(true) data-testid="withdraw-confirm">
                {move || match withdrawing.voice.read().as_ref().is_some_and(|one| one.withdrawn) { true => "Reinstate", false => "Withdraw" }}
            </button>
        </div>
    }
}

#[component]
fn Preview(found: VoiceWithdrawal) -> impl IntoView {
    let (lives, counts) = match found.withdrawn {
        true => ("archived", "no longer counted"),
        false => ("back in use", "counted again"),
    };
    let rows = [
        (
            format::plural(found.lessons_total, "lesson", "lessons"),
            lives,
        ),
        (
            format::plural(found.proposals, "proposal", "proposals"),
            if found.withdrawn {
                "taken off"
            } else {
                "open again"
            },
        ),
        (
            format::plural(found.opinions, "rating or vote", "ratings and votes"),
            counts,
        ),
        (
            format::plural(found.outcomes, "outcome", "outcomes"),
            counts,
        ),
        (
            format!(
                "{} of feedback",
                format::plural(found.feedback, "word", "words")
            ),
            counts,
        ),
        (
            format::plural(found.moved_total, "other lesson", "other lessons"),
            "with another standing",
        ),
    ]
    .map(|(many, what)| view! { <li>{many}" "{what}</li> })
    .collect_view();
    let slugs = found.lessons.into_iter().chain(found.moved).take(20);
    let slugs = slugs
        .map(|slug| view! { <li><code class="slug">{slug}</code></li> })
        .collect_view();
    view! {
        <ul data-testid="withdraw-preview">{rows}</ul>
        <details><summary>"Which lessons"</summary><ul>{slugs}</ul></details>
    }
}
