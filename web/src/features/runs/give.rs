//! Telling how a run ended, and which lessons made a difference.

use crate::api::{Asking, Client, Query};
use crate::components::{Choice, ErrorNote, TextField, submit_by_key, use_toasts};
use crate::format;
use crate::outcome;
use leptos::prelude::*;
use lesson_types::{
    ApiError, DecisionOutcome, DecisionView, ErrorCode, Feedback, FeedbackGiven, FeedbackOutcome,
    Outcome, OutcomeRecorded,
};

/// Reads a run anew after something was told of it.
async fn renew(client: Client, id: &str, query: Query<DecisionView>) {
    let path = format!("/v1/decisions/{}", format::encode(id));
    if let Ok(run) = client.get::<DecisionView>(path).await {
        query.set(Ok(run));
    }
}

/// Drafts of what somebody says about a run. They are kept outside of what is drawn, which is drawn anew when the run changes.
#[derive(Clone, Copy)]
pub struct Drafts {
    outcome: RwSignal<String>,
    pnl: RwSignal<String>,
    of_session: RwSignal<String>,
    causal: RwSignal<Vec<String>>,
}

impl Drafts {
    /// Nothing typed yet.
    pub fn new() -> Self {
        Self {
            outcome: RwSignal::new(String::new()),
            pnl: RwSignal::new(String::new()),
            of_session: RwSignal::new(String::new()),
            causal: RwSignal::new(Vec::new()),
        }
    }
}

/// The outcome of a run that has none which stays. It can be told once.
#[component]
pub fn GiveOutcome(
    id: String,
    domain: String,
    query: Query<DecisionView>,
    drafts: Drafts,
) -> impl IntoView {
    let client = Client::get_from_context();
    let toasts = use_toasts();
    let asking = Asking::default();
    let (chosen, pnl) = (drafts.outcome, drafts.pnl);
    let id = StoredValue::new(id);
    let options = DecisionOutcome::ALL
        .iter()
        .map(|one| (one.as_str(), outcome::label(*one, &domain)))
        .collect();
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let Some(outcome) = DecisionOutcome::parse(&chosen.get_untracked()) else {
            return;
        };
        let typed = format::filled(&pnl.get_untracked());
        let pnl_percent = typed
            .as_ref()
            .and_then(|typed| format::number(typed.trim_end_matches('%')));
        if let (Some(typed), None) = (&typed, pnl_percent) {
            let message =
                format!("“{typed}” is not a number. Write the percentage such as 3.5 or -2.");
            let refused = ApiError::new(ErrorCode::InvalidRequest, message);
            asking.error.set(Some(refused.at("pnl_percent")));
            return;
        }
        let request = Outcome {
            decision_id: id.get_value(),
            outcome,
            pnl_percent,
        };
        asking.run(
            async move {
                let answer = client
                    .post_json::<OutcomeRecorded>("/v1/outcome", &request)
                    .await;
                // Somebody may have been first: what they said is shown.
                renew(client, &request.decision_id, query).await;
                answer
            },
            move |answer| {
                toasts.good(if answer.repeated {
                    "It was recorded before".to_owned()
                } else {
                    format!(
                        "Outcome recorded for {}",
                        format::plural(answer.lessons_updated, "lesson", "lessons")
                    )
                });
            },
        );
    };
    view! {
        <form class="form" on:submit=submit on:keydown=submit_by_key data-testid="run-give-outcome">
            <Choice name="run-outcome" legend="How did it end?" value=chosen options/>
            <TextField id="run-pnl" label="Gain or loss in percent" value=pnl kind="decimal" max=24 placeholder="optional, such as 3.5 or -2"/>
            {move || asking.error.get().map(|error| view! { <ErrorNote error/> })}
            <div class="actions"><button type="submit" disabled=move || asking.busy.get() || chosen.read().is_empty() data-testid="run-outcome-submit">{move || if asking.busy.get() { "Recording…" } else { "Record outcome" }}</button></div>
        </form>
    }
}

/// Feedback on a run, once from each person.
#[component]
pub fn GiveFeedback(
    id: String,
    /// The slugs of the lessons that came.
    lessons: Vec<String>,
    query: Query<DecisionView>,
    drafts: Drafts,
) -> impl IntoView {
    let client = Client::get_from_context();
    let toasts = use_toasts();
    let asking = Asking::default();
    let (chosen, causal) = (drafts.of_session, drafts.causal);
    let id = StoredValue::new(id);
    let options = FeedbackOutcome::ALL
        .iter()
        .map(|one| (one.as_str(), outcome::of_session(*one)))
        .collect();
    let boxes = lessons
        .iter()
        .map(|slug| {
            let (own, ticked) = (slug.clone(), slug.clone());
            let tick = move |on: bool| {
                causal.update(|causal| {
                    causal.retain(|slug| *slug != own);
                    if on {
                        causal.push(own.clone());
                    }
                });
            };
            view! {
                <label class="check">
                    <input type="checkbox" data-testid="run-cause" data-slug=slug.clone() prop:checked=move || causal.read().contains(&ticked) on:change:target=move |event| tick(event.target().checked())/>
                    <span>{slug.clone()}</span>
                </label>
            }
        })
        .collect_view();
    let lessons = StoredValue::new(lessons);
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let Some(outcome) = FeedbackOutcome::parse(&chosen.get_untracked()) else {
            return;
        };
        let request = Feedback {
            decision_id: Some(id.get_value()),
            lessons: lessons.get_value(),
            outcome,
            causal: Some(causal.get_untracked()),
            outcome_text: None,
        };
        asking.run(
            async move {
                let answer = client
                    .post_json::<FeedbackGiven>("/v1/feedback", &request)
                    .await;
                renew(client, &id.get_value(), query).await;
                answer
            },
            move |answer| {
                toasts.good(if answer.repeated {
                    "It was given before"
                } else {
                    "Feedback recorded. Scores updated"
                });
            },
        );
    };
    view! {
        <form class="form" on:submit=submit on:keydown=submit_by_key data-testid="run-give-feedback">
            <Choice name="run-feedback" legend="The work was" value=chosen options/>
            <fieldset class="choice">
                <legend>"Which lessons made a difference?"</legend>
                {boxes}
            </fieldset>
            {move || asking.error.get().map(|error| view! { <ErrorNote error/> })}
            <div class="actions"><button type="submit" disabled=move || asking.busy.get() || chosen.read().is_empty() data-testid="run-feedback-submit">{move || if asking.busy.get() { "Sending…" } else { "Give feedback" }}</button></div>
        </form>
    }
}
