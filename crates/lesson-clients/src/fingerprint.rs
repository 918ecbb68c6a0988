//! Keys that are the same for the same content.

use sha2::{Digest, Sha256};

/// SHA-256 of the parts in hex, each with its length, so that no two lists of parts are the same bytes.
pub(crate) fn fingerprint(parts: &[&str]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hex::encode(hasher.finalize())
}
