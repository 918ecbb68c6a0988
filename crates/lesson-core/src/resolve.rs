//! Finding the one lesson that a person means by a slug or part of a title.

use crate::lesson::Lesson;
use crate::space::Space;

/// Most candidates that are listed.
const CANDIDATES: usize = 10;

/// Why a name is not one lesson.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResolveError {
    /// No lesson has this slug or title.
    Unknown(String),
    /// Several have.
    Ambiguous {
        /// The name.
        name: String,
        /// Slugs of the lessons it may mean, at most ten, in order.
        candidates: Vec<String>,
    },
}

impl std::fmt::Display for ResolveError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unknown(name) => write!(
                f,
                "there is no lesson `{name}`; list or search lessons to find its slug"
            ),
            Self::Ambiguous { name, .. } => write!(
                f,
                "`{name}` may mean several lessons; name one of the candidates by its slug"
            ),
        }
    }
}

impl std::error::Error for ResolveError {}

/// The lesson that `name` means: the one with this slug; else the only one in use with this
/// title; else the only one in use with this in its title, whatever the case. Lessons that `may_mean`
/// leaves out are as if they were not there.
///
/// # Errors
/// When no lesson is meant, or more than one may be.
pub fn find_lesson<'a>(
    space: &'a Space,
    name: &str,
    may_mean: impl Fn(&Lesson) -> bool,
) -> Result<&'a Lesson, ResolveError> {
    let name = name.trim();
    let with_slug = |slug: &str| space.lesson(slug).filter(|lesson| may_mean(lesson));
    if let Some(lesson) = with_slug(name) {
        return Ok(lesson);
    }
    let lowered = name.to_lowercase();
    if lowered.is_empty() {
        return Err(ResolveError::Unknown(String::new()));
    }
    if let Some(lesson) = with_slug(&lowered) {
        return Ok(lesson);
    }
    let mut whole: Vec<&Lesson> = Vec::new();
    let mut part: Vec<&Lesson> = Vec::new();
    for lesson in space
        .lessons()
        .filter(|lesson| !lesson.archived && may_mean(lesson))
    {
        let title = lesson.text.title.trim().to_lowercase();
        if title == lowered {
            whole.push(lesson);
        } else if title.contains(&lowered) {
            part.push(lesson);
        }
    }
    let meant = if whole.is_empty() { part } else { whole };
    match meant.as_slice() {
        [] => Err(ResolveError::Unknown(name.to_owned())),
        [one] => Ok(one),
        several => Err(ResolveError::Ambiguous {
            name: name.to_owned(),
            candidates: several
                .iter()
                .take(CANDIDATES)
                .map(|lesson| lesson.slug.clone())
                .collect(),
        }),
    }
}
