//! State that the engine holds in memory: the fold of the ledger, and what is derived from it.

use crate::state::learned::Learned;
use crate::state::near::{self, Near};
use crate::state::vectors::Vectors;
use lesson_core::learning::Effects;
use lesson_core::{
    Event, EventKind, Folded, KeywordIndex, OptimisticOverlay, Policy, ReviewPolicy, Row,
    Similarity, Space,
};
use lesson_sync::{Ledger, Link, SetAside, Stored};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The most causes that are kept for people to read.
const NOTES: usize = 20;

/// The state. It only ever shows events that are stored.
pub(crate) struct State {
    /// The fold.
    pub space: Space,
    /// The last position of the store that has been folded.
    pub position: u64,
    /// The order in which the store had its events when they were folded: see [`Ledger::epoch`].
    pub epoch: u64,
    /// Events in the store, those that were left out too.
    pub events: usize,
    /// Words of the lessons.
    pub index: KeywordIndex,
    /// Vectors of the lessons, when a model is loaded.
    pub vectors: Option<Vectors>,
    /// The near duplicates that were found last.
    pub near: RefCell<Option<Near>>,
    /// Results derived from settings and decisions, when somebody asks.
    pub learned: Learned,
    /// Events that were left out: how many, and the first causes.
    pub left_out: usize,
    /// Why, for the first of them.
    pub notes: Vec<String>,
    /// The link to a server, and what a linked space needs; `None` for a ledger on its own.
    pub linked: Option<Linked>,
}

/// A link, as far as it is part of the state.
pub(crate) struct Linked {
    /// The link as it was last read.
    pub link: Link,
    /// The events on top of the rows.
    replica: OptimisticOverlay,
    /// Positions of the events on top of the rows.
    outbox: BTreeSet<u64>,
    /// Events that the server did not take.
    pub set_aside: Vec<SetAside>,
}

impl Linked {
    /// Returns the events on top of the rows, with their order.
    pub fn replica(&self) -> &OptimisticOverlay {
        &self.replica
    }

    /// Events that the server has not acknowledged.
    pub fn unsent(&self) -> usize {
        self.outbox
            .range(self.link.acked.saturating_add(1)..)
            .count()
    }
}

/// Contents of a linked store, all read at one revision.
pub(crate) struct Reading {
    /// The link.
    pub link: Link,
    /// Rows that are new.
    pub rows: Vec<Row>,
    /// The events on top of them.
    pub outbox: Ledger,
    /// Events that the server did not take.
    pub set_aside: Vec<SetAside>,
}

impl State {
    /// An empty state.
    pub fn empty() -> Self {
        Self {
            space: Space::new(),
            position: 0,
            epoch: 0,
            events: 0,
            index: KeywordIndex::new(),
            vectors: None,
            near: RefCell::default(),
            learned: Learned::default(),
            left_out: 0,
            notes: Vec::new(),
            linked: None,
        }
    }

    /// The state of a whole ledger.
    pub fn of(ledger: &Ledger, policy: &Policy) -> Self {
        let mut state = Self::empty();
        let events = ledger.events.iter().map(|stored| &stored.event);
        state.space = Space::for_ledger(events, policy);
        state.take_in_ledger(ledger, policy, false);
        state.index = KeywordIndex::of_space(&state.space);
        state
    }

    /// The state of a linked store whose rows have all been read.
    pub fn of_linked(reading: Reading, policy: &Policy) -> Self {
        let mut state = Self::empty();
        state.linked = Some(Linked {
            link: reading.link.clone(),
            replica: OptimisticOverlay::new(),
            outbox: BTreeSet::new(),
            set_aside: Vec::new(),
        });
        state.rebase(reading, policy, false);
        state.index = KeywordIndex::of_space(&state.space);
        state
    }

    /// The revision of the link that is shown; 0 without one.
    pub fn revision(&self) -> u64 {
        self.linked
            .as_ref()
            .map_or(0, |linked| linked.link.revision)
    }

    /// True if rows read after this state's cursor can be put on it.
    pub fn can_follow(&self, link: &Link) -> bool {
        self.linked.as_ref().is_some_and(|linked| {
            linked.link.space.id == link.space.id
                && linked.link.url == link.url
                && linked.link.cleared == link.cleared
        })
    }

    /// True if a link that this state can follow is about the rows that are shown, and the events on top of them as they
    /// are: no rows have come, none of the events has gone into them, and none has another actor.
    pub fn stands_on(&self, link: &Link) -> bool {
        self.linked.as_ref().is_some_and(|linked| {
            let held = &linked.link;
            (held.cursor, held.based) == (link.cursor, link.based) && held.actor == link.actor
        })
    }

    /// Takes another link to what is shown.
    pub fn follow(&mut self, link: Link, set_aside: Vec<SetAside>) {
        if let Some(linked) = &mut self.linked {
            linked.link = link;
            linked.set_aside = set_aside;
        }
    }

