//! A static server for `dist/` on this machine, with the headers that a real host must send.

use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};
use tiny_http::{Header, Method, Request, Response, Server, StatusCode};

use crate::fault::{Fault, OrFault as _, Result};

/// Where the search for a free port starts when none is asked for.
const FIRST_PORT: u16 = 8787;
const PORTS_TRIED: u16 = 50;
/// A page loads a handful of files at a time.
const THREADS: usize = 4;

/// A server that listens but may not answer yet.
pub struct Site {
    server: Arc<Server>,
    folder: PathBuf,
    policy: String,
    address: SocketAddr,
}

impl Site {
    /// Listens on the loopback interface: on `port` (0: any), or on the first free one from 8787 up.
    pub fn open(folder: &Path, port: Option<u16>) -> Result<Self> {
        let index = folder.join("index.html");
        let page = std::fs::read_to_string(&index)
            .or_fault(index.display(), "run `cargo xtask build` first")?;
        let folder = folder
            .canonicalize()
            .or_fault(folder.display(), "run `cargo xtask build` first")?;
        let ports = match port {
            Some(port) => port..=port,
            None => FIRST_PORT..=FIRST_PORT + PORTS_TRIED,
        };
        let mut refused = String::new();
        for port in ports {
            match Server::http(SocketAddr::from((Ipv4Addr::LOCALHOST, port))) {
                Ok(server) => {
                    let address = server
                        .server_addr()
                        .to_ip()
                        .ok_or_else(|| Fault::new("the server has no address", "try again"))?;
                    return Ok(Self {
                        server: Arc::new(server),
                        folder,
                        policy: policy(&page),
                        address,
                    });
                }
                Err(cause) => refused = format!("port {port}: {cause}"),
            }
        }
        Err(Fault::new(refused, "name a free port with --port"))
    }

    /// Where to point a browser.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Answers requests in threads of this process; they end with it.
    pub fn start(&self) -> Vec<std::thread::JoinHandle<()>> {
        (0..THREADS)
            .map(|_| {
                let (server, folder, policy) = (
                    Arc::clone(&self.server),
                    self.folder.clone(),
                    self.policy.clone(),
                );
                let port = self.address.port();
                std::thread::spawn(move || {
                    while let Ok(request) = server.recv() {
                        answer(request, &folder, &policy, port);
                    }
                })
            })
            .collect()
    }
}

/// Sends one answer. A client that went away is no concern of ours.
fn answer(request: Request, folder: &Path, policy: &str, port: u16) {
    let found = if !is_local(&request, port) {
        Err(403)
    } else if !matches!(request.method(), Method::Get | Method::Head) {
        Err(405)
    } else {
        locate(folder, request.url()).ok_or(404)
    };
    let mut headers = vec![
        header("Content-Security-Policy", policy),
        header("X-Content-Type-Options", "nosniff"),
        header("Referrer-Policy", "no-referrer"),
        header("Cross-Origin-Resource-Policy", "same-origin"),
        // Rebuilt while it is served: the browser must ask each time.
        header("Cache-Control", "no-cache"),
    ];
    let opened = found.and_then(|path| File::open(&path).map(|file| (path, file)).map_err(|_| 404));
    let _ = match opened {
        Ok((path, file)) => {
            headers.push(header("Content-Type", media_type(&path)));
            let length = file
                .metadata()
                .ok()
                .and_then(|about| usize::try_from(about.len()).ok());
            let headers = headers.into_iter().flatten().collect();
            // With its length, never in chunks: the app shows how much of the model has come.
            let response = Response::new(StatusCode(200), headers, file, length, None);
            request.respond(response.with_chunked_threshold(usize::MAX))
        }
        Err(status) => {
            headers.push(header("Content-Type", "text/plain; charset=utf-8"));
            let text = match status {
                403 => "This server answers to 127.0.0.1 and localhost only.\n",
                405 => "Only GET and HEAD.\n",
                _ => "No such file.\n",
            };
            let mut response = Response::from_string(text).with_status_code(status);
            for header in headers.into_iter().flatten() {
                response.add_header(header);
            }
            request.respond(response)
        }
    };
}

/// Whether the request names this machine: a foreign name that was rebound to the loopback address must not read us.
fn is_local(request: &Request, port: u16) -> bool {
    let mut hosts = request
        .headers()
        .iter()
        .filter(|header| header.field.equiv("Host"));
    let Some(host) = hosts.next() else {
        return false;
    };
    let host = host.value.as_str();
    hosts.next().is_none()
        && ["127.0.0.1", "localhost"]
            .iter()
            .any(|name| host == format!("{name}:{port}") || (port == 80 && host == *name))
}

/// The file that a URL names. A path without an extension that names no file is a page of the app: `index.html`.
fn locate(folder: &Path, url: &str) -> Option<PathBuf> {
    let path = url.split(['?', '#']).next()?;
    let path = decode(path)?;
    let mut file = folder.to_path_buf();
    for part in path.split('/').filter(|part| !part.is_empty()) {
        if part == ".." || part == "." || part.contains(['\\', ':', '\0']) {
            return None;
        }
        file.push(part);
    }
    let page = || Some(folder.join("index.html"));
    if file == folder {
        return page();
    }
    match file.canonicalize() {
        Ok(real) if !real.starts_with(folder) => None,
        Ok(real) if real.is_file() => Some(real),
        _ if file.extension().is_none() => page(),
        _ => None,
    }
}

