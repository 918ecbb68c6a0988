//! The interface of a store, over the files.

use super::files::{FileError, Files};
use super::held::{FileStore, Held};
use super::own::{self, Found};
use super::{link_state, names, suggested, vector_file};
use crate::link::{Change, Link, SetAside, VersionedRow};
use crate::store::{
    Entry, Identity, KeptSnapshot, Ledger, Store, StoreError, Stored, Suggestion, VectorRow,
};

/// Looks at another process's turn to embed before giving up: together about two slices.
const TURN_LOOKS: u32 = 8;
/// Between two looks, in milliseconds.
const TURN_REST_MS: u32 = 15;

impl<F: Files> Store for FileStore<F> {
    fn kind(&self) -> &'static str {
        "files"
    }

    async fn identity(&self, fresh: &str) -> Result<Identity, StoreError> {
        let place = self.place.as_deref();
        let mut found = own::look(&self.files, place)?;
        if found == Found::Other {
            // A store that can't be written can be read all the same.
            found = match self.lock().await {
                Ok(_locked) => match own::look(&self.files, place)? {
                    Found::Other => {
                        own::begin(&self.files, fresh, place).map_or(Found::Other, Found::AsLeft)
                    }
                    found => found,
                },
                Err(_) => Found::Other,
            };
        }
        let actor = match found {
            Found::AsLeft(own) | Found::Longer(own, _) => own.actor,
            Found::Other => fresh.to_owned(),
        };
        self.held.borrow_mut().actor.clone_from(&actor);
        let linked = link_state::read(&self.files)?.map(|state| state.link.actor);
        Ok(Identity {
            actor: linked.unwrap_or(actor),
        })
    }

    async fn read_after(&self, position: u64) -> Result<Ledger, StoreError> {
        self.read(position, usize::MAX)
    }

    async fn read_some(&self, position: u64, most: usize) -> Result<Ledger, StoreError> {
        self.read(position, most)
    }

    async fn append(&self, expected: u64, entries: Vec<Entry>) -> Result<Vec<Stored>, StoreError> {
        let locked = self.lock().await?;
        let stored = match link_state::read(&self.files)? {
            Some(state) => self.append_linked(state, expected, entries),
            None => self.append_to_log(expected, entries),
        };
        if stored == Err(StoreError::Behind) {
            // Others stay away until what is new has been read and this is tried again.
            locked.keep();
            self.reserved.set(true);
        }
        stored
    }

    fn end_write(&self) {
        if self.reserved.replace(false) {
            self.files.unlock();
        }
    }

    async fn vectors(&self, model: &str) -> Result<Vec<VectorRow>, StoreError> {
        let (rows, whole) = vector_file::read(&self.files, model, 0)?;
        let mut held = self.held.borrow_mut();
        held.vectors.insert(model.to_owned(), whole);
        Ok(rows)
    }

    async fn put_vectors(&self, model: &str, rows: &[VectorRow]) -> Result<(), StoreError> {
        let _locked = self.lock().await?;
        let known = self.held.borrow().vectors.get(model).copied();
        let put = known.map(|whole| vector_file::put(&self.files, model, rows, whole));
        let put = match put {
            Some(Ok(whole)) => Ok(whole),
            // Another process has put some, too.
            _ => {
                let (_, whole) = vector_file::read(&self.files, model, 0)?;
                vector_file::cut(&self.files, model, whole)
                    .and_then(|()| vector_file::put(&self.files, model, rows, whole))
            }
        };
        let whole = put.map_err(|error| match error.code.as_str() {
            "ENOSPC" | "EDQUOT" => StoreError::Full,
            _ => error.of_store(),
        })?;
        let mut held = self.held.borrow_mut();
        held.vectors.insert(model.to_owned(), whole);
        Ok(())
    }

    async fn begin_embedding(&self, model: &str) -> Result<Option<Vec<VectorRow>>, StoreError> {
        let mut looks = 0;
        // Where no turn can be had, nothing can be kept either: then everybody embeds for itself.
        while !self.files.try_turn().unwrap_or(true) {
            looks += 1;
            if looks == TURN_LOOKS {
                return Ok(None);
            }
            self.files.rest(TURN_REST_MS).await;
        }
        let known = self.held.borrow().vectors.get(model).copied();
        match vector_file::read(&self.files, model, known.unwrap_or_default()) {
            Ok((rows, whole)) => {
                let mut held = self.held.borrow_mut();
                held.vectors.insert(model.to_owned(), whole);
                Ok(Some(rows))
            }
            Err(error) => {
                self.files.end_turn();
                Err(error)
            }
        }
    }

    fn end_embedding(&self) {
        self.files.end_turn();
    }

    async fn link(&self) -> Result<Option<Link>, StoreError> {
        Ok(link_state::read(&self.files)?.map(|state| state.link))
    }

    async fn rows_after(&self, version: u64) -> Result<Vec<VersionedRow>, StoreError> {
        let Some(state) = link_state::read(&self.files)? else {
            return Ok(Vec::new());
        };
        let mut held = self.held.borrow_mut();
        held.rows.after(&self.files, &state, version)
    }

    async fn set_aside(&self) -> Result<Vec<SetAside>, StoreError> {
        let state = link_state::read(&self.files)?;
        Ok(state.map(|state| state.set_aside).unwrap_or_default())
    }

    async fn commit(&self, expected: u64, change: Change) -> Result<Link, StoreError> {
        let _locked = self.lock().await?;
        self.step(expected, change)
    }

    async fn suggestions(&self) -> Result<Vec<Suggestion>, StoreError> {
        suggested::read(&self.files)
    }

    async fn keep_suggestion(&self, suggestion: Suggestion) -> Result<(), StoreError> {
        let _locked = self.lock().await?;
        suggested::keep(&self.files, suggestion)
    }

    async fn wipe(&self) -> Result<(), StoreError> {
        let _locked = self.lock().await?;
        let end = self.read(u64::MAX, usize::MAX)?.position;
        for folder in [names::LINK, names::LEDGER, names::CACHE] {
            for one in self.files.list(folder).map_err(FileError::of_store)? {
                let name = format!("{folder}/{}", one.name);
                self.files.remove(&name).map_err(FileError::of_store)?;
            }
        }
        let held = &mut *self.held.borrow_mut();
        let epoch = held.log.epoch;
        *held = Held::default();
        // Positions never come again, so that who still has the old state finds itself behind.
        held.log.base = end + 1;
        held.log.position = end + 1;
        held.log.epoch = epoch;
        Ok(())
    }

    async fn snapshot(&self) -> Result<Option<KeptSnapshot>, StoreError> {
        self.kept_fold()
    }

    async fn keep_snapshot(&self, position: u64, bytes: &[u8]) -> Result<(), StoreError> {
        self.keep_fold(position, bytes)
    }
}
