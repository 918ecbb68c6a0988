//! Holds the structure of the repository: who may import whom, what each file must and must not contain.
#![forbid(unsafe_code)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

#[path = "tidy/circles.rs"]
mod circles;
#[path = "tidy/comments.rs"]
mod comments;
#[path = "tidy/endpoints.rs"]
mod endpoints;
#[path = "tidy/paths.rs"]
mod paths;
#[path = "tidy/picture.rs"]
mod picture;
#[path = "tidy/rooms.rs"]
mod rooms;

use rooms::ROOMS;

// This file lies outside its package, so cargo knows it by its whole path. Where several clones share a target directory,
// another clone's program would pass for this one's: a build for another clone is another build.
const _: Option<&str> = option_env!("LESSONLOOP_ROOT");

/// Packages that run in wasm only: their imports are those of that target.
const WASM_ONLY: &[&str] = &["lesson-wasm", "web"];

/// The one package that may read ONNX; the suites compare with it.
const ONNX: &[&str] = &["model-pack", "tests"];

const TOP: &[&str] = &[
    // Codex and Claude Code read their lists of plugins there alone.
    ".agents",
    ".cargo",
    ".ci",
    ".claude-plugin",
    ".editorconfig",
    ".github",
    ".gitignore",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "PRIVACY.md",
    "README.md",
    "SECURITY.md",
    "Trunk.toml",
    "biome.json",
    "clippy.toml",
    "crates",
    "deny.toml",
    "docs",
    "plugins",
    "rust-toolchain.toml",
    "rustfmt.toml",
    // `npx skills add` looks there.
    "skills",
    "supabase",
    "tests",
    "web",
    "www",
];

/// The one package whose kernels need `unsafe`.
const UNSAFE: &str = "lesson-embed";

const LONGEST: usize = 500;

/// Words that code must not contain, and what to do instead. Split, so that this file passes its own test.
const BANNED: &[(&str, &str)] = &[
    (concat!("todo", "!("), "write what is missing"),
    (concat!("unimplemented", "!("), "write what is missing"),
    (concat!("#[ign", "ore"), "mend the test or remove it"),
    (concat!("test.", "skip("), "mend the test or remove it"),
    (
        concat!("test.", "only("),
        "run one test from the command line instead",
    ),
    (
        concat!("inner_", "html"),
        "build nodes; lesson text is data, never HTML",
    ),
    (
        concat!("inner", "HTML"),
        "build nodes; lesson text is data, never HTML",
    ),
    (
        concat!("insertAdjacent", "HTML"),
        "build nodes; lesson text is data, never HTML",
    ),
    (
        concat!("document.", "write("),
        "build nodes; lesson text is data, never HTML",
    ),
];

/// Beginnings of paths that exist on one machine only.
const MACHINE: &[&str] = &[
    concat!("/wo", "rk/"),
    concat!("/ro", "ot/"),
    concat!("/ho", "me/"),
    concat!("/Us", "ers/"),
    concat!("/t", "mp/"),
];

#[test]
fn rooms_import_only_what_the_table_allows() {
    let mut faults = Vec::new();
    let packages = packages();
    for package in &packages {
        let name = text(package, "name");
        if name == "tests" {
            continue;
        }
        let Some(room) = ROOMS.iter().find(|room| room.package == name) else {
            faults.push(format!(
                "{name} has no row: add it to ROOMS in tests/tidy/rooms.rs and to ARCHITECTURE.md"
            ));
            continue;
        };
        for dependency in array(package, "dependencies") {
            let import = text(dependency, "name");
            let ours = ROOMS.iter().any(|room| room.package == import);
            let ships = dependency["kind"].is_null();
            if (ships || ours) && !room.may.contains(&import) {
                faults.push(format!(
                    "{name} imports {import}: remove it from {}, or allow it in ROOMS of tests/tidy/rooms.rs with a reason",
                    text(package, "manifest_path")
                ));
            }
        }
    }
    for room in ROOMS {
        if !packages
            .iter()
            .any(|package| text(package, "name") == room.package)
        {
            faults.push(format!(
                "{} is in ROOMS of tests/tidy/rooms.rs but is no package: remove the row",
                room.package
            ));
        }
    }
    none(&faults);
}

