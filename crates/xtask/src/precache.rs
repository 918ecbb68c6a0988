//! `dist/precache.js`: what the service worker keeps for offline use, each file with its hash, under the hash of all.

use std::path::Path;

use anyhow::{Context as _, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::cache;
use crate::fault::advice;

/// The list's name in `dist/`; the service worker loads it by this.
const LIST: &str = "precache.js";

const PAGE: &str = "index.html";

/// Modules with their glue, of which a browser needs one; the page says which.
const BUILDS: [(&str, &str); 4] = [
    ("engine/lessonloop.js", "simd128"),
    ("engine/lessonloop_bg.wasm", "simd128"),
    ("engine/lessonloop_relaxed.js", "relaxed-simd"),
    ("engine/lessonloop_relaxed_bg.wasm", "relaxed-simd"),
];

/// Writes the list of a whole `dist/`.
///
/// The service worker checks each file against its hash, so it never keeps files of two builds, even when one is
/// replaced by the other while it fetches.
pub fn write(dist: &Path) -> Result<()> {
    let full = "free some space and check the permissions of the clone";
    let mut files = Vec::new();
    let mut all = Sha256::new();
    for file in cache::files(dist)? {
        let name = file
            .strip_prefix(dist)
            .unwrap_or(&file)
            .to_string_lossy()
            .replace('\\', "/");
        if !is_kept(&name) {
            continue;
        }
        let bytes = std::fs::read(&file).with_context(|| advice(file.display(), full))?;
        let hash = Sha256::digest(&bytes);
        all.update((name.len() as u64).to_le_bytes());
        all.update(&name);
        all.update(hash);
        let build = BUILDS.iter().find(|(module, _)| *module == name);
        files.push(json!({
            // Some hosts send a browser that asks for index.html on to the folder.
            "url": format!("/{}", if name == PAGE { "" } else { &name }),
            "integrity": format!("sha256-{}", STANDARD.encode(hash)),
            "build": build.map(|(_, build)| *build),
        }));
    }
    let version = hex::encode(&all.finalize()[..8]);
    let list = json!({ "version": version, "files": files });
    let at = dist.join(LIST);
    std::fs::write(
        &at,
        format!("// What sw.js keeps for offline use.\nself.PRECACHE = {list:#};\n"),
    )
    .with_context(|| advice(at.display(), full))
}

/// True if a file belongs to the app as it runs. The model pack is kept elsewhere, samples are fetched when they are
/// asked for, and a service worker must not keep itself.
fn is_kept(name: &str) -> bool {
    let code = [".html", ".css", ".js", ".wasm", ".woff2"]
        .iter()
        .any(|end| name.ends_with(end));
    let dress = name.starts_with("icons/") || name.ends_with(".webmanifest");
    let apart = name.starts_with("edge/") || matches!(name, "sw.js" | LIST);
    (code || dress) && !apart
}

#[cfg(test)]
mod tests {
    use super::write;

    fn listed(files: &[(&str, &str)], name: &str) -> serde_json::Value {
        let dist = std::env::temp_dir().join(format!("lessonloop-{name}-{}", std::process::id()));
        for (file, text) in files {
            let at = dist.join(file);
            std::fs::create_dir_all(at.parent().expect("it lies in dist")).expect("a folder");
            std::fs::write(at, text).expect("a file");
        }
        write(&dist).expect("it is written");
        let text = std::fs::read_to_string(dist.join("precache.js")).expect("the list");
        let _ = std::fs::remove_dir_all(dist);
        let (_, list) = text.split_once("self.PRECACHE = ").expect("one value");
        serde_json::from_str(list.trim().trim_end_matches(';')).expect("JSON")
    }

    #[test]
    fn the_app_is_listed_with_hashes_and_the_rest_is_not() {
        let list = listed(
            &[
                ("index.html", "page"),
                ("sw.js", "x"),
                ("web.js", "app"),
                ("icons/icon.svg", "<svg/>"),
                ("engine/lessonloop.d.ts", "x"),
                ("engine/lessonloop_bg.wasm", "plain"),
                ("engine/lessonloop_relaxed.js", "glue"),
                ("engine/lessonloop_relaxed_bg.wasm", "relaxed"),
                ("engine/manifest.json", "{}"),
                ("engine/minilm.pack", "x"),
                ("vendor/inter-latin.woff2", "font"),
                ("edge/worker.js", "x"),
                ("samples.json", "x"),
                ("THIRD-PARTY.txt", "x"),
            ],
            "precache",
        );
        let found: Vec<(&str, Option<&str>)> = list["files"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|file| (file["url"].as_str().expect("text"), file["build"].as_str()))
            .collect();
        assert_eq!(
            found,
            [
                ("/engine/lessonloop_bg.wasm", Some("simd128")),
                ("/engine/lessonloop_relaxed.js", Some("relaxed-simd")),
                ("/engine/lessonloop_relaxed_bg.wasm", Some("relaxed-simd")),
                ("/icons/icon.svg", None),
                ("/", None),
                ("/vendor/inter-latin.woff2", None),
                ("/web.js", None),
            ]
        );
        // As `openssl dgst -sha256 -binary | base64` says of "page".
        assert_eq!(
            list["files"][4]["integrity"],
            "sha256-NmAxWprz3yVdjxmrB35Hl4IrQUiKDioEvGr3EhPCMnQ="
        );
    }

    #[test]
    fn another_byte_is_another_version() {
        let version = |text| listed(&[("index.html", text)], "versions")["version"].clone();
        assert_ne!(version("one"), version("two"));
        assert_eq!(version("one"), version("one"));
    }
}
