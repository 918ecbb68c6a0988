//! `dist/samples.json`: the sample lessons as the files of one import, so that a browser asks for them once.

use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::json;

use crate::cache;
use crate::fault::advice;

/// Their folder in `www/`.
pub const FOLDER: &str = "samples";

/// The lessons, each a file.
pub const LESSONS: &str = "www/samples/lessons";

/// Writes the file of a whole `dist/`: `[{"path", "content"}]` by path.
pub fn write(root: &Path, dist: &Path) -> Result<()> {
    let mut files = Vec::new();
    for file in cache::files(&root.join(LESSONS))? {
        let content = std::fs::read_to_string(&file)
            .with_context(|| advice(file.display(), "a sample is a text file in UTF-8"))?;
        let path = file.file_name().unwrap_or_default().to_string_lossy();
        files.push(json!({ "path": path, "content": content }));
    }
    let at = dist.join("samples.json");
    std::fs::write(&at, serde_json::Value::from(files).to_string())
        .with_context(|| advice(at.display(), "free some space"))
}
