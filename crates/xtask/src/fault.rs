//! What went wrong and what to do about it: every failure of a task names its remedy.

use std::fmt;

/// A failure with the remedy that a person can act on.
#[derive(Debug)]
pub struct Fault {
    what: String,
    remedy: String,
}

/// The result of everything that a task does.
pub type Result<T> = std::result::Result<T, Fault>;

impl Fault {
    /// A failure that says what happened and what to do.
    pub fn new(what: impl fmt::Display, remedy: impl fmt::Display) -> Self {
        Self {
            what: what.to_string(),
            remedy: remedy.to_string(),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}\nremedy: {}", self.what, self.remedy)
    }
}

/// Turns another error into a [`Fault`].
pub trait OrFault<T> {
    /// Says what was being done and what to do when it failed.
    fn or_fault(self, doing: impl fmt::Display, remedy: impl fmt::Display) -> Result<T>;
}

impl<T, E: fmt::Display> OrFault<T> for std::result::Result<T, E> {
    fn or_fault(self, doing: impl fmt::Display, remedy: impl fmt::Display) -> Result<T> {
        self.map_err(|cause| Fault::new(format_args!("{doing}: {cause}"), remedy))
    }
}
