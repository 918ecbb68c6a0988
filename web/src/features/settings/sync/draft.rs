//! The input to connect a server, shared by the steps of the form.

use crate::api::Asking;
use crate::format;
use leptos::prelude::*;
use lesson_types::{Connect as Request, Hold, LargeSpace, SpaceChoice};

/// The id of the card, which links name.
pub(super) const CARD: &str = "sync";
/// Characters in a key or a password.
pub(super) const SECRET: usize = 4_096;

/// The input so far, and the spaces to choose from once the server has told them.
#[derive(Clone, Copy)]
pub struct Draft {
    /// True while the form is shown.
    pub(super) open: RwSignal<bool>,
    pub(super) url: RwSignal<String>,
    pub(super) key: RwSignal<String>,
    pub(super) email: RwSignal<String>,
    /// Kept until a server is connected or the page is left.
    pub(super) password: RwSignal<String>,
    /// The spaces of this person, once they are known.
    pub spaces: RwSignal<Option<Vec<SpaceChoice>>>,
    /// The id of the chosen one; empty for a new one.
    pub space: RwSignal<String>,
    /// The name of a new one.
    pub create: RwSignal<String>,
    /// The code of an invitation; empty without one.
    pub invite: RwSignal<String>,
    /// The size of the chosen space, where a copy of it would take much.
    pub large: RwSignal<Option<LargeSpace>>,
    /// Where that space is to be had.
    pub hold: RwSignal<Hold>,
    /// The request, and what was wrong with it.
    pub asking: Asking,
}

impl Draft {
    pub(super) fn new() -> Self {
        let field = || RwSignal::new(String::new());
        Self {
            open: RwSignal::new(false),
            url: field(),
            key: field(),
            email: field(),
            password: field(),
            spaces: RwSignal::new(None),
            space: field(),
            create: field(),
            invite: field(),
            large: RwSignal::new(None),
            hold: RwSignal::new(Hold::Server),
            asking: Asking::default(),
        }
    }

    pub(super) fn request(self) -> Request {
        let typed = |field: RwSignal<String>| field.get_untracked().trim().to_owned();
        let invite = format::filled(&self.invite.get_untracked());
        let chosen = self.spaces.with_untracked(Option::is_some) && invite.is_none();
        let space = format::filled(&self.space.get_untracked()).filter(|_| chosen);
        let create = (chosen && space.is_none()).then(|| typed(self.create));
        Request {
            url: typed(self.url),
            key: typed(self.key),
            email: typed(self.email),
            password: self.password.get_untracked(),
            space,
            create,
            invite,
            hold: self.chosen(),
            large_above: None,
        }
    }

    /// Returns the error of a field of the request; `None` while there is none.
    pub fn error_at(self, field: &'static str) -> Signal<Option<String>> {
        let error = self.asking.error;
        Signal::derive(move || {
            let error = error.read();
            let error = error.as_ref()?;
            (error.field.as_deref() == Some(field)).then(|| error.message.clone())
        })
    }

    /// Takes the spaces and offers the only one, or a new one where there is none.
    pub(super) fn offer(self, spaces: Vec<SpaceChoice>) {
        let first = spaces.first().map(|space| space.id.clone());
        self.space.try_set(first.unwrap_or_default());
        self.spaces.try_set(Some(spaces));
    }

    /// Where a large space is to be had, once a person was asked.
    pub(super) fn chosen(self) -> Option<Hold> {
        let asked = self.large.try_with_untracked(Option::is_some)?;
        asked.then(|| self.hold.get_untracked())
    }

    /// Takes the size of the space that was chosen, which an invitation may have brought this person into.
    pub(super) fn ask_where(self, spaces: Vec<SpaceChoice>, large: LargeSpace) {
        self.invite.try_set(String::new());
        self.offer(spaces);
        self.hold.try_set(Hold::Server);
        self.large.try_set(Some(large));
    }

    /// Closes the form and forgets what was typed into it.
    pub(super) fn clear(self) {
        self.open.set(false);
        for field in [
            self.url,
            self.key,
            self.email,
            self.password,
            self.space,
            self.create,
            self.invite,
        ] {
            field.set(String::new());
        }
        self.hold.set(Hold::Server);
        self.asking.error.set(None);
        self.begin_anew();
    }

    /// Back to the first step.
    pub(super) fn begin_anew(self) {
        self.spaces.set(None);
        self.large.set(None);
    }

    pub(super) fn fill(self, field: RwSignal<String>, text: String) {
        if field.try_with_untracked(String::is_empty) == Some(true) {
            field.set(text);
        }
    }
}
