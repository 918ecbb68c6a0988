//! Bounds of what is read, and of what a lesson may hold.

use lesson_core::{Lesson, Text};
use lesson_types::limits::{
    CONTEXT, DESCRIPTION, EXTRA, FINDINGS, RECOMMENDATION, TITLE, WORD, WORDS,
};
pub(super) use lesson_types::limits::{COUNT, FILE_BYTES};

/// One line of a JSONL file, in bytes.
pub(super) const LINE_BYTES: usize = 4 * 1024 * 1024;
/// Lessons and events in one batch.
pub(super) const RECORDS: usize = 1_000_000;
/// Problems that are listed one by one, of either sort; the rest are counted.
pub(super) const PROBLEMS: usize = 1_000;

/// The first field of a lesson that is out of bounds, and what to do; None when all is well.
pub(super) fn out_of_bounds(lesson: &Lesson) -> Option<String> {
    text_out_of_bounds(&lesson.text)
        .or_else(|| too_long("source", &lesson.source, WORD))
        .or_else(|| {
            (lesson.findings.len() > FINDINGS)
                .then(|| format!("findings has more than {FINDINGS} entries"))
        })
}

fn text_out_of_bounds(text: &Text) -> Option<String> {
    [
        ("title", &text.title, TITLE),
        ("description", &text.description, DESCRIPTION),
        ("context", &text.context, CONTEXT),
        ("recommendation", &text.recommendation, RECOMMENDATION),
        ("domain", &text.domain, WORD),
        ("extra", &text.extra, EXTRA),
    ]
    .into_iter()
    .find_map(|(field, value, most)| too_long(field, value, most))
    .or_else(|| {
        [
            ("project_types", &text.project_types),
            ("tech_stacks", &text.tech_stacks),
            ("tags", &text.tags),
        ]
        .into_iter()
        .find_map(|(field, list)| words_out_of_bounds(field, list))
    })
}

/// Why a text is longer than `most` characters.
pub(super) fn too_long(field: &str, value: &str, most: usize) -> Option<String> {
    // A character has at least one byte, so short texts need no counting.
    if value.len() <= most {
        return None;
    }
    let count = value.chars().count();
    (count > most).then(|| {
        format!("{field} has {count} characters, but at most {most} are taken; shorten it")
    })
}

fn words_out_of_bounds(field: &str, list: &[String]) -> Option<String> {
    if list.len() > WORDS {
        return Some(format!(
            "{field} has {} entries, but at most {WORDS} are taken; remove some",
            list.len()
        ));
    }
    list.iter().find_map(|word| too_long(field, word, WORD))
}

/// Returns why an edit is out of bounds, as [`text_out_of_bounds`] says it of a text.
pub(super) fn edit_out_of_bounds(changes: &lesson_core::Changes) -> Option<String> {
    text_out_of_bounds(&changes.applied_to(&Text::default()))
}
