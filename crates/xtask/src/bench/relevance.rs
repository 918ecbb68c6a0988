//! Bench of finding the right lesson, beside what an app would take instead. Measured and printed by
//! `tests/benches/relevance`.

use std::path::Path;

use anyhow::{Context as _, Result};

use super::embed;
use crate::cache::Cache;
use crate::fault::advice;
use crate::{model, run};

/// Prints all figures over the sample lessons, or over a folder of others; as one line of JSON too, if asked.
pub fn run(cache: &Cache, json: bool, lessons: Option<&Path>) -> Result<()> {
    let mut cargo = run::cargo(cache)?;
    cargo
        .env("LESSONLOOP_MODEL_PACK", model::pack(cache)?)
        .env("LESSONLOOP_PEERS", embed::peers(cache))
        .env("LESSONLOOP_PEER_MODEL", embed::peer_model(cache)?.0)
        .args(["bench", "-p", "tests", "--bench", "relevance", "--"]);
    if let Some(lessons) = lessons {
        // Cargo runs a bench in its package's folder.
        let at = std::path::absolute(lessons)
            .with_context(|| advice(lessons.display(), "name a folder"))?;
        cargo.arg("--lessons").arg(at);
    }
    if json {
        cargo.arg("--json");
    }
    run::loud(cargo, "read the message above")
}

/// Prints shares by language, of words alone and with each model, and what the models cost.
pub fn languages(cache: &Cache) -> Result<()> {
    let mut cargo = run::cargo(cache)?;
    cargo
        .env("LESSONLOOP_MODEL_PACK", model::pack(cache)?)
        .env("LESSONLOOP_MULTILINGUAL_PACK", model::multilingual(cache)?)
        .args([
            "bench",
            "-p",
            "tests",
            "--bench",
            "relevance",
            "--",
            "--languages",
        ]);
    run::loud(cargo, "read the message above")
}
