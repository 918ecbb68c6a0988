//! `cargo xtask serve --watch`: builds anew when sources change, and tells the pages that are open.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use anyhow::{Context as _, Result};
use notify::{EventKind, RecursiveMode, Watcher as _};
use tokio::sync::watch::Sender;

use crate::bundle;
use crate::cache::Cache;
use crate::engine::Builds;
use crate::fault::{advice, told};
use crate::profile::Profile;
use crate::progress::Plan;

/// Files and folders that `dist/` is built from.
const SOURCES: [&str; 6] = [
    "Cargo.lock",
    "Cargo.toml",
    "Trunk.toml",
    "crates",
    "web",
    "www",
];

/// Editors write a file in several steps, and several files at once: a build begins when nothing has changed for so long.
const QUIET: Duration = Duration::from_millis(200);

/// Builds whenever sources change, for as long as the process lives. A build that fails is told, and the next change tries
/// again; `builds` counts those that went well.
pub fn watch(cache: &Cache, profile: Profile, modules: Builds, builds: &Sender<u64>) -> Result<()> {
    let remedy = "raise the system's limit of watched files, or serve without --watch";
    let (told_of, changes) = mpsc::channel();
    let mut watcher = notify::recommended_watcher(told_of)
        .with_context(|| advice("watching the sources", remedy))?;
    for source in SOURCES {
        let at = cache.root.join(source);
        watcher
            .watch(&at, RecursiveMode::Recursive)
            .with_context(|| advice(at.display(), remedy))?;
    }
    println!(
        "\nWatching {}: a change is built, and open pages load it. The edge function keeps the build it began with.",
        SOURCES.join(", ")
    );
    while let Some(changed) = next(&changes, &cache.root) {
        println!("\nchanged: {}", named(&changed));
        let mut plan = Plan::default();
        bundle::plan(cache, profile, modules, &mut plan);
        match plan.run() {
            Ok(()) => {
                builds.send_modify(|count| *count += 1);
                println!("built; open pages load it");
            }
            Err(fault) => eprintln!(
                "{}\nThe build before is still served; the next change is built again.",
                told(&fault)
            ),
        }
    }
    Ok(())
}

/// Waits for changes, then until there are no more; the files, relative to `root`. `None` when nobody watches any more.
fn next(changes: &Receiver<notify::Result<notify::Event>>, root: &Path) -> Option<Vec<PathBuf>> {
    let mut changed: Vec<PathBuf> = Vec::new();
    loop {
        let event = if changed.is_empty() {
            changes.recv().ok()?
        } else {
            match changes.recv_timeout(QUIET) {
                Ok(event) => event,
                Err(_) => break,
            }
        };
        // Changes that the watcher could not tell of are seen with the next one.
        let Ok(event) = event else { continue };
        if matches!(event.kind, EventKind::Access(_)) {
            continue;
        }
        let paths = event.paths.iter();
        changed.extend(paths.filter_map(|path| source(path.strip_prefix(root).ok()?)));
    }
    changed.sort();
    changed.dedup();
    Some(changed)
}

/// A path that a build may read: no editor's own file, nothing that is made.
fn source(path: &Path) -> Option<PathBuf> {
    let made = path.iter().any(|part| {
        let part = part.to_string_lossy();
        part.starts_with('.')
            || part.ends_with('~')
            || part.ends_with(".tmp")
            || matches!(&*part, "target" | "node_modules" | "dist")
    });
    (!made).then(|| path.to_path_buf())
}

/// The first few names.
fn named(changed: &[PathBuf]) -> String {
    const SHOWN: usize = 3;
    let names: Vec<String> = changed
        .iter()
        .take(SHOWN)
        .map(|path| path.display().to_string())
        .collect();
    match changed.len().saturating_sub(SHOWN) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};
    use std::sync::mpsc;

    use notify::event::{AccessKind, CreateKind, ModifyKind};
    use notify::{Event, EventKind};

    use super::{named, next};

    #[test]
    fn changes_come_together_and_only_of_sources() {
        let (tell, changes) = mpsc::channel();
        let event = |kind: EventKind, path: &str| {
            Ok(Event::new(kind).add_path(Path::new("clone").join(path)))
        };
        let modified = EventKind::Modify(ModifyKind::Any);
        for told in [
            event(EventKind::Access(AccessKind::Any), "web/src/main.rs"),
            event(modified, "web/target/x"),
            event(modified, "www/css/base.css"),
            event(EventKind::Create(CreateKind::File), "www/css/.base.css.swp"),
            event(modified, "www/css/base.css"),
            event(modified, "web/src/main.rs~"),
            event(modified, "web/src/main.rs"),
        ] {
            tell.send(told).expect("it is received");
        }
        let changed = next(&changes, Path::new("clone")).expect("changes");
        assert_eq!(
            changed,
            [
                PathBuf::from("web/src/main.rs"),
                PathBuf::from("www/css/base.css")
            ]
        );
        drop(tell);
        assert_eq!(next(&changes, Path::new("clone")), None);
    }

    #[test]
    fn a_few_changes_are_named() {
        let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_eq!(named(&paths(&["a", "b"])), "a, b");
        assert_eq!(
            named(&paths(&["a", "b", "c", "d", "e"])),
            "a, b, c and 2 more"
        );
    }
}
