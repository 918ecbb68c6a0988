//! Progress of indexing and syncing, as JavaScript reads it.

use lesson_service::{Indexing, SyncRound};
use serde::Serialize;

/// Progress of giving lessons their vectors.
#[derive(Serialize)]
pub(crate) struct Progress {
    done: usize,
    total: usize,
    elsewhere: usize,
}

impl Progress {
    pub(crate) fn of(indexing: Indexing) -> Self {
        Self {
            done: indexing.done,
            total: indexing.total,
            elsewhere: indexing.elsewhere,
        }
    }
}

/// Result of a round of syncing.
#[derive(Serialize)]
pub(crate) struct Round {
    next_at: Option<f64>,
    changed: bool,
}

impl Round {
    pub(crate) fn of(round: &SyncRound) -> Self {
        Self {
            next_at: round.next_at.map(|at| at as f64),
            changed: round.changed,
        }
    }
}
