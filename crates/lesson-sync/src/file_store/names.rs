//! The names of a store's files.

use super::files::{Files, Listed};
use crate::store::StoreError;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// The folder of the ledger's files.
pub(super) const LEDGER: &str = "ledger";
/// The folder of what can be made again.
pub(super) const CACHE: &str = "cache";
/// The folder of the link to a server. It holds tokens, so it says by itself that git is to leave it alone.
pub(super) const LINK: &str = "link";
/// Keeps git out of [`LINK`].
pub(super) const LINK_IGNORED: &str = "link/.gitignore";
/// Record of the own file as this clone last wrote it.
pub(super) const OWN: &str = "cache/own.json";
/// The actors that this clone has written as.
pub(super) const ACTORS: &str = "link/actors.json";
/// The link, what was set aside, and how far rows count.
pub(super) const STATE: &str = "link/link.json";
/// Outcomes that were suggested, a line each.
pub(super) const SUGGESTED: &str = "cache/suggested.jsonl";
/// The fold of the ledger, to be had again at once.
pub(super) const SNAPSHOT: &str = "cache/snapshot.bin";

const EXTENSION: &str = ".jsonl";

/// The file of an actor.
pub(super) fn ledger(actor: &str) -> String {
    format!("{LEDGER}/{actor}{EXTENSION}")
}

/// Every actor that has a file, with the file's length, in the order of their names.
pub(super) fn actors<F: Files>(files: &F) -> Result<Vec<Listed>, StoreError> {
    let listed = files.list(LEDGER).map_err(super::FileError::of_store)?;
    let mut actors: Vec<Listed> = listed
        .into_iter()
        .filter_map(|Listed { name, bytes }| {
            let actor = name.strip_suffix(EXTENSION)?;
            (!actor.is_empty() && !actor.starts_with('.')).then(|| Listed {
                name: actor.to_owned(),
                bytes,
            })
        })
        .collect();
    actors.sort_by(|one, two| one.name.cmp(&two.name));
    Ok(actors)
}

/// The file of a model's vectors.
pub(super) fn vectors(model: &str) -> String {
    let plain: String = model
        .chars()
        .map(|letter| match letter {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '_' | '.' => letter,
            _ => '_',
        })
        .take(60)
        .collect();
    // Two models whose names differ only in what a file's name can't have are two.
    let hash = sha256(model.as_bytes());
    let short = hash.get(..8).unwrap_or_default();
    format!("{CACHE}/vectors-{plain}-{short}.bin")
}

/// SHA-256 in hex.
pub(super) fn sha256(bytes: &[u8]) -> String {
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        // Writing to a String can't fail.
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}
