//! Text that is typed into a lesson's form, kept in this browser until it is saved or dropped: another page, a reload or a
//! closed tab loses none of it.

use super::form::{FormText, LessonFields};
use crate::dom::Memory;
use leptos::ev;
use leptos::prelude::*;
use leptos_use_event_listener::use_event_listener;
use leptos_use_fn_debounce_throttle::use_debounce_fn;
use lesson_types::LessonView;
use serde::{Deserialize, Serialize};

const KEY: &str = "lessonloop.draft.";
/// A pause in typing after which the draft is written, in milliseconds.
const PAUSE: f64 = 250.0;

/// A text that is not saved yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    /// The text of the form's fields.
    pub text: FormText,
    /// The lesson that the edit began with; none of a new one.
    pub base: Option<LessonView>,
    /// When it was last typed in, in milliseconds.
    pub at: f64,
}

/// Where a draft is kept: by the lesson's slug, or for a new lesson.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DraftOf {
    /// A lesson that is not there yet.
    New,
    /// An edit of this lesson.
    Edit(String),
}

impl DraftOf {
    fn key(&self) -> String {
        match self {
            // No slug has a dot.
            Self::New => format!("{KEY}new."),
            Self::Edit(slug) => format!("{KEY}{slug}"),
        }
    }

    /// The draft that was kept.
    pub fn find(&self) -> Option<Draft> {
        Memory::Browser.find_json(&self.key())
    }

    /// Keeps a draft; `false` where storage does not allow it.
    pub fn keep(&self, draft: &Draft) -> bool {
        Memory::Browser.keep_json(&self.key(), draft)
    }

    /// Forgets it.
    pub fn drop(&self) {
        Memory::Browser.forget(&self.key());
    }
}

/// Keeps what is typed for as long as the form is there. Cheap to copy.
#[derive(Clone, Copy)]
pub struct Keeper {
    of: StoredValue<DraftOf>,
    base: StoredValue<Option<LessonView>>,
    fields: LessonFields,
    /// The text without which nothing is to be kept.
    plain: StoredValue<FormText>,
    done: StoredValue<bool>,
}

impl Keeper {
    /// Keeps what differs from `plain`.
    pub fn follow(
        of: DraftOf,
        base: Option<LessonView>,
        fields: LessonFields,
        plain: FormText,
    ) -> Self {
        let keeper = Self {
            of: StoredValue::new(of),
            base: StoredValue::new(base),
            fields,
            plain: StoredValue::new(plain),
            done: StoredValue::new(false),
        };
        let write_soon = use_debounce_fn(move || keeper.write(), PAUSE);
        Effect::new(move |before: Option<()>| {
            fields.text();
            if before.is_some() {
                write_soon();
            }
        });
        // A browser that reloads or closes the tab asks first; what was typed just now is written before.
        let _ = use_event_listener(window(), ev::beforeunload, move |event| {
            keeper.write();
            if keeper.is_changed() {
                event.prevent_default();
            }
        });
        on_cleanup(move || keeper.write());
        keeper
    }

    /// True if something stands in the form that is not saved.
    pub fn is_changed(self) -> bool {
        let text = self.fields.text_untracked();
        !self.done.try_get_value().unwrap_or(true)
            && self
                .plain
                .try_with_value(|plain| *plain != text)
                .unwrap_or_default()
    }

    fn write(self) {
        if self.done.try_get_value().unwrap_or(true) {
            return;
        }
        let changed = self.is_changed();
        self.of.try_with_value(|of| {
            if changed {
                of.keep(&Draft {
                    text: self.fields.text_untracked(),
                    base: self.base.get_value(),
                    at: js_sys::Date::now(),
                });
            } else {
                of.drop();
            }
        });
    }

    /// The edit goes on from a newer text.
    pub fn rebase(self, base: LessonView) {
        self.plain.set_value(LessonFields::text_of(&base));
        self.base.set_value(Some(base));
    }

    /// The text is saved, or dropped by the person.
    pub fn finish(self) {
        self.done.try_set_value(true);
        self.of.try_with_value(DraftOf::drop);
    }
}
