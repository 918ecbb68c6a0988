//! The agent's view, as a walk of five steps: a situation and its lessons, the agent's reasoning, the outcome, feedback on
//! the session, and what one thinks of each lesson. The address holds the situation and the weights: what it leads to is
//! looked at and not recorded.

mod feedback;
mod left_out;
mod opinion;
mod outcome;
mod replay;
mod results;
mod situation;
mod trace;
mod track;
mod weights;

use crate::client::{Client, Query, use_get};
use crate::dom;
use crate::parameters::{Parameters, use_parameters};
use crate::ui::{ErrorNote, Loading, Page};
use crate::view::view;
use feedback::FeedbackStep;
use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::hooks::use_navigate;
use leptos_router::{NavigateOptions, location::State};
use lesson_types::{
    ApiError, DecisionView, ModelState, Recommend, Recommendations, TracePart, Tracked,
};
use opinion::OpinionStep;
use outcome::OutcomeStep;
use replay::Replay;
use results::Results;
pub use situation::address_for;
use situation::{Situation, SituationForm};
use track::TrackStep;
pub use track::{how_seen, seen};
use weights::Weights;

/// Lessons that were left out which come with an answer, of each reason.
const LEFT_OUT: u32 = 10;
/// How long a situation waits for a model that comes out of the browser's cache, in milliseconds: several times what
/// that takes. Then it is ranked by words, and anew when the model is there.
const PATIENCE: u32 = 5_000;

/// An answer and what it is the answer to.
#[derive(Debug, Clone, PartialEq)]
struct Answered {
    /// The lessons, and what the ranking did.
    given: Recommendations,
    /// The situation alone: no decision, no part of the trace.
    situation: Recommend,
    /// The decision that was named, for the steps after it; none when it was only looked at.
    decision_id: Option<String>,
    /// Whether it counts as shown.
    recorded: bool,
    /// Whether it came before the model had read every lesson.
    early: bool,
}

impl Answered {
    /// Whether the model, now that it has read every lesson, would have a part in it that it had not.
    fn is_outdone(&self) -> bool {
        self.early && self.given.semantic_reason.is_some()
    }
}

/// What to ask the engine.
struct Question {
    situation: Recommend,
    decision: String,
    record: bool,
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
    /// What waits for the model.
    waits: StoredValue<Option<Question>>,
    /// The situation that was asked for last, as a part of the address.
    asked: StoredValue<String>,
    /// The query of the address that the page shows already.
    shown: StoredValue<String>,
    go: StoredValue<Go, LocalStorage>,
}

/// The run that the steps are about, as the ledger has it: what was told in another tab, or before a reload, too.
#[derive(Clone, Copy)]
struct Run(Query<DecisionView>);

impl Run {
    /// Reads it, and reads it again when it changes; `None` while nothing of it is stored.
    fn read<R>(self, read: impl FnOnce(&DecisionView) -> R) -> Option<R> {
        self.0.data.with(|run| match run {
            Some(Ok(run)) => Some(read(run)),
            _ => None,
        })
    }

    /// Whether a lesson belongs to it. One that only came with looking at the situation again does not.
    fn has(self, slug: &str) -> bool {
        let has = |run: &DecisionView| run.lessons.iter().any(|lesson| lesson.slug == slug);
        self.read(has).unwrap_or(true)
    }
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

    /// Asks about the form's situation, once it is known whether the model has a part in it.
    fn ask(self, decision: &str, record: bool) {
        self.asked.set_value(self.form.address());
        let question = Question {
            situation: self.form.request(""),
            decision: decision.to_owned(),
            record,
        };
        if !self.client.model_comes.get_untracked() {
            self.send(question);
            return;
        }
        self.busy.set(true);
        self.waits.set_value(Some(question));
        Timeout::new(PATIENCE, move || self.send_waiting()).forget();
    }

    /// Asks what waits; nothing when the page was left.
    fn send_waiting(self) {
        if let Some(question) = self.waits.try_update_value(Option::take).flatten() {
            self.send(question);
        }
    }

    /// Looks again at what was ranked without the model, or without some of its vectors. Of a decision nothing changes
    /// by itself: its steps are about the lessons that were shown.
    fn look_anew(self) {
        let situation = self.answered.with_untracked(|answered| {
            let outdone = answered.as_ref().filter(|answered| answered.is_outdone())?;
            (outdone.decision_id.is_none()).then(|| outdone.situation.clone())
        });
        if let Some(situation) = situation.filter(|_| !self.busy.get_untracked()) {
            self.send(Question {
                situation,
                decision: String::new(),
                record: false,
            });
        }
    }

