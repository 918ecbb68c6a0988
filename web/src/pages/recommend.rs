//! The agent's view, as a walk of four steps: a situation and its lessons, the agent's reasoning, the outcome, and
//! feedback on the session.

mod feedback;
mod outcome;
mod results;
mod situation;
mod trace;
mod track;

use crate::client::{Client, read};
use crate::dom;
use crate::ui::{ErrorNote, Loading, Page};
use feedback::FeedbackStep;
use js_sys::{Object, Reflect};
use leptos::prelude::*;
use leptos::task::spawn_local;
use lesson_api::{ApiError, Method, Recommend, Recommendations, Tracked};
use outcome::OutcomeStep;
use results::Results;
use situation::SituationForm;
use trace::Trace;
use track::TrackStep;
use wasm_bindgen::{JsCast, JsValue};

/// An answer and what the ranking did for it.
#[derive(Debug, Clone, PartialEq)]
struct Answered {
    /// The lessons.
    given: Recommendations,
    /// What the ranking did.
    trace: Trace,
    /// The decision that was named, for the steps after it.
    decision_id: String,
}

/// Where the walk stands.
#[derive(Clone, Copy)]
struct Walk {
    client: Client,
    /// Ties the steps together; fresh for each walk, and editable.
    decision_id: RwSignal<String>,
    answered: RwSignal<Option<Answered>>,
    tracked: RwSignal<Option<Tracked>>,
    error: RwSignal<Option<ApiError>>,
    busy: RwSignal<bool>,
}

impl Walk {
    fn ask(self, request: Recommend) {
        if self.busy.get_untracked() {
            return;
        }
        self.busy.set(true);
        self.error.set(None);
        let decision_id = request.decision_id.clone().unwrap_or_default();
        spawn_local(async move {
            let answer = self
                .client
                .raw(
                    Method::Post,
                    "/v1/recommend".to_owned(),
                    crate::client::json(&request),
                )
                .await;
            let answer = answer.and_then(|body| take(body, decision_id));
            self.busy.try_set(false);
            match answer {
                Ok(answered) => {
                    self.tracked.try_set(None);
                    self.answered.try_set(Some(answered));
                    dom::focus("results");
                }
                Err(error) => {
                    self.answered.try_set(None);
                    self.error.try_set(Some(error));
                }
            }
        });
    }

    fn restart(self) {
        self.decision_id.set(dom::random_id());
        self.answered.set(None);
        self.tracked.set(None);
        self.error.set(None);
        dom::focus("recommend-query");
    }
}

/// The trace has an entry per lesson in the store: it is read entry by entry as it came, and only what is shown is
/// converted.
fn take(body: JsValue, decision_id: String) -> Result<Answered, ApiError> {
    let answer: &Object = body.unchecked_ref();
    let entries = Reflect::get(answer, &"trace".into()).unwrap_or_default();
    let trace = Trace::read(&entries);
    let _ = Reflect::delete_property(answer, &"trace".into());
    Ok(Answered {
        given: read(body)?,
        trace,
        decision_id,
    })
}

/// The walk.
#[component]
pub fn RecommendPage() -> impl IntoView {
    let walk = Walk {
        client: Client::get_from_context(),
        decision_id: RwSignal::new(dom::random_id()),
        answered: RwSignal::new(None),
        tracked: RwSignal::new(None),
        error: RwSignal::new(None),
        busy: RwSignal::new(false),
    };
    let has_lessons = Memo::new(move |_| {
        walk.answered.with(|answered| {
            answered
                .as_ref()
                .is_some_and(|answered| !answered.given.recommended.is_empty())
        })
    });
    // The steps after belong to one retrieval; another one starts them afresh.
    let retrieval = Memo::new(move |_| {
        walk.answered.with(|answered| {
            answered
                .as_ref()
                .map(|answered| answered.given.retrieval_id.clone())
        })
    });
    view! {
        <Page
            title="Recommend"
            intro="Describe a situation as an agent would, see which lessons fit and why, then tell what came of it."
            actions=move || view! { <button type="button" on:click=move |_| walk.restart() data-testid="new-decision">"New decision"</button> }.into_any()
        >
            <SituationForm walk/>
            <div aria-live="polite">
                {move || walk.error.get().map(|error| view! { <ErrorNote error/> })}
                {move || walk.busy.get().then(|| view! { <Loading label="Ranking lessons…"/> })}
            </div>
            {move || walk.answered.get().map(|answered| view! { <Results answered/> })}
            {move || (retrieval.get().is_some() && has_lessons.get()).then(|| view! {
                <TrackStep walk/>
                <OutcomeStep walk/>
                <FeedbackStep walk/>
            })}
        </Page>
    }
}
