//! The page's styles as one file: `www/css` has one for each place, and whoever loads the page fetches them at once.

use std::path::Path;

use anyhow::{Context as _, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha384};

use crate::fault::{advice, fault};

const PAGE: &str = "index.html";
/// Beginning of an element that names a stylesheet in the page that trunk wrote.
const LINK: &str = "<link rel=\"stylesheet\" href=\"/";

/// Joins the stylesheets of a built page in the order that it names them in.
pub fn join(dist: &Path) -> Result<()> {
    let remedy = "free some space and check the permissions of the clone";
    let at = dist.join(PAGE);
    let page = std::fs::read_to_string(&at).with_context(|| advice(at.display(), remedy))?;
    let mut styles = String::new();
    let mut kept = String::new();
    let mut place = None;
    let mut rest = page.as_str();
    while let Some((before, link)) = rest.split_once(LINK) {
        let name = link.split_once('"').map(|(name, _)| name);
        let after = link.split_once('>').map(|(_, after)| after);
        let (Some(name), Some(after)) = (name, after) else {
            return Err(fault(
                "a stylesheet of the page has no end",
                "build it again",
            ));
        };
        let file = dist.join(name);
        let text =
            std::fs::read_to_string(&file).with_context(|| advice(file.display(), remedy))?;
        styles.push_str(&text);
        if !text.ends_with('\n') {
            styles.push('\n');
        }
        std::fs::remove_file(&file).with_context(|| advice(file.display(), remedy))?;
        kept.push_str(before.trim_end_matches([' ', '\n']));
        place.get_or_insert(kept.len());
        rest = after;
    }
    kept.push_str(rest);
    let Some(place) = place else {
        return Err(fault("the page names no stylesheet", "build it again"));
    };
    let hash = Sha384::digest(&styles);
    let name = format!(
        "styles-{}.css",
        hex::encode(hash.get(..8).unwrap_or_default())
    );
    let link = format!(
        "\n    {LINK}{name}\" integrity=\"sha384-{}\">",
        STANDARD.encode(hash)
    );
    kept.insert_str(place, &link);
    for (file, text) in [(dist.join(name), styles), (at, kept)] {
        std::fs::write(&file, text).with_context(|| advice(file.display(), remedy))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::join;

    #[test]
    fn styles_are_one_file_in_the_order_of_the_page() {
        let dist = std::env::temp_dir().join(format!("lessonloop-styles-{}", std::process::id()));
        std::fs::create_dir_all(&dist).expect("a temporary folder");
        let page = "<head>\n    <link rel=\"stylesheet\" href=\"/a-1.css\" integrity=\"x\"/>\n    <link rel=\"stylesheet\" href=\"/b-2.css\" integrity=\"y\"/>\n    <title>T</title>\n</head>";
        for (name, text) in [
            ("index.html", page),
            ("a-1.css", "a{}"),
            ("b-2.css", "b{}\n"),
        ] {
            std::fs::write(dist.join(name), text).expect("a file");
        }
        join(&dist).expect("they are joined");
        let page = std::fs::read_to_string(dist.join("index.html")).expect("the page");
        let name = page
            .split_once("href=\"/")
            .and_then(|(_, rest)| rest.split_once('"'))
            .map(|(name, _)| name.to_owned())
            .expect("a name");
        assert_eq!(page.matches("stylesheet").count(), 1, "{page}");
        assert!(page.contains("\n    <title>T</title>"), "{page}");
        let styles = std::fs::read_to_string(dist.join(&name)).expect("the styles");
        assert_eq!(styles, "a{}\nb{}\n");
        assert!(!dist.join("a-1.css").exists());
        let _ = std::fs::remove_dir_all(dist);
    }
}