#[test]
fn rooms_never_reach_what_they_must_not() {
    let mut faults = Vec::new();
    let packages = packages();
    for room in ROOMS {
        let reached = closure(&packages, room.package);
        let never = room.never.iter().copied().flatten().chain(
            // Only the packer links the importer.
            ["tract-onnx"]
                .iter()
                .filter(|_| !ONNX.contains(&room.package)),
        );
        for import in never {
            if reached.contains(*import) {
                faults.push(format!(
                    "{0} reaches {import}: see `cargo tree -p {0} -e normal -i {import}`",
                    room.package
                ));
            }
        }
    }
    none(&faults);
}

#[test]
fn manifests_share_one_table_of_versions_lints_and_profiles() {
    let mut faults = Vec::new();
    for package in packages() {
        let at = PathBuf::from(text(&package, "manifest_path"));
        let manifest = std::fs::read_to_string(&at).expect("cargo names manifests that exist");
        if !manifest.contains("[lints]\nworkspace = true") {
            faults.push(format!("{}: add `[lints] workspace = true`", at.display()));
        }
        if manifest.contains("[profile") {
            faults.push(format!(
                "{}: move the profile to the root manifest; cargo ignores it here",
                at.display()
            ));
        }
        for line in ["version.workspace = true", "license.workspace = true"] {
            if !manifest.contains(line) {
                faults.push(format!("{}: add `{line}`", at.display()));
            }
        }
    }
    none(&faults);
}

#[test]
fn crate_roots_forbid_unsafe_code() {
    let mut faults = Vec::new();
    for package in packages() {
        if text(&package, "name") == UNSAFE {
            continue;
        }
        for target in array(&package, "targets") {
            // Suites, benches and examples never ship.
            if array(target, "kind").iter().any(|kind| {
                ["test", "bench", "example"]
                    .iter()
                    .any(|other| kind == other)
            }) {
                continue;
            }
            let source = read(Path::new(text(target, "src_path")));
            if !source.contains("#![forbid(unsafe_code)]") {
                faults.push(format!(
                    "{}: add #![forbid(unsafe_code)]",
                    text(target, "src_path")
                ));
            }
        }
    }
    none(&faults);
}

#[test]
fn only_known_entries_lie_at_the_top() {
    let tops: BTreeSet<String> = tracked()
        .iter()
        .filter_map(|file| file.split('/').next().map(String::from))
        .collect();
    let faults: Vec<String> = tops
        .iter()
        .filter(|top| !TOP.contains(&top.as_str()))
        .map(|top| format!("{top}: move it into a room, or add it to TOP in tests/tidy.rs"))
        .collect();
    none(&faults);
}

#[test]
fn rust_files_say_their_purpose_and_stay_short() {
    let mut faults = Vec::new();
    for file in tracked().iter().filter(|file| file.ends_with(".rs")) {
        let source = read(&root().join(file));
        if !source.starts_with("//! ") {
            faults.push(format!(
                "{file}: begin with a `//!` line that says what the file is for"
            ));
        }
        let lines = source.lines().count();
        if lines > LONGEST {
            faults.push(format!(
                "{file}: {lines} lines; split it by purpose (at most {LONGEST})"
            ));
        }
    }
    none(&faults);
}

/// The suite `wasm` runs them in a browser, and nothing else does: a bare `#[test]` is not seen there.
#[test]
fn tests_of_the_dashboard_are_tests_in_a_browser() {
    let mut faults = Vec::new();
    for file in tracked() {
        if !file.starts_with("web/src/") || !file.ends_with(".rs") {
            continue;
        }
        let source = read(&root().join(&file));
        if source.contains("#[test]") && !source.contains("wasm_bindgen_test as test;") {
            faults.push(format!(
                "{file}: `use wasm_bindgen_test::wasm_bindgen_test as test;` beside its tests, for wasm32"
            ));
        }
    }
    none(&faults);
}

#[test]
fn code_holds_no_banned_words_and_no_paths_of_one_machine() {
    let mut faults = Vec::new();
    for file in tracked() {
        let code = file.ends_with(".rs")
            || file.ends_with(".js")
            || file.ends_with(".mjs")
            || file.ends_with(".html");
        let settings =
            file.ends_with(".toml") || file.ends_with("package.json") || file.starts_with(".ci/");
        let documents = !file.contains("samples/") && file.ends_with(".md");
        if !(code || settings || documents) {
            continue;
        }
        for (at, line) in read(&root().join(&file)).lines().enumerate() {
            let place = format!("{file}:{}", at + 1);
            if code {
                for (word, remedy) in BANNED.iter().filter(|(word, _)| line.contains(word)) {
                    faults.push(format!("{place}: `{word}`: {remedy}"));
                }
            }
            for path in MACHINE.iter().filter(|path| holds_path(line, path)) {
                faults.push(format!("{place}: `{path}…` exists on one machine only: derive the path or take it as an argument"));
            }
        }
    }
    none(&faults);
}

