//! Where the edge function is: the page's own server when that is one, or what a person typed.

use crate::dom::Memory;
use crate::features::settings::local_stack;
use leptos::prelude::window;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{RequestInit, Response};

const KEY: &str = "lessonloop.edge";
/// The header by which an edge function makes itself known on the files that it serves.
const HEADER: &str = "lessonloop-edge";

/// The package for Node, as `cargo xtask build` names it, with a slash before it.
pub const PACKAGE: &str = concat!("/lessonloop-", env!("CARGO_PKG_VERSION"), ".tgz");

/// The address of the package, where it lies beside the page.
pub async fn package() -> Option<String> {
    let asked = RequestInit::new();
    asked.set_method("HEAD");
    let answer = JsFuture::from(window().fetch_with_str_and_init(PACKAGE, &asked)).await;
    let answer: Response = answer.ok()?.dyn_into().ok()?;
    let kind = answer.headers().get("content-type").ok().flatten();
    // A host that knows no such file may answer with the page.
    let is_file = answer.ok() && !kind.unwrap_or_default().contains("html");
    let origin = window().location().origin().ok().filter(|_| is_file)?;
    Some(format!("{origin}{PACKAGE}"))
}

/// The origin of this page, when an edge function serves it.
pub async fn own() -> Option<String> {
    let asked = RequestInit::new();
    asked.set_method("HEAD");
    let answer = JsFuture::from(window().fetch_with_str_and_init("/", &asked)).await;
    let answer: Response = answer.ok()?.dyn_into().ok()?;
    let is_edge = answer.headers().has(HEADER).unwrap_or(false);
    is_edge.then(|| window().location().origin().ok()).flatten()
}

/// The address that was typed last in this browser; else that of the stack on this machine.
pub async fn known() -> Option<String> {
    match Memory::Browser
        .find(KEY)
        .filter(|address| !address.is_empty())
    {
        Some(address) => Some(address),
        None => local_stack().await?.edge,
    }
}

/// Remembers an address where storage allows.
pub fn keep(address: &str) {
    Memory::Browser.keep(KEY, address);
}

/// Forgets it.
pub fn forget() {
    Memory::Browser.keep(KEY, "");
}

/// The origin in what was typed: `https`, or `http` on this machine; a path is left out. An error says what to type.
pub fn origin(typed: &str) -> Result<String, &'static str> {
    const WRONG: &str =
        "Type an address such as https://lessonloop.example.workers.dev, without blanks.";
    let typed = typed.trim().to_ascii_lowercase();
    let (scheme, rest) = typed.split_once("://").unwrap_or(("https", &typed));
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let fits = |c: char| c.is_ascii_alphanumeric() || ".-:[]".contains(c);
    let name = match host.strip_prefix('[') {
        Some(v6) => v6.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    if name.is_empty() || host.ends_with(':') || !host.chars().all(fits) {
        return Err(WRONG);
    }
    match scheme {
        "https" => Ok(format!("https://{host}")),
        "http" if matches!(name, "localhost" | "127.0.0.1" | "::1") => Ok(format!("http://{host}")),
        "http" => Err("Use https: over http anyone on the way could read the key."),
        _ => Err(WRONG),
    }
}

#[cfg(test)]
mod tests {
    use super::origin;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn an_address_is_an_origin_that_keeps_the_key_secret() {
        for (typed, expected) in [
            (
                " https://a.workers.dev/mcp?x#y ",
                Some("https://a.workers.dev"),
            ),
            ("A.Workers.dev", Some("https://a.workers.dev")),
            ("http://127.0.0.1:8787", Some("http://127.0.0.1:8787")),
            ("http://[::1]:8787/", Some("http://[::1]:8787")),
            ("http://a.workers.dev", None),
            ("http://127.0.0.1.evil.com", None),
            ("https://user:pass@a.dev", None),
            ("https://a.dev' -o /etc/x", None),
            ("https://a\"b.dev", None),
            ("javascript:alert(1)", None),
            ("ftp://a.dev", None),
            ("https://", None),
            ("https:/", None),
            ("", None),
        ] {
            assert_eq!(origin(typed).ok().as_deref(), expected, "{typed}");
        }
    }
}
