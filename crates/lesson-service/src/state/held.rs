//! The extent of a space that a service holds: all of it, or the part that one request needs. Whatever differs is answered
//! here, so that a handler is the same for both.

use lesson_core::{Health, Lesson, Space};
use lesson_sync::{Counted, ListedPage, Report};
use lesson_types::{Stats, SyncStatus, Tags};

/// The extent of a space that a service holds.
pub(crate) enum Held {
    /// All of it: numbers of the space are counted here.
    Whole,
    /// The part that one request needs, with the numbers of the space that came with it.
    Part(Box<PartHeld>),
}

/// A part of a space, beside the rows in the store.
pub(crate) struct PartHeld {
    /// Counts of the space's lessons, for the ranking; `None` where the part holds no candidates.
    pub counted: Option<Counted>,
    /// The page of a list that the server made; `None` where no list was wanted.
    pub page: Option<ListedPage>,
    /// The numbers that the server counted of the space; `None` where none were wanted.
    pub report: Option<Report>,
    /// The state of the space's syncing, as the service that holds its link says.
    pub syncing: Option<SyncStatus>,
}

/// Lessons with a vector, and those without.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Embedded {
    /// Lessons with a vector of the model in use.
    pub with: usize,
    /// Lessons that wait for theirs.
    pub without: usize,
}

impl Held {
    /// Says if all of the space is here.
    pub fn is_whole(&self) -> bool {
        matches!(self, Self::Whole)
    }

    /// Says if the session of the link is renewed here: over a part, whoever made the part does it.
    pub fn renews_session(&self) -> bool {
        match self {
            Self::Whole => true,
            Self::Part(_) => false,
        }
    }

    /// The number of lessons that those at hand are candidates of; `None` where all are at hand.
    pub fn candidates_of(&self) -> Option<usize> {
        match self {
            Self::Whole => None,
            Self::Part(part) => Some(part.counted.as_ref()?.lessons),
        }
    }

    /// Says if the space has a lesson in use.
    pub fn has_lessons(&self, space: &Space) -> bool {
        self.candidates_of().is_some_and(|lessons| lessons > 0)
            || space.lessons().any(|lesson| !lesson.archived)
    }

    /// Counts the lessons of the space with a vector, for an answer that ranks them; `here` are those at hand.
    pub fn ranked_by_vector(&self, here: Embedded) -> Embedded {
        match self {
            Self::Whole => here,
            Self::Part(part) => part.counted.as_ref().map_or(here, |space| {
                // The lessons at hand were chosen, many of them by their vectors: the whole space tells.
                let with = space.with_vector.min(space.lessons);
                Embedded {
                    with,
                    without: space.lessons - with,
                }
            }),
        }
    }

    /// Counts the lessons of the space with a vector, for health; `here` are those at hand.
    pub fn embedded(&self, here: Embedded) -> Embedded {
        match self {
            Self::Whole => here,
            Self::Part(part) => part.report.as_ref().map_or(here, |report| {
                let all = report.stats.lessons.saturating_add(report.stats.archived);
                Embedded {
                    with: report.embedded as usize,
                    without: all.saturating_sub(report.embedded) as usize,
                }
            }),
        }
    }

    /// The space's stats. The lists in them are of the lessons at hand, which the server chose for them where it counted.
    pub fn stats(&self, here: Stats) -> Stats {
        match self {
            Self::Whole => here,
            Self::Part(part) => match &part.report {
                None => here,
                Some(report) => Stats {
                    top: here.top,
                    bottom: here.bottom,
                    pruning: here.pruning,
                    never_rated: here.never_rated,
                    ..report.stats.clone()
                },
            },
        }
    }

    /// The condition of the space's loop.
    pub fn health(&self, here: impl FnOnce() -> Health) -> Health {
        match self {
            Self::Whole => here(),
            Self::Part(part) => match &part.report {
                None => here(),
                Some(report) => Health {
                    feedback_last_7_days: report.feedback_last_7_days,
                    uses: report.uses,
                    causal_ratio: report.causal_ratio,
                    bands: report.bands,
                    funnel: report.funnel,
                    runs: report.runs,
                    supply: report.supply.clone(),
                    sessions: report.sessions.clone(),
                },
            },
        }
    }

    /// The words that the space's lessons have.
    pub fn tags(&self, here: impl FnOnce() -> Tags) -> Tags {
        match self {
            Self::Whole => here(),
            Self::Part(part) => part
                .report
                .as_ref()
                .map_or_else(here, |report| report.tags.clone()),
        }
    }

    /// Effects that were measured: they are reckoned from all decisions, and a part does not have them.
    pub fn measured<T>(&self, here: impl FnOnce() -> Option<T>) -> Option<T> {
        match self {
            Self::Whole => here(),
            Self::Part(_) => None,
        }
    }

    /// The page of a list that the server made; `None` where the list is made of what is at hand.
    pub fn page(&self) -> Option<&ListedPage> {
        match self {
            Self::Whole => None,
            Self::Part(part) => part.page.as_ref(),
        }
    }

    /// The state of the space's syncing; `None` where this service does it, or nobody said.
    pub fn syncing(&self) -> Option<&SyncStatus> {
        match self {
            Self::Whole => None,
            Self::Part(part) => part.syncing.as_ref(),
        }
    }

    /// Sets the state of the space's syncing.
    pub fn told_syncing(&mut self, status: SyncStatus) {
        match self {
            Self::Whole => {}
            Self::Part(part) => part.syncing = Some(status),
        }
    }
}

/// The lessons of a page that the server made, in its order.
pub(crate) fn lessons_of<'a>(page: &'a ListedPage, space: &'a Space) -> Vec<&'a Lesson> {
    let slugs = page.slugs.iter();
    slugs.filter_map(|slug| space.lesson(slug)).collect()
}
