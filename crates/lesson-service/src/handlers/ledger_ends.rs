//! State in which an imported ledger leaves its lessons: in use, or archived.

use lesson_core::{EventKind, Lesson};
use std::collections::BTreeMap;

/// Lessons of imported ledgers by slug: true if one is archived at their end.
#[derive(Default)]
pub(super) struct LedgerEnds(BTreeMap<String, bool>);

impl LedgerEnds {
    /// Follows an event of the ledger.
    pub(super) fn follow(&mut self, event: &EventKind) {
        let (lessons, archived) = match event {
            EventKind::LessonAdded { lesson } => (vec![&lesson.slug], lesson.archived),
            EventKind::LessonArchived { lesson } => (vec![lesson], true),
            EventKind::LessonRestored { lesson } => (vec![lesson], false),
            EventKind::LessonsMerged { from, .. } => (from.iter().collect(), true),
            _ => return,
        };
        let lessons = lessons.into_iter().cloned();
        self.0.extend(lessons.map(|slug| (slug, archived)));
    }

    /// The slugs of those that it leaves in use.
    pub(super) fn in_use(self) -> impl Iterator<Item = String> {
        let in_use = self.0.into_iter().filter(|(_, archived)| !archived);
        in_use.map(|(slug, _)| slug)
    }
}

/// True if a lesson lies in the archive by itself; one that was merged lives on in another.
pub(super) fn is_put_away(lesson: &Lesson) -> bool {
    lesson.archived && lesson.merged_into.is_none()
}

/// True if a lesson is as an undone import leaves it: put away before anybody applied it. One that was archived after it had
/// been tried stays archived when its file is imported again.
pub(super) fn is_untried(lesson: &Lesson) -> bool {
    is_put_away(lesson) && lesson.standing.times_applied == 0
}
