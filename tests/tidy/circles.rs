//! No two files import each other: the files of a package, and what each uses of another, have no circle.
//!
//! An edge is a `use` or a path through `crate`, `self`, `super` or a module that the file declares, followed through
//! re-exports to the file that has the item. That a module declares another and re-exports from it is no import.

use std::collections::{BTreeMap, BTreeSet};

use super::paths::{Use, uses};
use super::{none, read, root, tracked};

/// Packages whose folders stand on each other: each imports from itself and from the floors below, never from its own floor's
/// other folders.
const FLOORS: &[(&str, &[&[&str]])] = &[(
    "crates/lesson-service/src/",
    &[
        &["http/"],
        &["state/"],
        &["remote/", "embeddings/"],
        &["large/"],
        &["handlers/"],
    ],
)];

type Graph = BTreeMap<String, BTreeSet<String>>;

#[test]
fn no_two_files_import_each_other() {
    let mut faults = Vec::new();
    for files in sources().values() {
        let graph = graph(files);
        for part in circles(&graph) {
            faults.push(format!(
                "{} import each other: put what they share into a file that imports neither",
                around(&graph, &part).join(" → ")
            ));
        }
    }
    none(&faults);
}

#[test]
fn folders_depend_in_one_direction() {
    let mut faults = Vec::new();
    for (package, files) in sources() {
        let Some((_, floors)) = FLOORS.iter().find(|(floors, _)| *floors == package) else {
            continue;
        };
        let place = |file: &str| {
            let inside = file.strip_prefix(&package).unwrap_or_default();
            floors.iter().enumerate().find_map(|(floor, folders)| {
                let folder = folders.iter().find(|folder| inside.starts_with(**folder))?;
                Some((floor, *folder))
            })
        };
        for (file, imports) in graph(&files) {
            for import in imports {
                if let (Some((from, folder)), Some((to, other))) = (place(&file), place(&import))
                    && folder != other
                    && from <= to
                {
                    faults.push(format!(
                        "{file} imports {import}: {folder} does not stand on {other}, so move what it needs down"
                    ));
                }
            }
        }
    }
    none(&faults);
}

#[test]
fn a_circle_is_found_through_re_exports_and_named() {
    let files = [
        ("p/src/lib.rs", "mod a; mod b; pub use b::Thing;"),
        ("p/src/a.rs", "use crate::{Thing, other}; // use crate::c;"),
        (
            "p/src/b.rs",
            "pub struct Thing; fn f() { super::a::call(\"crate::lib\") }",
        ),
        ("p/src/d.rs", "use crate::c::Y;"),
        (
            "p/src/c.rs",
            "use super::a::X; mod part { use super::X; } #[cfg(test)] mod tests { use crate::d; }",
        ),
    ];
    let files = files.map(|(file, code)| (file.to_owned(), code.to_owned()));
    let graph = graph(&files);
    let parts = circles(&graph);
    assert_eq!(parts.len(), 1, "{parts:?}");
    let way = around(&graph, &parts[0]);
    assert_eq!(way, ["p/src/a.rs", "p/src/b.rs", "p/src/a.rs"]);
}

/// The Rust files of each package's `src`, with their text.
fn sources() -> BTreeMap<String, Vec<(String, String)>> {
    let mut packages: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for file in tracked() {
        let is_ours = file.starts_with("crates/") || file.starts_with("web/");
        if let Some((package, _)) = file.split_once("/src/")
            && is_ours
            && file.ends_with(".rs")
        {
            let source = read(&root().join(&file));
            let package = format!("{package}/src/");
            packages.entry(package).or_default().push((file, source));
        }
    }
    packages
}

/// A source file: the module path under which its items are known elsewhere, and the paths that it uses.
struct Module {
    file: String,
    at: Vec<String>,
    uses: Vec<Use>,
}

/// Finds the files that each file imports from.
fn graph(files: &[(String, String)]) -> Graph {
    let modules: Vec<Module> = files
        .iter()
        .map(|(file, code)| module(file, code))
        .collect();
    let by_path: BTreeMap<&[String], &Module> = modules
        .iter()
        .map(|module| (module.at.as_slice(), module))
        .collect();
    let mut graph = Graph::new();
    for module in &modules {
        let imports = graph.entry(module.file.clone()).or_default();
        for one in &module.uses {
            let Some(found) = resolve(&by_path, module, &one.path, 8) else {
                continue;
            };
            let re_exports = one.is_public && found.at.starts_with(&module.at);
            if found.file != module.file && !re_exports {
                imports.insert(found.file.clone());
            }
        }
    }
    graph
}

