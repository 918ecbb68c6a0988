//! Runs: the decisions that lessons were recommended for, and what came of each.

use crate::handlers::measure::told;
use crate::handlers::sessions::decision_of;
use crate::handlers::stats::count;
use crate::host::Host;
use crate::http::answer::Answer;
use crate::http::context::{RequestContext, decision_prefix};
use crate::http::fault::{clip, of_fold};
use crate::http::validate;
use crate::state::service_struct::Service;
use lesson_core::{
    Decision, DecisionOutcome, FoldError, Lesson, Millis, Space, parse_rfc3339, to_rfc3339,
};
use lesson_sync::Store;
use lesson_types::{
    ApiError, DecisionLesson, DecisionPage, DecisionQuery, DecisionView, GivenFeedback,
    GivenOpinion, LearnedLesson, limits,
};
use serde_json::Value;
use std::collections::BTreeMap;

/// Decisions on a page when the request does not say.
const PAGE: u32 = 50;

/// The filters of a list, read.
struct Filter<'a> {
    asked: &'a DecisionQuery,
    outcome: Option<DecisionOutcome>,
    from: Option<Millis>,
    to: Option<Millis>,
    /// Prefix of the ids of an agent's own decisions.
    own: Option<String>,
    /// Text that the task has to contain, in small letters; none where the server has looked already.
    words: Option<String>,
}

impl Filter<'_> {
    fn takes(&self, id: &str, decision: &Decision) -> bool {
        let is =
            |wanted: &Option<String>, held: &str| wanted.as_deref().is_none_or(|one| one == held);
        let at = time(decision);
        self.own.as_ref().is_none_or(|own| id.starts_with(own))
            && is(&self.asked.by, &decision.by)
            && is(&self.asked.domain, domain(decision))
            && self.words.as_ref().is_none_or(|words| {
                let task = decision.context.query.as_deref().unwrap_or_default();
                task.to_lowercase().contains(words)
            })
            && self
                .outcome
                .is_none_or(|wanted| decision.outcome.unwrap_or(DecisionOutcome::Pending) == wanted)
            && self
                .asked
                .lesson
                .as_ref()
                .is_none_or(|slug| decision.record(slug).is_some())
            && self.from.is_none_or(|from| at >= from)
            && self.to.is_none_or(|to| at < to)
    }
}

impl<S: Store, H: Host> Service<S, H> {
    pub(crate) fn list_decisions(
        &self,
        context: &RequestContext,
        asked: &DecisionQuery,
        body: &Value,
    ) -> Result<Answer<DecisionPage>, ApiError> {
        validate::no_body(body)?;
        for (field, value, most) in [
            ("by", &asked.by, limits::ID),
            ("domain", &asked.domain, limits::WORD),
            ("q", &asked.q, limits::WORD),
            ("lesson", &asked.lesson, limits::SLUG),
        ] {
            validate::optional(field, value.as_ref(), most)?;
        }
        let limit = validate::limit(asked.limit, PAGE, limits::PAGE)?;
        let filter = Filter {
            asked,
            outcome: asked.outcome,
            from: instant("from", asked.from.as_ref())?,
            to: instant("to", asked.to.as_ref())?,
            own: context.own_decisions(),
            words: asked
                .q
                .as_ref()
                .filter(|_| self.held.page().is_none())
                .map(|words| words.trim().to_lowercase()),
        };
        let after = asked.cursor.as_deref().map(cursor).transpose()?;
        let state = self.state.borrow();
        let learned = Learned::of(&state.space, context);
        let mut found: Vec<(Millis, &str, &Decision)> = state
            .space
            .decisions()
            .filter(|(id, decision)| filter.takes(id, decision))
            .map(|(id, decision)| (time(decision), id, decision))
            .collect();
        let mut total = count(found.len());
        // The newest first; ids tell those of one moment apart.
        found.sort_unstable_by(|a, b| (b.0, a.1).cmp(&(a.0, b.1)));
        if let Some((at, id)) = &after {
            let begun = found.partition_point(|one| {
                (std::cmp::Reverse(one.0), one.1) <= (std::cmp::Reverse(*at), id.as_str())
            });
            found.drain(..begun);
        }
        let limit = match self.held.page() {
            // The server made the page, and its first row of the next one.
            Some(listed) => {
                total = listed.total;
                limit.min(listed.slugs.len())
            }
            None => limit,
        };
        let next_cursor = (found.len() > limit)
            .then(|| found.get(limit.saturating_sub(1)))
            .flatten()
            .map(|(at, id, _)| format!("{at}.{id}"));
        found.truncate(limit);
        Ok(Answer::json(DecisionPage {
            decisions: found
                .into_iter()
                .map(|(_, id, decision)| {
                    decision_view(&state.space, context, &learned, id, decision)
                })
                .collect(),
            total,
            next_cursor,
        }))
    }

