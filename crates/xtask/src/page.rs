//! The dashboard's page without trunk, for what is served on this machine: nobody waits there until a bundler is compiled.
//! A release is trunk's, with the same elements of `www/index.html`.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

use crate::cache;
use crate::fault::{advice, fault};
use crate::split::Parts;

/// The page, and the folder that its elements name files from.
const WWW: &str = "www";
const PAGE: &str = "index.html";

/// Mark of the elements that are the bundler's.
const OURS: &str = "data-trunk";

const FULL: &str = "free some space and check the permissions of the cache";

/// Writes the page, its styles, and the dashboard's module with its glue, which have the build's hash in their names.
pub fn write(root: &Path, module: &Path, parts: &Parts, at: &Path) -> Result<()> {
    parts.bind(module, at, "web")?;
    let read = |file: &Path| fs::read(file).with_context(|| advice(file.display(), FULL));
    let (glue, wasm) = (at.join("web.js"), at.join("web_bg.wasm"));
    let hash = cache::hash(&[&read(&glue)?, &read(&wasm)?]);
    let stem = format!("web-{}", &hash[..16]);
    for (from, to) in [
        (glue, format!("{stem}.js")),
        (wasm, format!("{stem}_bg.wasm")),
    ] {
        fs::rename(&from, at.join(to)).with_context(|| advice(from.display(), FULL))?;
    }

    let www = root.join(WWW);
    let from = www.join(PAGE);
    let page =
        fs::read_to_string(&from).with_context(|| advice(from.display(), "restore it from git"))?;
    let (page, styles) = filled(&page, &stem)?;
    for style in styles {
        let (from, to) = (www.join(&style), at.join(name_of(&style)));
        fs::copy(&from, to).with_context(|| advice(from.display(), "see www/index.html"))?;
    }
    let to = at.join(PAGE);
    fs::write(&to, page).with_context(|| advice(to.display(), FULL))
}

/// Returns the page with what starts the module in the bundler's elements' places, and the stylesheets that it names.
fn filled(page: &str, stem: &str) -> Result<(String, Vec<String>)> {
    let mut filled = String::new();
    let mut styles = Vec::new();
    for line in page.lines() {
        let element = line.trim();
        if !element.contains(OURS) {
            filled.push_str(line);
        } else if element.contains("rel=\"rust\"") {
            filled.push_str(&format!(
                "    <script type=\"module\">import init from '/{stem}.js';\nawait init({{ module_or_path: '/{stem}_bg.wasm' }});</script>\n\
                 \x20   <link rel=\"modulepreload\" href=\"/{stem}.js\" crossorigin>\n\
                 \x20   <link rel=\"preload\" href=\"/{stem}_bg.wasm\" crossorigin as=\"fetch\" type=\"application/wasm\">"
            ));
        } else if let Some(style) = attribute(element, "href")
            && element.contains("rel=\"css\"")
        {
            filled.push_str(&format!(
                "    <link rel=\"stylesheet\" href=\"/{}\">",
                name_of(style)
            ));
            styles.push(style.to_owned());
        } else {
            return Err(fault(
                format_args!("www/index.html has an element that only trunk knows: {element}"),
                "teach it to crates/xtask/src/page.rs",
            ));
        }
        filled.push('\n');
    }
    Ok((filled, styles))
}

fn attribute<'a>(element: &'a str, name: &str) -> Option<&'a str> {
    let (_, value) = element.split_once(&format!("{name}=\""))?;
    value.split_once('"').map(|(value, _)| value)
}

fn name_of(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::filled;

    #[test]
    fn elements_of_the_bundler_are_filled_in_and_unknown_ones_refused() {
        let page = "<head>\n  <link data-trunk rel=\"rust\" href=\"../web/Cargo.toml\" data-bin=\"web\">\n  <link data-trunk rel=\"css\" href=\"css/a.css\">\n</head>";
        let (page, styles) = filled(page, "web-1").expect("it is filled");
        assert!(!page.contains("data-trunk"), "{page}");
        assert!(page.contains("import init from '/web-1.js'"), "{page}");
        assert!(page.contains("module_or_path: '/web-1_bg.wasm'"), "{page}");
        assert!(
            page.contains("<link rel=\"stylesheet\" href=\"/a.css\">"),
            "{page}"
        );
        assert_eq!(styles, ["css/a.css"]);
        let told = filled("<link data-trunk rel=\"sass\" href=\"a.scss\">", "web-1");
        assert!(told.unwrap_err().to_string().contains("sass"));
    }

    #[test]
    fn the_page_has_no_other_elements() {
        let page = include_str!("../../../www/index.html");
        assert!(filled(page, "web-1").is_ok_and(|(_, styles)| styles.len() > 1));
    }
}
