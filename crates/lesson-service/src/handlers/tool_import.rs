//! Records of tools out of a file: those that the book has room for.

use lesson_core::{EventKind, Millis, ToolBook, ToolPolicy};
use std::collections::{BTreeMap, BTreeSet};

/// Of records that are new or newer, by their hashes, those to take, the oldest first; and how many others there are.
///
/// A book that grows over its bound keeps its newest records. What it would drop again, it never gets: else a file that is
/// imported twice would put old records in the place of newer ones.
pub(crate) fn newest(
    book: &ToolBook,
    policy: &ToolPolicy,
    found: &BTreeMap<String, (Millis, EventKind)>,
) -> (Vec<(Millis, EventKind)>, u32) {
    let held = book.records();
    let known: BTreeSet<&str> = held.iter().map(|one| one.query_hash.as_str()).collect();
    let new: Vec<(Millis, &str)> = found
        .iter()
        .filter(|(hash, _)| !known.contains(hash.as_str()))
        .map(|(hash, (at, _))| (*at, hash.as_str()))
        .collect();
    let oldest = if held.len() + new.len() > policy.max_records {
        // Of equally old ones the lower hash goes first, as in the book.
        let mut times: Vec<(Millis, &str)> = held
            .iter()
            .map(|one| (one.at, one.query_hash.as_str()))
            .chain(new)
            .collect();
        times.sort_unstable_by(|one, two| two.cmp(one));
        let keep = policy.keep_records.min(policy.max_records);
        times.get(keep.saturating_sub(1)).copied()
    } else {
        None
    };
    let mut taken: Vec<(Millis, EventKind)> = found
        .iter()
        .filter(|(hash, (at, _))| {
            known.contains(hash.as_str()) || oldest.is_none_or(|last| (*at, hash.as_str()) >= last)
        })
        .map(|(_, one)| one.clone())
        .collect();
    taken.sort_by_key(|(at, _)| *at);
    let beyond = u32::try_from(found.len() - taken.len()).unwrap_or(u32::MAX);
    (taken, beyond)
}
