//! Where set-up keeps what it made: tools, compiled code, model, packages. Outside the clone, so that a second clone is fast.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use sha2::{Digest as _, Sha256};

use crate::fault::{advice, fault};

const FULL: &str = "free some space or set LESSONLOOP_CACHE to a writable folder";

/// The folders that tasks work with.
#[derive(Clone, Debug)]
pub struct Cache {
    /// The clone: the folder of the root manifest.
    pub root: PathBuf,
    /// The cache: `$LESSONLOOP_CACHE`, or `~/.cache/lessonloop`.
    pub home: PathBuf,
}

impl Cache {
    /// Finds the clone and the cache, and creates the latter.
    pub fn open() -> Result<Self> {
        // As cargo says now, if it runs us: a program that was built elsewhere may come from the cache.
        let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = match manifest.ancestors().nth(2) {
            Some(root) if root.join("Cargo.lock").exists() => root.to_path_buf(),
            _ => {
                return Err(fault(
                    format_args!("no workspace above {}", manifest.display()),
                    "the clone was moved after xtask was built: run `cargo clean -p xtask` and try again",
                ));
            }
        };
        let home = match std::env::var_os("LESSONLOOP_CACHE").filter(|at| !at.is_empty()) {
            Some(at) => {
                std::path::absolute(at).with_context(|| advice("LESSONLOOP_CACHE", FULL))?
            }
            None => {
                let user = std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE"));
                let user = user.ok_or_else(|| {
                    fault(
                        "neither LESSONLOOP_CACHE nor HOME is set",
                        "set LESSONLOOP_CACHE to a writable folder",
                    )
                })?;
                PathBuf::from(user).join(".cache").join("lessonloop")
            }
        };
        std::fs::create_dir_all(&home).with_context(|| advice(home.display(), FULL))?;
        Ok(Self { root, home })
    }

    /// A folder of the cache, created when absent.
    pub fn dir(&self, name: impl AsRef<Path>) -> Result<PathBuf> {
        let at = self.home.join(name);
        std::fs::create_dir_all(&at).with_context(|| advice(at.display(), FULL))?;
        Ok(at)
    }

    /// `PATH` with the cache's tools and the npm packages' commands in front.
    pub fn path(&self) -> Result<OsString> {
        let mut path = vec![
            self.home.join("tools/bin"),
            self.root.join("tests/node_modules/.bin"),
        ];
        let given = std::env::var_os("PATH").unwrap_or_default();
        path.extend(std::env::split_paths(&given));
        std::env::join_paths(path)
            .with_context(|| advice("PATH", "remove entries with a colon from PATH"))
    }

    /// The folder `kind/key`, made by `build` when absent; `key` is asked again afterwards, so that what was made of
    /// sources that changed meanwhile is not kept under the wrong name. Half-made folders are never seen under the
    /// final name; of each kind only the newest few are kept, and only one is made at a time, whatever else runs.
    pub fn made(
        &self,
        kind: &str,
        key: impl Fn() -> Result<String>,
        build: impl FnOnce(&Path) -> Result<()>,
    ) -> Result<(PathBuf, Made)> {
        let shelf = self.dir(kind)?;
        let name = key()?;
        let done = shelf.join(&name);
        if done.exists() {
            return Ok((done, Made::Before));
        }
        let _turn = lock(&shelf)?;
        if done.exists() {
            return Ok((done, Made::Before));
        }
        let making = shelf.join(format!(".{name}"));
        fresh_dir(&making)?;
        build(&making)?;
        if key()? != name {
            return Err(fault(
                format_args!("sources changed while the {kind} was built from them"),
                "run it again",
            ));
        }
        std::fs::rename(&making, &done).with_context(|| advice(done.display(), FULL))?;
        prune(&shelf, &done);
        Ok((done, Made::Now))
    }
}

/// Waits for the turn to change a folder; it ends when the file is dropped, or with the process.
pub fn lock(folder: &Path) -> Result<std::fs::File> {
    let at = folder.join(".lock");
    let file = std::fs::File::create(&at).with_context(|| advice(at.display(), FULL))?;
    file.lock()
        .with_context(|| advice(at.display(), "end the other task that holds it"))?;
    Ok(file)
}

/// Origin of a cached folder: there before, or just made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// It was in the cache.
    Before,
    /// It was made by this run.
    Now,
}

