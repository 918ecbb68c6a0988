//! The agent's view, as a walk of four steps: a situation and its lessons, the agent's reasoning, the outcome, and
//! feedback on the session. The address holds the situation and the weights: what it leads to is looked at and not
//! recorded.

mod feedback;
mod left_out;
mod outcome;
mod replay;
mod results;
mod situation;
mod trace;
mod track;
mod weights;

use crate::client::Client;
use crate::dom;
use crate::ui::{ErrorNote, Loading, Page};
use crate::view::view;
use feedback::FeedbackStep;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::hooks::{use_navigate, use_query_map};
use leptos_router::params::ParamsMap;
use leptos_router::{NavigateOptions, location::State};
use lesson_api::{ApiError, Recommend, Recommendations, TracePart, Tracked};
use outcome::OutcomeStep;
use replay::Replay;
use results::Results;
use situation::{Situation, SituationForm};
use track::TrackStep;
use weights::Weights;

/// Lessons that were left out which come with an answer, of each reason.
const LEFT_OUT: u32 = 10;

/// An answer and what it is the answer to.
#[derive(Debug, Clone, PartialEq)]
struct Answered {
    /// The lessons, and what the ranking did.
    given: Recommendations,
    /// The situation alone: no decision, no part of the trace.
    situation: Recommend,
    /// The decision that was named, for the steps after it; none when it was only looked at.
    decision_id: Option<String>,
}

/// Where the walk stands.
#[derive(Clone, Copy)]
struct Walk {
    client: Client,
    form: Situation,
    weights: Weights,
    /// Ties the steps together; fresh for each walk, and editable.
    decision_id: RwSignal<String>,
    answered: RwSignal<Option<Answered>>,
    tracked: RwSignal<Option<Tracked>>,
    error: RwSignal<Option<ApiError>>,
    busy: RwSignal<bool>,
    /// The situation that was asked for last, as a part of the address.
    asked: StoredValue<String>,
    /// The query of the address that the page shows already.
    shown: StoredValue<String>,
    go: StoredValue<Go, LocalStorage>,
}

/// Goes to an address; whether in place of the one before.
type Go = Box<dyn Fn(&str, bool)>;

impl Walk {
    /// Asks for the lessons of the form's situation, for a decision: it is recorded, and the address holds it.
    fn decide(self) {
        if self.busy.get_untracked() {
            return;
        }
        let decision = self.decision_id.get_untracked();
        let decision = decision.trim();
        self.ask(decision, true);
        self.show(decision, false);
    }

    /// Puts the form, the weights and a decision into the address.
    fn show(self, decision: &str, replace: bool) {
        let mut parts = vec![self.asked.get_value()];
        if !decision.is_empty() {
            parts.push(format!("decision={}", crate::format::encode(decision)));
        }
        parts.push(self.weights.address());
        parts.retain(|part| !part.is_empty());
        let query = parts.join("&");
        if query == self.shown.get_value() {
            return;
        }
        self.shown.set_value(query.clone());
        let path = if query.is_empty() {
            "/recommend".to_owned()
        } else {
            format!("/recommend?{query}")
        };
        self.go.with_value(|go| go(&path, replace));
    }

    fn ask(self, decision: &str, record: bool) {
        self.busy.set(true);
        self.error.set(None);
        self.asked.set_value(self.form.address());
        let situation = self.form.request("");
        let decision_id = (!decision.is_empty()).then(|| decision.to_owned());
        let request = Recommend {
            decision_id: decision_id.clone().filter(|_| record),
            dry_run: (!record).then_some(true),
            explain: Some(true),
            trace_part: Some(TracePart {
                limit: Some(LEFT_OUT),
                ..TracePart::default()
            }),
            ..situation.clone()
        };
        spawn_local(async move {
            let answer = self
                .client
                .post_json::<Recommendations>("/v1/recommend", &request)
                .await;
            self.busy.try_set(false);
            match answer {
                Ok(given) => {
                    self.tracked.try_set(None);
                    self.answered.try_set(Some(Answered {
                        given,
                        situation,
                        decision_id,
                    }));
                    if record {
                        dom::focus("results");
                    }
                }
                Err(error) => {
                    self.answered.try_set(None);
                    self.error.try_set(Some(error));
                }
            }
        });
    }

    /// What is under way of a decision is put away; the form stays.
    fn clear(self) {
        self.answered.set(None);
        self.tracked.set(None);
        self.error.set(None);
    }

    fn restart(self) {
        self.decision_id.set(dom::random_id());
        self.clear();
        self.shown.set_value(String::new());
        self.go.with_value(|go| go("/recommend", false));
        dom::focus("recommend-query");
    }
}

/// An address as this page writes it, however it was written.
fn canonical(query: &ParamsMap) -> String {
    let mut parts = vec![situation::canonical(query)];
    if let Some(decision) = query.get("decision").filter(|id| !id.is_empty()) {
        parts.push(format!("decision={}", crate::format::encode(&decision)));
    }
    parts.push(weights::canonical(query));
    parts.retain(|part| !part.is_empty());
    parts.join("&")
}

/// The walk.
#[component]
pub fn RecommendPage() -> impl IntoView {
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
    let walk = Walk {
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
    };
    // An address that was followed, gone back to or reloaded is looked at; nothing is recorded for it.
    let query = use_query_map();
    Effect::new(move |_| {
        let now = query.with(canonical);
        if now == walk.shown.get_value() {
            return;
        }
        walk.shown.set_value(now);
        query.with_untracked(|query| {
            walk.form.read(query);
            walk.weights.read(query);
            let decision = query.get("decision").unwrap_or_default();
            walk.decision_id.set(if decision.is_empty() {
                dom::random_id()
            } else {
                decision.clone()
            });
            if Situation::is_in(query) {
                walk.ask(&decision, false);
            } else {
                walk.clear();
            }
        });
    });
    let has_lessons = Memo::new(move |_| {
        walk.answered.with(|answered| {
            answered.as_ref().is_some_and(|answered| {
                answered.decision_id.is_some() && !answered.given.recommended.is_empty()
            })
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
            {move || walk.answered.get().map(|answered| {
                let only_looked = answered.decision_id.is_none() && !answered.given.recommended.is_empty();
                view! {
                    {only_looked.then(|| view! {
                        <div class="note" data-testid="only-looked">
                            <strong>"You are looking, nothing is recorded"</strong>
                            <p>"This situation came with the page's address. Press “Recommend lessons” to begin a decision with it and to count these lessons as shown."</p>
                        </div>
                    })}
                    <Results answered walk/>
                }
            })}
            <Show when=move || walk.answered.read().is_some()><Replay walk/></Show>
            {move || (retrieval.get().is_some() && has_lessons.get()).then(|| view! {
                <TrackStep walk/>
                <OutcomeStep walk/>
                <FeedbackStep walk/>
            })}
        </Page>
    }
}
