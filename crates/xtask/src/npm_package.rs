//! `dist/npm/` and `dist/lessonloop-VERSION.tgz`: the package for Node that `npx` runs. One artefact for all platforms,
//! without dependencies and without scripts of installation.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use flate2::{Compression, GzBuilder};
use serde_json::json;

use crate::cache::{self, Cache};
use crate::demo;
use crate::fault::advice;
use crate::notices;

/// Where it lies in `dist/`.
pub const FOLDER: &str = "npm";

/// The command, inside the package.
const BIN: &str = "local/bin/lessonloop.mjs";
/// The thin host's sources.
const HOST: &str = "www/local";
/// Library that edits Codex's settings, from the packages of the build: the one that the package takes from npm.
const TOML: &str = "tests/node_modules/smol-toml";
const FULL: &str = "free some space and check the permissions of the clone";

/// The time that npm itself gives the files of a package, so that one zone's day is never before 1980 in an archive.
const MODIFIED: u64 = 499_162_500;

/// The archive's name in `dist/`.
pub fn archive_name() -> String {
    format!("lessonloop-{}.tgz", env!("CARGO_PKG_VERSION"))
}

/// Writes both into a `dist/` that is whole otherwise.
pub fn write(cache: &Cache, dist: &Path) -> Result<()> {
    let package = dist.join(FOLDER);
    cache::fresh_dir(&package)?;
    cache::copy_tree(&cache.root.join(HOST), &package.join("local"), &|file| {
        file != Path::new("README.md")
    })?;
    // The server sends the dashboard's files with the headers that the build made for them.
    copy(
        &dist.join("edge/headers.js"),
        &package.join("local/page/headers.js"),
    )?;
    let toml = cache.root.join(TOML);
    cache::copy_tree(
        &toml.join("dist"),
        &package.join("local/vendor/smol-toml"),
        &|file| file.extension().is_some_and(|extension| extension == "js"),
    )?;
    cache::copy_tree(&dist.join("engine"), &package.join("engine"), &|file| {
        file != Path::new("package.json")
    })?;
    cache::copy_tree(dist, &package.join("dashboard"), &|file| {
        let apart = ["engine", "edge", demo::FOLDER, FOLDER]
            .iter()
            .any(|folder| file.starts_with(folder));
        // Files that a browser keeps for offline use are of no use there.
        let unused = ["sw.js", "precache.js", "engine-worker.js", notices::NAME]
            .iter()
            .any(|name| file == Path::new(name));
        !apart && !unused
    })?;
    for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
        copy(&cache.root.join(name), &package.join(name))?;
    }
    copy(
        &cache.root.join(HOST).join("README.md"),
        &package.join("README.md"),
    )?;
    let read = |at: PathBuf| {
        std::fs::read_to_string(&at)
            .with_context(|| advice(at.display(), "run `cargo xtask setup`"))
    };
    let notices = read(dist.join(notices::NAME))?;
    let licence = read(toml.join("LICENSE"))?;
    text(
        &package.join(notices::NAME),
        &notices_with(&notices, &licence),
    )?;
    text(&package.join("package.json"), &manifest())?;
    let archive = dist.join(archive_name());
    let bytes = pack(&package, "package", &|_| true)?;
    std::fs::write(&archive, bytes).with_context(|| advice(archive.display(), FULL))
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::copy(from, to)
        .map(|_| ())
        .with_context(|| advice(from.display(), FULL))
}

fn text(at: &Path, text: &str) -> Result<()> {
    std::fs::write(at, text).with_context(|| advice(at.display(), FULL))
}

/// The notices of the dashboard and the module, and those of what is added here.
fn notices_with(notices: &str, licence: &str) -> String {
    format!(
        "{}\n\nThe npm package smol-toml, as `local/vendor/smol-toml`:\n\n{}\n",
        notices.trim_end(),
        licence.trim()
    )
}

/// Where the sources lie, as the root manifest says.
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

/// The name in the MCP registry, which looks for it in the package: the namespace of the repository's owner on GitHub.
fn registry_name() -> String {
    let path = REPOSITORY.trim_start_matches("https://github.com/");
    format!("io.github.{path}")
}

