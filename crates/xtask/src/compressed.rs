//! Brotli copies beside the files of `dist/` that pages load, for servers that send such as they are.
//!
//! A server that compresses while it sends has milliseconds for what takes seconds: its module is a fifth larger.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, Result};

use crate::cache::{self, Cache};
use crate::fault::advice;
use crate::run;

/// What a copy's name ends in, after the file's own.
pub const ENDING: &str = "br";

/// Files below this are sent in a packet or two either way.
const SMALLEST: u64 = 4 * 1024;

/// Folders of `dist/` that no page loads from.
const APART: [&str; 2] = ["edge", "npm"];

/// How long a copy that no build asked for stays in the cache.
const KEPT: Duration = Duration::from_secs(14 * 24 * 60 * 60);

/// Node compresses: it is there anyway, on all processors, and with the C library, which is quick in every profile.
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

/// Writes the copies of a whole `dist/`; what was compressed before comes from the cache.
pub fn write(cache: &Cache, dist: &Path) -> Result<()> {
    let shelf = cache.dir("compressed")?;
    let _turn = cache::lock(&shelf)?;
    let mut copies = Vec::new();
    let mut missing = Vec::new();
    for file in loaded(dist)? {
        let kept = shelf.join(cache::file_hash(&file)?);
        let making = kept.with_extension("tmp");
        if kept.exists() {
            // Its age is counted from the last build that had it; that it can't be told only makes it anew some day.
            let _ = fs::File::open(&kept).and_then(|file| file.set_modified(SystemTime::now()));
        } else {
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
    for (kept, file) in copies {
        let at = beside(&file);
        fs::copy(&kept, &at).with_context(|| {
            advice(
                at.display(),
                "free some space and check the permissions of the clone",
            )
        })?;
    }
    prune(&shelf);
    Ok(())
}

/// The name of a file's copy.
fn beside(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".");
    name.push(ENDING);
    PathBuf::from(name)
}

/// What pages load, and what compresses.
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

/// Removes copies that no build asked for lately. Failing to is harmless.
fn prune(shelf: &Path) {
    let Ok(entries) = fs::read_dir(shelf) else {
        return;
    };
    for entry in entries.filter_map(std::result::Result::ok) {
        let age = entry
            .metadata()
            .and_then(|data| data.modified())
            .map(|at| at.elapsed().unwrap_or_default());
        if age.is_ok_and(|age| age > KEPT) && entry.file_name() != ".lock" {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{beside, loaded};
    use std::path::{Path, PathBuf};

    #[test]
    fn what_pages_load_has_a_copy_and_nothing_else() {
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