#[test]
fn paths_that_are_compiled_in_are_those_of_this_clone() {
    let faults: Vec<String> = tracked()
        .into_iter()
        .filter(|file| file.ends_with(".rs") && !file.starts_with("crates/xtask/"))
        .filter(|file| {
            let code = read(&root().join(file));
            code.contains(concat!("env!(\"CARGO_", "MANIFEST_DIR\")")) && !code.contains("LESSONLOOP_ROOT")
        })
        .map(|file| {
            format!(
                "{file}: another clone's build with its path may lie in a shared target folder: name LESSONLOOP_ROOT as others do"
            )
        })
        .collect();
    none(&faults);
}

#[test]
fn the_map_names_every_room() {
    let map = read(&root().join("ARCHITECTURE.md"));
    let faults: Vec<String> = packages()
        .iter()
        .map(|package| text(package, "name").to_string())
        .filter(|name| !map.contains(name.as_str()))
        .map(|name| {
            format!(
                "ARCHITECTURE.md does not name {name}: say what lives there and what it may import"
            )
        })
        .collect();
    none(&faults);
}

#[test]
fn a_path_counts_only_at_its_beginning() {
    let path = concat!("/ho", "me/");
    assert!(holds_path(&format!("open(\"{path}me\")"), path));
    assert!(!holds_path(&format!("https://example.org{path}page"), path));
}

/// True if a line contains an absolute path that begins so; the same letters within a longer path or a URL are no fault.
fn holds_path(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| {
        !line[..at].ends_with(|before: char| {
            before.is_alphanumeric() || matches!(before, '.' | '_' | '-' | '}' | '~' | '/')
        })
    })
}

/// Fails with all faults at once.
#[track_caller]
fn none(faults: &[String]) {
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

fn root() -> PathBuf {
    Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap())
        .ancestors()
        .find(|folder| folder.join("Cargo.lock").is_file())
        .expect("the package lies in the workspace")
        .to_path_buf()
}

fn read(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap_or_else(|cause| panic!("{}: {cause}", file.display()))
}

/// The files that git tracks and that are still there.
fn tracked() -> Vec<String> {
    let listing = output(Command::new("git").args(["ls-files", "-z"]));
    let files: Vec<String> = listing
        .split('\0')
        .filter(|file| !file.is_empty() && root().join(file).is_file())
        .map(String::from)
        .collect();
    assert!(
        files.len() > 20,
        "git names {} files: run this in a clone",
        files.len()
    );
    files
}

/// The members of the workspace, as cargo describes them.
fn packages() -> Vec<Value> {
    let text = output(Command::new(env!("CARGO")).args([
        "metadata",
        "--format-version",
        "1",
        "--no-deps",
    ]));
    let metadata: Value = serde_json::from_str(&text).expect("cargo metadata prints JSON");
    array(&metadata, "packages").to_vec()
}

/// Every package that ships with one, itself left out.
fn closure(packages: &[Value], package: &str) -> BTreeSet<String> {
    // With its version: one of ours has the name of the package that it stands in for.
    let spec = packages
        .iter()
        .find(|one| text(one, "name") == package)
        .map(|one| format!("{package}@{}", text(one, "version")))
        .unwrap_or_else(|| package.to_owned());
    let mut tree = Command::new(env!("CARGO"));
    tree.args([
        "tree",
        "-p",
        &spec,
        "-e",
        "normal,no-proc-macro",
        "--prefix",
        "none",
        "--format",
        "{p}",
    ]);
    if WASM_ONLY.contains(&package) {
        tree.args(["--target", "wasm32-unknown-unknown"]);
    }
    output(&mut tree)
        .lines()
        .filter_map(|line| line.split(' ').next())
        .filter(|name| !name.is_empty() && *name != package)
        .map(String::from)
        .collect()
}

#[track_caller]
fn output(command: &mut Command) -> String {
    let output = command
        .current_dir(root())
        .output()
        .unwrap_or_else(|cause| panic!("{command:?}: {cause}"));
    assert!(
        output.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("cargo and git print UTF-8")
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key]
        .as_str()
        .unwrap_or_else(|| panic!("cargo metadata without `{key}`"))
}

fn array<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key]
        .as_array()
        .unwrap_or_else(|| panic!("cargo metadata without `{key}`"))
}
