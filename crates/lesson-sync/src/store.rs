//! The store's interface and its errors.

use crate::link::{Change, Link, SetAside, VersionedRow};
use lesson_core::{Event, EventKind, Millis};
use lesson_types::DecisionOutcome;
use serde::{Deserialize, Serialize};
use uuid::Builder;

/// Event that is to be appended.
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    /// An event made here: the store gives it its actor and the next sequence number in the
    /// transaction that keeps it.
    Own {
        /// UUIDv7.
        op_id: String,
        /// When it was made.
        at: Millis,
        /// Maker of the event: see [`Event::by`].
        by: String,
        /// SHA-256 of the request that it was made for: see [`Event::request`].
        request: Option<String>,
        /// The event itself.
        event: EventKind,
    },
    /// An event made elsewhere, kept as it is; left out when its `op_id` is kept already.
    Foreign(Event),
}

/// An event with its place in the store.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    /// From 1, growing; there may be gaps.
    pub position: u64,
    /// The event.
    pub event: Event,
}

/// Events read from a store.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ledger {
    /// In order of their positions.
    pub events: Vec<Stored>,
    /// The last position in the store, readable or not; 0 when it is empty.
    pub position: u64,
    /// Entries that can't be read, with the reason; they stay where they are.
    pub unreadable: Vec<(u64, String)>,
    /// The link's revision when this was read; 0 without a link.
    pub revision: u64,
    /// Another one than before: what was read earlier has come in another order, and all has to be read anew. Stores
    /// that only ever grow stay at 0.
    pub epoch: u64,
}

/// Fold of a store's events that is kept, to be had again at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptSnapshot {
    /// The events up to this position are in it.
    pub position: u64,
    /// As they were given to [`Store::keep_snapshot`].
    pub bytes: Vec<u8>,
}

/// An outcome that something points to and nobody has told. It is no event: only what a person makes of it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suggestion {
    /// The decision.
    pub decision_id: String,
    /// The outcome that is pointed to.
    pub outcome: DecisionOutcome,
    /// Why, in one sentence.
    pub because: String,
    /// When it was suggested.
    pub at: Millis,
    /// A person said that it is not so.
    #[serde(default)]
    pub dismissed: bool,
}

/// The writer to this store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The actor of events made here.
    pub actor: String,
}

/// A vector as it is kept: the hash of the embedded text, and the quantised bytes.
pub type VectorRow = (String, Vec<u8>);

/// Why a store refuses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreError {
    /// Others have written since `expected`; read what is new, check again, and repeat.
    Behind,
    /// There is no room left. Nothing of the batch was kept.
    Full,
    /// The connection was lost and could not be opened again.
    Lost(String),
    /// Any other failure of the medium, in its words. Nothing of the batch was kept.
    Failed(String),
}

impl StoreError {
    /// A stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Behind => "behind",
            Self::Full => "full",
            Self::Lost(_) => "lost",
            Self::Failed(_) => "failed",
        }
    }
}

impl std::fmt::Display for StoreError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Behind => f.write_str("another tab has written in the meantime; try again"),
            Self::Full => f.write_str(
                "storage is full, or the browser would not write to it, and nothing was saved; free space on the disk or in the browser's site settings, then try again",
            ),
            Self::Lost(cause) => write!(f, "the connection to storage was lost ({cause}); reload the page"),
            Self::Failed(cause) => write!(f, "storage failed and nothing was saved ({cause}); try again"),
        }
    }
}

impl std::error::Error for StoreError {}

/// An append-only ledger, and the vectors derived from it.
///
/// Futures are polled on one thread; a wasm host has no other.
#[allow(async_fn_in_trait)] // One thread: no `Send` bound is wanted.
pub trait Store {
    /// `memory`, `indexed_db`, …
    fn kind(&self) -> &'static str;

    /// The identity kept with the ledger; `fresh` is kept and returned when there is none yet.
    ///
    /// # Errors
    /// When the medium fails.
    async fn identity(&self, fresh: &str) -> Result<Identity, StoreError>;

    /// All events after `position`, in order; 0 reads everything. Of a linked store these are the
    /// events made here that it still keeps.
    ///
    /// # Errors
    /// When the medium fails.
    async fn read_after(&self, position: u64) -> Result<Ledger, StoreError>;

    /// Up to `most` events after `position`, in order, as [`Store::read_after`].
    ///
    /// # Errors
    /// When the medium fails.
    async fn read_some(&self, position: u64, most: usize) -> Result<Ledger, StoreError>;

    /// Keeps all entries durably, or none, and returns them with their places.
    ///
    /// # Errors
    /// [`StoreError::Behind`] when the last position is not `expected`; otherwise as the medium
    /// fails.
    async fn append(&self, expected: u64, entries: Vec<Entry>) -> Result<Vec<Stored>, StoreError>;

