//! Errors of the layers below as errors of the interface.

use lesson_core::FoldError;
use lesson_embed::EmbedError;
use lesson_sync::StoreError;
use lesson_types::{ApiError, ErrorCode};

/// The interface's error for an event that the fold refuses.
pub(crate) fn of_fold(error: &FoldError) -> ApiError {
    let code = match error {
        FoldError::UnknownLesson(_) | FoldError::UnknownDecision(_) => ErrorCode::NotFound,
        FoldError::SlugTaken(_) | FoldError::Conflict { .. } => ErrorCode::Conflict,
        FoldError::Invalid { .. } => ErrorCode::InvalidRequest,
    };
    ApiError::new(code, error.to_string()).at(error.field())
}

/// The interface's error for a store that refuses.
pub(crate) fn of_store(error: &StoreError) -> ApiError {
    ApiError::new(ErrorCode::Unavailable, error.to_string())
}

/// The interface's error for a model that can't be loaded or run.
pub(crate) fn of_model(error: &EmbedError) -> ApiError {
    ApiError::invalid("model", error.to_string())
}

/// There is no such lesson.
pub(crate) fn no_lesson(slug: &str) -> ApiError {
    of_fold(&FoldError::UnknownLesson(clip(slug)))
}

/// A name as it may stand in a message: at most 200 characters of it.
pub fn clip(name: &str) -> String {
    match name.char_indices().nth(200) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}
