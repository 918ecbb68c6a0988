//! How far indexing and syncing are, as JavaScript reads it.

use lesson_service::{Indexing, SyncRound};
use serde::Serialize;

/// How far lessons have their vectors.
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

/// How a round of syncing ended.
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
