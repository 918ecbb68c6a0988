//! Sessions: lessons out of a transcript, and feedback for those that were shown in it.

use crate::handlers::lessons::has_room;
use crate::host::Host;
use crate::http::answer::Answer;
use crate::http::context::RequestContext;
use crate::http::fault::{clip, of_fold};
use crate::http::validate::filled;
use crate::state::plan::Plan;
use crate::state::service_struct::Service;
use crate::state::snapshot::State;
use lesson_core::{
    Decision, EventKind, Extracted, ExtractedInsight, Lesson, Millis, Text, Uncounted,
    contradiction, find_lesson,
};
use lesson_screen::screen_named;
use lesson_sync::Store;
use lesson_types::{ApiError, Insight, Session, SessionRecorded, limits};

/// Source of a lesson that a session gave.
const SOURCE: &str = "session";

/// The source of a lesson that the session of a decision gave: with its id, as its agent named it, where there is room.
fn source_of(decision: Option<&str>) -> String {
    let named = decision.map(|id| format!("{SOURCE} {id}"));
    named
        .filter(|named| named.chars().count() <= limits::WORD)
        .unwrap_or_else(|| SOURCE.to_owned())
}

/// The decision whose session gave a lesson, by its source.
pub(crate) fn decision_of(source: &str) -> Option<&str> {
    source.strip_prefix(SOURCE)?.strip_prefix(' ')
}

/// Parts of a session that were heard, and its decision.
struct Heard<'a> {
    extracted: &'a Extracted,
    /// The outcome's vector.
    vector: Option<&'a [f32]>,
    /// The transcript without what only names the lessons that were shown.
    said: &'a str,
    /// The source of its lessons.
    source: &'a str,
    /// The decision that the session is, with its id.
    about: Option<(&'a str, &'a Decision)>,
}

/// Results of reading a session.
struct Read {
    injected: Vec<String>,
    unknown: Vec<String>,
    insights: Vec<Insight>,
    causal: Vec<String>,
    feedback: bool,
    uncounted: Vec<Uncounted>,
}

impl<S: Store, H: Host> Service<S, H> {
    pub(crate) async fn record_session(
        &self,
        context: &RequestContext,
        asked: Session,
    ) -> Result<Answer<SessionRecorded>, ApiError> {
        filled("transcript", &asked.transcript, limits::TEXT)?;
        if let Some(id) = &asked.decision_id {
            filled("decision_id", id, limits::ID)?;
        }
        let extracted = lesson_core::extract(&asked.transcript, &self.policy.session);
        let vector = if extracted.injected.is_empty() || extracted.outcome_text.trim().is_empty() {
            None
        } else {
            self.query_vector(&extracted.outcome_text)
        };
        let said = lesson_core::without_shown(&asked.transcript);
        let by = context.by();
        let source = source_of(asked.decision_id.as_deref());
        let read = self
            .commit(context, |state, at| {
                let about = asked.decision_id.as_ref();
                let heard = Heard {
                    extracted: &extracted,
                    vector: vector.as_deref(),
                    said: &said,
                    source: &source,
                    about: about.and_then(|id| Some((id.as_str(), state.space.decision(id)?))),
                };
                let (mut plan, mut read) = self.read_session(context, state, at, &heard);
                let is_new = |event: &&EventKind| matches!(event, EventKind::LessonAdded { .. });
                let added = plan.own.iter().filter(is_new).count();
                has_room(state, context, added, "transcript")?;
                let checked = state.space.check(&plan.own, by, at, &self.policy);
                read.uncounted = checked.map_err(|(_, error)| of_fold(&error))?;
                plan.checked = true;
                Ok((plan, read))
            })
            .await?;
        let feedback = if read.feedback {
            Some(self.feedback_given(&read.injected, &read.uncounted, false)?)
        } else {
            None
        };
        Ok(Answer::json(SessionRecorded {
            outcome: extracted.outcome,
            injected: read.injected,
            unknown: read.unknown,
            insights: read.insights,
            causal: read.causal,
            feedback,
        }))
    }

