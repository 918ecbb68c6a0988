//! Results derived from settings and decisions: the constants in force, and the effects of lessons. Made when they are
//! first asked for, and from then on kept as events come, so that no answer reads all decisions.

use lesson_core::learning::{Effects, Learning, Run};
use lesson_core::{EventKind, Policy, Row, Space, failed_by_one_key, in_force};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// See the module.
#[derive(Default)]
pub(crate) struct Learned {
    policy: RefCell<Option<Rc<Policy>>>,
    lessons: RefCell<Option<Lessons>>,
    one_key: RefCell<Option<Rc<BTreeSet<String>>>>,
}

#[derive(Default)]
struct Lessons {
    learning: Learning,
    /// Decisions that have changed since.
    decisions: BTreeSet<String>,
    /// Set if texts may have changed since.
    texts: bool,
}

impl Learned {
    /// Notes what an event may change; called for each that is folded.
    pub fn happened(&mut self, event: &EventKind) {
        if let EventKind::PolicyChanged { .. } = event {
            self.policy.take();
        }
        if !matches!(
            event,
            EventKind::Surfaced { .. } | EventKind::Rated { .. } | EventKind::Voted { .. }
        ) {
            self.one_key.take();
        }
        let mut lessons = self.lessons.borrow_mut();
        let Some(lessons) = &mut *lessons else {
            return;
        };
        match event {
            EventKind::Surfaced { context, .. } => {
                lessons.decisions.extend(context.decision_id.clone())
            }
            EventKind::UsageTracked { decision_id, .. }
            | EventKind::OutcomeRecorded { decision_id, .. } => {
                lessons.decisions.insert(decision_id.clone());
            }
            EventKind::LessonAdded { .. } | EventKind::LessonEdited { .. } => lessons.texts = true,
            _ => {}
        }
    }

    /// Notes that these decisions are taken off, and rows put in place.
    pub fn rebased<'a>(&mut self, off: impl Iterator<Item = &'a str>, rows: &[Row]) {
        self.policy.take();
        self.one_key.take();
        let mut lessons = self.lessons.borrow_mut();
        let Some(lessons) = &mut *lessons else {
            return;
        };
        lessons.decisions.extend(off.map(str::to_owned));
        // Lessons that are taken off need no look: rows of them follow, or none of their decisions is left.
        lessons.texts = true;
        for row in rows {
            if let Row::Decision { decision_id, .. } | Row::Recommendation { decision_id, .. } = row
            {
                lessons.decisions.insert(decision_id.clone());
            }
        }
    }

    /// See [`lesson_core::failed_by_one_key`].
    pub fn failed_by_one_key(&self, space: &Space) -> Rc<BTreeSet<String>> {
        let mut held = self.one_key.borrow_mut();
        Rc::clone(held.get_or_insert_with(|| Rc::new(failed_by_one_key(space))))
    }

    /// The constants in force.
    pub fn in_force(&self, base: &Policy, space: &Space) -> Rc<Policy> {
        let mut held = self.policy.borrow_mut();
        Rc::clone(held.get_or_insert_with(|| Rc::new(in_force(base, space))))
    }

    /// Reads what is known of the lessons' effects.
    pub fn with_effects<T>(&self, space: &Space, read: impl FnOnce(&Effects) -> T) -> T {
        let mut held = self.lessons.borrow_mut();
        let lessons = held.get_or_insert_with(|| Lessons {
            learning: Learning::of(space),
            ..Lessons::default()
        });
        for id in std::mem::take(&mut lessons.decisions) {
            lessons.learning.feed(&id, space.decision(&id).map(Run::of));
        }
        if std::mem::take(&mut lessons.texts) || lessons.learning.has_new_lessons() {
            lessons.learning.look_at_texts(space);
        }
        read(lessons.learning.effects())
    }
}
