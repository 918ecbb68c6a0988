//! Progress of reading the ledger while there is no link, and the order of its events.

use super::files::Files;
use super::names;
use super::slugs::Slugs;
use super::tail::{Key, Read, Tail};
use crate::store::{StoreError, Stored};
use lesson_core::Millis;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Progress of reading the ledger while there is no link.
#[derive(Debug, Clone, Default)]
pub(super) struct Log {
    /// By actor.
    pub(super) tails: BTreeMap<Rc<str>, Tail>,
    /// The position before the first event.
    pub(super) base: u64,
    /// The last position.
    pub(super) position: u64,
    pub(super) epoch: u64,
    /// Where the last event stands.
    pub(super) last: Option<Key>,
    pub(super) slugs: Slugs,
}

/// New content of the files.
#[derive(Default)]
pub(super) struct News {
    /// Progress of reading the files that grew.
    pub(super) tails: Vec<(Rc<str>, Tail)>,
    /// The events, in order.
    pub(super) found: Vec<Read>,
}

impl Log {
    /// Reads what is new; `None` when files are not what was read of them, or what is new comes before it.
    pub(super) fn read_on<F: Files>(&self, files: &F) -> Result<Option<News>, StoreError> {
        let mut news = News::default();
        let listed = names::actors(files)?;
        let gone = |actor: &Rc<str>| !listed.iter().any(|one| *one.name == **actor);
        if self
            .tails
            .iter()
            .any(|(actor, tail)| tail.bytes > 0 && gone(actor))
        {
            return Ok(None);
        }
        for one in listed {
            let held = self.tails.get(one.name.as_str());
            let read = held.map_or(0, |tail| tail.bytes);
            if one.bytes == read {
                continue;
            }
            let actor: Rc<str> = one.name.into();
            let mut tail = held.cloned().unwrap_or_default();
            if one.bytes < read || !tail.stands(files, &actor)? {
                return Ok(None);
            }
            tail.read(files, &actor, one.bytes, &mut news.found)?;
            news.tails.push((actor, tail));
        }
        news.found
            .sort_unstable_by(|one, two| one.key.cmp(&two.key));
        let first = news.found.first().map(|first| &first.key);
        let early = first.is_some_and(|first| Some(first) < self.last.as_ref());
        Ok((!early).then_some(news))
    }

    /// Goes on behind what was read, with events at their positions.
    pub(super) fn follow(&mut self, news: News) -> Vec<Stored> {
        self.tails.extend(news.tails);
        self.take_in(news.found)
    }

    /// Gives events their positions behind those that were read.
    fn take_in(&mut self, found: Vec<Read>) -> Vec<Stored> {
        let mut stored = Vec::with_capacity(found.len());
        for Read { key, event } in found {
            self.position += 1;
            self.last = Some(key);
            if let Some(event) = self.slugs.admit(event) {
                stored.push(Stored {
                    position: self.position,
                    event,
                });
            }
        }
        stored
    }

    /// Everything up to where it was read, at the same positions.
    pub(super) fn again<F: Files>(&self, files: &F) -> Result<Vec<Stored>, StoreError> {
        let mut found = Vec::new();
        for (actor, held) in &self.tails {
            Tail::default().read(files, actor, held.bytes, &mut found)?;
        }
        found.sort_unstable_by(|one, two| one.key.cmp(&two.key));
        let mut anew = Self {
            position: self.base,
            ..Self::default()
        };
        Ok(anew.take_in(found))
    }

    /// The log after those that no longer stand: other positions, another epoch.
    pub(super) fn anew(&self) -> Self {
        Self {
            base: self.position + 1,
            position: self.position + 1,
            epoch: self.epoch + 1,
            ..Self::default()
        }
    }

    pub(super) fn latest(&self) -> Millis {
        self.last.as_ref().map_or(Millis::MIN, |last| last.placed)
    }
}
