//! Writing events to the own file. Whoever calls has the lock.

use super::files::{FileError, Files};
use super::held::{FileStore, OwnEnd};
use super::link_state::{self, LinkState, OwnFile};
use super::log::News;
use super::own::{self, Found, Own};
use super::own_lines::{self, OwnLines};
use super::tail::{Key, Read, Tail};
use super::{line, names};
use crate::store::{Entry, StoreError, Stored};
use lesson_core::{Event, LAST, Millis};
use std::rc::Rc;

/// Entries as they will stand in a file.
struct Batch {
    text: String,
    events: Vec<(Key, Event)>,
}

impl<F: Files> FileStore<F> {
    /// The own file as it is left, for a writer that has the lock: what is half written is cut off, and a file that is
    /// not as it was left gives way to another.
    pub(super) fn own_to_write(&self) -> Result<Own, StoreError> {
        let place = self.place.as_deref();
        let own = match own::look(&self.files, place)? {
            Found::AsLeft(own) => own,
            Found::Longer(own, bytes) => {
                let actor: Rc<str> = own.actor.as_str().into();
                let mut tail = Tail {
                    bytes: own.bytes,
                    ..Tail::default()
                };
                tail.read(&self.files, &actor, bytes, &mut Vec::new())?;
                if tail.bytes < bytes {
                    self.files
                        .truncate(&names::ledger(&actor), tail.bytes)
                        .map_err(FileError::of_store)?;
                }
                let own = own::at(&self.files, &own, tail.bytes)?;
                own::keep(&self.files, &own)?;
                own
            }
            Found::Other => own::begin(&self.files, &(self.fresh)(), place)?,
        };
        self.held.borrow_mut().actor.clone_from(&own.actor);
        Ok(own)
    }

    /// Entries as lines behind the own file's `last` number, each placed after everything before `latest`.
    fn written(
        &self,
        own: &Own,
        (line, mut seq): (u64, u64),
        latest: Millis,
        entries: Vec<Entry>,
    ) -> Result<Batch, StoreError> {
        let actor: Rc<str> = own.actor.as_str().into();
        let mut text = String::new();
        let mut line = line;
        if own.bytes == 0 {
            text.push_str(&line::header());
            line += 1;
        }
        if entries.len() > 1 {
            text.push_str(&line::batch(entries.len()));
            line += 1;
        }
        let mut floor = latest.saturating_add(1).min(LAST);
        let mut events = Vec::with_capacity(entries.len());
        for entry in entries {
            let (event, placed) = match entry {
                Entry::Own {
                    op_id,
                    at,
                    by,
                    request,
                    event,
                } => {
                    seq += 1;
                    let placed = at.max(floor);
                    let event = Event {
                        op_id,
                        actor: own.actor.clone(),
                        seq,
                        at: placed,
                        by,
                        request,
                        event,
                    };
                    (event, placed)
                }
                Entry::Foreign(event) => {
                    // Our own events coming back from an export: go on after them.
                    if event.actor == own.actor {
                        seq = seq.max(event.seq);
                    }
                    let placed = event.at.max(floor);
                    (event, placed)
                }
            };
            floor = floor.max(placed);
            line += 1;
            let is_own = event.actor == own.actor;
            let written = line::written(&event, placed, is_own).map_err(|error| {
                StoreError::Failed(format!("an event can't be written: {error}"))
            })?;
            text.push_str(&written);
            let key = Key {
                placed,
                actor: Rc::clone(&actor),
                line,
            };
            events.push((key, event));
        }
        Ok(Batch { text, events })
    }

    /// Puts text behind the own file, or leaves it as it was.
    fn put(&self, own: &Own, text: &str) -> Result<Own, StoreError> {
        let name = names::ledger(&own.actor);
        let written = self
            .files
            .append(&name, own.bytes, text.as_bytes())
            .map_err(FileError::of_store)
            .and_then(|()| {
                let next = own::at(&self.files, own, own.bytes + text.len() as u64)?;
                own::keep(&self.files, &next)?;
                Ok(next)
            });
        written.map_err(|error| match self.cut_back(&name, own.bytes) {
            Ok(()) => error,
            // Nobody can say whether it is there, so whoever asked has to look.
            Err(_) => StoreError::Lost(error.to_string()),
        })
    }

