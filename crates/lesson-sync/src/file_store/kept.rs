//! The fold of the ledger as it is kept: a line that says what files it is of, then what the service gave.

use super::files::{FileError, Files};
use super::held::FileStore;
use super::log::Log;
use super::slugs::Slugs;
use super::tail::{Key, Tail};
use super::{link_state, names, own};
use crate::store::{KeptSnapshot, StoreError};
use lesson_core::Millis;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Version of the form that [`Head`] is written in; a snapshot of another one is not used.
const SNAPSHOT_SHAPE: u32 = 2;

/// First line of a snapshot.
#[derive(Serialize, Deserialize)]
struct Head {
    shape: u32,
    tails: BTreeMap<String, Tail>,
    events: u64,
    last: Option<(Millis, String, u64)>,
    slugs: Slugs,
}

impl<F: Files> FileStore<F> {
    /// The kept fold, if it is of the first events of the files as they are.
    pub(super) fn kept_fold(&self) -> Result<Option<KeptSnapshot>, StoreError> {
        let bytes = self
            .files
            .read(names::SNAPSHOT, 0, u64::MAX)
            .map_err(FileError::of_store)?;
        let linked = link_state::read(&self.files)?.is_some();
        // It is about files that have not been read yet.
        let fresh = self.held.borrow().log.position == 0;
        let Some(mut bytes) = bytes.filter(|_| fresh && !linked) else {
            return Ok(None);
        };
        let Some(end) = bytes.iter().position(|byte| *byte == b'\n') else {
            return Ok(None);
        };
        let head = bytes.get(..end).unwrap_or_default();
        let Some(head) = serde_json::from_slice::<Head>(head)
            .ok()
            .filter(|head| head.shape == SNAPSHOT_SHAPE)
        else {
            return Ok(None);
        };
        for (actor, tail) in &head.tails {
            let there = own::length(&self.files, actor)? >= tail.bytes;
            if !there || !tail.stands(&self.files, actor)? {
                return Ok(None);
            }
        }
        let log = Log {
            tails: head
                .tails
                .into_iter()
                .map(|(actor, tail)| (actor.into(), tail))
                .collect(),
            position: head.events,
            last: head.last.map(|(placed, actor, line)| Key {
                placed,
                actor: actor.into(),
                line,
            }),
            slugs: head.slugs,
            ..Log::default()
        };
        // An event that is new may come before what the snapshot holds.
        if log.read_on(&self.files)?.is_none() {
            return Ok(None);
        }
        let position = log.position;
        self.held.borrow_mut().log = log;
        bytes.drain(..=end);
        Ok(Some(KeptSnapshot { position, bytes }))
    }

    /// Keeps the fold of all that was read.
    pub(super) fn keep_fold(&self, position: u64, bytes: &[u8]) -> Result<(), StoreError> {
        if link_state::read(&self.files)?.is_some() {
            return Ok(());
        }
        let head = {
            let held = self.held.borrow();
            let log = &held.log;
            if log.position != position {
                return Ok(());
            }
            Head {
                shape: SNAPSHOT_SHAPE,
                tails: log
                    .tails
                    .iter()
                    .map(|(actor, tail)| (actor.to_string(), tail.clone()))
                    .collect(),
                events: position - log.base,
                last: log
                    .last
                    .as_ref()
                    .map(|last| (last.placed, last.actor.to_string(), last.line)),
                slugs: log.slugs.clone(),
            }
        };
        let mut whole = own::json(&head);
        whole.push(b'\n');
        whole.extend_from_slice(bytes);
        self.files
            .replace(names::SNAPSHOT, &whole)
            .map_err(FileError::of_store)
    }
}
