//! Why the fold refuses an event.

/// Why an event is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FoldError {
    /// It names a lesson that is not there.
    UnknownLesson(String),
    /// It adds a lesson whose slug is taken.
    SlugTaken(String),
    /// It names a decision that nothing was recommended for.
    UnknownDecision(String),
    /// It contradicts what is stored: which part, and why.
    Conflict {
        /// The event's field.
        field: &'static str,
        /// Why, for a person.
        reason: String,
    },
    /// A value out of bounds: which, and why.
    Invalid {
        /// The event's field.
        field: &'static str,
        /// Why, for a person.
        reason: String,
    },
}

impl FoldError {
    /// A stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnknownLesson(_) => "unknown_lesson",
            Self::SlugTaken(_) => "slug_taken",
            Self::UnknownDecision(_) => "unknown_decision",
            Self::Conflict { .. } => "conflict",
            Self::Invalid { .. } => "invalid",
        }
    }

    /// The event's field at fault.
    pub fn field(&self) -> &'static str {
        match self {
            Self::UnknownLesson(_) => "lesson",
            Self::SlugTaken(_) => "slug",
            Self::UnknownDecision(_) => "decision_id",
            Self::Conflict { field, .. } | Self::Invalid { field, .. } => field,
        }
    }
}

impl std::fmt::Display for FoldError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::UnknownLesson(slug) => write!(
                f,
                "there is no lesson `{slug}`; list or search lessons to find its slug"
            ),
            Self::SlugTaken(slug) => write!(
                f,
                "there is a lesson `{slug}` already; choose another slug, or edit that one"
            ),
            Self::UnknownDecision(id) => write!(
                f,
                "nothing was recommended for decision `{id}`; call recommend with this decision_id first"
            ),
            Self::Conflict { reason, .. } | Self::Invalid { reason, .. } => f.write_str(reason),
        }
    }
}

impl std::error::Error for FoldError {}

/// A value out of bounds.
pub(crate) fn invalid(field: &'static str, reason: impl Into<String>) -> FoldError {
    FoldError::Invalid {
        field,
        reason: reason.into(),
    }
}

/// A contradiction to what is stored.
pub(crate) fn conflict(field: &'static str, reason: impl Into<String>) -> FoldError {
    FoldError::Conflict {
        field,
        reason: reason.into(),
    }
}
