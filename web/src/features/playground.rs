//! The agent's view: a task on the left, on the right the lessons that fit it. Asking is a dry run; recorded as a run, it
//! has steps: the agent's reasoning, the outcome, feedback on the session, and what one thinks of each lesson. The address
//! holds the task, the weights and the run.

mod feedback;
mod left_out;
mod opinion;
mod orders;
mod outcome;
mod playground_state;
mod prompt_text;
mod replay;
mod results;
mod situation;
mod situation_form;
mod step_list;
mod trace;
mod track;
mod weights;

use crate::api::{Client, Latest, use_get};
use crate::components::{ErrorNote, Page, Skeleton};
use crate::dom;
use crate::parameters::{Parameters, use_parameters};
use feedback::FeedbackStep;
use leptos::prelude::*;
use leptos_router::hooks::use_navigate;
use leptos_router::{NavigateOptions, location::State};
use opinion::OpinionStep;
use orders::Difference;
use outcome::OutcomeStep;
use playground_state::{Go, PlaygroundState, Run, has_read_all};
use prompt_text::CopyPrompt;
use replay::{Compared, Replay};
use results::Results;
use situation::Situation;
pub use situation::address_for;
use situation_form::{FORM, SituationForm};
use step_list::StepList;
use track::TrackStep;
pub use track::{how_seen, seen};
use weights::Weights;

/// An address as this page writes it, however it was written.
fn canonical(query: &Parameters) -> String {
    let mut parts = vec![situation::canonical(query)];
    if let Some(decision) = query.get("decision").filter(|id| !id.is_empty()) {
        parts.push(format!("decision={}", crate::format::encode(decision)));
    }
    parts.push(weights::canonical(query));
    parts.retain(|part| !part.is_empty());
    parts.join("&")
}

