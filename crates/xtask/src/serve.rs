//! A static server for `dist/` on this machine, with the headers that a real host must send.

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{HOST, HeaderMap};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use sha2::{Digest as _, Sha256};

use crate::fault::{Fault, OrFault as _, Result};

/// Where the search for a free port starts when none is asked for.
const FIRST_PORT: u16 = 8787;
const PORTS_TRIED: u16 = 50;

/// A server that listens but may not answer yet.
pub struct Site {
    listener: TcpListener,
    served: Arc<Served>,
    address: SocketAddr,
}

/// What is served, and how.
struct Served {
    folder: PathBuf,
    policy: String,
    port: u16,
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
            match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
                Ok(listener) => {
                    let remedy = "try again";
                    let address = listener.local_addr().or_fault("the server", remedy)?;
                    listener
                        .set_nonblocking(true)
                        .or_fault("the server", remedy)?;
                    let served = Arc::new(Served {
                        folder,
                        policy: policy(&page),
                        port: address.port(),
                    });
                    return Ok(Self {
                        listener,
                        served,
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

    /// Answers requests in a thread of this process; it ends with the process.
    pub fn start(&self) -> Result<JoinHandle<()>> {
        let remedy = "try again";
        let listener = self.listener.try_clone().or_fault("the server", remedy)?;
        let served = Arc::clone(&self.served);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .build()
            .or_fault("the server", remedy)?;
        Ok(std::thread::spawn(move || {
            runtime.block_on(accept(listener, served));
        }))
    }
}

/// Takes connections for as long as the process lives. A client that went away is no concern of ours.
async fn accept(listener: TcpListener, served: Arc<Served>) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else {
        return;
    };
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // Out of file handles, say: others are freed meanwhile.
            tokio::task::yield_now().await;
            continue;
        };
        let served = Arc::clone(&served);
        tokio::spawn(async move {
            let service = service_fn(move |request: Request<Incoming>| {
                let response = answer(&request, &served);
                async move { Ok::<_, Infallible>(response) }
            });
            let _ = http1::Builder::new()
                .title_case_headers(true)
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

/// The answer to one request; files are small enough to be read whole.
fn answer(request: &Request<Incoming>, served: &Served) -> Response<Full<Bytes>> {
    let found = if !is_local(request.headers(), served.port) {
        Err(403)
    } else if !matches!(*request.method(), Method::GET | Method::HEAD) {
        Err(405)
    } else {
        locate(&served.folder, request.uri().path()).ok_or(404)
    };
    let read = found.and_then(|path| {
        let bytes = std::fs::read(&path).map_err(|_| 404_u16)?;
        Ok((media_type(&path), bytes))
    });
    let (status, media_type, bytes) = match read {
        Ok((media_type, bytes)) => (200, media_type, bytes),
        Err(status) => {
            let text = match status {
                403 => "This server answers to 127.0.0.1 and localhost only.\n",
                405 => "Only GET and HEAD.\n",
                _ => "No such file.\n",
            };
            (status, "text/plain; charset=utf-8", text.into())
        }
    };
    let response = Response::builder()
        .status(status)
        .header("Content-Security-Policy", &served.policy)
        .header("X-Content-Type-Options", "nosniff")
        .header("Referrer-Policy", "no-referrer")
        .header("Cross-Origin-Resource-Policy", "same-origin")
        // Rebuilt while it is served: the browser must ask each time.
        .header("Cache-Control", "no-cache")
        .header("Content-Type", media_type)
        .body(Full::new(Bytes::from(bytes)));
    // The policy is printable text, so only a bug could make it no header.
    response.unwrap_or_else(|_| Response::new(Full::default()))
}

/// Whether the request names this machine: a foreign name that was rebound to the loopback address must not read us.
fn is_local(headers: &HeaderMap, port: u16) -> bool {
    let mut hosts = headers.get_all(HOST).iter();
    let Some(host) = hosts.next() else {
        return false;
    };
    let Ok(host) = host.to_str() else {
        return false;
    };
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
        let module = "x".repeat(100_000);
        std::fs::write(folder.join("engine/a.wasm"), &module).expect("a temporary file");
        let site = Site::open(&folder, Some(0)).expect("a free port");
        site.start().expect("a thread");

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

    #[test]
    fn a_burst_of_kept_connections_is_answered() {
        let folder = std::env::temp_dir().join(format!("lessonloop-burst-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a temporary folder");
        std::fs::write(folder.join("index.html"), "<p>app</p>").expect("a temporary file");
        let site = Site::open(&folder, Some(0)).expect("a free port");
        site.start().expect("a thread");
        // As several browsers open them, all kept open until every one has its answer.
        let mut streams: Vec<TcpStream> = (0..64)
            .map(|_| TcpStream::connect(site.address).expect("the server listens"))
            .collect();
        let port = site.address.port();
        for stream in &mut streams {
            write!(stream, "GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n")
                .expect("the server reads");
        }
        for stream in &mut streams {
            let mut status = [0; 12];
            stream
                .set_read_timeout(Some(std::time::Duration::from_secs(20)))
                .expect("a time-out");
            stream
                .read_exact(&mut status)
                .expect("every one is answered");
            assert_eq!(&status, b"HTTP/1.1 200");
        }
        std::fs::remove_dir_all(&folder).expect("the temporary folder");
    }
}