    /// Ends a write that was tried, kept or not. A store that others write to may keep them away from a
    /// [`StoreError::Behind`] until the append that follows it, so that a busy store makes nobody wait for ever; who does
    /// not append again says so.
    fn end_write(&self) {}

    /// Every vector kept for this model.
    ///
    /// # Errors
    /// When the medium fails.
    async fn vectors(&self, model: &str) -> Result<Vec<VectorRow>, StoreError>;

    /// Keeps vectors; one with the same model and hash is replaced. They are derived and may be
    /// lost: a store that is full may keep none.
    ///
    /// # Errors
    /// When the medium fails.
    async fn put_vectors(&self, model: &str, rows: &[VectorRow]) -> Result<(), StoreError>;

    /// Begins a slice of embedding: the vectors that others have kept of this model since [`Store::vectors`] or the last
    /// slice. `None` while another process that shares the store is at one, so that each text is embedded once; else
    /// [`Store::end_embedding`] ends it.
    ///
    /// # Errors
    /// When the medium fails.
    async fn begin_embedding(&self, _model: &str) -> Result<Option<Vec<VectorRow>>, StoreError> {
        Ok(Some(Vec::new()))
    }

    /// Ends what [`Store::begin_embedding`] began.
    fn end_embedding(&self) {}

    /// The link to a server; `None` when this store is a ledger on its own.
    ///
    /// # Errors
    /// When the medium fails.
    async fn link(&self) -> Result<Option<Link>, StoreError>;

    /// Rows with a version after `version`, in order of their versions; 0 reads all.
    ///
    /// # Errors
    /// When the medium fails.
    async fn rows_after(&self, version: u64) -> Result<Vec<VersionedRow>, StoreError>;

    /// Events that the server did not take, in the order in which that was learned.
    ///
    /// # Errors
    /// When the medium fails.
    async fn set_aside(&self) -> Result<Vec<SetAside>, StoreError>;

    /// Does one step of syncing in one transaction, and returns the link with its new revision.
    /// `expected` is the revision that the step was planned at, 0 for a store without a link.
    ///
    /// # Errors
    /// [`StoreError::Behind`] when the revision is another one; otherwise as the medium fails.
    async fn commit(&self, expected: u64, change: Change) -> Result<Link, StoreError>;

    /// The outcomes that were suggested here, the oldest first, the dismissed ones among them.
    ///
    /// # Errors
    /// When the medium fails.
    async fn suggestions(&self) -> Result<Vec<Suggestion>, StoreError> {
        Ok(Vec::new())
    }

    /// Keeps a suggestion in place of another one for the decision. It may be lost, and a store may keep none.
    ///
    /// # Errors
    /// When the medium fails.
    async fn keep_suggestion(&self, _suggestion: Suggestion) -> Result<(), StoreError> {
        Ok(())
    }

    /// Removes everything: events, rows, link, vectors and identity. Positions go on, so that who
    /// appends to what was there before is [`StoreError::Behind`].
    ///
    /// # Errors
    /// When the medium fails; nothing is removed then.
    async fn wipe(&self) -> Result<(), StoreError>;

    /// The fold that was kept last, while it still is one of the first events in the store; to be asked for before
    /// anything else is read. A store may keep none.
    ///
    /// # Errors
    /// When the medium fails.
    async fn snapshot(&self) -> Result<Option<KeptSnapshot>, StoreError> {
        Ok(None)
    }

    /// Keeps the fold of all events up to a position, unless more have been read since. It may be lost.
    ///
    /// # Errors
    /// When the medium fails.
    async fn keep_snapshot(&self, _position: u64, _bytes: &[u8]) -> Result<(), StoreError> {
        Ok(())
    }
}

/// A UUID of version 7: 48 bits of time, then the low 80 bits of `random` but for those that say
/// the version and variant.
///
/// ```
/// let id = lesson_sync::uuid7(1_795_336_200_000, 0);
/// assert_eq!(id, "01a20260-5f40-7000-8000-000000000000");
/// ```
pub fn uuid7(now: Millis, random: u128) -> String {
    let mut low = [0; 10];
    low.copy_from_slice(&random.to_be_bytes()[6..]);
    Builder::from_unix_timestamp_millis(now.max(0).unsigned_abs(), &low)
        .into_uuid()
        .to_string()
}

/// A UUID of version 8: `bits`, but for those that say the version and variant. For ids that are
/// derived from something.
///
/// ```
/// let id = lesson_sync::uuid8(0);
/// assert_eq!(id, "00000000-0000-8000-8000-000000000000");
/// ```
pub fn uuid8(bits: u128) -> String {
    Builder::from_custom_bytes(bits.to_be_bytes())
        .into_uuid()
        .to_string()
}
