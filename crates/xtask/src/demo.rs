//! The demo's history: the sample lessons with ninety simulated days, and the vectors of its lessons. The engine that is
//! built answers the simulation's requests, so it is made anew when the engine's sources change. All builds of them answer
//! alike, which the suite `parity` holds: whichever is there first makes it for all.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::cache::{self, Cache, Made};
use crate::engine::{self, Builds, Module};
use crate::fault::advice;
use crate::model;
use crate::profile::Profile;
use crate::run;
use crate::samples;

/// Where it lies in `dist/`.
pub const FOLDER: &str = "demo";

/// The simulation and what it tells of.
const SOURCES: &str = "www/demo";
const FULL: &str = "free some space and check the permissions of the cache";

/// Makes it, unless it is there for this engine and model.
pub fn ensure(cache: &Cache, profile: Profile) -> Result<(PathBuf, Made)> {
    engine::module(cache, profile, Module::Plain)?;
    let pack = model::pack(cache)?;
    let model = cache::file_hash(&pack)?;
    let engine = engine::sources();
    let inputs: Vec<&str> = [SOURCES, samples::LESSONS]
        .into_iter()
        .chain(engine.iter().map(String::as_str))
        .collect();
    let key = || cache::key_of(&cache.root, &inputs, &[&model]);
    cache.made(FOLDER, key, |at| {
        let engine = at.join("engine");
        cache::fresh_dir(&engine)?;
        engine::collect(cache, profile, Builds::One, &engine)?;
        std::fs::copy(&pack, engine.join(model::NAME))
            .with_context(|| advice(engine.display(), FULL))?;
        let mut node = run::program(cache, "node")?;
        node.arg(cache.root.join(SOURCES).join("simulate.mjs"))
            .arg(&engine)
            .arg(cache.root.join(samples::LESSONS))
            .arg(at);
        run::quiet(
            cache,
            FOLDER,
            node,
            None,
            "read the simulation's message above",
        )?;
        std::fs::remove_dir_all(&engine).with_context(|| advice(engine.display(), FULL))
    })
}

/// Puts it into a `dist/`.
pub fn write(cache: &Cache, profile: Profile, dist: &Path) -> Result<()> {
    cache::copy_tree(&ensure(cache, profile)?.0, &dist.join(FOLDER), &|_| true)
}
