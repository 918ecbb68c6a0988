//! The store that was asked for when the engine was opened.

use crate::files::JsFiles;
use crate::indexed_db::IndexedDbStore;
use lesson_sync::{
    Change, Entry, FileStore, Identity, KeptSnapshot, Ledger, Link, MemoryStore, SetAside, Store,
    StoreError, Stored, Suggestion, VectorRow, VersionedRow,
};

/// One of the stores that a JavaScript host can have.
#[derive(Debug)]
#[allow(clippy::large_enum_variant)] // There is one of it for the life of an engine.
pub enum AnyStore {
    /// Gone with the engine.
    Memory(MemoryStore),
    /// Kept by the browser.
    IndexedDb(IndexedDbStore),
    /// In files of the host's.
    Files(FileStore<JsFiles>),
}

macro_rules! each {
    ($self:ident, $store:ident => $call:expr) => {
        match $self {
            AnyStore::Memory($store) => $call,
            AnyStore::IndexedDb($store) => $call,
            AnyStore::Files($store) => $call,
        }
    };
}

impl Store for AnyStore {
    fn kind(&self) -> &'static str {
        each!(self, store => store.kind())
    }

    async fn identity(&self, fresh: &str) -> Result<Identity, StoreError> {
        each!(self, store => store.identity(fresh).await)
    }

    async fn read_after(&self, position: u64) -> Result<Ledger, StoreError> {
        each!(self, store => store.read_after(position).await)
    }

    async fn read_some(&self, position: u64, most: usize) -> Result<Ledger, StoreError> {
        each!(self, store => store.read_some(position, most).await)
    }

    async fn append(&self, expected: u64, entries: Vec<Entry>) -> Result<Vec<Stored>, StoreError> {
        each!(self, store => store.append(expected, entries).await)
    }

    fn end_write(&self) {
        each!(self, store => store.end_write());
    }

    async fn vectors(&self, model: &str) -> Result<Vec<VectorRow>, StoreError> {
        each!(self, store => store.vectors(model).await)
    }

    async fn put_vectors(&self, model: &str, rows: &[VectorRow]) -> Result<(), StoreError> {
        each!(self, store => store.put_vectors(model, rows).await)
    }

    async fn begin_embedding(&self, model: &str) -> Result<Option<Vec<VectorRow>>, StoreError> {
        each!(self, store => store.begin_embedding(model).await)
    }

    fn end_embedding(&self) {
        each!(self, store => store.end_embedding());
    }

    async fn link(&self) -> Result<Option<Link>, StoreError> {
        each!(self, store => store.link().await)
    }

    async fn rows_after(&self, version: u64) -> Result<Vec<VersionedRow>, StoreError> {
        each!(self, store => store.rows_after(version).await)
    }

    async fn set_aside(&self) -> Result<Vec<SetAside>, StoreError> {
        each!(self, store => store.set_aside().await)
    }

    async fn commit(&self, expected: u64, change: Change) -> Result<Link, StoreError> {
        each!(self, store => store.commit(expected, change).await)
    }

    async fn suggestions(&self) -> Result<Vec<Suggestion>, StoreError> {
        each!(self, store => store.suggestions().await)
    }

    async fn keep_suggestion(&self, suggestion: Suggestion) -> Result<(), StoreError> {
        each!(self, store => store.keep_suggestion(suggestion).await)
    }

    async fn wipe(&self) -> Result<(), StoreError> {
        each!(self, store => store.wipe().await)
    }

    async fn snapshot(&self) -> Result<Option<KeptSnapshot>, StoreError> {
        each!(self, store => store.snapshot().await)
    }

    async fn keep_snapshot(&self, position: u64, bytes: &[u8]) -> Result<(), StoreError> {
        each!(self, store => store.keep_snapshot(position, bytes).await)
    }
}
