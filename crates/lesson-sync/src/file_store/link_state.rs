//! Files that a linked store keeps beside its ledger: the link, the server's rows, what the server refused.
//!
//! `link.json` says how far the file of rows counts, so that replacing it is what makes a step whole: what was written
//! to the file of rows before, and did not come to that, is cut off by the next step.

use super::files::Files;
use super::names::{LINK, STATE};
use super::{FileError, own};
use crate::link::{Link, SetAside, VersionedRow};
use crate::store::StoreError;
use lesson_core::OLD_LEDGER;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Lines of rows beyond which a file with more old rows than valid ones is written anew.
const WORTH_WRITING_ANEW: usize = 2_000;

/// One of the files that the events made here are in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct OwnFile {
    /// Whom it is of.
    pub actor: String,
    /// The position before its first event.
    pub offset: u64,
}

/// From where on events count as another actor's. Their lines stay as they are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Renumbered {
    /// The position before the first of them.
    pub after: u64,
    /// The actor.
    pub actor: String,
    /// The number before the first of them.
    pub seq: u64,
}

/// The shape that the state is kept in. What 0.1.0-pre kept names none, and is read as 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Shape(u32);

/// The shape of this version.
const SHAPE: u32 = 1;

impl Default for Shape {
    fn default() -> Self {
        Self(SHAPE)
    }
}

fn unnamed() -> Shape {
    Shape(0)
}

/// The state of the link.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct LinkState {
    #[serde(default = "unnamed")]
    pub shape: Shape,
    pub link: Link,
    /// Own files, oldest first.
    pub files: Vec<OwnFile>,
    pub renumbered: Vec<Renumbered>,
    /// Events up to here are not needed any more.
    pub forgotten: u64,
    pub set_aside: Vec<SetAside>,
    /// Names the file of rows.
    pub rows_file: u64,
    /// So many bytes of it count.
    pub rows_bytes: u64,
}

impl LinkState {
    /// The actor and number of the event at a position, which is the `nth` of those made here, from 0; `None` where
    /// they are as the event says.
    pub fn number(&self, position: u64, before: impl Fn(u64) -> u64) -> Option<(&str, u64)> {
        let part = self
            .renumbered
            .iter()
            .rev()
            .find(|one| one.after < position)?;
        Some((
            &part.actor,
            part.seq + before(position) - before(part.after),
        ))
    }
}

/// Reads the state; `None` without a link.
pub(super) fn read<F: Files>(files: &F) -> Result<Option<LinkState>, StoreError> {
    let bytes = files
        .read(STATE, 0, u64::MAX)
        .map_err(FileError::of_store)?;
    let Some(bytes) = bytes else {
        return Ok(None);
    };
    let state: LinkState = serde_json::from_slice(&bytes).map_err(|error| {
        StoreError::Failed(format!(
            "{STATE} can't be read ({error}); if a newer version of Lessonloop wrote it, update this one, else remove it and connect again"
        ))
    })?;
    match state.shape.0 {
        SHAPE => Ok(Some(state)),
        0 => Err(StoreError::Failed(format!(
            "{STATE} is an old one: {OLD_LEDGER}"
        ))),
        newer => Err(StoreError::Failed(format!(
            "a newer version of Lessonloop wrote {STATE} (shape {newer}; this one reads {SHAPE}); update this one"
        ))),
    }
}

/// Keeps the state.
pub(super) fn keep<F: Files>(files: &F, state: &LinkState) -> Result<(), StoreError> {
    files
        .replace(STATE, &own::json(state))
        .map_err(FileError::of_store)
}

/// The name of a file of rows.
fn rows_name(number: u64) -> String {
    format!("{LINK}/rows-{number}.jsonl")
}

/// Where the valid row of each key is.
#[derive(Debug, Default)]
pub(super) struct Rows {
    file: u64,
    bytes: u64,
    lines: usize,
    by_key: HashMap<String, Place>,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    version: u64,
    from: u64,
    to: u64,
}

