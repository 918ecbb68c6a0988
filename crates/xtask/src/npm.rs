//! Packages from npm: what the build and the suites take from there, as pinned in `tests/package-lock.json`.

use std::path::Path;

use anyhow::{Context as _, Result};

use crate::cache::{self, Cache, Made};
use crate::fault::{advice, fault};
use crate::run;

const REMEDY: &str =
    "check that Node 20 or newer and npm are installed and that the npm registry can be reached";

/// Files of packages that pages load: where they lie in `tests/node_modules`, and their names in `dist/vendor`.
pub const VENDORED: [(&str, &str); 2] = [
    ("fflate/esm/browser.js", "fflate.js"),
    (
        "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2",
        "inter-latin.woff2",
    ),
];

/// Installs the packages into the cache and links them as `tests/node_modules`.
pub fn ensure(cache: &Cache) -> Result<String> {
    install(cache, &cache.root.join("tests"), "npm")
}

/// Installs the packages that a folder's `package-lock.json` pins, and links them there.
pub fn install(cache: &Cache, folder: &Path, log: &str) -> Result<String> {
    node_is_new_enough(cache)?;
    let files = ["package.json", "package-lock.json"].map(|name| folder.join(name));
    let key = || {
        let mut key = String::new();
        for file in &files {
            key.push_str(&cache::file_hash(file)?[..8]);
        }
        Ok(key)
    };
    let (made, when) = cache.made("npm", key, |at| {
        for file in &files {
            let name = file.file_name().unwrap_or_default();
            std::fs::copy(file, at.join(name))
                .with_context(|| advice(file.display(), "free some space"))?;
        }
        let mut npm = run::program(cache, "npm")?;
        npm.current_dir(at)
            .args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"]);
        run::quiet(cache, log, npm, None, REMEDY)
    })?;
    link(&made.join("node_modules"), &folder.join("node_modules"))?;
    Ok(match when {
        Made::Before => "already there".into(),
        Made::Now => String::new(),
    })
}

fn node_is_new_enough(cache: &Cache) -> Result<()> {
    let mut node = run::program(cache, "node")?;
    node.arg("--version");
    let version = run::answer(node).unwrap_or_default();
    let major = version
        .trim_start_matches('v')
        .split('.')
        .next()
        .and_then(|major| major.parse::<u32>().ok());
    match major {
        Some(20..) => Ok(()),
        Some(_) => Err(fault(
            format_args!("Node {version} is too old"),
            "install Node 20 or newer",
        )),
        None => Err(fault("node is missing", "install Node 20 or newer")),
    }
}

fn link(made: &Path, at: &Path) -> Result<()> {
    if std::fs::read_link(at).is_ok_and(|old| old == made) {
        return Ok(());
    }
    if at.is_symlink() {
        std::fs::remove_file(at).with_context(|| advice(at.display(), "remove it by hand"))?;
    } else if at.exists() {
        std::fs::remove_dir_all(at).with_context(|| advice(at.display(), "remove it by hand"))?;
    }
    #[cfg(unix)]
    let linked = std::os::unix::fs::symlink(made, at);
    #[cfg(windows)]
    let linked = std::os::windows::fs::symlink_dir(made, at);
    linked.with_context(|| advice(at.display(), "check the permissions of the clone"))
}
