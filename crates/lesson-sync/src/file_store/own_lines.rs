//! The events that were made here, in the order in which they were written: what a linked store sends.

use super::files::Files;
use super::line::{self, Line};
use super::link_state::LinkState;
use super::tail::each_line;
use super::{FileError, names};
use crate::store::{StoreError, Stored};
use lesson_core::Event;

/// Where the events made here are in their files.
#[derive(Debug, Default)]
pub(super) struct OwnLines {
    files: Vec<OwnFileLines>,
}

#[derive(Debug, Default)]
struct OwnFileLines {
    actor: String,
    offset: u64,
    bytes: u64,
    /// From where to where each event is.
    events: Vec<(u64, u64)>,
}

impl OwnFileLines {
    fn end(&self) -> u64 {
        self.offset + self.events.len() as u64
    }
}

impl OwnLines {
    /// Reads what came to the own files.
    pub fn follow<F: Files>(&mut self, files: &F, state: &LinkState) -> Result<(), StoreError> {
        let listed = names::actors(files)?;
        for (place, own) in state.files.iter().enumerate() {
            let to = listed
                .iter()
                .find(|one| one.name == own.actor)
                .map_or(0, |one| one.bytes);
            if place >= self.files.len() {
                self.files.push(OwnFileLines::default());
            }
            let Some(held) = self.files.get_mut(place) else {
                continue;
            };
            if held.actor != own.actor || held.offset != own.offset || to < held.bytes {
                *held = OwnFileLines {
                    actor: own.actor.clone(),
                    offset: own.offset,
                    ..OwnFileLines::default()
                };
            }
            let name = names::ledger(&own.actor);
            let mut from = held.bytes;
            let mut unit = Vec::new();
            let mut missing = 0;
            each_line(files, &name, from, to, |line, end| {
                if line::is_event(line) {
                    unit.push((from, from + line.len() as u64));
                    missing = usize::saturating_sub(missing, 1);
                } else if let Ok(Line::Batch(events)) = line::read(line) {
                    missing = events;
                }
                from = end;
                // A part of what is written at once is not there yet.
                if missing == 0 {
                    held.events.append(&mut unit);
                    held.bytes = end;
                }
                Ok(())
            })?;
        }
        self.files.truncate(state.files.len());
        Ok(())
    }

    /// The last position.
    pub fn position(&self) -> u64 {
        self.files.last().map_or(0, OwnFileLines::end)
    }

    /// Counts the events up to a position.
    pub fn count(&self, position: u64) -> u64 {
        self.files
            .iter()
            .map(|file| position.min(file.end()).saturating_sub(file.offset))
            .sum()
    }

    /// Up to `most` events after a position, numbered as the server knows them.
    pub fn after<F: Files>(
        &self,
        files: &F,
        state: &LinkState,
        position: u64,
        most: usize,
    ) -> Result<Vec<Stored>, StoreError> {
        let after = position.max(state.forgotten);
        let mut found: Vec<Stored> = Vec::new();
        for file in &self.files {
            let skip = usize::try_from(after.saturating_sub(file.offset)).unwrap_or(usize::MAX);
            let left = most - found.len();
            let wanted = file.events.iter().enumerate().skip(skip).take(left);
            let (Some((_, first)), Some((_, last))) =
                (wanted.clone().next(), wanted.clone().next_back())
            else {
                continue;
            };
            let name = names::ledger(&file.actor);
            let bytes = files
                .read(&name, first.0, last.1)
                .map_err(FileError::of_store)?
                .unwrap_or_default();
            for (nth, (from, to)) in wanted {
                let within = |at: u64| usize::try_from(at - first.0).unwrap_or(usize::MAX);
                let line = bytes.get(within(*from)..within(*to)).unwrap_or_default();
                let position = file.offset + nth as u64 + 1;
                let event = event(line).map_err(|why| {
                    StoreError::Failed(format!("{name}, event {}, {why}", nth + 1))
                })?;
                found.push(Stored {
                    position,
                    event: numbered(event, position, state, |at| self.count(at)),
                });
            }
        }
        Ok(found)
    }
}

fn event(line: &[u8]) -> Result<Event, String> {
    match line::read(line)? {
        Line::Event(_, event) => Ok(*event),
        _ => Err("is no event".to_owned()),
    }
}

/// The event as the server knows it.
pub(super) fn numbered(
    mut event: Event,
    position: u64,
    state: &LinkState,
    before: impl Fn(u64) -> u64,
) -> Event {
    if let Some((actor, seq)) = state.number(position, before) {
        actor.clone_into(&mut event.actor);
        event.seq = seq;
    }
    event
}
