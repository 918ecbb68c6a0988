//! Texts that wait for their vectors.

use std::collections::BTreeSet;

/// A text that has no vector yet.
pub(super) struct Waiting {
    /// The lessons that have it.
    pub slugs: BTreeSet<String>,
    /// Its length in bytes.
    pub len: usize,
    /// Times that others failed to embed it.
    pub failures: u8,
}

/// A text to embed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The key of its vector: SHA-256 of the text, in hex.
    pub hash: String,
    /// The text.
    pub text: String,
}
