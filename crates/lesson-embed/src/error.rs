//! Errors on the way from a pack's bytes to a vector, with stable codes.

use std::fmt;

/// Why a pack was refused or a text could not be embedded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EmbedError {
    /// The first bytes are not those of a model pack.
    NotAPack,
    /// The pack ends early: the download or the copy stopped half-way.
    Truncated {
        /// Bytes that the header promises, or that the header itself needs.
        expected: u64,
        /// Bytes that were given.
        found: u64,
    },
    /// The pack was written for another version of the format.
    OtherVersion {
        /// The version that this build reads.
        expected: u32,
        /// The version that the pack states.
        found: u32,
    },
    /// The bytes are not those that were packed.
    HashMismatch {
        /// SHA-256 in the header, in hex.
        expected: String,
        /// SHA-256 of the bytes that were given, in hex.
        found: String,
    },
    /// A field of the header or a section has a value that no encoder can have.
    BadField {
        /// Name of the field as in the format's description.
        field: &'static str,
        /// Its fault, in words that follow the name.
        reason: String,
    },
    /// Two lengths that must be equal differ.
    WrongDims {
        /// Name of the field or value.
        field: &'static str,
        /// The length that was required.
        expected: u64,
        /// The length that was found.
        found: u64,
    },
    /// The tokenizer could not be built or refused a text.
    Tokenizer(String),
    /// tract could not build or run the graph.
    Graph(String),
}

impl EmbedError {
    /// A short name that stays the same between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotAPack => "pack_magic",
            Self::Truncated { .. } => "pack_truncated",
            Self::OtherVersion { .. } => "pack_version",
            Self::HashMismatch { .. } => "pack_hash",
            Self::BadField { .. } => "bad_field",
            Self::WrongDims { .. } => "wrong_dims",
            Self::Tokenizer(_) => "tokenizer",
            Self::Graph(_) => "graph",
        }
    }

    /// A field that no encoder can have.
    pub(crate) fn field(field: &'static str, reason: impl Into<String>) -> Self {
        Self::BadField {
            field,
            reason: reason.into(),
        }
    }
}

impl fmt::Display for EmbedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAPack => {
                write!(
                    f,
                    "magic: this is not a model pack; make one with model-pack"
                )
            }
            Self::Truncated { expected, found } => write!(
                f,
                "length: the model pack is truncated: {found} of {expected} bytes; download it again"
            ),
            Self::OtherVersion { expected, found } => write!(
                f,
                "version: the model pack is of format {found}, this build reads {expected}; pack the model again"
            ),
            Self::HashMismatch { expected, found } => write!(
                f,
                "hash: the model pack is damaged: SHA-256 is {found}, not {expected}; download it again"
            ),
            Self::BadField { field, reason } => write!(f, "{field}: {reason}"),
            Self::WrongDims {
                field,
                expected,
                found,
            } => write!(f, "{field}: {found}, must be {expected}"),
            Self::Tokenizer(reason) => write!(f, "tokenizer: {reason}"),
            Self::Graph(reason) => write!(f, "graph: {reason}"),
        }
    }
}

impl std::error::Error for EmbedError {}
