//! Writes that a request plans, and those that wait to be written.

use lesson_core::{Event, EventKind, Millis};

/// Writes that a request plans.
#[derive(Default)]
pub(crate) struct Plan {
    /// Events of another ledger, kept as they are. Already checked.
    pub foreign: Vec<Event>,
    /// New events. Checked after the foreign ones unless `checked`.
    pub own: Vec<EventKind>,
    /// New events that happened before now, after `own`. Already checked.
    pub past: Vec<(Millis, EventKind)>,
    /// Set if `own` has been checked already.
    pub checked: bool,
}

impl Plan {
    /// One new event.
    pub fn one(happening: EventKind) -> Self {
        Self::of(vec![happening])
    }

    /// New events.
    pub fn of(own: Vec<EventKind>) -> Self {
        Self {
            own,
            ..Self::default()
        }
    }
}

/// An event that waits to be stored.
#[derive(Clone)]
pub(crate) struct Draft {
    /// Its id.
    pub op_id: String,
    /// When it was made.
    pub at: Millis,
    /// Maker of the event.
    pub by: String,
    /// The event itself.
    pub event: EventKind,
}