impl Rows {
    /// Rows with a version after `version`, in order.
    pub fn after<F: Files>(
        &mut self,
        files: &F,
        state: &LinkState,
        version: u64,
    ) -> Result<Vec<VersionedRow>, StoreError> {
        self.follow(files, state)?;
        let mut places: Vec<Place> = self
            .by_key
            .values()
            .filter(|place| place.version > version)
            .copied()
            .collect();
        places.sort_unstable_by_key(|place| (place.version, place.from));
        let (Some(from), Some(to)) = (
            places.iter().map(|place| place.from).min(),
            places.iter().map(|place| place.to).max(),
        ) else {
            return Ok(Vec::new());
        };
        let name = rows_name(self.file);
        let bytes = files
            .read(&name, from, to)
            .map_err(FileError::of_store)?
            .unwrap_or_default();
        places
            .iter()
            .map(|place| {
                let within = |at: u64| usize::try_from(at - from).unwrap_or(usize::MAX);
                let line = bytes.get(within(place.from)..within(place.to));
                serde_json::from_slice(line.unwrap_or_default())
                    .map_err(|error| broken(&name, &error.to_string()))
            })
            .collect()
    }

    /// Puts rows behind those that are there, in a file of their own when the others go, and tells the state.
    pub fn put<F: Files>(
        &mut self,
        files: &F,
        state: &mut LinkState,
        clear: bool,
        rows: &[VersionedRow],
    ) -> Result<(), StoreError> {
        if rows.is_empty() && !clear {
            return Ok(());
        }
        self.follow(files, state)?;
        let stale = self.lines > WORTH_WRITING_ANEW && self.lines > 2 * self.by_key.len();
        let mut lines = Vec::new();
        let anew = clear || stale;
        if stale && !clear {
            for row in self.after(files, state, 0)? {
                push(&mut lines, &row);
            }
        }
        for row in rows {
            push(&mut lines, row);
        }
        if anew {
            state.rows_file += 1;
            state.rows_bytes = 0;
        }
        let name = rows_name(state.rows_file);
        if anew {
            // One that was begun by a step that came to nothing.
            files.replace(&name, &lines).map_err(FileError::of_store)?;
        } else {
            let there = files.list(LINK).map_err(FileError::of_store)?;
            let short = name.trim_start_matches(LINK).trim_start_matches('/');
            let length = there.iter().find(|one| one.name == short);
            if length.is_some_and(|one| one.bytes > state.rows_bytes) {
                files
                    .truncate(&name, state.rows_bytes)
                    .map_err(FileError::of_store)?;
            }
            files
                .append(&name, state.rows_bytes, &lines)
                .map_err(FileError::of_store)?;
        }
        state.rows_bytes += lines.len() as u64;
        Ok(())
    }

    /// Removes files of rows that are not used any more; one that stays is in nobody's way.
    pub fn tidy<F: Files>(files: &F, state: &LinkState) {
        let used = rows_name(state.rows_file);
        for one in files.list(LINK).unwrap_or_default() {
            let name = format!("{LINK}/{}", one.name);
            if one.name.starts_with("rows-") && name != used {
                let _ = files.remove(&name);
            }
        }
    }

    /// Reads what came to the file since the last time.
    fn follow<F: Files>(&mut self, files: &F, state: &LinkState) -> Result<(), StoreError> {
        if self.file != state.rows_file || self.bytes > state.rows_bytes {
            *self = Self {
                file: state.rows_file,
                ..Self::default()
            };
        }
        let name = rows_name(self.file);
        let mut from = self.bytes;
        super::tail::each_line(files, &name, self.bytes, state.rows_bytes, |line, end| {
            let row: VersionedRow =
                serde_json::from_slice(line).map_err(|error| broken(&name, &error.to_string()))?;
            let place = Place {
                version: row.version,
                from,
                to: from + line.len() as u64,
            };
            self.by_key.insert(row.row.key(), place);
            self.lines += 1;
            from = end;
            Ok(())
        })?;
        if from != state.rows_bytes {
            return Err(broken(&name, "it is shorter than it should be"));
        }
        self.bytes = from;
        Ok(())
    }
}

fn push(lines: &mut Vec<u8>, row: &VersionedRow) {
    lines.append(&mut own::json(row));
    lines.push(b'\n');
}

fn broken(name: &str, why: &str) -> StoreError {
    StoreError::Failed(format!(
        "{name} can't be read ({why}); sign out and connect again to read it from the server"
    ))
}
