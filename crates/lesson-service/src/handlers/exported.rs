//! Contents of an export: its lessons, and the answer of several files.

use crate::http::answer::Answer;
use crate::state::snapshot::State;
use lesson_core::{Lesson, SALT_SETTING};
use lesson_types::{ApiError, ExportFiles, ImportFile};

/// The lessons that files for agents are made of: all but those that measuring says hurt.
pub(super) fn unharmful(state: &State) -> Vec<&Lesson> {
    let lessons = state.space.lessons();
    if state.space.setting(SALT_SETTING).is_none() {
        return lessons.collect();
    }
    state.with_effects(|effects| {
        lessons
            .filter(|lesson| !effects.hurts(&lesson.slug))
            .collect()
    })
}

/// Files by path and content.
pub(super) fn files(
    files: impl Iterator<Item = (String, String)>,
) -> Result<Answer<ExportFiles>, ApiError> {
    let files = files
        .map(|(path, content)| ImportFile { path, content })
        .collect();
    Ok(Answer::json(ExportFiles { files }))
}
