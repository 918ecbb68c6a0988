//! The server as syncing sees it.

use crate::link::{Link, Session, VersionedRow};
use lesson_core::Event;

/// The server's answer to a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pushed {
    /// Outcome of the batch.
    pub status: PushStatus,
    /// The actor's last event that the server has dealt with.
    pub acked_seq: u64,
    /// Events of the batch that were set aside.
    pub rejected: Vec<Rejected>,
}

/// Outcome of a pushed batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PushStatus {
    /// Everything up to `acked_seq` is in the ledger or set aside.
    Ok,
    /// The event after `acked_seq` is missing.
    Gap,
    /// Another device pushed other events under this actor.
    Cloned,
}

/// An event that was set aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejected {
    /// Its number.
    pub seq: u64,
    /// The field at fault.
    pub field: String,
    /// Why.
    pub reason: String,
}

/// Rows that changed after a cursor. One snapshot of the server.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// The rows, in order of their versions.
    pub rows: Vec<VersionedRow>,
    /// The cursor of the next page.
    pub next_cursor: u64,
    /// The space's version: the cursor of the last page.
    pub version: u64,
    /// True if there are more rows.
    pub has_more: bool,
    /// The last event of the asking actor that the snapshot has; 0 for none.
    pub acked_seq: u64,
    /// Changes when the server is restored from a backup; what follows a `.` when it folds the space anew.
    pub epoch: String,
    /// The version of the server's schema: see [`crate::SCHEMA_VERSION`]. 0 where it tells none.
    pub schema_version: u32,
}

/// Why a request to the server did not do what was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RemoteError {
    /// No answer; it may have been done. The cause.
    NoAnswer(String),
    /// The server or something before it is in trouble (5xx), or answers what it never would (HTML,
    /// cut JSON); it may have been done. The cause, for a person.
    Trouble(String),
    /// The access token is not accepted (401).
    Unauthorized,
    /// The batch is too large (413).
    TooLarge,
    /// Too many requests, or busy (429, 503 with `retry-after`); milliseconds to wait, if told.
    Busy(Option<u64>),
    /// The actor is another user's (403).
    ActorTaken,
    /// There is no such space, or no such lesson in it, as far as who asks may see.
    NotFound,
    /// Nothing that repeating would mend: a wrong address, a wrong key, a server of an
    /// older schema. What it is and what to do, for a person.
    Refused(String),
}

/// The server. Every call is safe to repeat.
///
/// Futures are polled on one thread; a wasm host has no other.
#[allow(async_fn_in_trait)] // One thread: no `Send` bound is wanted.
pub trait Remote {
    /// Sends events of `link.actor`, in the order of their `seq`.
    ///
    /// # Errors
    /// See [`RemoteError`].
    async fn push(&self, link: &Link, events: &[Event]) -> Result<Pushed, RemoteError>;

    /// Asks for rows that changed after `cursor`.
    ///
    /// # Errors
    /// See [`RemoteError`].
    async fn pull(&self, link: &Link, cursor: u64, limit: u32) -> Result<Page, RemoteError>;

    /// Trades the refresh token for a new session.
    ///
    /// # Errors
    /// [`RemoteError::Unauthorized`] when it has expired; see [`RemoteError`].
    async fn refresh(&self, link: &Link) -> Result<Session, RemoteError>;
}
