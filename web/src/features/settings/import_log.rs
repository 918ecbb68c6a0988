//! The list of imports of this browser, so that each can be undone and redone later. The page that `lessonloop serve` opens
//! keeps it where the command line does; taking one back is the engine's.

use crate::api::Client;
use crate::dom::{self, Memory};
use leptos::prelude::*;
use lesson_types::{ApiError, ImportTurned, Imported, ImportedLesson, TurnImport};
use serde::{Deserialize, Serialize};

/// Where they are remembered.
const KEY: &str = "lessonloop.imports";
/// Imports that are remembered.
const MOST: usize = 20;
/// Lessons that all of them may have, so that the browser's storage holds the list.
const MOST_LESSONS: usize = 20_000;
/// Lessons that one request takes.
const BATCH: usize = 1_000;

/// An import.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Logged {
    /// Names it.
    pub(super) id: String,
    /// When, in milliseconds since the Unix epoch.
    pub(super) at: f64,
    /// The files, in a word.
    pub(super) name: String,
    /// The lessons that it added and changed.
    pub(super) lessons: Vec<ImportedLesson>,
    /// The result of undoing it; absent while it stands.
    #[serde(default)]
    pub(super) undone: Option<Undone>,
}

/// The result of taking an import back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Undone {
    /// Lessons that were archived.
    pub(super) archived: u32,
    /// Lessons that have the text of before.
    pub(super) restored: u32,
    /// Lessons that changed since, and stayed.
    pub(super) left: u32,
}

/// The imports, the latest first; cheap to copy, provided as a context of the page.
#[derive(Clone, Copy)]
pub(super) struct ImportLog(pub(super) RwSignal<Vec<Logged>>);

impl ImportLog {
    /// Reads what is remembered, and provides it.
    pub(super) fn provide() -> Self {
        let log = Self(RwSignal::new(remembered()));
        provide_context(log);
        log
    }

    /// The log of the page.
    pub(super) fn get_from_context() -> Self {
        // The page provides it before its sections are made.
        expect_context()
    }

    /// Takes an import down, and names it; nothing of one that changed no lesson.
    pub(super) fn note(self, name: &str, done: &Imported) -> Option<String> {
        let id = note(name, done)?;
        self.0.try_set(remembered());
        Some(id)
    }

    /// Reads one.
    pub(super) fn find(self, id: &str) -> Option<Logged> {
        self.0
            .with(|all| all.iter().find(|one| one.id == id).cloned())
    }

    /// Undoes one that stands, and redoes one that was undone.
    pub(super) async fn turn(self, client: Client, id: &str) -> Result<Logged, ApiError> {
        let Some(mut one) = untrack(|| self.find(id)) else {
            return Err(ApiError::new(
                lesson_types::ErrorCode::NotFound,
                "This import is not remembered any more. Its lessons are in the list.",
            ));
        };
        let redo = one.undone.is_some();
        let mut done = Undone::default();
        let mut lessons = Vec::with_capacity(one.lessons.len());
        for batch in one.lessons.chunks(BATCH) {
            let request = TurnImport {
                lessons: batch.to_vec(),
                redo,
            };
            let part: ImportTurned = client.post_json("/v1/import/turn", &request).await?;
            done.archived += part.archived;
            done.restored += part.restored;
            done.left += part.left;
            lessons.extend(part.lessons);
        }
        one.lessons = lessons;
        one.undone = (!redo).then_some(done);
        let mut all = remembered();
        if let Some(held) = all.iter_mut().find(|held| held.id == id) {
            held.clone_from(&one);
        }
        keep(&all);
        self.0.try_set(all);
        Ok(one)
    }
}

/// Takes an import down without a page that lists them.
pub(super) fn note(name: &str, done: &Imported) -> Option<String> {
    if done.lessons.is_empty() {
        return None;
    }
    let id = dom::random_id();
    let mut all = remembered();
    all.insert(
        0,
        Logged {
            id: id.clone(),
            at: js_sys::Date::now(),
            name: name.to_owned(),
            lessons: done.lessons.clone(),
            undone: None,
        },
    );
    keep(&all);
    Some(id)
}

fn remembered() -> Vec<Logged> {
    let text = Memory::Browser.find(KEY);
    text.and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default()
}

/// Keeps as many of the latest as fit.
fn keep(all: &[Logged]) {
    let fits = fitting(all);
    if let Ok(text) = serde_json::to_string(&all[..fits.min(all.len())]) {
        Memory::Browser.keep(KEY, &text);
    }
}

/// Counts the latest imports that are remembered; the first one always is.
fn fitting(all: &[Logged]) -> usize {
    let mut lessons = 0;
    let fits = all.iter().take(MOST).take_while(|one| {
        let first = lessons == 0;
        lessons += one.lessons.len();
        first || lessons <= MOST_LESSONS
    });
    fits.count()
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn import(lessons: usize) -> Logged {
        let lesson = ImportedLesson {
            slug: "a".to_owned(),
            rev: 1,
            added: true,
            archived: false,
            taken_back: None,
        };
        Logged {
            id: "i".to_owned(),
            at: 0.0,
            name: "a.md".to_owned(),
            lessons: vec![lesson; lessons],
            undone: None,
        }
    }

    #[test]
    fn the_latest_imports_are_remembered_as_far_as_they_fit() {
        for (sizes, fits) in [
            (vec![], 0),
            (vec![1; 30], MOST),
            (vec![MOST_LESSONS + 1, 1], 1),
            (vec![10, MOST_LESSONS - 10, 1], 2),
            (vec![10, MOST_LESSONS, 1], 1),
        ] {
            let all: Vec<Logged> = sizes.iter().map(|size| import(*size)).collect();
            assert_eq!(fitting(&all), fits, "{sizes:?}");
        }
    }

    #[test]
    fn what_is_remembered_is_read_back() {
        let one = Logged {
            undone: Some(Undone {
                archived: 2,
                ..Undone::default()
            }),
            ..import(2)
        };
        let text = serde_json::to_string(&[&one]).unwrap_or_default();
        let read: Vec<Logged> = serde_json::from_str(&text).unwrap_or_default();
        assert_eq!(read, [one]);
    }
}
