//! A static server for `dist/` on this machine, with the headers that a real host must send.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::SystemTime;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{HOST, HeaderMap};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::fault::{Fault, OrFault as _, Result};
use crate::range::Part;

/// Where the search for a free port starts when none is asked for.
const FIRST_PORT: u16 = 8787;
const PORTS_TRIED: u16 = 50;

/// Where a page asks for the local stack, and who may answer it.
const OFFER: &str = "/local-stack.json";

/// Where hosted Supabase projects are.
pub const HOSTED: &str = "https://*.supabase.co";

/// The local stack, as a page may know it to fill its form in. The key is the publishable one.
#[derive(Clone)]
pub struct Offer {
    /// Where clients connect.
    pub url: String,
    /// The publishable key.
    pub key: String,
    /// Who may sign in.
    pub email: String,
    /// Where agents ask, once the edge function answers.
    pub edge: Arc<OnceLock<String>>,
}

/// A server that listens but may not answer yet.
pub struct Site {
    listener: TcpListener,
    served: Arc<Served>,
    address: SocketAddr,
}

/// What is served, and how.
struct Served {
    folder: PathBuf,
    headers: [(&'static str, String); 5],
    port: u16,
    tags: Tags,
    offer: Option<Offer>,
}

/// The entity tags of files, with what says that a file is still the same.
#[derive(Default)]
struct Tags(Mutex<HashMap<PathBuf, (SystemTime, u64, String)>>);

impl Tags {
    /// The tag of `bytes`, which were read from `path`: hashing the model at every request would be slow.
    fn of(&self, path: &Path, bytes: &[u8]) -> String {
        let length = bytes.len() as u64;
        let changed = path.metadata().and_then(|data| data.modified()).ok();
        // A thread that panicked leaves whole entries.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Some(changed), Some((at, size, tag))) = (changed, known.get(path))
            && (*at, *size) == (changed, length)
        {
            return tag.clone();
        }
        let tag = format!("\"{}\"", STANDARD.encode(Sha256::digest(bytes)));
        if let Some(changed) = changed {
            known.insert(path.to_path_buf(), (changed, length, tag.clone()));
        }
        tag
    }
}

impl Site {
    /// Listens on the loopback interface: on `port` (0: any), or on the first free one from 8787 up. With an offer,
    /// pages may connect to that stack, and are told of it.
    pub fn open(folder: &Path, port: Option<u16>, offer: Option<Offer>) -> Result<Self> {
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
                        headers: headers(&page, offer.as_ref().map(|offer| offer.url.as_str())),
                        port: address.port(),
                        tags: Tags::default(),
                        offer,
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
    let read = if !is_local(request.headers(), served.port) {
        Err(403)
    } else if !matches!(*request.method(), Method::GET | Method::HEAD) {
        Err(405)
    } else {
        content(served, request.uri().path()).ok_or(404_u16)
    };
    let mut response = Response::builder();
    for (name, value) in &served.headers {
        response = response.header(*name, value);
    }
    let (status, media_type, bytes) = match read {
        Ok((path, bytes)) => {
            let tag = served.tags.of(&path, &bytes);
            let part = Part::asked(request.method(), request.headers(), &tag, bytes.len());
            response = response
                .header("ETag", &tag)
                .header("Accept-Ranges", "bytes");
            let length = bytes.len();
            let (status, bytes) = match part {
                Part::Whole => (200, bytes),
                Part::Same => (304, Bytes::new()),
                Part::Range(from, to) => {
                    let place = format!("bytes {from}-{}/{length}", to - 1);
                    response = response.header("Content-Range", place);
                    (206, bytes.slice(from..to))
                }
                Part::Beyond => {
                    response = response.header("Content-Range", format!("bytes */{length}"));
                    (416, Bytes::new())
                }
            };
            (status, media_type(&path), bytes)
        }
        Err(status) => {
            let text = match status {
                403 => "This server answers to 127.0.0.1 and localhost only.\n",
                405 => "Only GET and HEAD.\n",
                _ => "No such file.\n",
            };
            (
                status,
                "text/plain; charset=utf-8",
                Bytes::from_static(text.as_bytes()),
            )
        }
    };
    let response = response
        .status(status)
        .header("Content-Type", media_type)
        .body(Full::new(bytes));
    // The policy is printable text, so only a bug could make it no header.
    response.unwrap_or_else(|_| Response::new(Full::default()))
}

/// What a URL's path names, with the name that says its type.
fn content(served: &Served, url: &str) -> Option<(PathBuf, Bytes)> {
    if let Some(offer) = served.offer.as_ref().filter(|_| url == OFFER) {
        let edge = offer.edge.get();
        let told =
            json!({ "url": offer.url, "key": offer.key, "email": offer.email, "edge": edge });
        return Some((PathBuf::from(OFFER), Bytes::from(told.to_string())));
    }
    let path = locate(&served.folder, url)?;
    let bytes = std::fs::read(&path).ok()?;
    Some((path, Bytes::from(bytes)))
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

/// The headers that every file of the dashboard is sent with, wherever it is hosted. Data goes to hosted Supabase, and to
/// `stack` when there is one.
pub fn headers(page: &str, stack: Option<&str>) -> [(&'static str, String); 5] {
    [
        ("Content-Security-Policy", policy(page, stack)),
        ("X-Content-Type-Options", "nosniff".into()),
        ("Referrer-Policy", "no-referrer".into()),
        ("Cross-Origin-Resource-Policy", "same-origin".into()),
        // Files keep their names when they are built anew: the browser must ask each time.
        ("Cache-Control", "no-cache".into()),
    ]
}

/// The content security policy: everything from here, nothing inline but the scripts that the bundler wrote into the
/// page, each named by its hash. Data goes to hosted Supabase, and to `stack` when there is one.
fn policy(page: &str, stack: Option<&str>) -> String {
    let mut scripts = String::new();
    for script in inline_scripts(page) {
        let hash = STANDARD.encode(Sha256::digest(script.as_bytes()));
        scripts.push_str(&format!(" 'sha256-{hash}'"));
    }
    let mut servers = HOSTED.to_owned();
    if let Some(stack) = stack {
        servers.push_str(&format!(" {stack}"));
    }
    format!(
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'{scripts}; worker-src 'self'; \
         connect-src 'self' {servers}; style-src 'self'; img-src 'self' data:; font-src 'self'; manifest-src 'self'; base-uri 'none'; \
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
mod tests;
