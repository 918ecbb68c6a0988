//! The stages of setting up syncing, for pages that differ by them.

use lesson_types::{ApiError, SyncPhase, SyncStatus};

/// The stage of syncing, as Settings shows it.
#[derive(Debug, Clone, PartialEq)]
pub enum Stage {
    /// The engine has not answered yet.
    Unknown,
    /// The engine could not answer.
    Failed(ApiError),
    /// No server is connected.
    Off,
    /// A server is connected.
    On,
}

/// The stage that an answer of `GET /v1/sync` tells; none is there before the engine has answered.
pub(super) fn stage(answer: &Option<Result<SyncStatus, ApiError>>) -> Stage {
    match answer {
        None => Stage::Unknown,
        Some(Err(error)) => Stage::Failed(error.clone()),
        Some(Ok(status)) if status.phase == SyncPhase::Off => Stage::Off,
        Some(Ok(_)) => Stage::On,
    }
}