    fn send(self, question: Question) {
        let Question {
            situation,
            decision,
            record,
        } = question;
        self.busy.set(true);
        self.error.set(None);
        let early = !has_read_all(self.client);
        let decision_id = (!decision.is_empty()).then_some(decision);
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
                        recorded: record,
                        early,
                    }));
                    if early && has_read_all(self.client) {
                        self.look_anew();
                    }
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
        if self
            .waits
            .try_update_value(Option::take)
            .flatten()
            .is_some()
        {
            self.busy.set(false);
        }
        self.answered.set(None);
        self.tracked.set(None);
        self.error.set(None);
    }

    /// The run that the steps after the first are about.
    fn decision(self) -> String {
        self.answered.with_untracked(|answered| {
            let answered = answered.as_ref();
            let id = answered.and_then(|answered| answered.decision_id.clone());
            id.unwrap_or_default()
        })
    }

    /// The field of the situation, for the words of its outcomes.
    fn domain(self) -> String {
        self.answered.with_untracked(|answered| {
            let answered = answered.as_ref();
            let domain = answered.and_then(|answered| answered.situation.domain.clone());
            domain.unwrap_or_default()
        })
    }

    fn restart(self) {
        self.decision_id.set(dom::random_id());
        self.clear();
        self.shown.set_value(String::new());
        self.go.with_value(|go| go("/recommend", false));
        dom::focus("recommend-query");
    }
}

/// Whether a model is loaded and every lesson has its vector.
fn has_read_all(client: Client) -> bool {
    client
        .model
        .with(|model| matches!(model, ModelState::Ready { .. }))
}

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
        waits: StoredValue::new(None),
    };
    // An address that was followed, gone back to or reloaded is looked at; nothing is recorded for it.
    let query = use_parameters();
    Effect::new(move |_| {
        let now = query.with(canonical);
        if now == walk.shown.get_value() {
            return;
        }
        walk.shown.set_value(now);
        query.with_untracked(|query| {
            walk.form.read(query);
            walk.weights.read(query);
            let decision = query.text("decision");
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
    Effect::new(move |_| {
        if !walk.client.model_comes.get() {
            walk.send_waiting();
        }
    });
    let read_all = Memo::new(move |_| has_read_all(walk.client));
    Effect::new(move |_| {
        if read_all.get() {
            walk.look_anew();
        }
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
                {move || walk.busy.get().then(|| {
                    let label = if walk.client.model_comes.get() { "Waiting for the model…" } else { "Ranking lessons…" };
                    view! { <Loading label/> }
                })}
            </div>
            {move || walk.answered.get().map(|answered| {
                let outdone = answered.is_outdone() && answered.decision_id.is_some();
                let decision = StoredValue::new(answered.decision_id.clone().unwrap_or_default());
                let recorded = answered.recorded;
                let only_looked = answered.decision_id.is_none() && !answered.given.recommended.is_empty();
                view! {
                    {only_looked.then(|| view! {
                        <div class="note" data-testid="only-looked">
                            <strong>"You are looking, nothing is recorded"</strong>
                            <p>"This situation came with the page's address. Press “Recommend lessons” to begin a decision with it and to count these lessons as shown."</p>
                        </div>
                    })}
                    {move || (outdone && read_all.get()).then(|| view! {
                        <div class="note" data-testid="outdone">
                            <strong>"The model is there now"</strong>
                            <p>"These lessons were ranked before it was."</p>
                            <button type="button" on:click=move |_| walk.ask(&decision.get_value(), recorded) data-testid="rank-anew">"Rank by meaning"</button>
                        </div>
                    })}
                    <Results answered walk/>
                }
            })}
            <Show when=move || walk.answered.read().is_some()><Replay walk/></Show>
            {move || (retrieval.get().is_some() && has_lessons.get()).then(|| view! {
                <Steps walk/>
            })}
        </Page>
    }
}

/// What follows a retrieval.
#[component]
fn Steps(walk: Walk) -> impl IntoView {
    let id = walk.decision();
    let run = Run(use_get(move || {
        format!("/v1/decisions/{}", crate::format::encode(&id))
    }));
    view! {
        <TrackStep walk/>
        <OutcomeStep walk run/>
        <FeedbackStep walk run/>
        <OpinionStep walk run/>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
