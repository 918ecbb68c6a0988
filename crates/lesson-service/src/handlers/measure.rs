//! Measuring what lessons do: which of a recommendation's lessons are withheld, and what is said of it to whom.

use crate::handlers::shorten::Budget;
use crate::http::context::RequestContext;
use crate::state::snapshot::State;
use lesson_core::learning::{Candidate, Measuring, NEXT, is_policy_run, measure};
use lesson_core::{
    BadgeWords, Lesson, MeasurePolicy, Measured, Policy, RelevanceWord, SALT_SETTING, Situation,
};
use lesson_types::{DecisionMeasured, Recommendations, TraceEntry, limits};
use serde_json::Value;

/// Text for an agent, or a person, where nothing is left.
const NOTHING_SHOWN: &str = "This decision is under measurement: no lesson is shown for it. Go on without one, and report its outcome as usual.\n";

/// Parts of a request that decide if its answer is measured.
pub(crate) struct Asked<'a> {
    /// The decision.
    pub decision_id: Option<&'a str>,
    /// Set if nothing is to be recorded.
    pub is_dry_run: bool,
    /// Lessons in the answer.
    pub places: usize,
}

/// The decision of a request, where it may be measured; see [`is_policy_run`].
pub(crate) fn measurable<'a>(
    context: &RequestContext,
    decision_id: &'a Option<String>,
) -> Option<&'a str> {
    let id = decision_id.as_deref()?;
    (!is_policy_run(id, context.by())).then_some(id)
}

/// The lessons that a measured recommendation is about.
pub(crate) struct Trial {
    policy: MeasurePolicy,
    salt: String,
    decision: String,
    before: Option<Measured>,
    /// Places that would be filled.
    places: usize,
}

impl Trial {
    /// Sets up the measuring of a decision's recommendation; `None` where it is not measured: without a decision, in a
    /// dry run, while everything is off, and for a decision that has begun unmeasured.
    pub fn of(state: &State, policy: &Policy, asked: &Asked<'_>) -> Option<Self> {
        let decision = asked.decision_id.filter(|_| !asked.is_dry_run)?;
        let held = state
            .space
            .decision(decision)
            .filter(|held| held.at.is_some());
        let before = held.map(|held| held.measured.clone());
        let is_measured = match &before {
            Some(before) => before.is_some(),
            None => policy.measure.is_on(),
        };
        let salt = state.space.setting(SALT_SETTING).and_then(Value::as_str);
        is_measured.then(|| Self {
            policy: policy.measure.clone(),
            salt: salt.unwrap_or_default().to_owned(),
            decision: decision.to_owned(),
            before: before.flatten(),
            places: asked.places,
        })
    }

    /// Has the ranking go as far as lessons may be tried.
    pub fn widen(&self, situation: &mut Situation) {
        let is_tried = self.policy.explore > 0.0 || self.before.is_some();
        situation.limit = Some(self.places + if is_tried { NEXT } else { 0 });
    }

    /// The most lessons that a draw looks at.
    pub fn most(&self) -> u32 {
        u32::try_from(self.places + NEXT).unwrap_or(u32::MAX)
    }

    /// Draws among ranked lessons, best first: the places of those that are shown, the last rank, and what was drawn.
    pub fn among(
        &self,
        lessons: &[(&Lesson, RelevanceWord)],
        budget: Budget,
        badge: BadgeWords<'_>,
    ) -> (Vec<usize>, u32, Measured) {
        let places = self.places.min(lessons.len());
        let mut fits: Vec<bool> = budget
            .prompt(&lessons[..places], badge)
            .tokens
            .into_iter()
            .map(|tokens| tokens > 0)
            .collect();
        // One that may be tried stands in the last place, after the others.
        for next in &lessons[places..] {
            let mut tried = lessons[..places.saturating_sub(1)].to_vec();
            tried.push(*next);
            let prompt = budget.prompt(&tried, badge);
            fits.push(prompt.tokens.last().is_some_and(|tokens| *tokens > 0));
        }
        let candidates: Vec<Candidate<'_>> = lessons
            .iter()
            .zip(fits)
            .map(|((lesson, _), fits)| Candidate {
                slug: &lesson.slug,
                fits,
            })
            .collect();
        let measuring = Measuring {
            policy: &self.policy,
            salt: &self.salt,
            decision: &self.decision,
            before: self.before.as_ref(),
        };
        let selected = measure(measuring, &candidates, places);
        let last = u32::try_from(places).unwrap_or(u32::MAX);
        (selected.shown, last, selected.measured)
    }

    /// Adds what another store holds of the same decision: each store keeps what was drawn of its own lessons.
    pub fn and_of(&mut self, other: &State) {
        let held = other.space.decision(&self.decision);
        let drawn = held.and_then(|held| held.measured.as_ref());
        if let (Some(before), Some(more)) = (&mut self.before, drawn) {
            before.drawn.extend(more.drawn.iter().cloned());
        }
    }

    /// Says in an answer that it is measured: people read what was withheld, agents that something may be.
    pub fn tell(&self, context: &RequestContext, answer: &mut Recommendations, drawn: &Measured) {
        answer.under_measurement = Some(true);
        if !context.is_agent() {
            answer.measured = Some(told(drawn));
        }
        if answer.recommended.is_empty()
            && (drawn.control || drawn.drawn.iter().any(|one| one.withheld))
        {
            answer.prompt = NOTHING_SHOWN.to_owned();
            answer.hint = Some(NOTHING_SHOWN.trim_end().to_owned());
        }
        let Some(trace) = &mut answer.trace else {
            return;
        };
        let shown: Vec<(String, u32)> = answer
            .recommended
            .iter()
            .map(|one| (one.slug.clone(), one.rank))
            .collect();
        let is_agent = context.is_agent();
        // An agent that saw the trace of what was withheld would know it.
        trace.retain_mut(|entry| {
            entry.rank.is_none() || self.retell(entry, &shown, drawn) || !is_agent
        });
    }

    /// Corrects the trace of a lesson that was ranked; whether it is shown.
    fn retell(&self, entry: &mut TraceEntry, shown: &[(String, u32)], drawn: &Measured) -> bool {
        if let Some((_, rank)) = shown.iter().find(|(slug, _)| *slug == entry.slug) {
            entry.rank = Some(*rank);
            return true;
        }
        let rank = entry.rank.take().unwrap_or_default();
        let (code, words) = match drawn.drawn.iter().find(|one| one.lesson == entry.slug) {
            _ if drawn.control => (
                "withheld",
                "this is a control run: no lesson is shown, so that runs with lessons can be compared with it".to_owned(),
            ),
            Some(one) if one.withheld => (
                "withheld",
                format!(
                    "withheld at random, with a probability of {:.3}, to measure what it does",
                    one.q
                ),
            ),
            _ => (
                "beyond_limit",
                format!("it ranks {rank}, and {} were wanted", self.places),
            ),
        };
        entry.excluded = Some(code.to_owned());
        entry.reason = Some(words);
        false
    }
}

/// The lessons that were withheld, as people read it.
pub(crate) fn told(held: &Measured) -> DecisionMeasured {
    DecisionMeasured {
        control: held.control,
        withheld: held
            .drawn
            .iter()
            .filter(|drawn| drawn.withheld)
            .map(|drawn| drawn.lesson.clone())
            .collect(),
    }
}

/// The lessons of an answer to a decision when the request does not say.
pub(crate) fn places(asked: Option<u32>, policy: &Policy) -> usize {
    let most = policy.rank.top_decision;
    (asked.unwrap_or(most).min(most) as usize).min(limits::LIMIT)
}
