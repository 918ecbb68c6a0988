//! Reading what is new at the end of a ledger file.

use super::files::Files;
use super::line::{self, Line};
use super::names::{self, sha256};
use crate::store::StoreError;
use lesson_core::{Event, Millis};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// Read at once, in bytes; bounds what is in memory twice.
const CHUNK: u64 = 4 * 1024 * 1024;
/// So many bytes before a place tell whether a file is still the same up to there: they hold the ids of the last events.
const KNOWN: u64 = 4 * 1024;

/// Progress of reading a file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Tail {
    /// Up to this byte, which is the end of a line.
    pub bytes: u64,
    /// So many lines.
    pub lines: u64,
    /// Holding so many events.
    pub events: u64,
    /// The last number of the file's own actor.
    pub seq: u64,
    /// SHA-256 of the bytes right before `bytes`.
    pub known: String,
}

/// Where an event stands among those of all files: by time, then by its file, then by its line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub placed: Millis,
    pub actor: Rc<str>,
    pub line: u64,
}

/// An event that was read.
#[derive(Debug)]
pub(super) struct Read {
    pub key: Key,
    pub event: Event,
}

/// The hash of what is right before a place in a file, by which it is known again.
pub(super) fn known<F: Files>(files: &F, actor: &str, at: u64) -> Result<String, StoreError> {
    let name = names::ledger(actor);
    let bytes = files
        .read(&name, at.saturating_sub(KNOWN), at)
        .map_err(super::FileError::of_store)?;
    Ok(sha256(&bytes.unwrap_or_default()))
}

impl Tail {
    /// True if the file still has what was read of it.
    pub fn stands<F: Files>(&self, files: &F, actor: &str) -> Result<bool, StoreError> {
        Ok(self.bytes == 0 || known(files, actor, self.bytes)? == self.known)
    }

    /// Reads the events after those that were read, up to `to`, and goes on behind them. What is not whole yet stays
    /// for the next time.
    pub fn read<F: Files>(
        &mut self,
        files: &F,
        actor: &Rc<str>,
        to: u64,
        found: &mut Vec<Read>,
    ) -> Result<(), StoreError> {
        let name = names::ledger(actor);
        let mut next = self.clone();
        let mut unit: Vec<Read> = Vec::new();
        let mut missing = 0;
        let mut line_number = self.lines;
        let mut at = self.bytes;
        let moved = each_line(files, &name, self.bytes, to, |line, end| {
            line_number += 1;
            let read = line::read(line)
                .map_err(|why| StoreError::Failed(format!("{name}, line {line_number}, {why}")))?;
            match read {
                Line::Event(placed, event) => {
                    if *event.actor == **actor {
                        next.seq = next.seq.max(event.seq);
                    }
                    next.events += 1;
                    unit.push(Read {
                        key: Key {
                            placed,
                            actor: Rc::clone(actor),
                            line: line_number,
                        },
                        event: *event,
                    });
                    missing = usize::saturating_sub(missing, 1);
                }
                // A batch that was not finished, and another one after it: what is there is all there will be.
                Line::Batch(events) => missing = events,
                Line::Header | Line::Blank => {}
            }
            if missing == 0 {
                next.lines = line_number;
                next.bytes = end;
                at = end;
                found.append(&mut unit);
                self.clone_from(&next);
            }
            Ok(())
        })?;
        if moved {
            self.known = known(files, actor, at)?;
        }
        Ok(())
    }
}

/// Calls `take` with each whole line and the place of its end; whether there was any.
pub(super) fn each_line<F: Files>(
    files: &F,
    name: &str,
    from: u64,
    to: u64,
    mut take: impl FnMut(&[u8], u64) -> Result<(), StoreError>,
) -> Result<bool, StoreError> {
    let mut rest: Vec<u8> = Vec::new();
    let mut at = from;
    let mut end = from;
    let mut any = false;
    while at < to {
        let until = to.min(at.saturating_add(CHUNK));
        let read = files
            .read(name, at, until)
            .map_err(super::FileError::of_store)?;
        let Some(read) = read.filter(|read| !read.is_empty()) else {
            break;
        };
        at += read.len() as u64;
        rest.extend_from_slice(&read);
        let Some(last) = rest.iter().rposition(|byte| *byte == b'\n') else {
            continue;
        };
        let after = rest.split_off(last + 1);
        rest.truncate(last);
        for line in rest.split(|byte| *byte == b'\n') {
            end += line.len() as u64 + 1;
            any = true;
            take(line.strip_suffix(b"\r").unwrap_or(line), end)?;
        }
        rest = after;
    }
    Ok(any)
}
