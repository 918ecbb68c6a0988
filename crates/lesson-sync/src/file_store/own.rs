//! The file that this clone writes: which it is, and whether it is as this clone left it.
//!
//! Two clones must never write the same file, or git could not merge them. A copy of the store, another branch or a
//! reset leaves a file that is not as this clone last wrote it; then the clone goes on as another actor.

use super::files::Files;
use super::names::{ACTORS, LINK_IGNORED, OWN};
use super::tail::known;
use super::{FileError, names};
use crate::store::StoreError;
use serde::{Deserialize, Serialize};

/// Record that is kept of the own file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Own {
    /// Whom the file is of.
    pub actor: String,
    /// Its length when this clone last wrote it.
    pub bytes: u64,
    /// SHA-256 of its last bytes then, which hold the ids of its last events.
    pub sha256: String,
    /// Where the store lay; a copy that took the cache along lies elsewhere.
    pub place: Option<String>,
}

/// State in which the own file was found.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// It is as it was left.
    AsLeft(Own),
    /// It is longer: its writer was gone before it could say so, or it is just being written.
    Longer(Own, u64),
    /// There is none, or another one than was left.
    Other,
}

/// Looks at the own file.
pub(super) fn look<F: Files>(files: &F, place: Option<&str>) -> Result<Found, StoreError> {
    let kept = read(files)?;
    let Some(own) = kept.filter(|own| !own.actor.is_empty() && own.place.as_deref() == place)
    else {
        return Ok(Found::Other);
    };
    let bytes = length(files, &own.actor)?;
    if bytes < own.bytes || (own.bytes > 0 && known(files, &own.actor, own.bytes)? != own.sha256) {
        return Ok(Found::Other);
    }
    Ok(if bytes == own.bytes {
        Found::AsLeft(own)
    } else {
        Found::Longer(own, bytes)
    })
}

/// The length of an actor's file.
pub(super) fn length<F: Files>(files: &F, actor: &str) -> Result<u64, StoreError> {
    let listed = names::actors(files)?;
    let found = listed.iter().find(|one| one.name == actor);
    Ok(found.map_or(0, |one| one.bytes))
}

/// Reads the record; `None` if there is none or it can't be parsed.
fn read<F: Files>(files: &F) -> Result<Option<Own>, StoreError> {
    let bytes = files.read(OWN, 0, u64::MAX).map_err(FileError::of_store)?;
    Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
}

/// Keeps how the own file is now. What a power cut takes of it is found again: the file is longer then.
pub(super) fn keep<F: Files>(files: &F, own: &Own) -> Result<(), StoreError> {
    files.note(OWN, &json(own)).map_err(FileError::of_store)
}

/// The own file as it is at this length.
pub(super) fn at<F: Files>(files: &F, own: &Own, bytes: u64) -> Result<Own, StoreError> {
    Ok(Own {
        sha256: known(files, &own.actor, bytes)?,
        bytes,
        ..own.clone()
    })
}

/// Begins another file; the caller has the lock.
pub(super) fn begin<F: Files>(
    files: &F,
    actor: &str,
    place: Option<&str>,
) -> Result<Own, StoreError> {
    let mut all = actors(files)?;
    if !all.iter().any(|one| one == actor) {
        all.push(actor.to_owned());
        private(files)?;
        files
            .replace(ACTORS, &json(&all))
            .map_err(FileError::of_store)?;
    }
    let own = Own {
        actor: actor.to_owned(),
        place: place.map(str::to_owned),
        ..Own::default()
    };
    keep(files, &own)?;
    Ok(own)
}

/// Whom this clone has written as, oldest first.
pub(super) fn actors<F: Files>(files: &F) -> Result<Vec<String>, StoreError> {
    let bytes = files
        .read(ACTORS, 0, u64::MAX)
        .map_err(FileError::of_store)?;
    Ok(bytes
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .unwrap_or_default())
}

/// Keeps git out of what is this clone's alone.
pub(super) fn private<F: Files>(files: &F) -> Result<(), StoreError> {
    let held = files
        .read(LINK_IGNORED, 0, 2)
        .map_err(FileError::of_store)?;
    if held.is_some() {
        return Ok(());
    }
    files
        .replace(LINK_IGNORED, b"*\n")
        .map_err(FileError::of_store)
}

/// A value of ours as JSON, which can't fail.
pub(super) fn json(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_default()
}
