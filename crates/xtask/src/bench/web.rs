//! The built app in Chromium: a first visit over slow lines, times by the number of lessons, what Lighthouse says of pages.

use anyhow::Result;

use crate::bench::size::size;
use crate::cache::Cache;
use crate::serve::Site;
use crate::{browser, npm, run};

/// The folder whose lock file pins Lighthouse.
const LIGHTHOUSE: &str = "tests/benches/lighthouse";

/// Installs Lighthouse from npm.
pub fn ensure_lighthouse(cache: &Cache) -> Result<String> {
    npm::install(cache, &cache.root.join(LIGHTHOUSE), "npm-lighthouse")
}

/// Sizes, Lighthouse, first visits, times; the site is served from this process.
pub fn run(cache: &Cache) -> Result<()> {
    let sizes = size(cache);
    let site = Site::open(&cache.root.join("dist"), Some(0), None)?;
    site.start()?;
    let node = |script: &str| {
        let mut node = run::program(cache, "node")?;
        node.arg(script)
            .env("LESSONLOOP_URL", site.url())
            .env("LESSONLOOP_CHROMIUM", browser::chromium(cache)?);
        run::loud(node, "read the message above")
    };
    // All are printed, even when a bar is missed; then it fails.
    let scores = node(&format!("{LIGHTHOUSE}/run.mjs"));
    let visits = node("tests/benches/visit.mjs");
    let times = node("tests/benches/web.mjs");
    sizes.and(scores).and(visits).and(times)
}
