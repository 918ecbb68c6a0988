//! A store in files: one append-only ledger file for each clone, so that git merges clones without conflict.
//!
//! ```text
//! ledger/{actor}.jsonl   one line an event; each clone of the store writes its own file
//! link/                  the link to a server with its rows; this clone's alone
//! cache/                 how the own file was left, vectors, a snapshot: all can be made again
//! ```
//!
//! The order of events is by time, file and line. A new event is later than every one that was read, so processes that
//! share the folder only ever append to what the others hold. Files that come by git may bring events from before: then
//! [`Ledger::epoch`] is another one, and everything is read anew.
//!
//! Every write takes the store's one lock, reads what is new, checks, appends and gives the lock back. What a writer that
//! is gone left half written is cut off under the lock; readers never read a line, or a batch, before it is whole.

mod files;
mod line;
mod link_state;
mod lock;
mod names;
mod own;
mod own_lines;
mod slugs;
mod tail;
mod vector_file;

pub use files::{FileError, Files, Listed};

use crate::link::{Change, Link, SetAside, VersionedRow};
use crate::store::{Entry, Identity, KeptSnapshot, Ledger, Store, StoreError, Stored, VectorRow};
use lesson_core::{Event, LAST, Millis};
use link_state::{LinkState, OwnFile, Renumbered, Rows};
use lock::Locked;
use own::{Found, Own};
use own_lines::OwnLines;
use serde::{Deserialize, Serialize};
use slugs::Slugs;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use tail::{Key, Read, Tail};

/// How [`Head`] is written; a snapshot of another one is not used.
const SNAPSHOT_SHAPE: u32 = 1;

/// A store in files; see the module.
pub struct FileStore<F> {
    files: F,
    /// Makes an id for an actor.
    fresh: Box<dyn Fn() -> String>,
    /// Where the store lies, by which a copy is told.
    place: Option<String>,
    held: RefCell<Held>,
    /// Whether the lock is still ours from an append that came too early.
    reserved: Cell<bool>,
}

/// What is in memory of the files.
#[derive(Default)]
struct Held {
    /// The actor of the own file.
    actor: String,
    log: Log,
    lines: OwnLines,
    rows: Rows,
    /// The end of the own file, as it was read last while there was a link.
    end: OwnEnd,
    /// Up to where a model's file of vectors is whole.
    vectors: BTreeMap<String, u64>,
}

/// The end of the own file.
#[derive(Default)]
struct OwnEnd {
    actor: String,
    tail: Tail,
    /// The time of its last event.
    latest: Millis,
}

/// How far the ledger was read while there is no link.
#[derive(Debug, Clone, Default)]
struct Log {
    /// By actor.
    tails: BTreeMap<Rc<str>, Tail>,
    /// The position before the first event.
    base: u64,
    /// The last position.
    position: u64,
    epoch: u64,
    /// Where the last event stands.
    last: Option<Key>,
    slugs: Slugs,
}

/// What is new in the files.
#[derive(Default)]
struct News {
    /// How far the files that grew were read.
    tails: Vec<(Rc<str>, Tail)>,
    /// The events, in order.
    found: Vec<Read>,
}

/// What a snapshot begins with: one line.
#[derive(Serialize, Deserialize)]
struct Head {
    shape: u32,
    tails: BTreeMap<String, Tail>,
    events: u64,
    last: Option<(Millis, String, u64)>,
    slugs: Slugs,
}

impl<F> std::fmt::Debug for FileStore<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileStore").finish_non_exhaustive()
    }
}

