//! Hashes of the page's scripts in the page: the browser runs none that is not the one that was built.
//!
//! An import map names the modules, whoever imports them; scripts and preloads carry their own. Workers take no import
//! maps: the service worker holds their files against its list.

use std::path::Path;

use anyhow::{Context as _, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha384};

use crate::cache;
use crate::fault::{advice, fault};

const PAGE: &str = "index.html";

/// Writes them into the page of a `dist/` that has all its scripts.
pub fn write(dist: &Path) -> Result<()> {
    let at = dist.join(PAGE);
    let remedy = "free some space and check the permissions of the clone";
    let page = std::fs::read_to_string(&at).with_context(|| advice(at.display(), remedy))?;
    let mut hashes = Map::new();
    for file in cache::files(dist)? {
        let name = file.strip_prefix(dist).unwrap_or(&file).to_string_lossy();
        // Those at the root, which the page may load or import.
        if name.ends_with(".js") && !name.contains(['/', '\\']) && page_has(&page, &name) {
            let bytes = std::fs::read(&file).with_context(|| advice(file.display(), remedy))?;
            hashes.insert(format!("/{name}"), Value::from(hash(&bytes)));
        }
    }
    let page = with(&page, &hashes)?;
    std::fs::write(&at, page).with_context(|| advice(at.display(), remedy))
}

/// True if a script is the page's: named there, or a part of one that is, which has its name before its own.
fn page_has(page: &str, name: &str) -> bool {
    let stem = name.trim_end_matches(".js");
    let whole = stem.rsplit_once('-').map_or(stem, |(head, _)| head);
    page.contains(&format!("/{name}")) || page.contains(&format!("/{whole}.js"))
}

fn hash(bytes: &[u8]) -> String {
    format!("sha384-{}", STANDARD.encode(Sha384::digest(bytes)))
}

/// The page with an import map before its first script, and the hash in each element that names a script.
fn with(page: &str, hashes: &Map<String, Value>) -> Result<String> {
    let Some(first) = page.find("<script") else {
        return Err(fault("the page has no script", "build it again"));
    };
    let map = json!({ "integrity": hashes }).to_string();
    let (head, rest) = page.split_at(first);
    let mut page = format!("{head}<script type=\"importmap\">{map}</script>\n    {rest}");
    for (path, hash) in hashes {
        for named in [format!("src=\"{path}\""), format!("href=\"{path}\"")] {
            let hash = hash.as_str().unwrap_or_default();
            page = page.replace(&named, &format!("{named} integrity=\"{hash}\""));
        }
    }
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::write;

    #[test]
    fn scripts_of_the_page_carry_their_hashes_and_others_do_not() {
        let dist =
            std::env::temp_dir().join(format!("lessonloop-integrity-{}", std::process::id()));
        std::fs::create_dir_all(dist.join("engine")).expect("a temporary folder");
        for (name, text) in [
            (
                "index.html",
                "<head><script src=\"/trusted.js\"></script>\n<script type=\"module\">import '/web-1.js';</script><link rel=\"modulepreload\" href=\"/web-1.js\"></head>",
            ),
            ("trusted.js", "x"),
            ("web-1.js", "app"),
            ("web-1-pages.js", "pages"),
            ("sw.js", "x"),
            ("engine/lessonloop.js", "x"),
        ] {
            std::fs::write(dist.join(name), text).expect("a file");
        }
        write(&dist).expect("it is written");
        let page = std::fs::read_to_string(dist.join("index.html")).expect("the page");
        let _ = std::fs::remove_dir_all(dist);
        // printf app | openssl dgst -sha384 -binary | base64
        let app = "sha384-eHhHA5yRWyrA39S98cz2A2QMX97dgcouvSCGeivEhVGH4n/L3CzYW4PPvcsd5jL3";
        assert!(
            page.starts_with("<head><script type=\"importmap\">{\"integrity\":{"),
            "{page}"
        );
        assert!(page.contains(&format!("\"/web-1.js\":\"{app}\"")), "{page}");
        assert!(
            page.contains(&format!("href=\"/web-1.js\" integrity=\"{app}\"")),
            "{page}"
        );
        for (name, count) in [
            ("/web-1-pages.js", 1),
            ("/trusted.js", 2),
            ("/sw.js", 0),
            ("lessonloop.js", 0),
        ] {
            assert_eq!(page.matches(name).count(), count, "{name}: {page}");
        }
        assert!(
            page.contains("src=\"/trusted.js\" integrity=\"sha384-"),
            "{page}"
        );
    }
}
