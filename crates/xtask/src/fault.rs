//! Failures of tasks: each says what went wrong and names its remedy.

use std::fmt;

use anyhow::Error;

/// A failure, or what was being done when it happened, with the remedy that a person can act on.
#[derive(Debug)]
pub struct Advice {
    what: String,
    remedy: String,
}

/// To be given to `with_context`: what was being done, and what to do when it failed.
pub fn advice(what: impl fmt::Display, remedy: impl fmt::Display) -> Advice {
    Advice {
        what: what.to_string(),
        remedy: remedy.to_string(),
    }
}

/// A failure of our own that says what happened and what to do.
pub fn fault(what: impl fmt::Display, remedy: impl fmt::Display) -> Error {
    Error::msg(advice(what, remedy))
}

/// Formats a failure: its causes, then the remedy of the outermost that has one.
pub fn told(error: &Error) -> String {
    match error.downcast_ref::<Advice>() {
        Some(Advice { remedy, .. }) => format!("error: {error:#}\nremedy: {remedy}"),
        None => format!("error: {error:#}"),
    }
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

#[cfg(test)]
mod tests {
    use anyhow::Context as _;

    use super::{advice, fault, told};

    #[test]
    fn a_failure_is_told_with_its_causes_and_the_outermost_remedy() {
        let inner = fault("no space", "free some");
        assert_eq!(told(&inner), "error: no space\nremedy: free some");
        let outer = Err::<(), _>(inner).with_context(|| advice("the model", "try again"));
        assert_eq!(
            told(&outer.unwrap_err()),
            "error: the model: no space\nremedy: try again"
        );
        let plain = Err::<(), _>(fault("no space", "free some")).context("the model");
        assert_eq!(
            told(&plain.unwrap_err()),
            "error: the model: no space\nremedy: free some"
        );
    }
}