/// The file that has what a path names, as seen from a module.
fn resolve<'a>(
    by_path: &BTreeMap<&[String], &'a Module>,
    from: &Module,
    path: &[String],
    most: usize,
) -> Option<&'a Module> {
    let mut rest = path;
    let mut at = match path.first()?.as_str() {
        "crate" => Vec::new(),
        "self" | "super" => from.at.clone(),
        first => {
            let mut child = from.at.clone();
            child.push(first.to_owned());
            by_path.get(child.as_slice())?;
            from.at.clone()
        }
    };
    if matches!(rest[0].as_str(), "crate" | "self") {
        rest = &rest[1..];
    }
    while rest.first().is_some_and(|segment| segment == "super") {
        at.pop();
        rest = &rest[1..];
    }
    while let Some(next) = rest.first() {
        at.push(next.clone());
        if !by_path.contains_key(at.as_slice()) {
            at.pop();
            break;
        }
        rest = &rest[1..];
    }
    let found = *by_path.get(at.as_slice())?;
    let passed_on = found
        .uses
        .iter()
        .find(|one| one.is_public && !rest.is_empty() && one.path.last() == rest.first());
    match passed_on {
        Some(one) if most > 0 => resolve(by_path, found, &one.path, most - 1).or(Some(found)),
        _ => Some(found),
    }
}

fn module(file: &str, code: &str) -> Module {
    let inside = file.split_once("/src/").map_or("", |(_, inside)| inside);
    let mut at: Vec<String> = inside
        .trim_end_matches(".rs")
        .split('/')
        .map(String::from)
        .collect();
    if matches!(at.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        at.pop();
    }
    Module {
        file: file.to_owned(),
        at,
        uses: uses(code),
    }
}

/// The circles: the strongly connected parts of more than one file (Tarjan).
fn circles(graph: &Graph) -> Vec<BTreeSet<String>> {
    let mut walk = PlaygroundState::default();
    for file in graph.keys() {
        if !walk.number.contains_key(file) {
            walk.visit(graph, file);
        }
    }
    walk.parts.retain(|part| part.len() > 1);
    walk.parts
}

#[derive(Default)]
struct PlaygroundState {
    number: BTreeMap<String, usize>,
    low: BTreeMap<String, usize>,
    open: Vec<String>,
    parts: Vec<BTreeSet<String>>,
}

impl PlaygroundState {
    fn visit(&mut self, graph: &Graph, file: &str) {
        let number = self.number.len();
        self.number.insert(file.to_owned(), number);
        let mut low = number;
        self.open.push(file.to_owned());
        for next in &graph[file] {
            if !self.number.contains_key(next) {
                self.visit(graph, next);
                low = low.min(self.low[next]);
            } else if self.open.contains(next) {
                low = low.min(self.number[next]);
            }
        }
        self.low.insert(file.to_owned(), low);
        if low == number {
            let begun = self.open.iter().position(|one| one == file).unwrap_or(0);
            self.parts.push(self.open.drain(begun..).collect());
        }
    }
}

/// The shortest way from the first file of a part back to it.
fn around(graph: &Graph, part: &BTreeSet<String>) -> Vec<String> {
    let first = part.first().cloned().unwrap_or_default();
    let mut before: BTreeMap<&String, &String> = BTreeMap::new();
    let mut queue = vec![&first];
    let mut place = 0;
    while let Some(&file) = queue.get(place) {
        place += 1;
        if graph[file].contains(&first) {
            let mut way = vec![first.clone(), file.clone()];
            let mut at = file;
            while *at != first {
                at = before[at];
                way.push(at.clone());
            }
            way.reverse();
            return way;
        }
        for next in graph[file].iter().filter(|next| part.contains(*next)) {
            if *next != first && !before.contains_key(next) {
                before.insert(next, file);
                queue.push(next);
            }
        }
    }
    part.iter().cloned().collect()
}
