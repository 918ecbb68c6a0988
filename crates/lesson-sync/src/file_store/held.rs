//! The store itself, and what it holds in memory of its files.

use super::files::Files;
use super::link_state::Rows;
use super::lock::{self, Locked};
use super::log::Log;
use super::own_lines::OwnLines;
use super::tail::Tail;
use crate::store::StoreError;
use lesson_core::Millis;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

/// A store in files; see the module.
pub struct FileStore<F> {
    pub(super) files: F,
    /// Makes an id for an actor.
    pub(super) fresh: Box<dyn Fn() -> String>,
    /// Where the store lies, by which a copy is told.
    pub(super) place: Option<String>,
    pub(super) held: RefCell<Held>,
    /// True if the lock is still ours from an append that came too early.
    pub(super) reserved: Cell<bool>,
}

/// Contents of the files that are in memory.
#[derive(Default)]
pub(super) struct Held {
    /// The actor of the own file.
    pub(super) actor: String,
    pub(super) log: Log,
    pub(super) lines: OwnLines,
    pub(super) rows: Rows,
    /// The end of the own file, as it was read last while there was a link.
    pub(super) end: OwnEnd,
    /// Up to where a model's file of vectors is whole.
    pub(super) vectors: BTreeMap<String, u64>,
}

/// The end of the own file.
#[derive(Default)]
pub(super) struct OwnEnd {
    pub(super) actor: String,
    pub(super) tail: Tail,
    /// The time of its last event.
    pub(super) latest: Millis,
}

impl<F> std::fmt::Debug for FileStore<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileStore").finish_non_exhaustive()
    }
}

impl<F: Files> FileStore<F> {
    /// A store over these files. `fresh` makes the id of an actor. A store that lies at another `place` than when it was
    /// last written is a copy, and goes on as another actor.
    pub fn new(files: F, fresh: impl Fn() -> String + 'static, place: Option<String>) -> Self {
        Self {
            files,
            fresh: Box::new(fresh),
            place,
            held: RefCell::default(),
            reserved: Cell::new(false),
        }
    }

    /// Waits for the lock, unless it is still ours.
    pub(super) async fn lock(&self) -> Result<Locked<'_, F>, StoreError> {
        if self.reserved.replace(false) {
            return Ok(Locked::held(&self.files));
        }
        lock::lock(&self.files).await
    }

    /// Its files.
    pub fn files(&self) -> &F {
        &self.files
    }

    /// The actor of the file that this clone writes; empty before `Store::identity` was asked for.
    pub fn own_actor(&self) -> String {
        self.held.borrow().actor.clone()
    }
}
