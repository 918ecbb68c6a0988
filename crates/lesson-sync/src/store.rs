//! The store's interface and its errors.

use lesson_core::{Event, Happening, Millis};

/// What is to be appended.
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    /// An event made here: the store gives it its actor and the next sequence number in the
    /// transaction that keeps it.
    Own {
        /// UUIDv7.
        op_id: String,
        /// When it was made.
        at: Millis,
        /// What happened.
        event: Happening,
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
}

/// Who writes to this store.
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
    /// Others have appended since `expected`; read what is new, check again, and repeat.
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

    /// All events after `position`, in order; 0 reads everything.
    ///
    /// # Errors
    /// When the medium fails.
    async fn read_after(&self, position: u64) -> Result<Ledger, StoreError>;

    /// Keeps all entries durably, or none, and returns them with their places.
    ///
    /// # Errors
    /// [`StoreError::Behind`] when the last position is not `expected`; otherwise as the medium
    /// fails.
    async fn append(&self, expected: u64, entries: Vec<Entry>) -> Result<Vec<Stored>, StoreError>;

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
}
