//! The headers that a host of the dashboard must send, made from the built page.

use anyhow::{Context as _, Result};
use axum::http::Uri;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use crate::fault::{advice, fault};

/// Where hosted Supabase projects are.
pub const HOSTED: &str = "https://*.supabase.co";

/// The headers that every file of the dashboard is sent with, wherever it is hosted. Data goes to `project`, or to hosted
/// Supabase where that is not known, and to `stack` when there is one.
pub fn headers(
    page: &str,
    project: Option<&str>,
    stack: Option<&str>,
) -> [(&'static str, String); 6] {
    [
        ("Content-Security-Policy", policy(page, project, stack)),
        // No other page holds this one's window.
        ("Cross-Origin-Opener-Policy", "same-origin".into()),
        ("X-Content-Type-Options", "nosniff".into()),
        ("Referrer-Policy", "no-referrer".into()),
        ("Cross-Origin-Resource-Policy", "same-origin".into()),
        // Files keep their names when they are built anew: the browser must ask each time.
        ("Cache-Control", "no-cache".into()),
    ]
}

/// The content security policy: everything from here, nothing inline but the scripts that the bundler wrote into the
/// page, each named by its hash. No text becomes a script or markup: `www/trusted.js` says which scripts may be started.
fn policy(page: &str, project: Option<&str>, stack: Option<&str>) -> String {
    let mut scripts = String::new();
    for script in inline_scripts(page) {
        let hash = STANDARD.encode(Sha256::digest(script.as_bytes()));
        scripts.push_str(&format!(" 'sha256-{hash}'"));
    }
    let mut servers = project.unwrap_or(HOSTED).to_owned();
    if let Some(stack) = stack {
        servers.push_str(&format!(" {stack}"));
    }
    format!(
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'{scripts}; worker-src 'self'; \
         connect-src 'self' {servers}; style-src 'self'; img-src 'self' data:; font-src 'self'; manifest-src 'self'; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types default"
    )
}

/// The origin of a project's address, as a policy names it.
pub fn origin_of(address: &str) -> Result<String> {
    let remedy = "give the project's address, such as https://abc.supabase.co";
    let uri: Uri = address
        .trim()
        .parse()
        .with_context(|| advice(format_args!("--supabase {address}"), remedy))?;
    let host = uri.host().unwrap_or_default();
    let local = ["127.0.0.1", "localhost"].contains(&host);
    match (uri.scheme_str(), uri.authority()) {
        (Some(scheme), Some(authority))
            if (scheme == "https" || (scheme == "http" && local))
                && !authority.as_str().contains(['@', '*', ';', ',', '\'']) =>
        {
            Ok(format!("{scheme}://{authority}").to_ascii_lowercase())
        }
        _ => Err(fault(
            format_args!("--supabase {address} is no address of a project"),
            remedy,
        )),
    }
}

/// The text of each script element without `src`.
fn inline_scripts(page: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = page;
    while let Some((_, after)) = rest.split_once("<script") {
        let Some((attributes, body)) = after.split_once('>') else {
            break;
        };
        let Some((text, next)) = body.split_once("</script>") else {
            break;
        };
        if !attributes.contains("src=") {
            found.push(text);
        }
        rest = next;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{inline_scripts, origin_of, policy};

    #[test]
    fn only_inline_scripts_are_named() {
        let page = "<script type=\"module\">import a</script><script src=\"/b.js\"></script><script>c</script>";
        assert_eq!(inline_scripts(page), ["import a", "c"]);
        // printf c | openssl dgst -sha256 -binary | base64
        assert!(
            policy(page, None, None)
                .contains("'sha256-Ln0sA6lQeuJl7PW1NWiFpTOTogKdJBOUmXJloaJa78Y='"),
            "{}",
            policy(page, None, None)
        );
    }

    #[test]
    fn a_project_that_is_known_is_named_in_place_of_all() {
        let known = policy(
            "",
            Some("https://abc.supabase.co"),
            Some("http://127.0.0.1:54321"),
        );
        assert!(
            known.contains("connect-src 'self' https://abc.supabase.co http://127.0.0.1:54321;"),
            "{known}"
        );
        assert!(!known.contains('*'), "{known}");
        assert!(
            known.contains("require-trusted-types-for 'script'; trusted-types default"),
            "{known}"
        );
        for (address, origin) in [
            ("https://abc.supabase.co", Some("https://abc.supabase.co")),
            (
                "https://DB.example.org:8443/",
                Some("https://db.example.org:8443"),
            ),
            (
                "http://127.0.0.1:54321/rest/v1",
                Some("http://127.0.0.1:54321"),
            ),
            ("http://abc.supabase.co", None),
            ("https://*.supabase.co", None),
            ("https://me@abc.supabase.co", None),
            ("abc.supabase.co", None),
            ("https://a.b; script-src *", None),
            ("data:x", None),
            ("", None),
        ] {
            assert_eq!(origin_of(address).ok().as_deref(), origin, "{address}");
        }
    }
}
