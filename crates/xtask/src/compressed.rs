//! Precompressed Brotli copies (`NAME.br`) of the files in `dist/` that pages load.
//!
//! At quality 11 the engine module takes 15 s and 1.7 MB. A server that compresses per request can only afford the quick
//! levels, which give 2.1 to 2.9 MB.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::cache::{self, Cache};
use crate::run;

/// In bytes. Smaller files fit in a few packets either way.
const SMALLEST: u64 = 4 * 1024;

/// Folders of `dist/` that pages don't load from.
const APART: [&str; 2] = ["edge", "npm"];

/// Node's zlib is used because it is installed anyway, runs on several threads, and is fast even in a debug build of xtask.
const COMPRESS: &str = r#"
const { readFileSync, writeFileSync } = require("node:fs");
const { basename, join } = require("node:path");
const { brotliCompress, constants } = require("node:zlib");
const [to, ...files] = process.argv.slice(1);
for (const file of files) {
  const bytes = readFileSync(file);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  brotliCompress(bytes, { params }, (error, packed) => {
    if (error) throw error;
    writeFileSync(join(to, `${basename(file)}.br`), packed);
  });
}
"#;

/// Writes the copies for a complete `dist/`. Those of a folder come from the cache while its files are the same.
pub fn write(cache: &Cache, dist: &Path) -> Result<()> {
    let mut folders: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
    for file in loaded(dist)? {
        let folder = file.parent().unwrap_or(dist).to_path_buf();
        folders.entry(folder).or_default().push(file);
    }
    for (folder, files) in folders {
        let name = folder.strip_prefix(dist).unwrap_or(&folder);
        // The top of `dist/` has no name of its own.
        let name = format!("dist-{}", name.to_string_lossy().replace(['/', '\\'], "-"));
        let inputs: Vec<_> = files
            .iter()
            .filter_map(|file| file.strip_prefix(dist).ok()?.to_str())
            .collect();
        let key = || cache::key_of(dist, &inputs, &[]);
        let (copies, _) = cache.made(&format!("compressed/{name}"), key, |at| {
            let mut node = run::program(cache, "node")?;
            node.args(["-e", COMPRESS, "--"]).arg(at).args(&files);
            let remedy = "free some space or set LESSONLOOP_CACHE to a writable folder";
            run::quiet(cache, "compressed", node, None, remedy)
        })?;
        cache::copy_tree(&copies, &folder, &|_| true)?;
    }
    Ok(())
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

#[cfg(test)]
mod tests {
    use super::loaded;

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
        std::fs::remove_dir_all(dist).expect("the temporary folder");
    }
}