fn manifest() -> String {
    let manifest = json!({
        "name": "lessonloop",
        "version": env!("CARGO_PKG_VERSION"),
        "description": "Lessons for coding agents, ranked by what came of them: MCP server, hooks, dashboard and command line, on one machine",
        "license": env!("CARGO_PKG_LICENSE"),
        "author": "The Lessonloop authors",
        "repository": { "type": "git", "url": format!("git+{REPOSITORY}.git") },
        "homepage": format!("{REPOSITORY}#readme"),
        "bugs": format!("{REPOSITORY}/issues"),
        "mcpName": registry_name(),
        "keywords": [
            "mcp", "mcp-server", "coding-agents", "agent-memory", "lessons", "claude-code", "codex", "cursor", "gemini-cli", "hooks",
        ],
        "publishConfig": { "access": "public" },
        "type": "module",
        "bin": { "lessonloop": BIN },
        "exports": {
            ".": { "types": "./engine/lessonloop.d.ts", "default": "./engine/lessonloop.js" },
            "./engine/*": "./engine/*",
            "./package.json": "./package.json",
        },
        "engines": { "node": ">=20" },
    });
    format!("{manifest:#}\n")
}

/// A folder as npm packs a package: its files in a folder `root`, those that `wanted` takes. The same files give the same
/// bytes: order, times, owners and modes are fixed.
pub fn pack(package: &Path, root: &str, wanted: &dyn Fn(&str) -> bool) -> Result<Vec<u8>> {
    let failed = || advice(package.display(), FULL);
    let gzip = GzBuilder::new()
        .mtime(0)
        // "Unknown": the machine that packs is no part of it.
        .operating_system(255)
        .write(Vec::new(), Compression::best());
    let mut archive = tar::Builder::new(gzip);
    for file in cache::files(package)? {
        let name = file
            .strip_prefix(package)
            .unwrap_or(&file)
            .to_string_lossy()
            .replace('\\', "/");
        if !wanted(&name) {
            continue;
        }
        let bytes = std::fs::read(&file).with_context(failed)?;
        let mut header = tar::Header::new_ustar();
        header.set_size(bytes.len() as u64);
        header.set_mtime(MODIFIED);
        header.set_mode(if name == BIN { 0o755 } else { 0o644 });
        let place = Path::new(root).join(&name);
        archive
            .append_data(&mut header, place, bytes.as_slice())
            .with_context(failed)?;
    }
    archive
        .into_inner()
        .and_then(flate2::write::GzEncoder::finish)
        .with_context(failed)
}

#[cfg(test)]
mod tests {
    use super::{BIN, manifest, notices_with, pack};

    #[test]
    fn the_same_files_are_packed_to_the_same_bytes_with_the_command_executable() {
        let at = std::env::temp_dir().join(format!("lessonloop-npm-{}", std::process::id()));
        let mut packed = Vec::new();
        for order in [[BIN, "package.json"], ["package.json", BIN]] {
            let _ = std::fs::remove_dir_all(&at);
            for name in order {
                let file = at.join(name);
                std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
                std::fs::write(&file, name).expect("a file");
            }
            packed.push(pack(&at, "package", &|_| true).expect("an archive"));
        }
        assert_eq!(packed[0], packed[1]);
        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(&packed[0][..]));
        let found: Vec<(String, u32)> = archive
            .entries()
            .expect("entries")
            .map(|entry| {
                let entry = entry.expect("an entry");
                let name = entry.path().expect("a path").display().to_string();
                (name, entry.header().mode().expect("a mode"))
            })
            .collect();
        let bin = (format!("package/{BIN}"), 0o755);
        assert_eq!(found, [bin, ("package/package.json".to_owned(), 0o644)]);
        let _ = std::fs::remove_dir_all(at);
    }

    #[test]
    fn the_package_runs_nothing_when_it_is_installed_and_needs_no_other() {
        let manifest: serde_json::Value = serde_json::from_str(&manifest()).expect("JSON");
        for absent in ["scripts", "dependencies", "optionalDependencies"] {
            assert!(manifest.get(absent).is_none(), "{absent}");
        }
    }

    #[test]
    fn what_comes_from_npm_is_named_with_its_licence() {
        let told = notices_with("A\n", "BSD\n");
        assert!(told.starts_with("A\n"), "{told}");
        assert!(
            told.contains("package smol-toml") && told.ends_with("BSD\n"),
            "{told}"
        );
    }
}
