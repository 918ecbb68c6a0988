//! The state of exchanging vectors with the linked server.

use lesson_core::Millis;

/// The state of exchanging vectors with the server. All of it may be lost at any time.
#[derive(Debug, Default)]
pub(crate) struct Exchange {
    /// Server and model that it is about.
    pub of: Option<About>,
    /// [`crate::state::vectors::Vectors::changes`] as of the last whole look at what the server lacks.
    pub seen: Option<u64>,
    /// The same, as of the beginning of the look under way, if it can be a whole one.
    pub looking: Option<u64>,
    /// Where that look goes on.
    pub lacking_after: String,
    /// Where taking all vectors goes on.
    pub walked: String,
    /// When the server was last asked for vectors.
    pub asked_at: Millis,
    /// The most vectors sent at once, while the server wants fewer.
    pub batch: Option<usize>,
    /// Failures in a row, and when to try again.
    pub failures: u32,
    pub not_before: Millis,
    /// When the round under way began.
    pub began: Option<Millis>,
}

/// A server, and the model whose vectors are exchanged with it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct About {
    pub url: String,
    pub space: String,
    pub epoch: String,
    pub model: String,
}

impl Exchange {
    /// True if it is not yet time to try again. A clock that was set back does not make it longer.
    pub fn waits(&self, now: Millis) -> bool {
        self.failures > 0 && now < self.not_before && self.not_before - now <= lesson_sync::LONGEST
    }
}
