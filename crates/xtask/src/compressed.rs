//! Precompressed Brotli copies (`NAME.br`) of the files in `dist/` that pages load.
//!
//! At quality 11 the engine module takes 15 s and 1.7 MB. A server that compresses per request can only afford the quick
//! levels, which give 2.1 to 2.9 MB.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::cache::{self, Cache};
use crate::fault::advice;
use crate::run;

/// The extension that is appended to a file's name.
const ENDING: &str = "br";

/// In bytes. Smaller files fit in a few packets either way.
const SMALLEST: u64 = 4 * 1024;

/// Folders of `dist/` that pages don't load from.
const APART: [&str; 2] = ["edge", "npm"];

/// How many copies the cache keeps: those of about six builds.
const KEPT: usize = 100;

/// Node's zlib is used because it is installed anyway, runs on several threads, and is fast even in a debug build of xtask.
const COMPRESS: &str = r#"
const { readFileSync, writeFileSync } = require("node:fs");
const { brotliCompress, constants } = require("node:zlib");
for (const [from, to] of JSON.parse(process.argv[1])) {
  const bytes = readFileSync(from);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  brotliCompress(bytes, { params }, (error, packed) => {
    if (error) throw error;
    writeFileSync(to, packed);
  });
}
"#;

/// Writes the copies for a complete `dist/`, reusing those in the cache.
pub fn write(cache: &Cache, dist: &Path) -> Result<()> {
    let shelf = cache.dir("compressed")?;
    let _turn = cache::lock(&shelf)?;
    let mut copies = Vec::new();
    let mut missing = Vec::new();
    for file in loaded(dist)? {
        let kept = shelf.join(cache::file_hash(&file)?);
        let making = kept.with_extension("tmp");
        if !kept.exists() && !missing.iter().any(|(_, _, other)| *other == kept) {
            missing.push((file.clone(), making, kept.clone()));
        }
        copies.push((kept, file));
    }
    if !missing.is_empty() {
        let work: Vec<_> = missing
            .iter()
            .map(|(file, making, _)| (file, making))
            .collect();
        let mut node = run::program(cache, "node")?;
        node.args(["-e", COMPRESS, "--"])
            .arg(serde_json::to_string(&work)?);
        let full = "free some space in the cache, or set LESSONLOOP_CACHE to a folder with more";
        run::quiet(cache, "compressed", node, None, full)?;
        for (_, making, kept) in &missing {
            fs::rename(making, kept).with_context(|| advice(kept.display(), full))?;
        }
    }
    for (kept, file) in &copies {
        let at = beside(file);
        fs::copy(kept, &at).with_context(|| {
            advice(
                at.display(),
                "free some space and check the permissions of the clone",
            )
        })?;
    }
    prune(&shelf, &copies);
    Ok(())
}

/// The path of a file's copy.
fn beside(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".");
    name.push(ENDING);
    PathBuf::from(name)
}

/// The files that pages load and that compress well.
fn loaded(dist: &Path) -> Result<Vec<PathBuf>> {
    let mut found = cache::files(dist)?;
    found.retain(|file| {
        let apart = file
            .strip_prefix(dist)
            .is_ok_and(|name| APART.iter().any(|folder| name.starts_with(folder)));
        let kind = file.extension().and_then(|kind| kind.to_str());
        !apart
            && matches!(kind, Some("wasm" | "js" | "css" | "json" | "jsonl"))
            && file.metadata().is_ok_and(|data| data.len() >= SMALLEST)
    });
    Ok(found)
}

/// Removes the oldest copies, except those of this build. Failures are harmless.
fn prune(shelf: &Path, used: &[(PathBuf, PathBuf)]) {
    let Ok(entries) = fs::read_dir(shelf) else {
        return;
    };
    let mut aged: Vec<_> = entries
        .filter_map(std::result::Result::ok)
        .filter(|entry| entry.file_name() != ".lock")
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .filter(|(_, path)| used.iter().all(|(kept, _)| kept != path))
        .collect();
    aged.sort();
    let surplus = (aged.len() + used.len()).saturating_sub(KEPT);
    for (_, old) in aged.into_iter().take(surplus) {
        let _ = fs::remove_file(old);
    }
}

#[cfg(test)]
mod tests {
    use super::{beside, loaded};
    use std::path::{Path, PathBuf};

    #[test]
    fn only_large_compressible_files_that_pages_load_are_copied() {
        let dist = std::env::temp_dir().join(format!("lessonloop-copies-{}", std::process::id()));
        let large = "x".repeat(5_000);
        for (name, text) in [
            ("a.wasm", large.as_str()),
            ("small.js", "x"),
            ("picture.png", &large),
            ("engine/b.js", &large),
            ("edge/worker.js", &large),
            ("npm/index.js", &large),
        ] {
            let at = dist.join(name);
            std::fs::create_dir_all(at.parent().expect("a folder")).expect("a temporary folder");
            std::fs::write(at, text).expect("a temporary file");
        }
        let found = loaded(&dist).expect("they are read");
        let names = ["a.wasm", "engine/b.js"].map(|name| dist.join(name));
        assert_eq!(found, names);
        assert_eq!(beside(Path::new("a.wasm")), PathBuf::from("a.wasm.br"));
        std::fs::remove_dir_all(dist).expect("the temporary folder");
    }
}
