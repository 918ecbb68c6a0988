//! Acts that can be done: on the page that is shown, and anywhere.

use leptos::prelude::*;

/// Something that can be done, by its key and from the palette.
#[derive(Clone, Copy)]
pub struct Act {
    /// The act as a command.
    pub label: &'static str,
    /// A single key; none where it would do harm by accident.
    pub key: Option<&'static str>,
    /// True while it can be done.
    pub when: Signal<bool>,
    /// Set if the palette lists it; a step of the keyboard is none to be looked up.
    pub listed: bool,
    /// Does it.
    pub run: Callback<()>,
}

impl Act {
    /// An act that can always be done.
    pub fn new(label: &'static str, run: impl Fn() + Send + Sync + 'static) -> Self {
        Self {
            label,
            key: None,
            when: Signal::derive(|| true),
            listed: true,
            run: Callback::new(move |()| run()),
        }
    }

    /// With a key.
    pub fn key(self, key: &'static str) -> Self {
        Self {
            key: Some(key),
            ..self
        }
    }

    /// For its key alone.
    pub fn unlisted(self) -> Self {
        Self {
            listed: false,
            ..self
        }
    }

    /// Only while `when` holds.
    pub fn when(self, when: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self {
            when: Signal::derive(when),
            ..self
        }
    }
}

/// The acts of what is on show, the newest part's last.
#[derive(Clone, Copy)]
pub(super) struct Acts {
    pub(super) list: RwSignal<Vec<(u32, Act)>>,
    pub(super) next: StoredValue<u32>,
}

impl Acts {
    pub(super) fn new() -> Self {
        Self {
            list: RwSignal::new(Vec::new()),
            next: StoredValue::new(0),
        }
    }

    /// Returns the listed acts that can be done now.
    pub(super) fn now(self) -> Vec<Act> {
        self.list
            .get()
            .into_iter()
            .map(|(_, act)| act)
            .filter(|act| act.listed && act.when.get())
            .collect()
    }

    /// Finds the act that this key does now.
    pub(super) fn of_key(self, key: &str) -> Option<Act> {
        let list = self.list.get_untracked();
        let found = list.iter().rev().map(|(_, act)| *act);
        found
            .filter(|act| act.key == Some(key))
            .find(|act| act.when.get_untracked())
    }
}
