//! What the engine holds in memory: the fold of the ledger, and what is derived from it.

use crate::vectors::Vectors;
use lesson_core::{Event, Happening, KeywordIndex, Lesson, Policy, Similarity, Space};
use lesson_sync::{Ledger, Stored};

/// The most causes that are kept for people to read.
const NOTES: usize = 20;

/// The state. It only ever shows events that are stored.
pub(crate) struct State {
    /// The fold.
    pub space: Space,
    /// The last position of the store that has been folded.
    pub position: u64,
    /// Events in the store, those that were left out too.
    pub events: usize,
    /// Words of the lessons.
    pub index: KeywordIndex,
    /// Vectors of the lessons, when a model is loaded.
    pub vectors: Option<Vectors>,
    /// Events that were left out: how many, and the first causes.
    pub left_out: usize,
    /// Why, for the first of them.
    pub notes: Vec<String>,
}

impl State {
    /// The state of a whole ledger.
    pub fn of(ledger: &Ledger, policy: &Policy) -> Self {
        let mut state = Self {
            space: Space::new(),
            position: 0,
            events: 0,
            index: KeywordIndex::new(),
            vectors: None,
            left_out: 0,
            notes: Vec::new(),
        };
        state.take_in_ledger(ledger, policy, false);
        state.index = KeywordIndex::of_space(&state.space);
        state
    }

    /// Folds what was read from the store.
    pub fn take_in_ledger(&mut self, ledger: &Ledger, policy: &Policy, derive: bool) {
        for (position, cause) in &ledger.unreadable {
            self.leave_out(format!("position {position}: {cause}"));
        }
        self.events += ledger.unreadable.len();
        self.take_in(&ledger.events, policy, derive);
        self.position = self.position.max(ledger.position);
    }

    /// Folds stored events; with `derive`, index and vectors follow at once.
    pub fn take_in(&mut self, stored: &[Stored], policy: &Policy, derive: bool) {
        for Stored { position, event } in stored {
            self.events += 1;
            match self.space.fold(event, policy) {
                Ok(_) if derive => self.follow(event),
                Ok(_) => {}
                Err(error) => self.leave_out(format!(
                    "position {position} ({}): {error}",
                    event.event.name()
                )),
            }
            self.position = self.position.max(*position);
        }
    }

    /// Brings what is derived from a lesson's text up to date.
    fn follow(&mut self, event: &Event) {
        let slug = match &event.event {
            Happening::LessonAdded { lesson } => &lesson.slug,
            Happening::LessonEdited { lesson, .. } => lesson,
            _ => return,
        };
        if let Some(lesson) = self.space.lesson(slug) {
            self.index.insert(lesson);
            if let Some(vectors) = &mut self.vectors {
                vectors.attach(lesson);
            }
        }
    }

    /// Notes an event that takes no part.
    pub fn leave_out(&mut self, cause: String) {
        self.left_out += 1;
        if self.notes.len() < NOTES {
            self.notes.push(cause);
        }
    }

    /// Runs `rank` with the cosines of `vector` to the lessons; with none when there is no vector,
    /// or when it is not of the loaded model.
    pub fn with_similarity<T>(
        &self,
        vector: Option<&[f32]>,
        rank: impl FnOnce(Option<Similarity<'_>>) -> T,
    ) -> T {
        let scanned = vector
            .zip(self.vectors.as_ref())
            .and_then(|(vector, vectors)| vectors.scan(vector).ok());
        match &scanned {
            Some(scanned) => rank(Some(&|lesson: &Lesson| scanned.of(&lesson.slug))),
            None => rank(None),
        }
    }
}