impl Log {
    /// Reads what is new; `None` when files are not what was read of them, or what is new comes before it.
    fn read_on<F: Files>(&self, files: &F) -> Result<Option<News>, StoreError> {
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
    fn follow(&mut self, news: News) -> Vec<Stored> {
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
    fn again<F: Files>(&self, files: &F) -> Result<Vec<Stored>, StoreError> {
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
    fn anew(&self) -> Self {
        Self {
            base: self.position + 1,
            position: self.position + 1,
            epoch: self.epoch + 1,
            ..Self::default()
        }
    }

    fn latest(&self) -> Millis {
        self.last.as_ref().map_or(Millis::MIN, |last| last.placed)
    }
}

/// Entries as they will stand in a file.
struct Batch {
    text: String,
    events: Vec<(Key, Event)>,
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
    async fn lock(&self) -> Result<Locked<'_, F>, StoreError> {
        if self.reserved.replace(false) {
            return Ok(Locked::held(&self.files));
        }
        lock::lock(&self.files).await
    }

    /// Its files.
    pub fn files(&self) -> &F {
        &self.files
    }

    /// The actor of the file that this clone writes; empty before [`Store::identity`] was asked for.
    pub fn own_actor(&self) -> String {
        self.held.borrow().actor.clone()
    }

    /// Reads what is new; what was read before comes along where it no longer stands.
    fn refresh(&self) -> Result<Vec<Stored>, StoreError> {
        let held = &mut *self.held.borrow_mut();
        if let Some(news) = held.log.read_on(&self.files)? {
            return Ok(held.log.follow(news));
        }
        let mut log = held.log.anew();
        // Nothing was read before, so nothing comes too early.
        let news = log.read_on(&self.files)?.unwrap_or_default();
        let stored = log.follow(news);
        held.log = log;
        Ok(stored)
    }

    /// The own file as it is left, for a writer that has the lock: what is half written is cut off, and a file that is
    /// not as it was left gives way to another.
    fn own_to_write(&self) -> Result<Own, StoreError> {
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
    fn append_to_log(&self, expected: u64, entries: Vec<Entry>) -> Result<Vec<Stored>, StoreError> {
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
    fn append_linked(
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

    fn read_linked(
        &self,
        state: &LinkState,
        position: u64,
        most: usize,
    ) -> Result<Ledger, StoreError> {
        let held = &mut *self.held.borrow_mut();
        held.lines.follow(&self.files, state)?;
        let events = held.lines.after(&self.files, state, position, most)?;
        let link = &state.link;
        let known = link.tried.max(link.acked).max(link.based);
        let end = held.lines.position().max(known).max(state.forgotten);
        Ok(Ledger {
            position: reached(&events, position, most, end),
            events,
            revision: link.revision,
            epoch: held.log.epoch,
            ..Ledger::default()
        })
    }

    /// The state of the link at the first step: the own files become what the server is sent.
    fn first_state(&self) -> Result<LinkState, StoreError> {
        self.refresh()?;
        let held = self.held.borrow();
        let mut actors = own::actors(&self.files)?;
        if !actors.contains(&held.actor) {
            actors.push(held.actor.clone());
        }
        let count = |actor: &String| {
            let tail = held.log.tails.get(actor.as_str());
            tail.map_or(0, |tail| tail.events)
        };
        let own: u64 = actors.iter().map(count).sum();
        let mut offset = held.log.position.saturating_sub(own);
        let mut state = LinkState::default();
        for actor in actors {
            let events = count(&actor);
            // Others' files of before are not sent, and an empty one has nothing to send.
            if events > 0 || actor == held.actor {
                state.files.push(OwnFile { actor, offset });
                offset += events;
            }
        }
        Ok(state)
    }

    /// One step of syncing; the caller has the lock.
    fn step(&self, expected: u64, change: Change) -> Result<Link, StoreError> {
        let found = link_state::read(&self.files)?;
        let revision = found.as_ref().map_or(0, |state| state.link.revision);
        if revision != expected {
            return Err(StoreError::Behind);
        }
        self.own_to_write()?;
        let mut state = match found {
            Some(state) => state,
            None => self.first_state()?,
        };
        own::private(&self.files)?;
        let held = &mut *self.held.borrow_mut();
        held.rows
            .put(&self.files, &mut state, change.clear_rows, &change.rows)?;
        held.lines.follow(&self.files, &state)?;
        let end = held.lines.position();
        let numbered = |position: u64| {
            let own = state.number(position, |at| held.lines.count(at));
            own.map(|(actor, seq)| (actor.to_owned(), seq))
        };
        if let Some(after) = change.renumber_after {
            state.renumbered.retain(|one| one.after < after);
            state.renumbered.push(Renumbered {
                after,
                actor: change.link.actor.clone(),
                seq: 0,
            });
        } else if numbered(end + 1).is_none_or(|(actor, _)| actor != change.link.actor) {
            let raw = held.log.tails.get(held.actor.as_str());
            let raw = raw.map_or(0, |tail| tail.seq);
            let seq = numbered(end).map_or(raw, |(_, seq)| seq);
            state.renumbered.push(Renumbered {
                after: end,
                actor: change.link.actor.clone(),
                seq,
            });
        }
        if let Some(through) = change.forget_through {
            state.forgotten = state.forgotten.max(through);
        }
        state
            .set_aside
            .retain(|one| !change.settled.contains(&one.event.op_id));
        for one in change.set_aside {
            let there = |held: &SetAside| held.event.op_id == one.event.op_id;
            if !state.set_aside.iter().any(there) {
                state.set_aside.push(one);
            }
        }
        state.link = Link {
            revision: revision + 1,
            ..change.link
        };
        link_state::keep(&self.files, &state)?;
        Rows::tidy(&self.files, &state);
        Ok(state.link)
    }

    fn read(&self, position: u64, most: usize) -> Result<Ledger, StoreError> {
        if let Some(state) = link_state::read(&self.files)? {
            return self.read_linked(&state, position, most);
        }
        let before = {
            let held = self.held.borrow();
            held.log.position
        };
        let news = self.refresh()?;
        let held = self.held.borrow();
        let log = &held.log;
        // What was read before does not stay in memory.
        let mut events = if position < before && log.base < before {
            log.again(&self.files)?
        } else {
            news
        };
        events.retain(|stored| stored.position > position);
        events.truncate(most);
        Ok(Ledger {
            position: reached(&events, position, most, log.position),
            events,
            epoch: log.epoch,
            ..Ledger::default()
        })
    }
}

/// The position up to which was read.
fn reached(events: &[Stored], position: u64, most: usize, end: u64) -> u64 {
    if events.len() < most {
        return end;
    }
    events.last().map_or(position, |last| last.position)
}

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
        let (rows, whole) = vector_file::read(&self.files, model)?;
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
                let (_, whole) = vector_file::read(&self.files, model)?;
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
        // What is new may come before what the snapshot holds.
        if log.read_on(&self.files)?.is_none() {
            return Ok(None);
        }
        let position = log.position;
        self.held.borrow_mut().log = log;
        bytes.drain(..=end);
        Ok(Some(KeptSnapshot { position, bytes }))
    }

    async fn keep_snapshot(&self, position: u64, bytes: &[u8]) -> Result<(), StoreError> {
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
