//! Times of source files in a CI's fresh clone, for cargo, which compiles anew what is newer than its result.
//!
//! A clone's files are all of the minute it was made in, so that the cache of an earlier run would be of no use. A CI notes
//! the hash and the time of each file before anything is compiled, and gives the files of the next clone that are the same the
//! time that was noted; all others get the present one. Notes hold for the clone's path, as compiled tests know it; in another
//! one only what third-party packages stand on keeps its time, which are the ones that take minutes.
//!
//! On a developer's machine files change while they are compiled: a run that is no CI's does away with the notes.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::cache::{self, Cache};
use crate::fault::advice;

/// The notes' name in the cache.
const NOTES: &str = "source-times.json";

/// Folders with sources that cargo compiles.
const SOURCES: [&str; 5] = ["crates", "web", "tests", "www", "supabase"];

/// A crate in the place of a published one: packages of the registry are compiled with it.
const BELOW_THE_REGISTRY: &str = "crates/inventory/";

/// This program, which is compiled before it can give anything a time.
const OWN: &str = "crates/xtask/";

/// Time and hash of each file, by its path in the clone.
type Notes = BTreeMap<String, (u64, String)>;

/// Gives the clone's files their times, and notes them; away from a CI it only drops the notes.
pub fn settle(cache: &Cache, in_ci: bool) -> Result<()> {
    let at = cache.home.join(NOTES);
    let remedy = "check the permissions of the cache";
    let earlier = fs::read_to_string(&at).unwrap_or_default();
    if !in_ci {
        return match fs::remove_file(&at) {
            Err(cause) if at.exists() => Err(cause).with_context(|| advice(at.display(), remedy)),
            _ => Ok(()),
        };
    }
    let root = cache.root.to_string_lossy();
    let earlier = read(&earlier, &root).unwrap_or_default();
    // Until the new notes are whole there are none. The empty file's time is the present one by the clock of files.
    let now = File::create(&at)
        .and_then(|file| file.metadata()?.modified())
        .with_context(|| advice(at.display(), remedy))?;
    let millis = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    let millis = u64::try_from(millis.as_millis()).unwrap_or_default();
    let mut notes = serde_json::Map::new();
    for (name, file) in sources(&cache.root)? {
        let hash = cache::file_hash(&file)?;
        let kept = earlier.get(&name).filter(|(_, was)| *was == hash);
        let time = kept.map_or(millis, |(time, _)| *time);
        set(&file, UNIX_EPOCH + Duration::from_millis(time))?;
        notes.insert(name, json!([time, hash]));
    }
    let notes = json!({ "root": root, "files": notes });
    fs::write(&at, notes.to_string()).with_context(|| advice(at.display(), remedy))
}

/// Reads notes: of a clone elsewhere only those that hold there, too.
fn read(text: &str, root: &str) -> Option<Notes> {
    let notes: Value = serde_json::from_str(text).ok()?;
    let same_place = notes["root"] == root;
    let files = notes["files"].as_object()?.iter();
    let read = files.filter_map(|(name, note)| {
        let note = (note[0].as_u64()?, note[1].as_str()?.to_owned());
        Some((name.clone(), note))
    });
    let held = read.filter(|(name, _)| same_place || name.starts_with(BELOW_THE_REGISTRY));
    Some(held.collect())
}

/// Lists the clone's files that may be compiled, each with its path in the clone.
fn sources(root: &Path) -> Result<Vec<(String, PathBuf)>> {
    let mut all = Vec::new();
    for folder in SOURCES {
        for file in cache::files(&root.join(folder))? {
            let Ok(name) = file.strip_prefix(root) else {
                continue;
            };
            let name = name.to_string_lossy().into_owned();
            if !name.starts_with(OWN) {
                all.push((name, file));
            }
        }
    }
    Ok(all)
}

fn set(file: &Path, time: SystemTime) -> Result<()> {
    File::options()
        .write(true)
        .open(file)
        .and_then(|open| open.set_modified(time))
        .with_context(|| advice(file.display(), "make the clone's files writable"))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;
    use std::time::{Duration, SystemTime};

    use super::settle;
    use crate::cache::Cache;

    const OURS: &str = "crates/ours/src/lib.rs";
    const BELOW: &str = "crates/inventory/src/lib.rs";

    /// A folder with a clone that has a crate of ours and the one below the registry, and with a cache.
    fn clone_in(name: &str) -> (PathBuf, Cache) {
        let at = std::env::temp_dir().join(format!("lessonloop-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&at);
        let (root, home) = (at.join("clone"), at.join("cache"));
        for file in [OURS, BELOW] {
            let file = root.join(file);
            fs::create_dir_all(file.parent().expect("it has one")).expect("a folder");
            fs::write(file, "as committed").expect("a file");
        }
        fs::create_dir_all(&home).expect("a folder");
        (at, Cache { root, home })
    }

    fn time(cache: &Cache, file: &str) -> SystemTime {
        let told = fs::metadata(cache.root.join(file)).and_then(|data| data.modified());
        told.expect("a time")
    }

    /// Gives each file the time that it would have if the clone had been made an hour later.
    fn checked_out_later(cache: &Cache) {
        for file in [OURS, BELOW] {
            let at = time(cache, file) + Duration::from_secs(3_600);
            super::set(&cache.root.join(file), at).expect("a time");
        }
    }

    #[test]
    fn files_that_are_the_same_keep_their_time_and_changed_ones_get_the_present() {
        let (at, cache) = clone_in("times");
        settle(&cache, true).expect("it settles");
        let first = time(&cache, OURS);
        checked_out_later(&cache);
        settle(&cache, true).expect("it settles");
        assert_eq!(time(&cache, OURS), first);

        fs::write(cache.root.join(OURS), "changed").expect("a file");
        let old = first - Duration::from_secs(3_600);
        super::set(&cache.root.join(OURS), old).expect("a time");
        settle(&cache, true).expect("it settles");
        assert!(time(&cache, OURS) >= first, "a changed file is newer");
        assert_eq!(time(&cache, BELOW), first);
        let _ = fs::remove_dir_all(at);
    }

    #[test]
    fn in_another_place_only_the_crate_below_the_registry_keeps_its_time() {
        let (at, cache) = clone_in("places");
        settle(&cache, true).expect("it settles");
        // As noted of a clone elsewhere, in the first second that clocks know.
        let notes = cache.home.join(super::NOTES);
        let text = fs::read_to_string(&notes).expect("notes");
        let mut elsewhere: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        elsewhere["root"] = "/elsewhere".into();
        for file in [OURS, BELOW] {
            elsewhere["files"][file][0] = 1_000.into();
        }
        fs::write(&notes, elsewhere.to_string()).expect("a file");
        settle(&cache, true).expect("it settles");
        let noted = SystemTime::UNIX_EPOCH + Duration::from_secs(1);
        assert_eq!(time(&cache, BELOW), noted);
        assert_ne!(time(&cache, OURS), noted);
        let _ = fs::remove_dir_all(at);
    }

    #[test]
    fn a_run_that_is_no_cis_drops_the_notes_and_touches_nothing() {
        let (at, cache) = clone_in("dropped");
        settle(&cache, true).expect("it settles");
        checked_out_later(&cache);
        let later = time(&cache, OURS);
        settle(&cache, false).expect("it settles");
        assert_eq!(time(&cache, OURS), later);
        settle(&cache, true).expect("it settles");
        assert_ne!(time(&cache, OURS), later, "nothing was noted of it");
        let _ = fs::remove_dir_all(at);
    }
}