    fn cut_back(&self, name: &str, bytes: u64) -> Result<(), FileError> {
        let listed = self.files.list(names::LEDGER)?;
        let short = name.rsplit('/').next().unwrap_or_default();
        match listed.iter().find(|one| one.name == short) {
            Some(one) if one.bytes > bytes => self.files.truncate(name, bytes),
            _ => Ok(()),
        }
    }

    /// Appends while there is no link; the caller has the lock.
    pub(super) fn append_to_log(
        &self,
        expected: u64,
        entries: Vec<Entry>,
    ) -> Result<Vec<Stored>, StoreError> {
        let own = self.own_to_write()?;
        let held = &mut *self.held.borrow_mut();
        let Some(mut news) = held.log.read_on(&self.files)? else {
            return Err(StoreError::Behind);
        };
        if !news.found.is_empty() || held.log.position != expected {
            return Err(StoreError::Behind);
        }
        if entries.is_empty() {
            return Ok(Vec::new());
        }
        // A header alone may be new.
        held.log.tails.extend(news.tails.drain(..));
        let actor: Rc<str> = own.actor.as_str().into();
        let mut tail = held.log.tails.get(&actor).cloned().unwrap_or_default();
        let batch = self.written(&own, (tail.lines, tail.seq), held.log.latest(), entries)?;
        let next = self.put(&own, &batch.text)?;
        tail.bytes = next.bytes;
        tail.known = next.sha256;
        tail.events += batch.events.len() as u64;
        for (key, event) in &batch.events {
            tail.lines = key.line;
            if *event.actor == *actor {
                tail.seq = tail.seq.max(event.seq);
            }
        }
        let found = batch
            .events
            .into_iter()
            .map(|(key, event)| Read { key, event })
            .collect();
        Ok(held.log.follow(News {
            tails: vec![(actor, tail)],
            found,
        }))
    }

    /// Appends to what the server is sent; the caller has the lock.
    pub(super) fn append_linked(
        &self,
        mut state: LinkState,
        expected: u64,
        entries: Vec<Entry>,
    ) -> Result<Vec<Stored>, StoreError> {
        let own = self.own_to_write()?;
        let held = &mut *self.held.borrow_mut();
        held.lines.follow(&self.files, &state)?;
        let end = |lines: &OwnLines, state: &LinkState| {
            let link = &state.link;
            let known = link.tried.max(link.acked).max(link.based);
            lines.position().max(known).max(state.forgotten)
        };
        let mut position = end(&held.lines, &state);
        if position != expected {
            return Err(StoreError::Behind);
        }
        if entries.is_empty() {
            return Ok(Vec::new());
        }
        // A file that gave way, or that lost events which were sent: what comes now has positions of its own.
        let last = state.files.last();
        if last.is_none_or(|file| file.actor != own.actor) || held.lines.position() < position {
            state.files.push(OwnFile {
                actor: own.actor.clone(),
                offset: position,
            });
            link_state::keep(&self.files, &state)?;
            held.lines.follow(&self.files, &state)?;
            position = end(&held.lines, &state);
        }
        let actor: Rc<str> = own.actor.as_str().into();
        if held.end.actor != own.actor || held.end.tail.bytes > own.bytes {
            held.end = OwnEnd {
                actor: own.actor.clone(),
                latest: Millis::MIN,
                ..OwnEnd::default()
            };
        }
        let mut read = Vec::new();
        let OwnEnd { tail, latest, .. } = &mut held.end;
        tail.read(&self.files, &actor, own.bytes, &mut read)?;
        *latest = read.last().map_or(*latest, |read| read.key.placed);
        let after = (tail.lines, tail.seq);
        let batch = self.written(&own, after, held.end.latest, entries)?;
        self.put(&own, &batch.text)?;
        held.lines.follow(&self.files, &state)?;
        let lines = &held.lines;
        Ok(batch
            .events
            .into_iter()
            .map(|(_, event)| {
                position += 1;
                let event = own_lines::numbered(event, position, &state, |at| lines.count(at));
                Stored { position, event }
            })
            .collect())
    }
}
