//! Something that waits for a decision: a lesson, or an edit that came too late.

use crate::features::review::reasons::short;
use lesson_types::{EditConflict, ReviewItem};

/// Something to decide on.
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    /// An edit that came too late.
    Conflict(Box<EditConflict>),
    /// A lesson.
    Lesson(Box<ReviewItem>),
}

impl Entry {
    /// Its name, unique in the queue.
    pub fn name(&self) -> String {
        match self {
            Self::Conflict(conflict) => format!("conflict:{}", conflict.id),
            Self::Lesson(item) => item.slug.clone(),
        }
    }

    /// Its lesson's title.
    pub fn title(&self) -> String {
        match self {
            Self::Conflict(conflict) => conflict
                .now
                .as_ref()
                .map_or_else(|| conflict.slug.clone(), |lesson| lesson.title.clone()),
            Self::Lesson(item) => item.title.clone(),
        }
    }

    /// The slug of its lesson.
    pub fn slug(&self) -> &str {
        match self {
            Self::Conflict(conflict) => &conflict.slug,
            Self::Lesson(item) => &item.slug,
        }
    }

    /// Why it is here, in a word or two.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Conflict(_) => "Conflicting edit",
            Self::Lesson(item) => item.reasons.first().map_or("", |reason| short(*reason)),
        }
    }
}
