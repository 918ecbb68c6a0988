//! Shortening an answer's lessons to its token budget.

use lesson_types::LessonView;

/// Bytes of UTF-8 that are reckoned as one token.
const TOKEN_BYTES: usize = 4;

/// What is left for the texts of an answer's lessons.
pub(crate) struct Room {
    bytes: usize,
}

impl Room {
    /// Room for so many tokens.
    pub fn of_tokens(tokens: usize) -> Self {
        Self {
            bytes: tokens.saturating_mul(TOKEN_BYTES),
        }
    }

    /// Takes a lesson's texts out of the room; `Some(true)` when they had to be cut.
    pub fn take(&mut self, lesson: &mut LessonView) -> Option<bool> {
        let mut is_cut = false;
        for text in [
            &mut lesson.description,
            &mut lesson.recommendation,
            &mut lesson.context,
        ] {
            if text.len() > self.bytes {
                text.truncate(text.floor_char_boundary(self.bytes));
                is_cut = true;
            }
            self.bytes -= text.len();
        }
        is_cut.then_some(true)
    }
}
