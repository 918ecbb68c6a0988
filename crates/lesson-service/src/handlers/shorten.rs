//! Shortening an answer's lessons to its token budget.

use lesson_core::{
    BadgeWords, GivenText, Lesson, RelevanceWord, prompt_text_by, prompt_text_shared,
};
use lesson_types::LessonView;

/// Bytes of UTF-8 that are reckoned as one token.
const TOKEN_BYTES: usize = 4;

/// The room of a prompt text, and what becomes of lessons that don't fit into it.
#[derive(Clone, Copy)]
pub(crate) struct Budget {
    /// The tokens of the text.
    pub tokens: usize,
    /// Shortens each lesson to its share; else the first one alone, and later ones are left out.
    pub is_shared: bool,
}

/// A prompt text within its room.
pub(crate) struct Prompt {
    pub text: String,
    /// Of each lesson, its tokens in the text; 0 of one that is not in it.
    pub tokens: Vec<usize>,
    /// Of each lesson, the places of those that it contradicts.
    pub contradicts: Vec<Vec<usize>>,
    /// Of each lesson, its texts as they stand there; `None` of one that is not there. Empty unless the room is shared.
    given: Vec<Option<GivenText>>,
}

impl Budget {
    /// The prompt text for these lessons, best first.
    pub fn prompt(self, lessons: &[(&Lesson, RelevanceWord)], badge: BadgeWords<'_>) -> Prompt {
        if self.is_shared {
            let shared = prompt_text_shared(lessons, self.tokens, badge);
            return Prompt {
                text: shared.prompt.text,
                tokens: shared.prompt.tokens,
                contradicts: shared.prompt.contradicts,
                given: shared.given,
            };
        }
        let prompt = prompt_text_by(lessons, Some(self.tokens), badge);
        Prompt {
            text: prompt.text,
            tokens: prompt.tokens,
            contradicts: prompt.contradicts,
            given: Vec::new(),
        }
    }

    /// Shortens the lessons of an answer as its prompt text has them; of each, whether it was cut.
    pub fn shorten<'a>(
        self,
        prompt: &mut Prompt,
        views: impl Iterator<Item = &'a mut LessonView>,
    ) -> Vec<Option<bool>> {
        if !self.is_shared {
            let mut room = Room::of_tokens(self.tokens);
            return views.map(|view| room.take(view)).collect();
        }
        let given = prompt.given.drain(..);
        views
            .zip(given)
            .map(|(view, given)| {
                // One that is not there has no texts.
                let given = given.unwrap_or(GivenText {
                    is_cut: true,
                    ..GivenText::default()
                });
                view.title = given.title;
                view.description = given.description;
                view.context = given.context;
                view.recommendation = given.recommendation;
                view.source = given.source;
                given.is_cut.then_some(true)
            })
            .collect()
    }
}

/// Bytes left for the texts of an answer's lessons.
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