    /// Everything that a session changes, as one batch.
    fn read_session(
        &self,
        context: &RequestContext,
        state: &State,
        at: Millis,
        heard: &Heard<'_>,
    ) -> (Plan, Read) {
        let extracted = heard.extracted;
        let mut read = Read {
            injected: Vec::new(),
            unknown: Vec::new(),
            insights: Vec::new(),
            causal: Vec::new(),
            feedback: false,
            uncounted: Vec::new(),
        };
        // A session of a key gives feedback on as many as were recommended to it.
        let most = if context.is_key() {
            limits::AGENT_FEEDBACK
        } else {
            limits::SLUGS
        };
        for name in extracted.injected.iter().take(most) {
            match find_lesson(&state.space, name, |lesson| !context.withholds(lesson)) {
                Ok(lesson) if read.injected.contains(&lesson.slug) => {}
                Ok(lesson) => read.injected.push(lesson.slug.clone()),
                Err(_) => read.unknown.push(clip(name)),
            }
        }
        let mut events = Vec::new();
        for insight in extracted.insights.iter().take(limits::SLUGS) {
            let mut lesson = learned(insight, heard.source, at);
            let met = met_before(state, insight, &mut lesson);
            let again = read.insights.iter().any(|one| one.slug == lesson.slug);
            read.insights.push(Insight {
                slug: met.clone().unwrap_or_else(|| lesson.slug.clone()),
                text: insight.text.clone(),
                added: met.is_none() && !again,
            });
            if met.is_none() && !again {
                events.push(EventKind::LessonAdded {
                    lesson: Box::new(lesson),
                });
            }
        }
        if let Some(outcome) = extracted.outcome
            && !read.injected.is_empty()
        {
            let decision = heard.about.map(|(_, decision)| decision);
            read.causal = self.causes(state, &read.injected, heard.vector, heard.said, decision);
            read.feedback = true;
            // A decision takes feedback on what was recommended for it, once from each.
            let open = heard
                .about
                .filter(|(_, decision)| decision.feedback_by(context.by()).is_none());
            let is_in = |slug: &String| open.is_some_and(|(_, held)| held.record(slug).is_some());
            let (within, apart): (Vec<String>, Vec<String>) =
                read.injected.iter().cloned().partition(is_in);
            for (lessons, decision) in [(within, open), (apart, None)] {
                if lessons.is_empty() {
                    continue;
                }
                let causal = read.causal.iter().filter(|slug| lessons.contains(slug));
                events.push(EventKind::FeedbackGiven {
                    outcome,
                    causal: causal.cloned().collect(),
                    lessons,
                    decision_id: decision.map(|(id, _)| id.to_owned()),
                });
            }
        }
        (Plan::of(events), read)
    }
}

/// The lesson that an insight makes, screened.
fn learned(insight: &ExtractedInsight, source: &str, at: Millis) -> Lesson {
    let cut = |text: &str, most: usize| text.chars().take(most).collect::<String>();
    let text = Text {
        title: insight.title.clone(),
        recommendation: insight.text.clone(),
        category: insight.category,
        tags: insight.tags.clone(),
        ..Text::default()
    };
    // The transcript was redacted before the slug was made of it.
    let (screened, _) = screen_named(&text, &insight.slug, source);
    // Cut after screening, which writes out what is invisible and so takes more room.
    let text = Text {
        title: cut(&screened.text.title, limits::TITLE),
        recommendation: cut(&screened.text.recommendation, limits::RECOMMENDATION),
        ..screened.text
    };
    let mut lesson = Lesson::new(insight.slug.clone(), text, source, at);
    lesson.trust = screened.trust;
    lesson.findings = screened.findings;
    lesson
}

/// The slug of the lesson that is this one already. Another lesson with its slug makes it take a
/// slug with a hash of its text.
fn met_before(state: &State, insight: &ExtractedInsight, lesson: &mut Lesson) -> Option<String> {
    let same = |held: &Lesson| {
        held.text.title == lesson.text.title
            && held.text.recommendation == lesson.text.recommendation
    };
    // A lesson that was learned and edited since is known by its slug, unless this denies it.
    let of_session = |held: &Lesson| held.source == SOURCE || decision_of(&held.source).is_some();
    let edited = |held: &Lesson| {
        of_session(held) && held.rev > 1 && contradiction(&held.text, &lesson.text).is_none()
    };
    if let Some(held) = state.space.lessons().find(|held| same(held)) {
        return Some(held.slug.clone());
    }
    let held = state.space.lesson(&lesson.slug)?;
    if edited(held) {
        return Some(held.slug.clone());
    }
    lesson.slug = insight.slug_if_taken();
    state
        .space
        .lesson(&lesson.slug)
        .map(|held| held.slug.clone())
}
