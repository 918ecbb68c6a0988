//! A store in memory: for tests, for Node, and for a browser that refuses IndexedDB.

use crate::store::{Entry, Identity, Ledger, Store, StoreError, Stored, VectorRow};
use lesson_core::Event;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// Keeps everything until it is dropped.
#[derive(Debug, Default)]
pub struct MemoryStore {
    held: RefCell<Held>,
}

#[derive(Debug, Default)]
struct Held {
    actor: Option<String>,
    events: Vec<Event>,
    op_ids: BTreeSet<String>,
    last_seq: u64,
    vectors: BTreeMap<(String, String), Vec<u8>>,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
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
        let held = self.held.borrow();
        let events = (1u64..)
            .zip(&held.events)
            .filter(|(at, _)| *at > position)
            .map(|(position, event)| Stored {
                position,
                event: event.clone(),
            })
            .collect();
        Ok(Ledger {
            events,
            position: held.events.len() as u64,
            unreadable: Vec::new(),
        })
    }

    async fn append(&self, expected: u64, entries: Vec<Entry>) -> Result<Vec<Stored>, StoreError> {
        let mut held = self.held.borrow_mut();
        if held.events.len() as u64 != expected {
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
                Entry::Own { op_id, at, event } => Event {
                    op_id,
                    actor: actor.clone(),
                    seq: held.last_seq + 1,
                    at,
                    event,
                },
                Entry::Foreign(event) => event,
            };
            if event.actor == actor {
                held.last_seq = held.last_seq.max(event.seq);
            }
            held.events.push(event.clone());
            stored.push(Stored {
                position: held.events.len() as u64,
                event,
            });
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
}
