//! The pieces of a release in `dist/release/`, made of a built `dist/`.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::cache::{self, Cache};
use crate::fault::{advice, fault};
use crate::npm_package::{archive_name, pack};
use crate::{notices, npm, run};

/// The folder in `dist/`.
pub const FOLDER: &str = "release";
/// The version of all of it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
const FULL: &str = "free some space and check the permissions of the clone";
/// Systems that archives are named for: an installer of Gemini CLI's extensions takes the one of its system.
const GEMINI_SYSTEMS: [&str; 3] = ["linux", "darwin", "win32"];

/// Reads the changelog: the changes, version by version.
pub fn changelog(cache: &Cache) -> Result<String> {
    let at = cache.root.join("CHANGELOG.md");
    std::fs::read_to_string(&at).with_context(|| advice(at.display(), "restore the file from git"))
}

/// The text below a heading of the second level whose first word is `name`, up to the next one.
pub fn section<'a>(changelog: &'a str, name: &str) -> Option<&'a str> {
    let mut from = None;
    let mut at = 0;
    for line in changelog.split_inclusive('\n') {
        if let Some(title) = line.strip_prefix("## ") {
            if let Some(from) = from {
                return changelog.get(from..at).map(str::trim);
            }
            let word = title.split_whitespace().next().unwrap_or_default();
            if word.trim_matches(['[', ']']) == name {
                from = Some(at + line.len());
            }
        }
        at += line.len();
    }
    from.and_then(|from| changelog.get(from..)).map(str::trim)
}

/// Makes the pieces of the `dist/` that is there.
pub fn make(cache: &Cache, tag: Option<&str>) -> Result<()> {
    let dist = cache.root.join("dist");
    let out = dist.join(FOLDER);
    cache::fresh_dir(&out)?;
    let archive = archive_name();
    let bundle = format!("lessonloop-{VERSION}.mcpb");
    for name in [&archive, &bundle] {
        let from = dist.join(name);
        std::fs::copy(&from, out.join(name))
            .with_context(|| advice(from.display(), "run `cargo xtask build`"))?;
    }
    // The function lies in a folder of what it serves.
    let edge = pack(&dist, "dist", &|name| {
        let first = name.split('/').next().unwrap_or_default();
        first != "npm" && first != FOLDER && !first.starts_with("lessonloop-")
    })?;
    write(&out, &format!("lessonloop-edge-{VERSION}.tgz"), &edge)?;
    let gemini = pack(&cache.root.join("plugins/gemini"), "", &|_| true)?;
    for system in GEMINI_SYSTEMS {
        write(&out, &format!("{system}.lessonloop.tar.gz"), &gemini)?;
    }
    let mut server = run::program(cache, "node")?;
    server
        .arg(cache.root.join("plugins/registry.mjs"))
        .arg(cache::file_hash(&out.join(&bundle))?);
    let server = run::output(server, "read the message above")?;
    write(&out, "server.json", format!("{server}\n").as_bytes())?;
    let sbom = format!("{:#}\n", sbom(cache)?);
    write(
        &out,
        &format!("lessonloop-{VERSION}.cdx.json"),
        sbom.as_bytes(),
    )?;
    let changelog = changelog(cache)?;
    // Before the tag, what is not closed yet is what people will read.
    let text = section(&changelog, VERSION)
        .filter(|text| !text.is_empty())
        .or_else(|| section(&changelog, "Unreleased").filter(|_| tag.is_none()))
        .ok_or_else(|| {
            fault(
                format_args!("CHANGELOG.md has no section of {VERSION}"),
                format_args!("write what changed below `## {VERSION}`"),
            )
        })?;
    write(&out, "NOTES.md", format!("{text}\n").as_bytes())?;
    sums(&out)
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> Result<()> {
    let at = folder.join(name);
    std::fs::write(&at, bytes).with_context(|| advice(at.display(), FULL))
}

/// The hashes of all files, as `sha256sum --check` reads them.
fn sums(folder: &Path) -> Result<()> {
    let mut files: Vec<PathBuf> = cache::files(folder)?;
    files.sort();
    let mut lines = String::new();
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        lines.push_str(&format!("{}  {name}\n", cache::file_hash(&file)?));
    }
    write(folder, "SHA256SUMS", lines.as_bytes())
}

/// Lists what is linked and laid beside, as CycloneDX 1.5: <https://cyclonedx.org/docs/1.5/json/>.
fn sbom(cache: &Cache) -> Result<Value> {
    let mut components = notices::components(cache)?;
    let lock = cache.root.join("tests/package-lock.json");
    let text =
        std::fs::read_to_string(&lock).with_context(|| advice(lock.display(), "restore it"))?;
    let lock: Value =
        serde_json::from_str(&text).with_context(|| advice("package-lock.json", ""))?;
    // Packages that pages load, and the one that the package for Node bundles.
    let laid = npm::VENDORED.map(|(file, _)| notices::package_of(file));
    for name in laid.into_iter().chain(["smol-toml"]) {
        let package = &lock["packages"][format!("node_modules/{name}")];
        let version = package["version"].as_str().ok_or_else(|| {
            fault(
                format_args!("tests/package-lock.json has no {name}"),
                "mend the list in crates/xtask/src/pieces.rs",
            )
        })?;
        components.push(json!({
            "type": "library",
            "name": name,
            "version": version,
            "purl": format!("pkg:npm/{}@{version}", name.replace('@', "%40")),
            "licenses": [{ "expression": package["license"].as_str().unwrap_or("MIT") }],
        }));
    }
    components.push(json!({
        "type": "machine-learning-model",
        "name": "all-MiniLM-L6-v2",
        "licenses": [{ "expression": "Apache-2.0" }],
    }));
    Ok(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": {
            "type": "application",
            "name": "lessonloop",
            "version": VERSION,
            "purl": format!("pkg:npm/lessonloop@{VERSION}"),
            "licenses": [{ "expression": env!("CARGO_PKG_LICENSE") }],
        } },
        "components": components,
    }))
}

#[cfg(test)]
mod tests {
    use super::section;

    const CHANGELOG: &str = "# Changelog\n\n## Unreleased\n\n## [0.2.0] – 2027-01-02\n\n### Added\n\n- b\n\n## 0.1.0\n\n- a\n";

    #[test]
    fn a_release_tells_its_own_section_of_the_changelog() {
        assert_eq!(section(CHANGELOG, "0.2.0"), Some("### Added\n\n- b"));
        assert_eq!(section(CHANGELOG, "0.1.0"), Some("- a"));
        assert_eq!(section(CHANGELOG, "Unreleased"), Some(""));
        assert_eq!(section(CHANGELOG, "0.1"), None);
    }
}