    /// Puts new rows under the events that were made here. With `derive`, index and vectors follow
    /// at once. Does nothing to a state without a link.
    pub fn rebase(&mut self, reading: Reading, policy: &Policy, derive: bool) {
        let Some(linked) = &mut self.linked else {
            return;
        };
        self.learned
            .rebased(linked.replica.decisions(), &reading.rows);
        let mut touched = linked.replica.take_off(&mut self.space);
        touched.append(&mut linked.replica.put(&mut self.space, reading.rows));
        linked.link = reading.link;
        linked.set_aside = reading.set_aside;
        linked.outbox.clear();
        self.events = 0;
        self.left_out = 0;
        self.notes.clear();
        self.take_in_ledger(&reading.outbox, policy, false);
        for stored in &reading.outbox.events {
            touched.extend(stored.event.event.text_of().map(str::to_owned));
        }
        if derive {
            for slug in touched {
                self.derive(&slug, false);
            }
        }
    }

    /// Takes rows that were kept elsewhere, with their index, in place of none.
    pub fn adopt(
        &mut self,
        link: Link,
        (space, replica, index): (Space, OptimisticOverlay, KeywordIndex),
    ) {
        let Some(linked) = &mut self.linked else {
            return;
        };
        linked.link = link;
        linked.replica = replica;
        self.learned = Learned::default();
        self.space = space;
        self.index = index;
        if let Some(vectors) = &mut self.vectors {
            vectors.look_at_all(&self.space);
        }
    }

    /// Folds what was read from the store.
    pub fn take_in_ledger(&mut self, ledger: &Ledger, policy: &Policy, derive: bool) {
        for (position, cause) in &ledger.unreadable {
            self.leave_out(format!("position {position}: {cause}"));
        }
        self.events += ledger.unreadable.len();
        self.take_in(&ledger.events, policy, derive);
        self.position = self.position.max(ledger.position);
        self.epoch = ledger.epoch;
    }

    /// Folds stored events; with `derive`, index and vectors follow at once.
    pub fn take_in(&mut self, stored: &[Stored], policy: &Policy, derive: bool) {
        for Stored { position, event } in stored {
            self.events += 1;
            self.learned.happened(&event.event);
            match self.fold(*position, event, policy) {
                Ok(_) if derive => {
                    if let Some(slug) = event.event.text_of() {
                        self.derive(slug, true);
                    }
                }
                Ok(_) => {}
                Err(error) => self.leave_out(format!(
                    "position {position} ({}): {error}",
                    event.event.name()
                )),
            }
            self.position = self.position.max(*position);
        }
    }

    fn fold(
        &mut self,
        position: u64,
        event: &Event,
        policy: &Policy,
    ) -> Result<Folded, lesson_core::FoldError> {
        match &mut self.linked {
            Some(linked) => {
                linked.outbox.insert(position);
                linked.replica.fold(&mut self.space, event, policy)
            }
            None => self.space.fold(event, policy),
        }
    }

    /// Brings what is derived from a lesson's text up to date. `new`: the text was made here.
    fn derive(&mut self, slug: &str, new: bool) {
        match self.space.lesson(slug) {
            Some(lesson) => {
                self.index.insert(lesson);
                if let Some(vectors) = &mut self.vectors {
                    vectors.attach(lesson, new);
                }
            }
            None => {
                self.index.remove(slug);
                if let Some(vectors) = &mut self.vectors {
                    vectors.detach(slug);
                }
            }
        }
    }

    /// Looks for near duplicates, unless nothing has changed since the last time. A `quick` look leaves a large store
    /// as it was found last.
    pub fn look_for_near(&self, policy: &ReviewPolicy, quick: bool) {
        near::look(
            &mut self.near.borrow_mut(),
            &self.space,
            &self.index,
            self.vectors.as_ref(),
            policy,
            quick,
        );
    }

    /// The constants in force in the space.
    pub fn in_force(&self, base: &Policy) -> Rc<Policy> {
        self.learned.in_force(base, &self.space)
    }

    /// Reads what is known of the lessons' effects.
    pub fn with_effects<T>(&self, read: impl FnOnce(&Effects) -> T) -> T {
        self.learned.with_effects(&self.space, read)
    }

    /// See [`lesson_core::failed_by_one_key`].
    pub fn failed_by_one_key(&self) -> Rc<BTreeSet<String>> {
        self.learned.failed_by_one_key(&self.space)
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
            .and_then(|(vector, vectors)| vectors.scan(vector, &self.space).ok());
        match &scanned {
            Some(scanned) => rank(Some(scanned)),
            None => rank(None),
        }
    }
}

/// Whose text an event sets.
pub(crate) trait TextOf {
    fn text_of(&self) -> Option<&str>;
}

impl TextOf for EventKind {
    fn text_of(&self) -> Option<&str> {
        match self {
            Self::LessonAdded { lesson } => Some(&lesson.slug),
            Self::LessonEdited { lesson, .. } => Some(lesson),
            _ => None,
        }
    }
}