    pub(crate) fn get_decision(
        &self,
        context: &RequestContext,
        id: &str,
        body: &Value,
    ) -> Result<Answer<DecisionView>, ApiError> {
        validate::no_body(body)?;
        validate::filled("decision_id", id, limits::ID)?;
        let own = context.own_decisions();
        // It is kept as recommend kept it: without secrets.
        let kept = lesson_screen::redacted(id).unwrap_or_else(|| id.to_owned());
        let held = format!("{}{kept}", own.as_deref().unwrap_or_default());
        let state = self.state.borrow();
        let decision = state
            .space
            .decision(&held)
            .ok_or_else(|| of_fold(&FoldError::UnknownDecision(clip(id))))?;
        let learned = Learned::of(&state.space, context);
        Ok(Answer::json(decision_view(
            &state.space,
            context,
            &learned,
            &held,
            decision,
        )))
    }
}

/// A decision as whoever asks may see it.
fn decision_view(
    space: &Space,
    asks: &RequestContext,
    learned: &Learned<'_>,
    id: &str,
    decision: &Decision,
) -> DecisionView {
    let context = &decision.context;
    let own = asks.own_decisions();
    let name = own.as_deref().and_then(|own| id.strip_prefix(own));
    DecisionView {
        id: name.unwrap_or(id).to_owned(),
        by: decision.by.clone(),
        at: decision.at.map(to_rfc3339),
        title: title(id, decision),
        query: context.query.clone(),
        domain: Some(domain(decision).to_owned()).filter(|domain| !domain.is_empty()),
        project_type: context.project_type.clone(),
        tech_stack: context.tech_stack.clone(),
        phase: context.phase.clone(),
        lessons: decision
            .records
            .iter()
            .map(|record| DecisionLesson {
                slug: record.lesson.clone(),
                title: space
                    .lesson(&record.lesson)
                    .filter(|lesson| !asks.withholds(lesson))
                    .map_or_else(String::new, |lesson| lesson.text.title.clone()),
                relevance: record.relevance,
                applied: record.was_applied,
                match_type: record.match_type,
                confidence: record.confidence,
                quote: record.agent_quote.clone(),
                counted: record.settled,
                was_presented: record.was_presented,
                contributed_to_success: record.contributed_to_success,
            })
            .collect(),
        tokens: tokens(space, decision),
        learned: learned.in_session(id, &decision.by),
        // An agent that knew what was withheld from it could look it up.
        measured: decision
            .measured
            .as_ref()
            .filter(|_| !asks.is_agent())
            .map(told),
        under_measurement: decision.measured.as_ref().map(|_| true),
        outcome: decision.outcome,
        pnl_percent: decision.pnl_percent,
        outcome_by: decision.outcome_by.clone(),
        outcome_at: decision.outcome_at.map(to_rfc3339),
        feedback: decision
            .feedback
            .iter()
            .map(|given| GivenFeedback {
                by: given.by.clone(),
                at: to_rfc3339(given.at),
                outcome: given.outcome,
                lessons: given.lessons.clone(),
                causal: given.causal.clone(),
            })
            .collect(),
        opinions: decision
            .opinions
            .iter()
            .map(|given| GivenOpinion {
                by: given.by.clone(),
                at: to_rfc3339(given.at),
                lesson: given.lesson.clone(),
                is_vote: given.is_vote,
                is_positive: given.is_positive,
            })
            .collect(),
    }
}

