//! Where the state of the page stands: what was asked, what was answered, and the run that the later steps are about.

use super::situation::Situation;
use super::weights::Weights;
use crate::api::{Client, Latest, Query};
use crate::dom;
use crate::format;
use crate::parameters::address;
use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use lesson_types::{
    ApiError, DecisionView, ModelState, Recommend, Recommendations, TracePart, Tracked,
};

/// Lessons that were left out which come with an answer, of each reason.
pub(super) const LEFT_OUT: u32 = 10;
/// Time that a situation waits for a model that comes out of the browser's cache, in milliseconds: several times what
/// that takes. Then it is ranked by words, and anew when the model is there.
pub(super) const PATIENCE: u32 = 5_000;

/// An answer and what it is the answer to.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answered {
    /// The lessons, and what the ranking did.
    pub(super) given: Recommendations,
    /// The situation alone: no decision, no part of the trace.
    pub(super) situation: Recommend,
    /// The run that the steps after it are about; none when it was only looked at.
    pub(super) decision_id: Option<String>,
    /// True if it came before the model had read every lesson.
    pub(super) early: bool,
}

impl Answered {
    /// True if the model, now that it has read every lesson, would have a part in it that it had not.
    pub(super) fn is_outdone(&self) -> bool {
        self.early && self.given.semantic_reason.is_some()
    }
}

/// A question to the engine.
pub(super) struct Question {
    pub(super) situation: Recommend,
    pub(super) decision: String,
    pub(super) record: bool,
    /// Set if the focus goes to the lessons: a button was pressed.
    pub(super) focus: bool,
}

/// Where the state stands.
#[derive(Clone, Copy)]
pub(super) struct PlaygroundState {
    pub(super) client: Client,
    pub(super) form: Situation,
    pub(super) weights: Weights,
    /// Ties the steps together; fresh for each state, and editable.
    pub(super) decision_id: RwSignal<String>,
    pub(super) answered: RwSignal<Option<Answered>>,
    pub(super) tracked: RwSignal<Option<Tracked>>,
    pub(super) error: RwSignal<Option<ApiError>>,
    pub(super) busy: RwSignal<bool>,
    pub(super) latest: Latest,
    /// The question that waits for the model.
    pub(super) waits: StoredValue<Option<Question>>,
    /// The situation that was asked for last, as a part of the address.
    pub(super) asked: StoredValue<String>,
    /// The query of the address that the page shows already.
    pub(super) shown: StoredValue<String>,
    pub(super) go: StoredValue<Go, LocalStorage>,
}

/// The run that the steps are about, as the ledger has it: what was told in another tab, or before a reload, too.
#[derive(Clone, Copy)]
pub(super) struct Run(pub(super) Query<DecisionView>);

impl Run {
    /// Reads it, and reads it again when it changes; `None` while nothing of it is stored.
    pub(super) fn read<R>(self, read: impl FnOnce(&DecisionView) -> R) -> Option<R> {
        self.0.map(|run| read(run))
    }

    /// True if a lesson belongs to it. One that only came with looking at the situation again does not.
    pub(super) fn has(self, slug: &str) -> bool {
        let has = |run: &DecisionView| run.lessons.iter().any(|lesson| lesson.slug == slug);
        self.read(has).unwrap_or(true)
    }
}

/// Goes to an address; whether in place of the one before.
pub(super) type Go = Box<dyn Fn(&str, bool)>;

impl PlaygroundState {
    /// Asks for the lessons of the form's task. It is a dry run: nothing is recorded. A run that was recorded of the very
    /// same task stays; a changed task leaves it, and would be a run of its own.
    pub(super) fn preview(self) {
        if self.busy.get_untracked() {
            return;
        }
        let typed = self.decision_id.get_untracked();
        let task = self.form.request("");
        let run = self.answered.with_untracked(|answered| {
            let answered = answered.as_ref()?;
            Some((answered.decision_id.clone()?, answered.situation == task))
        });
        let kept = match run {
            Some((run, true)) if run == typed.trim() => run,
            Some((run, _)) => {
                if run == typed.trim() {
                    self.decision_id.set(dom::random_id());
                }
                String::new()
            }
            None => String::new(),
        };
        self.ask(&kept, true);
        self.show(&kept, false);
    }

