//! `cargo xtask bench learn`: whether the loop learns.

use std::path::Path;

use anyhow::{Context, Result};

use crate::cache::Cache;
use crate::fault::advice;
use crate::run;

/// Runs the bench, which writes `docs/learning.md`.
pub fn run(cache: &Cache, upworthy: Option<&Path>) -> Result<()> {
    let mut cargo = run::cargo(cache)?;
    cargo.args(["bench", "-p", "tests", "--bench", "learn", "--", "--write"]);
    if let Some(file) = upworthy {
        // Cargo runs a bench in its package's folder.
        let at =
            std::path::absolute(file).with_context(|| advice(file.display(), "name a file"))?;
        cargo.arg("--upworthy").arg(at);
    }
    run::loud(cargo, "read the message above")
}