/// The tokens of a decision's lessons; `None` where one is not at hand.
fn tokens(space: &Space, decision: &Decision) -> Option<u32> {
    let each = decision.records.iter().map(|record| {
        let lesson = space.lesson(&record.lesson)?;
        u32::try_from(lesson_core::given_tokens(lesson)).ok()
    });
    each.sum()
}

/// The lessons that sessions gave, by who they are of and the decision that the session was.
struct Learned<'a>(BTreeMap<(&'a str, &'a str), Vec<&'a Lesson>>);

impl<'a> Learned<'a> {
    fn of(space: &'a Space, asks: &RequestContext) -> Self {
        let mut held: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for lesson in space.lessons().filter(|lesson| !asks.withholds(lesson)) {
            if let Some(id) = decision_of(&lesson.source) {
                held.entry((lesson.by.as_str(), id))
                    .or_default()
                    .push(lesson);
            }
        }
        Self(held)
    }

    fn in_session(&self, id: &str, by: &str) -> Vec<LearnedLesson> {
        // The lesson has the id as its agent gave it, which is kept with what tells agents' decisions apart before it.
        let prefix = by.strip_prefix("agent:").map(decision_prefix);
        let given = prefix
            .as_deref()
            .and_then(|prefix| id.strip_prefix(prefix))
            .unwrap_or(id);
        let found = self.0.get(&(by, given)).into_iter().flatten();
        found
            .map(|lesson| LearnedLesson {
                slug: lesson.slug.clone(),
                title: lesson.text.title.clone(),
            })
            .collect()
    }
}

/// Characters of a title.
const TITLE: usize = 120;

/// A decision's title: what was asked, cut at a word, else what is known of the situation, else its id.
fn title(id: &str, decision: &Decision) -> String {
    let context = &decision.context;
    let asked = context.query.as_deref().unwrap_or_default();
    let asked = match lesson_core::one_line(asked) {
        asked if asked.is_empty() => {
            let known = [&context.project_type, &context.domain, &context.phase];
            let known = known.into_iter().flatten().chain(&context.tech_stack);
            let known: Vec<&str> = known
                .map(|word| word.trim())
                .filter(|word| !word.is_empty())
                .collect();
            lesson_core::one_line(&known.join(" · "))
        }
        asked => asked,
    };
    let words: Vec<&str> = asked.split_whitespace().collect();
    let asked = if words.is_empty() {
        clip(id)
    } else {
        words.join(" ")
    };
    if asked.chars().count() <= TITLE {
        return asked;
    }
    let head: String = asked.chars().take(TITLE - 1).collect();
    let head = match head.rsplit_once(' ') {
        Some((head, _)) if head.chars().count() > TITLE / 2 => head,
        _ => &head,
    };
    format!("{head}…")
}

/// The moment that a decision is listed at.
fn time(decision: &Decision) -> Millis {
    decision.at.or(decision.outcome_at).unwrap_or_default()
}

fn domain(decision: &Decision) -> &str {
    decision.context.domain.as_deref().unwrap_or_default()
}

fn instant(field: &'static str, text: Option<&String>) -> Result<Option<Millis>, ApiError> {
    text.map(|text| {
        parse_rfc3339(text).ok_or_else(|| {
            ApiError::invalid(
                field,
                format!(
                    "{field} is `{}`; use an RFC 3339 time such as 2026-11-22T08:30:00Z",
                    clip(text)
                ),
            )
        })
    })
    .transpose()
}

fn cursor(text: &str) -> Result<(Millis, String), ApiError> {
    text.split_once('.')
        .and_then(|(at, id)| Some((at.parse().ok()?, id.to_owned())))
        .ok_or_else(|| {
            ApiError::invalid(
                "cursor",
                "the cursor is none of a page before; leave it out to begin with the newest",
            )
        })
}
