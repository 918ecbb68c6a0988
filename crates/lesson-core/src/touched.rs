//! The keys of a space that an event can touch: those that its fold reads or writes.

use crate::event::EventKind;
use crate::lesson::Lesson;
use crate::space::Space;

/// The keys that an event touches.
pub(crate) struct Touched<'a> {
    /// Lessons, some perhaps twice.
    pub slugs: Vec<&'a str>,
    /// The decision.
    pub decision: Option<&'a str>,
    /// The retrieval.
    pub retrieval: Option<&'a str>,
    /// True if the book of tools changes.
    pub tools: bool,
    /// True if a time of feedback is added.
    pub feedback: bool,
    /// The domain whose base rate may change.
    pub domain: Option<String>,
    /// Settings.
    pub settings: Vec<&'a str>,
}

impl Space {
    /// The keys that folding `happening` into this space touches.
    pub(crate) fn touched<'a>(&'a self, happening: &'a EventKind) -> Touched<'a> {
        let mut touched = Touched {
            slugs: Vec::new(),
            decision: None,
            retrieval: None,
            tools: false,
            feedback: false,
            domain: None,
            settings: Vec::new(),
        };
        match happening {
            EventKind::LessonAdded { lesson } => touched.slugs.push(&lesson.slug),
            EventKind::LessonEdited { lesson, .. }
            | EventKind::LessonArchived { lesson }
            | EventKind::LessonRestored { lesson }
            | EventKind::LessonReviewed { lesson, .. }
            | EventKind::ChangeProposed { lesson, .. }
            | EventKind::ProposalSettled { lesson, .. }
            | EventKind::TrialGranted { lesson } => touched.slugs.push(lesson),
            EventKind::Rated {
                lesson,
                decision_id,
                ..
            }
            | EventKind::Voted {
                lesson,
                decision_id,
                ..
            } => {
                touched.slugs.push(lesson);
                touched.decision = decision_id.as_deref();
            }
            EventKind::LessonsMerged { into, from } => {
                touched.slugs.push(into);
                touched.slugs.extend(from.iter().map(String::as_str));
            }
            EventKind::Surfaced {
                retrieval_id,
                context,
                items,
                measured,
                ..
            } => {
                touched
                    .slugs
                    .extend(items.iter().map(|item| item.lesson.as_str()));
                let drawn = measured.iter().flat_map(|measured| &measured.drawn);
                touched.slugs.extend(drawn.map(|one| one.lesson.as_str()));
                touched.decision = context.decision_id.as_deref();
                touched.retrieval = Some(retrieval_id);
            }
            EventKind::FeedbackGiven {
                lessons,
                decision_id,
                ..
            } => {
                touched.slugs.extend(lessons.iter().map(String::as_str));
                touched.feedback = true;
                touched.decision = decision_id.as_deref();
            }
            EventKind::PolicyChanged { changes } => {
                touched.settings.extend(changes.keys().map(String::as_str));
            }
            EventKind::UsageTracked { decision_id, .. }
            | EventKind::OutcomeRecorded { decision_id, .. } => {
                touched.decision = Some(decision_id);
            }
            EventKind::ToolSucceeded { .. } => touched.tools = true,
            EventKind::VoiceWithdrawn { voice, .. } => {
                let of = |lesson: &&Lesson| {
                    lesson.by == *voice || lesson.proposals.iter().any(|held| held.by == *voice)
                };
                let theirs = self.lessons().filter(of);
                touched
                    .slugs
                    .extend(theirs.map(|lesson| lesson.slug.as_str()));
            }
            EventKind::VoiceReinstated { .. } => {}
        }
        // An outcome is counted in the lessons of its decision.
        if let Some(held) = touched.decision.and_then(|id| self.decisions.get(id)) {
            touched
                .slugs
                .extend(held.records.iter().map(|record| record.lesson.as_str()));
            touched.domain = Some(held.domain());
        }
        touched
    }
}
