//! The one error of the tool: a message that names the file or field.

use std::fmt;
use std::path::Path;

/// A failure, in words for a person to read.
#[derive(Debug)]
pub struct Fault(String);

/// A result whose error is a [`Fault`].
pub type Result<T> = std::result::Result<T, Fault>;

impl Fault {
    /// A fault with this message.
    pub fn new(message: impl fmt::Display) -> Self {
        Self(message.to_string())
    }

    /// A fault in a file.
    pub fn at(file: &Path, message: impl fmt::Display) -> Self {
        Self(format!("{}: {message}", file.display()))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