    /// Records the task that is shown as a run, and counts its lessons as shown. The address holds the run.
    pub(super) fn record(self) {
        let task = self.answered.with_untracked(|answered| {
            let only_looked = answered.as_ref().filter(|one| one.decision_id.is_none())?;
            Some(only_looked.situation.clone())
        });
        let Some(situation) = task.filter(|_| !self.busy.get_untracked()) else {
            return;
        };
        let typed = format::filled(&self.decision_id.get_untracked());
        let decision = typed.unwrap_or_else(dom::random_id);
        self.decision_id.set(decision.clone());
        self.show(&decision, false);
        self.send(Question {
            situation,
            decision,
            record: true,
            focus: true,
        });
    }

    /// Puts the form, the weights and a decision into the address.
    pub(super) fn show(self, decision: &str, replace: bool) {
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
        let path = address("/playground", &query);
        self.go.with_value(|go| go(&path, replace));
    }

    /// Looks at the form's situation, once it is known whether the model has a part in it.
    pub(super) fn ask(self, decision: &str, focus: bool) {
        self.asked.set_value(self.form.address());
        let question = Question {
            situation: self.form.request(""),
            decision: decision.to_owned(),
            record: false,
            focus,
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
    pub(super) fn send_waiting(self) {
        if let Some(question) = self.waits.try_update_value(Option::take).flatten() {
            self.send(question);
        }
    }

    /// Looks again at what was ranked without the model, or without some of its vectors. Of a decision nothing changes
    /// by itself: its steps are about the lessons that were shown.
    pub(super) fn look_anew(self) {
        let situation = self.answered.with_untracked(|answered| {
            let outdone = answered.as_ref().filter(|answered| answered.is_outdone())?;
            (outdone.decision_id.is_none()).then(|| outdone.situation.clone())
        });
        if let Some(situation) = situation.filter(|_| !self.busy.get_untracked()) {
            self.send(Question {
                situation,
                decision: String::new(),
                record: false,
                focus: false,
            });
        }
    }

    pub(super) fn send(self, question: Question) {
        let Question {
            situation,
            decision,
            record,
            focus,
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
        let asked = self.client.post_json("/v1/recommend", &request);
        self.latest.ask(asked, move |answer| {
            self.busy.set(false);
            match answer {
                Ok(given) => {
                    self.tracked.set(None);
                    self.answered.set(Some(Answered {
                        given,
                        situation,
                        decision_id,
                        early,
                    }));
                    if early && has_read_all(self.client) {
                        self.look_anew();
                    }
                    if focus {
                        dom::focus("results");
                    }
                }
                Err(error) => {
                    self.answered.set(None);
                    self.error.set(Some(error));
                }
            }
        });
    }

    /// Puts away what is under way of a decision; the form stays.
    pub(super) fn clear(self) {
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
    pub(super) fn decision(self) -> String {
        self.answered.with_untracked(|answered| {
            let answered = answered.as_ref();
            let id = answered.and_then(|answered| answered.decision_id.clone());
            id.unwrap_or_default()
        })
    }

    /// The field of the situation, for the words of its outcomes.
    pub(super) fn domain(self) -> String {
        self.answered.with_untracked(|answered| {
            let answered = answered.as_ref();
            let domain = answered.and_then(|answered| answered.situation.domain.clone());
            domain.unwrap_or_default()
        })
    }

    pub(super) fn restart(self) {
        self.decision_id.set(dom::random_id());
        self.clear();
        self.shown.set_value(String::new());
        self.go.with_value(|go| go("/playground", false));
        dom::focus("recommend-query");
    }
}

/// True if a model is loaded and every lesson has its vector.
pub(super) fn has_read_all(client: Client) -> bool {
    client
        .model
        .with(|model| matches!(model, ModelState::Ready { .. }))
}
