//! Sessions: lessons out of a transcript, and feedback for those that were shown in it.

use crate::convert::Convert;
use crate::fault::clip;
use crate::host::Host;
use crate::service::{Answer, Service};
use crate::state::State;
use crate::validate::filled;
use crate::writer::Plan;
use lesson_api::{ApiError, Insight, Session, SessionRecorded, limits};
use lesson_core::screen::screen;
use lesson_core::{Extracted, ExtractedInsight, Happening, Lesson, Millis, Text, find_lesson};
use lesson_sync::Store;

/// Who wrote a lesson that a session gave.
const SOURCE: &str = "session";
/// The mark of lines that say what was shown; naming a lesson there is not using it.
const SHOWN: &str = "INJECTED:";

/// What a session comes to.
struct Read {
    injected: Vec<String>,
    unknown: Vec<String>,
    insights: Vec<Insight>,
    causal: Vec<String>,
    feedback: bool,
}

impl<S: Store, H: Host> Service<S, H> {
    pub(crate) async fn session(&self, asked: Session) -> Result<Answer, ApiError> {
        filled("transcript", &asked.transcript, limits::TEXT)?;
        let extracted = lesson_core::extract(&asked.transcript, &self.policy.session);
        let vector = if extracted.injected.is_empty() || extracted.outcome_text.trim().is_empty() {
            None
        } else {
            self.query_vector(&extracted.outcome_text)
        };
        let said: String = asked
            .transcript
            .lines()
            .filter(|line| !line.contains(SHOWN))
            .fold(String::new(), |said, line| said + line + "\n");
        let read = self
            .commit(|state, at| {
                Ok(self.read_session(state, at, &extracted, vector.as_deref(), &said))
            })
            .await?;
        let feedback = if read.feedback {
            Some(self.feedback_given(&read.injected)?)
        } else {
            None
        };
        Answer::json(&SessionRecorded {
            outcome: extracted.outcome.map(Convert::convert),
            injected: read.injected,
            unknown: read.unknown,
            insights: read.insights,
            causal: read.causal,
            feedback,
        })
    }

    /// Everything that a session changes, as one batch.
    fn read_session(
        &self,
        state: &State,
        at: Millis,
        extracted: &Extracted,
        vector: Option<&[f32]>,
        said: &str,
    ) -> (Plan, Read) {
        let mut read = Read {
            injected: Vec::new(),
            unknown: Vec::new(),
            insights: Vec::new(),
            causal: Vec::new(),
            feedback: false,
        };
        for name in extracted.injected.iter().take(limits::SLUGS) {
            match find_lesson(&state.space, name) {
                Ok(lesson) if read.injected.contains(&lesson.slug) => {}
                Ok(lesson) => read.injected.push(lesson.slug.clone()),
                Err(_) => read.unknown.push(clip(name)),
            }
        }
        let mut events = Vec::new();
        for insight in extracted.insights.iter().take(limits::SLUGS) {
            let lesson = learned(insight, at);
            let met = known_as(state, &lesson);
            let again = read.insights.iter().any(|one| one.slug == lesson.slug);
            read.insights.push(Insight {
                slug: met.clone().unwrap_or_else(|| lesson.slug.clone()),
                text: insight.text.clone(),
                added: met.is_none() && !again,
            });
            if met.is_none() && !again {
                events.push(Happening::LessonAdded {
                    lesson: Box::new(lesson),
                });
            }
        }
        if let Some(outcome) = extracted.outcome
            && !read.injected.is_empty()
        {
            read.causal = self.causes(state, &read.injected, vector, said);
            read.feedback = true;
            events.push(Happening::FeedbackGiven {
                outcome,
                lessons: read.injected.clone(),
                causal: read.causal.clone(),
            });
        }
        (Plan::of(events), read)
    }
}

/// The lesson that an insight makes, screened.
fn learned(insight: &ExtractedInsight, at: Millis) -> Lesson {
    let cut = |text: &str, most: usize| text.chars().take(most).collect::<String>();
    let screened = screen(&Text {
        title: cut(&insight.title, limits::TITLE),
        recommendation: cut(&insight.text, limits::RECOMMENDATION),
        category: insight.category,
        ..Text::default()
    });
    let mut lesson = Lesson::new(insight.slug.clone(), screened.text, SOURCE, at);
    lesson.trust = screened.trust;
    lesson.findings = screened.findings;
    lesson
}

/// The slug of the lesson that is this one already: by its slug, or by what it says.
fn known_as(state: &State, lesson: &Lesson) -> Option<String> {
    if state.space.lesson(&lesson.slug).is_some() {
        return Some(lesson.slug.clone());
    }
    state
        .space
        .lessons()
        .find(|held| {
            held.text.title == lesson.text.title
                && held.text.recommendation == lesson.text.recommendation
        })
        .map(|held| held.slug.clone())
}
