//! Outcomes that sessions suggest: what a test run or a commit points to, and the person's word on it.

use crate::api::{Asking, Client};
use crate::components::{ErrorNote, use_toasts};
use crate::format;
use crate::outcome;
use crate::review::Reviewing;
use leptos::prelude::*;
use lesson_types::{SettleSuggestion, SuggestedOutcome, SuggestionSettled};

/// The outcomes that wait; nothing where none does.
#[component]
pub fn Suggestions() -> impl IntoView {
    let reviewing = Reviewing::get_from_context();
    let waiting = Memo::new(move |_| reviewing.read(|queue| queue.outcomes.clone()));
    view! {
        <Show when=move || waiting.with(|waiting| !waiting.is_empty())>
            <section class="card" aria-labelledby="suggested-title" data-testid="suggested">
                <h2 id="suggested-title">"How did these runs end?"</h2>
                <p class="hint">"No outcome was reported. What a test run or a commit suggests counts only once you confirm it."</p>
                <ul class="suggested">
                    <For each=move || waiting.get() key=|one| (one.decision_id.clone(), one.because.clone()) let(one)>
                        <Suggestion one/>
                    </For>
                </ul>
            </section>
        </Show>
    }
}

#[component]
fn Suggestion(one: SuggestedOutcome) -> impl IntoView {
    let client = Client::get_from_context();
    let toasts = use_toasts();
    let asking = Asking::default();
    let path = format!(
        "/v1/decisions/{}/suggestion",
        format::encode(&one.decision_id)
    );
    let path = StoredValue::new(path);
    let settle = move |accept: bool| {
        let request = SettleSuggestion { accept };
        asking.run(
            client.post_json::<SuggestionSettled>(path.get_value(), &request),
            move |settled| {
                toasts.good(match settled.outcome {
                    Some(_) => format!(
                        "Outcome recorded for {}",
                        format::plural(settled.lessons_updated, "lesson", "lessons")
                    ),
                    None => "Dismissed".to_owned(),
                });
                client.ask_again();
            },
        );
    };
    let label = outcome::label(one.outcome, "");
    let href = format!("/runs?run={}", format::encode(&one.decision_id));
    let task = one.query.unwrap_or_else(|| one.decision_id.clone());
    view! {
        <li data-testid="suggestion" data-decision=one.decision_id>
            <div>
                <a href=href dir="auto">{task}</a>
                <p class="hint" dir="auto">{one.because}</p>
                {move || asking.error.get().map(|error| view! { <ErrorNote error/> })}
            </div>
            <span class=outcome::chip(Some(one.outcome))>{label}</span>
            <div class="actions">
                <button type="button" disabled=asking.busy data-testid="suggestion-confirm" on:click=move |_| settle(true)>"Confirm"</button>
                <button type="button" disabled=asking.busy data-testid="suggestion-dismiss" on:click=move |_| settle(false)>"Dismiss"</button>
            </div>
        </li>
    }
}
