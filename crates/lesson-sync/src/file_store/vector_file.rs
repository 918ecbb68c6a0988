//! Vectors in a file for each model, one behind the other. They can be computed again: what can't be read is left out.

use super::FileError;
use super::files::Files;
use super::names;
use crate::store::{StoreError, VectorRow};
use std::collections::BTreeMap;

/// Reads the vectors of a file from a place on, and says up to where it is whole.
pub(super) fn read<F: Files>(
    files: &F,
    model: &str,
    from: u64,
) -> Result<(Vec<VectorRow>, u64), StoreError> {
    let bytes = files
        .read(&names::vectors(model), from, u64::MAX)
        .map_err(FileError::of_store)?
        .unwrap_or_default();
    let mut rows: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    let mut rest = bytes.as_slice();
    while let Some((row, after)) = one(rest) {
        rows.insert(row.0, row.1);
        rest = after;
    }
    let whole = bytes.len().saturating_sub(rest.len());
    Ok((rows.into_iter().collect(), from + whole as u64))
}

/// Cuts off what is behind the whole part; the caller has the lock.
pub(super) fn cut<F: Files>(files: &F, model: &str, whole: u64) -> Result<(), FileError> {
    let name = names::vectors(model);
    let short = name.rsplit('/').next().unwrap_or_default();
    let listed = files.list(names::CACHE)?;
    let length = listed.iter().find(|one| one.name == short);
    if length.is_some_and(|one| one.bytes > whole) {
        files.truncate(&name, whole)?;
    }
    Ok(())
}

/// Puts vectors behind the whole part; the caller has the lock.
pub(super) fn put<F: Files>(
    files: &F,
    model: &str,
    rows: &[VectorRow],
    whole: u64,
) -> Result<u64, FileError> {
    let name = names::vectors(model);
    let mut bytes = Vec::new();
    for (hash, vector) in rows {
        for part in [hash.as_bytes(), vector.as_slice()] {
            // A hash and a vector are far shorter.
            let length = u32::try_from(part.len()).unwrap_or_default();
            bytes.extend_from_slice(&length.to_le_bytes());
            bytes.extend_from_slice(part);
        }
    }
    match files.append(&name, whole, &bytes) {
        Ok(()) => Ok(whole + bytes.len() as u64),
        Err(error) => {
            // Half of it would stand before what comes next. Of a file that has moved, others' vectors would go.
            if error.code != "EMOVED" {
                let _ = files.truncate(&name, whole);
            }
            Err(error)
        }
    }
}

/// The first row, and what is behind it.
fn one(bytes: &[u8]) -> Option<(VectorRow, &[u8])> {
    let (hash, rest) = part(bytes)?;
    let (vector, rest) = part(rest)?;
    let hash = std::str::from_utf8(hash)
        .ok()
        .filter(|hash| !hash.is_empty())?;
    Some(((hash.to_owned(), vector.to_vec()), rest))
}

fn part(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    rest.split_at_checked(length)
}
