//! Holds the picture of the crates in ARCHITECTURE.md against their manifests.

use std::collections::{BTreeMap, BTreeSet};

use super::{array, packages, root, text};

type Graph = BTreeMap<String, BTreeSet<String>>;

#[test]
fn the_picture_of_the_crates_shows_their_imports() {
    let map = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let drawn: BTreeSet<(String, String)> = map
        .split_once("```mermaid")
        .and_then(|(_, rest)| rest.split_once("```"))
        .map_or("", |(picture, _)| picture)
        .lines()
        .filter_map(|line| line.trim().split_once(" --> "))
        .map(|(from, to)| (from.to_owned(), to.to_owned()))
        .collect();
    let imports = imports();
    let there: BTreeSet<(String, String)> = imports
        .iter()
        .flat_map(|(from, all)| {
            // A crate that is reached through another import needs no arrow of its own.
            all.iter()
                .filter(|to| {
                    !all.iter()
                        .any(|other| other != *to && reaches(&imports, other, to))
                })
                .map(|to| (from.clone(), to.clone()))
        })
        .collect();
    let lines = |edges: Vec<&(String, String)>| {
        let lines: Vec<String> = edges
            .iter()
            .map(|(from, to)| format!("    {from} --> {to}"))
            .collect();
        lines.join("\n")
    };
    let missing = lines(there.difference(&drawn).collect());
    let wrong = lines(drawn.difference(&there).collect());
    assert!(
        missing.is_empty() && wrong.is_empty(),
        "the picture in ARCHITECTURE.md lacks\n{missing}\nand has too many\n{wrong}"
    );
}

/// Packages that ship nothing: the suites, which import everything, and the features that quick builds have in common.
const LEFT_OUT: [&str; 2] = ["tests", "workspace-hack"];

/// Finds the crates of ours that each of them imports in what it ships.
fn imports() -> Graph {
    let packages = packages();
    let ours: BTreeSet<&str> = packages.iter().map(|one| text(one, "name")).collect();
    packages
        .iter()
        .filter(|package| !LEFT_OUT.contains(&text(package, "name")))
        .map(|package| {
            let name = text(package, "name");
            let imports = array(package, "dependencies")
                .iter()
                .filter(|dependency| dependency["kind"].is_null())
                .map(|dependency| text(dependency, "name"))
                // One of ours has the name of the package that it stands in for.
                .filter(|import| {
                    *import != name && ours.contains(import) && !LEFT_OUT.contains(import)
                })
                .map(str::to_owned)
                .collect();
            (name.to_owned(), imports)
        })
        .collect()
}

fn reaches(imports: &Graph, from: &str, to: &str) -> bool {
    imports
        .get(from)
        .is_some_and(|all| all.iter().any(|one| one == to || reaches(imports, one, to)))
}