/// Undoes percent encoding; `None` where it is malformed or the result is no UTF-8.
fn decode(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
            let (high, low) = (digit(rest.next())?, digit(rest.next())?);
            bytes.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

/// The content security policy: everything from here, nothing inline but the scripts that the bundler wrote into the
/// page, each named by its hash.
fn policy(page: &str) -> String {
    let mut scripts = String::new();
    for script in inline_scripts(page) {
        let hash = STANDARD.encode(Sha256::digest(script.as_bytes()));
        scripts.push_str(&format!(" 'sha256-{hash}'"));
    }
    format!(
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'{scripts}; worker-src 'self'; connect-src 'self'; \
         style-src 'self'; img-src 'self' data:; font-src 'self'; manifest-src 'self'; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'"
    )
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

fn header(name: &str, value: &str) -> Option<Header> {
    Header::from_bytes(name.as_bytes(), value.as_bytes()).ok()
}

fn media_type(path: &Path) -> &'static str {
    match path
        .extension()
        .and_then(|extension| extension.to_str())
        .unwrap_or_default()
    {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "wasm" => "application/wasm",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "md" => "text/markdown; charset=utf-8",
        "txt" | "ts" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpStream;

    use super::{Site, decode, inline_scripts, locate, policy};

    #[test]
    fn paths_stay_in_the_folder() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .canonicalize()
            .expect("the crate's own folder");
        let index = folder.join("index.html");
        let cases = [
            ("/Cargo.toml", Some(folder.join("Cargo.toml"))),
            ("/src/serve.rs?x=/../..", Some(folder.join("src/serve.rs"))),
            ("/%43argo.toml", Some(folder.join("Cargo.toml"))),
            ("/", Some(index.clone())),
            ("/lessons/some-slug", Some(index.clone())),
            ("/src", Some(index)),
            ("/missing.js", None),
            ("/../Cargo.toml", None),
            ("/src/../../lesson-core/Cargo.toml", None),
            ("/%2e%2e/lesson-core/Cargo.toml", None),
            ("/..%2flesson-core/Cargo.toml", None),
            ("/..%5clesson-core", None),
            ("/%00", None),
            ("/%zz", None),
            ("/%ff", None),
        ];
        for (url, expected) in cases {
            assert_eq!(locate(&folder, url), expected, "{url}");
        }
    }

    #[test]
    fn malformed_escapes_are_refused() {
        assert_eq!(decode("a%20b").as_deref(), Some("a b"));
        assert_eq!(decode("a%2"), None);
    }

    #[test]
    fn only_inline_scripts_are_named() {
        let page = "<script type=\"module\">import a</script><script src=\"/b.js\"></script><script>c</script>";
        assert_eq!(inline_scripts(page), ["import a", "c"]);
        // printf c | openssl dgst -sha256 -binary | base64
        assert!(
            policy(page).contains("'sha256-Ln0sA6lQeuJl7PW1NWiFpTOTogKdJBOUmXJloaJa78Y='"),
            "{}",
            policy(page)
        );
    }

    /// Sends one raw request to a server over this crate's `src` and answers with head and body.
    fn ask(site: &Site, method: &str, path: &str, host: &str) -> String {
        let mut stream = TcpStream::connect(site.address).expect("the server listens");
        let host = host.replace("PORT", &site.address.port().to_string());
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        )
        .expect("the server reads");
        let mut answer = String::new();
        stream
            .read_to_string(&mut answer)
            .expect("the server answers");
        answer
    }

    #[test]
    fn answers_are_typed_whole_and_for_this_machine_only() {
        let folder = std::env::temp_dir().join(format!("lessonloop-serve-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("engine")).expect("a temporary folder");
        std::fs::write(folder.join("index.html"), "<p>app</p>").expect("a temporary file");
        // Longer than what the server library would otherwise send in chunks.
        let module = "x".repeat(100_000);
        std::fs::write(folder.join("engine/a.wasm"), &module).expect("a temporary file");
        let site = Site::open(&folder, Some(0)).expect("a free port");
        site.start();

        let own = "127.0.0.1:PORT";
        let cases = [
            ("GET", "/", own, "200", "<p>app</p>"),
            (
                "GET",
                "/lessons/a-b",
                "localhost:PORT",
                "200",
                "Content-Type: text/html",
            ),
            (
                "GET",
                "/engine/a.wasm",
                own,
                "200",
                "Content-Length: 100000\r\n",
            ),
            (
                "GET",
                "/engine/a.wasm",
                own,
                "200",
                "Content-Type: application/wasm\r\n",
            ),
            (
                "HEAD",
                "/engine/a.wasm",
                own,
                "200",
                "Content-Security-Policy: default-src 'none';",
            ),
            (
                "GET",
                "/engine/b.wasm",
                own,
                "404",
                "X-Content-Type-Options: nosniff",
            ),
            ("GET", "/../Cargo.toml", own, "404", ""),
            ("POST", "/", own, "405", ""),
            ("GET", "/", "evil.example", "403", ""),
            ("GET", "/", "127.0.0.1.evil.example:PORT", "403", ""),
        ];
        for (method, path, host, status, holds) in cases {
            let answer = ask(&site, method, path, host);
            assert!(
                answer.starts_with(&format!("HTTP/1.1 {status} ")),
                "{method} {path} {host}: {answer}"
            );
            assert!(answer.contains(holds), "{method} {path}: {answer}");
            assert_eq!(
                answer.ends_with(&module),
                method == "GET" && path.ends_with("a.wasm"),
                "{method} {path}"
            );
        }
        std::fs::remove_dir_all(&folder).expect("the temporary folder");
    }
}