/// The state.
#[component]
pub fn PlaygroundPage() -> impl IntoView {
    let navigate = use_navigate();
    let go: Go = Box::new(move |path: &str, replace: bool| {
        let options = NavigateOptions {
            replace,
            scroll: false,
            state: State::new(None),
            resolve: true,
        };
        navigate(path, options);
    });
    let state = PlaygroundState {
        client: Client::get_from_context(),
        form: Situation::new(),
        weights: Weights::new(),
        asked: StoredValue::new(String::new()),
        shown: StoredValue::new(String::new()),
        go: StoredValue::new_local(go),
        decision_id: RwSignal::new(dom::random_id()),
        answered: RwSignal::new(None),
        tracked: RwSignal::new(None),
        error: RwSignal::new(None),
        busy: RwSignal::new(false),
        latest: Latest::default(),
        waits: StoredValue::new(None),
    };
    // An address that was followed, gone back to or reloaded is looked at; nothing is recorded for it.
    let query = use_parameters();
    Effect::new(move |_| {
        let now = query.with(canonical);
        if now == state.shown.get_value() {
            return;
        }
        state.shown.set_value(now);
        query.with_untracked(|query| {
            state.form.read(query);
            state.weights.read(query);
            let decision = query.text("decision");
            state.decision_id.set(if decision.is_empty() {
                dom::random_id()
            } else {
                decision.clone()
            });
            if Situation::is_in(query) {
                state.ask(&decision, false);
            } else {
                state.clear();
            }
        });
    });
    Effect::new(move |_| {
        if !state.client.model_comes.get() {
            state.send_waiting();
        }
    });
    let read_all = Memo::new(move |_| has_read_all(state.client));
    Effect::new(move |_| {
        if read_all.get() {
            state.look_anew();
        }
    });
    let has_lessons = Memo::new(move |_| {
        state.answered.with(|answered| {
            answered.as_ref().is_some_and(|answered| {
                answered.decision_id.is_some() && !answered.given.recommended.is_empty()
            })
        })
    });
    // The steps after belong to one retrieval; another one starts them afresh.
    let retrieval = Memo::new(move |_| {
        state.answered.with(|answered| {
            answered
                .as_ref()
                .map(|answered| answered.given.retrieval_id.clone())
        })
    });
    let head = move || {
        view! {
            <button type="button" on:click=move |_| state.restart() data-testid="new-decision">"New run"</button>
            <CopyPrompt state/>
            <button type="submit" form=FORM class="primary" disabled=state.busy data-testid="recommend-submit" aria-keyshortcuts="Control+Enter">
                {move || if state.busy.get() { "Ranking…" } else { "Recommend" }}
                <kbd aria-hidden="true">{dom::key_name("Ctrl")}" ↵"</kbd>
            </button>
        }
        .into_any()
    };
    let compared = Compared::new();
    view! {
        <Page title="Playground" intro="Describe a task as an agent would: see which lessons it gets and why. Asking is a dry run; recording it as a run is up to you." actions=head>
            <div class="playground">
                <section class="panel playground-task" aria-label="Task">
                    <SituationForm state/>
                    <Replay state compared/>
                    <StepList state ready=has_lessons/>
                </section>
                <div class="stack">
                    <div aria-live="polite" class="stack">
                        {move || state.error.get().map(|error| view! { <ErrorNote error/> })}
                        {move || state.busy.get().then(|| view! { <Waiting state/> })}
                    </div>
                    <Show when=move || state.answered.read().is_none() && !state.busy.get() && state.error.read().is_none()>
                        <Nothing/>
                    </Show>
                    {move || state.answered.get().map(|answered| {
                        let outdone = answered.is_outdone() && answered.decision_id.is_some();
                        let decision = StoredValue::new(answered.decision_id.clone().unwrap_or_default());
                        let only_looked = answered.decision_id.is_none();
                        view! {
                            {only_looked.then(|| view! {
                                <div class="note note-act" data-testid="only-looked">
                                    <div>
                                        <strong>"Dry run: nothing is recorded"</strong>
                                        <p>"Recording it counts these lessons as shown, and asks how the run went."</p>
                                    </div>
                                    <button type="button" disabled=state.busy on:click=move |_| state.record() data-testid="record-run">"Record as a run"</button>
                                </div>
                            })}
                            {move || (outdone && read_all.get()).then(|| view! {
                                <div class="note" data-testid="outdone">
                                    <strong>"The model is ready"</strong>
                                    <p>"These lessons were ranked before it was."</p>
                                    <button type="button" on:click=move |_| state.ask(&decision.get_value(), false) data-testid="rank-anew">"Rank by meaning"</button>
                                </div>
                            })}
                            <Difference state compared/>
                            <Results answered state/>
                        }
                    })}
                    {move || (retrieval.get().is_some() && has_lessons.get()).then(|| view! { <Steps state/> })}
                </div>
            </div>
        </Page>
    }
}

/// The place of the lessons while they are ranked; whether the model is awaited is said, too.
#[component]
fn Waiting(state: PlaygroundState) -> impl IntoView {
    let label = move || {
        if state.client.model_comes.get() {
            "Waiting for the model…"
        } else {
            "Ranking lessons…"
        }
    };
    view! {
        <section class="panel pad playground-waiting" data-testid="ranking">
            <p class="muted">{label}</p>
            <Skeleton lines=6/>
        </section>
    }
}

/// Before the first task.
#[component]
fn Nothing() -> impl IntoView {
    view! {
        <div class="empty" data-testid="playground-empty">
            <h2>"What would an agent get?"</h2>
            <p>"Write a task on the left. The lessons that fit it appear here, each with the steps of its score, along with what was left out and why, and the exact text that the agent reads."</p>
        </div>
    }
}

/// The steps that follow a retrieval.
#[component]
fn Steps(state: PlaygroundState) -> impl IntoView {
    let id = state.decision();
    let run = Run(use_get(move || {
        format!("/v1/decisions/{}", crate::format::encode(&id))
    }));
    view! {
        <TrackStep state/>
        <OutcomeStep state run/>
        <FeedbackStep state run/>
        <OpinionStep state run/>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn an_address_names_a_decision_whatever_it_holds() {
        for id in ["d-1", "50%", "50%25", "key/run.1 50%2F&x=ü?#", "a+b"] {
            let address = format!("q=a%25b&decision={}", crate::format::encode(id));
            let read = Parameters::read(&format!("?{address}&w.rank=0.5"));
            assert_eq!(read.text("decision"), id);
            // Written anew it is the same, so the page does not take it for another.
            assert_eq!(canonical(&Parameters::read(&address)), address);
        }
    }
}
