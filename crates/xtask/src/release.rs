//! `cargo xtask release`: builds, makes every piece of a release, and has each read by its schema or by what takes it in.
//! Nothing is published from here: `.github/workflows/release.yml` does that with what lies in `dist/release/`.

use anyhow::Result;

use crate::cache::{self, Cache};
use crate::fault::fault;
use crate::needs::{self, Need};
use crate::pieces::{FOLDER, VERSION, changelog, make, section};
use crate::progress::Plan;
use crate::runner;

const NEEDS: [Need; 3] = [Need::Browser, Need::Workerd, Need::ReleaseChecks];

/// Builds, makes all pieces, and checks them. With a tag, what a tag has to hold is checked first.
pub fn release(cache: &Cache, tag: Option<&str>, builds: bool) -> Result<()> {
    if let Some(tag) = tag {
        tagged(cache, tag)?;
    }
    let mut needs = NEEDS.to_vec();
    needs.extend(builds.then_some(Need::Dist));
    let mut plan = Plan::default();
    needs::plan(cache, &needs, &mut plan)?;
    plan.run()?;
    make(cache, tag)?;
    runner::node(cache, &["release"], &needs, "")?;
    println!("\nThe pieces of {VERSION}, in dist/{FOLDER}:");
    for file in cache::files(&cache.root.join("dist").join(FOLDER))? {
        let size = std::fs::metadata(&file).map_or(0, |data| data.len());
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        println!("  {size:>10} bytes  {name}");
    }
    Ok(())
}

/// Checks a tag: it is of this version, and the changelog has no entry left below Unreleased.
fn tagged(cache: &Cache, tag: &str) -> Result<()> {
    if tag.strip_prefix('v') != Some(VERSION) {
        return Err(fault(
            format_args!("the tag {tag} is not of the version {VERSION}"),
            format_args!(
                "tag v{VERSION}, or set `version` in [workspace.package] of Cargo.toml and run `node plugins/write.mjs`"
            ),
        ));
    }
    let changelog = changelog(cache)?;
    if section(&changelog, "Unreleased").is_some_and(|text| !text.is_empty()) {
        return Err(fault(
            "CHANGELOG.md still has entries below Unreleased",
            format_args!("move them below `## {VERSION}`"),
        ));
    }
    Ok(())
}