impl Made {
    /// Returns the note for the progress line.
    pub fn note(self) -> String {
        match self {
            Self::Before => "unchanged".into(),
            Self::Now => String::new(),
        }
    }
}

/// An empty folder under this name, whatever was there before.
pub fn fresh_dir(at: &Path) -> Result<()> {
    if at.exists() {
        std::fs::remove_dir_all(at).with_context(|| advice(at.display(), FULL))?;
    }
    std::fs::create_dir_all(at).with_context(|| advice(at.display(), FULL))
}

/// Lets a file be run as a program.
#[cfg(unix)]
pub fn executable(at: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(at, std::fs::Permissions::from_mode(0o755))
        .with_context(|| advice(at.display(), "check the permissions of the cache"))
}

/// Lets a file be run as a program, which every one can be here.
#[cfg(not(unix))]
pub fn executable(_: &Path) -> Result<()> {
    Ok(())
}

/// Copies a folder's files into another, keeping the tree; `keep` decides by path relative to `from`.
pub fn copy_tree(from: &Path, to: &Path, keep: &dyn Fn(&Path) -> bool) -> Result<()> {
    for file in files(from)? {
        let Ok(relative) = file.strip_prefix(from) else {
            continue;
        };
        if keep(relative) {
            let target = to.join(relative);
            if let Some(parent) = target.parent() {
                std::fs::create_dir_all(parent).with_context(|| advice(parent.display(), FULL))?;
            }
            std::fs::copy(&file, &target).with_context(|| advice(target.display(), FULL))?;
        }
    }
    Ok(())
}

/// All files under a path (or the file itself), sorted. Build outputs and hidden folders are not entered.
pub fn files(at: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    if at.is_file() {
        found.push(at.to_path_buf());
    } else if at.is_dir() {
        for entry in std::fs::read_dir(at)
            .with_context(|| advice(at.display(), "check the folder's permissions"))?
        {
            let path = entry
                .with_context(|| advice(at.display(), "check the folder's permissions"))?
                .path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if !matches!(&*name, "target" | "node_modules" | "__pycache__")
                && !name.starts_with('.')
            {
                found.extend(files(&path)?);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// SHA-256 of a file, in hexadecimal.
pub fn file_hash(at: &Path) -> Result<String> {
    let bytes = std::fs::read(at)
        .with_context(|| advice(at.display(), "check that the file exists and is readable"))?;
    Ok(hash(&[&bytes]))
}

/// SHA-256 of several byte strings, each told apart from the next by its length.
pub fn hash(parts: &[&[u8]]) -> String {
    let mut sum = Sha256::new();
    if let [only] = parts {
        sum.update(only);
    } else {
        for part in parts {
            sum.update((part.len() as u64).to_le_bytes());
            sum.update(part);
        }
    }
    hex::encode(sum.finalize())
}

/// Hash of the names and contents of all files under some paths of the clone, and of some words: the key of what is
/// built from them.
pub fn key_of(root: &Path, inputs: &[&str], words: &[&str]) -> Result<String> {
    let mut parts: Vec<Vec<u8>> = words.iter().map(|word| word.as_bytes().to_vec()).collect();
    for input in inputs {
        for file in files(&root.join(input))? {
            // Nothing is built from what a crate says of itself.
            if file.ends_with("README.md") {
                continue;
            }
            let name = file.strip_prefix(root).unwrap_or(&file);
            parts.push(name.to_string_lossy().into_owned().into_bytes());
            parts.push(
                std::fs::read(&file)
                    .with_context(|| advice(file.display(), "check that the file is readable"))?,
            );
        }
    }
    let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
    Ok(hash(&parts)[..16].to_string())
}

/// Most results of one kind that stay: enough to go back and forth between two branches and two profiles.
const KEPT: usize = 6;

/// Removes the oldest results of a kind. Failing to is harmless.
fn prune(shelf: &Path, newest: &Path) {
    let Ok(entries) = std::fs::read_dir(shelf) else {
        return;
    };
    let mut aged: Vec<_> = entries
        .filter_map(std::result::Result::ok)
        .filter(|entry| {
            entry.path() != newest && !entry.file_name().to_string_lossy().starts_with('.')
        })
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    aged.sort();
    let surplus = aged.len().saturating_sub(KEPT - 1);
    for (_, old) in aged.into_iter().take(surplus) {
        let _ = std::fs::remove_dir_all(old);
    }
}
