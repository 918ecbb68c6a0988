//! Inputs and effects of the machine.

use crate::link::Session;
use crate::link::{Change, Link};
use crate::remote::{Page, Pushed, RemoteError};
use crate::store::{StoreError, Stored};
use lesson_core::{Event, Millis};

/// Where syncing stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Phase {
    /// There is no link.
    #[default]
    Off,
    /// Between rounds.
    Idle,
    /// Sending.
    Pushing,
    /// Asking for rows.
    Pulling,
    /// The server can't be reached.
    Offline,
    /// The server, or the store, does not do as it should.
    Trouble,
    /// A person has to sign in again.
    SignedOut,
    /// Nothing that repeating would mend.
    Blocked,
}

/// Where syncing stands, for people.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Status {
    /// The phase.
    pub phase: Phase,
    /// The trouble, and what to do about it.
    pub message: Option<String>,
    /// Of a long push or pull: done and total.
    pub progress: Option<(u64, u64)>,
    /// When the next round begins.
    pub next_at: Option<Millis>,
    /// When both sides were last the same.
    pub synced_at: Option<Millis>,
}

/// A step that is to be done. Each effect is answered by the input of the same kind.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Read the link, and events after `link.acked`. Answered by [`Input::Read`].
    Read {
        /// At most this many.
        most: usize,
    },
    /// Send events.
    Push {
        /// To whom.
        link: Box<Link>,
        /// In the order of their `seq`.
        events: Vec<Event>,
    },
    /// Ask for rows.
    Pull {
        /// Whom.
        link: Box<Link>,
        /// After this version.
        cursor: u64,
        /// At most this many.
        limit: u32,
    },
    /// Trade the refresh token.
    Refresh {
        /// With whom.
        link: Box<Link>,
    },
    /// Do a durable step.
    Commit {
        /// The revision it was planned at.
        expected: u64,
        /// The step.
        change: Box<Change>,
    },
    /// The round is over.
    Rest(Rest),
}

/// The end of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rest {
    /// When the next one begins by itself; `None`: only when a person or a new link wakes it.
    pub until: Option<Millis>,
}

/// The link and the events, as read from the store.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sent {
    /// The link.
    pub link: Link,
    /// Events after `link.acked`.
    pub events: Vec<Stored>,
}

/// Occurrence that the machine answers with an effect.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// A round is to begin: the time has come, or something was written. Whatever was under way is
    /// forgotten; what it had done durably stays.
    Wake,
    /// The store was read; `None` without a link.
    Read(Result<Option<Box<Sent>>, StoreError>),
    /// The answer to a push.
    Pushed(Result<Pushed, RemoteError>),
    /// The answer to a pull.
    Pulled(Result<Page, RemoteError>),
    /// The answer to a refresh.
    Refreshed(Result<Session, RemoteError>),
    /// A durable step was done.
    Committed(Result<Box<Link>, StoreError>),
}
