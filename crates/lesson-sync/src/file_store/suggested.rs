//! Outcomes that were suggested and nobody has told: a file of lines, which may be lost.

use super::files::{FileError, Files};
use super::{names, own};
use crate::store::{StoreError, Suggestion};

/// Most that are kept; the oldest go first.
const MOST: usize = 200;

/// The suggestions, the oldest first. Lines that can't be read are passed over.
pub(super) fn read<F: Files>(files: &F) -> Result<Vec<Suggestion>, StoreError> {
    let bytes = files
        .read(names::SUGGESTED, 0, u64::MAX)
        .map_err(FileError::of_store)?;
    let bytes = bytes.unwrap_or_default();
    let lines = bytes.split(|byte| *byte == b'\n');
    Ok(lines
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect())
}

/// Puts one behind the others; the caller has the lock.
pub(super) fn keep<F: Files>(files: &F, suggestion: Suggestion) -> Result<(), StoreError> {
    let mut all = read(files)?;
    all.retain(|held| held.decision_id != suggestion.decision_id);
    all.push(suggestion);
    let from = all.len().saturating_sub(MOST);
    let mut text = Vec::new();
    for one in all.iter().skip(from) {
        text.extend_from_slice(&own::json(one));
        text.push(b'\n');
    }
    files
        .note(names::SUGGESTED, &text)
        .map_err(FileError::of_store)
}
