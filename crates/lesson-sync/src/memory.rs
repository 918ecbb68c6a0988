//! A store in memory: for tests, for Node, and for a browser that refuses IndexedDB.

use crate::link::{Change, Link, SetAside, VersionedRow};
use crate::store::{Entry, Identity, Ledger, Store, StoreError, Stored, VectorRow};
use lesson_core::Event;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// Keeps everything until it is dropped. A clone is a copy as of now.
#[derive(Debug, Default, Clone)]
pub struct MemoryStore {
    held: RefCell<Held>,
    passes_rows_on: bool,
}

#[derive(Debug, Default, Clone)]
struct Held {
    actor: Option<String>,
    /// By position.
    events: BTreeMap<u64, Event>,
    position: u64,
    op_ids: BTreeSet<String>,
    last_seq: u64,
    vectors: BTreeMap<(String, String), Vec<u8>>,
    link: Option<Link>,
    /// By key.
    rows: BTreeMap<String, VersionedRow>,
    /// The keys of the rows with their versions.
    versions: BTreeSet<(u64, String)>,
    set_aside: Vec<SetAside>,
}

impl Held {
    fn ledger(&self, position: u64, most: usize) -> Ledger {
        let found = self.events.range(position.saturating_add(1)..).take(most);
        // Counted first: a list that grows moves what it holds.
        let mut events = Vec::with_capacity(found.clone().count());
        events.extend(found.map(|(position, event)| Stored {
            position: *position,
            event: event.clone(),
        }));
        let whole = events.len() < most;
        let last = events.last().map(|stored| stored.position);
        Ledger {
            position: if whole {
                self.position
            } else {
                last.unwrap_or(position)
            },
            events,
            unreadable: Vec::new(),
            revision: self.link.as_ref().map_or(0, |link| link.revision),
            epoch: 0,
        }
    }
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty store that keeps a server's rows only until its one reader has them, which holds
    /// them in memory anyway. What is read after a version is not asked for again from before it.
    pub fn passing_rows_on() -> Self {
        Self {
            passes_rows_on: true,
            ..Self::default()
        }
    }
}

impl Store for MemoryStore {
    fn kind(&self) -> &'static str {
        "memory"
    }

    async fn identity(&self, fresh: &str) -> Result<Identity, StoreError> {
        let mut held = self.held.borrow_mut();
        let actor = held.actor.get_or_insert_with(|| fresh.to_owned()).clone();
        Ok(Identity { actor })
    }

    async fn read_after(&self, position: u64) -> Result<Ledger, StoreError> {
        Ok(self.held.borrow().ledger(position, usize::MAX))
    }

    async fn read_some(&self, position: u64, most: usize) -> Result<Ledger, StoreError> {
        Ok(self.held.borrow().ledger(position, most))
    }

    async fn append(&self, expected: u64, entries: Vec<Entry>) -> Result<Vec<Stored>, StoreError> {
        let mut held = self.held.borrow_mut();
        if held.position != expected {
            return Err(StoreError::Behind);
        }
        let actor = held.actor.clone().unwrap_or_default();
        let mut stored = Vec::with_capacity(entries.len());
        for entry in entries {
            let op_id = match &entry {
                Entry::Own { op_id, .. } => op_id,
                Entry::Foreign(event) => &event.op_id,
            };
            if !held.op_ids.insert(op_id.clone()) {
                continue;
            }
            let event = match entry {
                Entry::Own {
                    op_id,
                    at,
                    by,
                    request,
                    event,
                } => Event {
                    op_id,
                    actor: actor.clone(),
                    seq: held.last_seq + 1,
                    at,
                    by,
                    request,
                    event,
                },
                Entry::Foreign(event) => event,
            };
            if event.actor == actor {
                held.last_seq = held.last_seq.max(event.seq);
            }
            held.position += 1;
            let position = held.position;
            held.events.insert(position, event.clone());
            stored.push(Stored { position, event });
        }
        Ok(stored)
    }

    async fn vectors(&self, model: &str) -> Result<Vec<VectorRow>, StoreError> {
        let held = self.held.borrow();
        Ok(held
            .vectors
            .iter()
            .filter(|((of, _), _)| of == model)
            .map(|((_, hash), bytes)| (hash.clone(), bytes.clone()))
            .collect())
    }

    async fn put_vectors(&self, model: &str, rows: &[VectorRow]) -> Result<(), StoreError> {
        let mut held = self.held.borrow_mut();
        for (hash, bytes) in rows {
            held.vectors
                .insert((model.to_owned(), hash.clone()), bytes.clone());
        }
        Ok(())
    }

    async fn link(&self) -> Result<Option<Link>, StoreError> {
        Ok(self.held.borrow().link.clone())
    }

    async fn rows_after(&self, version: u64) -> Result<Vec<VersionedRow>, StoreError> {
        let mut held = self.held.borrow_mut();
        if self.passes_rows_on {
            held.rows.retain(|_, row| row.version > version);
            held.versions.retain(|(at, _)| *at > version);
        }
        let newer = (version.saturating_add(1), String::new());
        let keys = held.versions.range(newer..);
        Ok(keys
            .filter_map(|(_, key)| held.rows.get(key).cloned())
            .collect())
    }

    async fn set_aside(&self) -> Result<Vec<SetAside>, StoreError> {
        Ok(self.held.borrow().set_aside.clone())
    }

    async fn commit(&self, expected: u64, change: Change) -> Result<Link, StoreError> {
        let mut held = self.held.borrow_mut();
        let revision = held.link.as_ref().map_or(0, |link| link.revision);
        if revision != expected {
            return Err(StoreError::Behind);
        }
        if change.clear_rows {
            held.rows.clear();
            held.versions.clear();
        }
        for row in change.rows {
            let (key, version) = (row.row.key(), row.version);
            if let Some(old) = held.rows.insert(key.clone(), row) {
                held.versions.remove(&(old.version, key.clone()));
            }
            held.versions.insert((version, key));
        }
        held.actor = Some(change.link.actor.clone());
        if let Some(after) = change.renumber_after {
            let mut seq = 0;
            for (_, event) in held.events.range_mut(after.saturating_add(1)..) {
                seq += 1;
                event.seq = seq;
                event.actor.clone_from(&change.link.actor);
            }
            held.last_seq = seq;
        }
        if let Some(through) = change.forget_through {
            let kept = held.events.split_off(&through.saturating_add(1));
            held.events = kept;
        }
        held.set_aside
            .retain(|one| !change.settled.contains(&one.event.op_id));
        for one in change.set_aside {
            if !held
                .set_aside
                .iter()
                .any(|held| held.event.op_id == one.event.op_id)
            {
                held.set_aside.push(one);
            }
        }
        let link = Link {
            revision: revision + 1,
            ..change.link
        };
        held.link = Some(link.clone());
        Ok(link)
    }

    async fn wipe(&self) -> Result<(), StoreError> {
        let mut held = self.held.borrow_mut();
        *held = Held {
            // Positions never come again, so that who still has the old state finds itself behind.
            position: held.position + 1,
            ..Held::default()
        };
        Ok(())
    }
}
