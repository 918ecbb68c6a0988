//! A static server for `dist/` on this machine, with the headers that a real host must send.

mod headers;
mod watched;

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, Result};
use axum::extract::{Request, State};
use axum::http::header::{
    ACCEPT_ENCODING, ACCEPT_RANGES, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HOST, HeaderMap,
    HeaderName, HeaderValue, IF_RANGE, RANGE,
};
use axum::http::{Method, StatusCode, Uri};
use axum::middleware::{Next, from_fn_with_state, map_request, map_response};
use axum::response::{IntoResponse as _, Response};
use axum::{Router, routing};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use serde_json::json;
use tokio::sync::watch::Receiver;
use tower::ServiceExt as _;
use tower_http::compression::predicate::{DefaultPredicate, NotForContentType, Predicate as _};
use tower_http::compression::{CompressionLayer, CompressionLevel};
use tower_http::services::{ServeDir, ServeFile};
use tower_http::timeout::TimeoutLayer;

use crate::fault::{advice, fault};
pub use headers::{HOSTED, headers, origin_of};

/// Where the search for a free port starts when none is asked for.
const FIRST_PORT: u16 = 8787;
const PORTS_TRIED: u16 = 50;

const ANSWER_WITHIN: Duration = Duration::from_secs(60);

/// From connecting, or from an answer, until the next request's head is whole. Browsers keep connections for a while.
const HEAD: Duration = Duration::from_secs(if cfg!(test) { 1 } else { 120 });

/// Where a page asks for the local stack, and who may answer it.
const OFFER: &str = "/local-stack.json";

/// Type of files that are sent as they are: the model is packed already, and large.
const PACKED: &str = "application/octet-stream";

/// The same of modules that have no packed copy. Those of a quick build are ten times as large as a release's, and packing them
/// for a browser on the same machine takes seconds of each load.
const MODULE: &str = "application/wasm";

/// The local stack, as a page may know it to fill its form in. The key is the publishable one.
#[derive(Clone)]
pub struct Offer {
    /// Where clients connect.
    pub url: String,
    /// The publishable key.
    pub key: String,
    /// Mail address of a user who may sign in.
    pub email: String,
    /// Where agents ask, once the edge function answers.
    pub edge: Arc<OnceLock<String>>,
}

/// A server that listens but may not answer yet.
pub struct Site {
    listener: TcpListener,
    router: Router,
    address: SocketAddr,
}

impl Site {
    /// Listens on the loopback interface: on `port` (0: any), or on the first free one from 8787 up. With an offer,
    /// pages may connect to that stack, and are told of it.
    pub fn open(folder: &Path, port: Option<u16>, offer: Option<Offer>) -> Result<Self> {
        Self::open_for(folder, port, offer, None, None)
    }

    /// The same, with pages that load themselves anew when the count of `builds` changes, and that connect to one
    /// `project`, whose origin this is, in place of all hosted ones.
    pub fn open_for(
        folder: &Path,
        port: Option<u16>,
        offer: Option<Offer>,
        builds: Option<Receiver<u64>>,
        project: Option<String>,
    ) -> Result<Self> {
        let first = "run `cargo xtask build` first";
        let page = folder.join("index.html");
        page.metadata()
            .with_context(|| advice(page.display(), first))?;
        let folder = folder
            .canonicalize()
            .with_context(|| advice(folder.display(), first))?;
        let ports = match port {
            Some(port) => port..=port,
            None => FIRST_PORT..=FIRST_PORT + PORTS_TRIED,
        };
        let mut refused = String::new();
        for port in ports {
            match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
                Ok(listener) => {
                    let failed = || advice("the server", "try again");
                    let address = listener.local_addr().with_context(failed)?;
                    listener.set_nonblocking(true).with_context(failed)?;
                    return Ok(Self {
                        listener,
                        router: router(&folder, address.port(), offer, builds, project),
                        address,
                    });
                }
                Err(cause) => refused = format!("port {port}: {cause}"),
            }
        }
        Err(fault(refused, "name a free port with --port"))
    }

    /// Where to point a browser.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Answers requests in a thread of this process; it ends with the process.
    pub fn start(&self) -> Result<JoinHandle<()>> {
        let failed = || advice("the server", "try again");
        let listener = self.listener.try_clone().with_context(failed)?;
        let router = self.router.clone();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .with_context(failed)?;
        Ok(std::thread::spawn(move || {
            runtime.block_on(accept(listener, router));
        }))
    }
}

/// HTTP/1 for the servers of this machine: a connection whose next head is not whole in time is closed.
pub fn http() -> http1::Builder {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD);
    http
}

/// The next connection to a server of this machine.
pub async fn connection(listener: &tokio::net::TcpListener) -> tokio::net::TcpStream {
    loop {
        if let Ok((stream, _)) = listener.accept().await {
            // Else a small file waits 40 ms: its bytes for the receipt of its head, and the receipt for more bytes.
            let _ = stream.set_nodelay(true);
            return stream;
        }
        // Out of file handles, say: others are freed meanwhile.
        tokio::task::yield_now().await;
    }
}

/// Takes connections for as long as the process lives.
///
/// By hand, as `axum::serve` has no timeout for a request's head.
async fn accept(listener: TcpListener, router: Router) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else {
        return;
    };
    loop {
        let stream = connection(&listener).await;
        let service = TowerToHyperService::new(router.clone());
        tokio::spawn(async move {
            let mut http = http();
            http.title_case_headers(true);
            // A client that went away is no concern of ours.
            let _ = http.serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

/// The files of `folder`; a path without an extension that names no file is a page of the app.
fn router(
    folder: &Path,
    port: u16,
    offer: Option<Offer>,
    builds: Option<Receiver<u64>>,
    project: Option<String>,
) -> Router {
    let page = Page {
        at: folder.join("index.html"),
        watched: builds.is_some(),
    };
    let headers = ResponseHeaders::new(
        page.at.clone(),
        project,
        offer.as_ref().map(|offer| offer.url.clone()),
    );
    let files = ServeDir::new(folder)
        .append_index_html_on_directories(false)
        // Release builds have Brotli copies; the layer below compresses texts that have none.
        .precompressed_br()
        .ignore_multi_range_requests(true)
        .fallback(Router::new().fallback(app).with_state(page));
    let router = match offer {
        Some(offer) => Router::new().route(OFFER, routing::get(told).with_state(offer)),
        None => Router::new(),
    };
    let router = router
        .fallback_service(files)
        .layer(map_request(whole_where_unsure))
        .layer(map_response(typed))
        .layer(
            CompressionLayer::new()
                // The bundler's files change with every build, so each is packed for one or two downloads.
                .quality(CompressionLevel::Fastest)
                .compress_when(
                    DefaultPredicate::new()
                        .and(NotForContentType::const_new(PACKED))
                        .and(NotForContentType::const_new(MODULE)),
                ),
        )
        .layer(map_response(tagged))
        .layer(TimeoutLayer::with_status_code(
            StatusCode::REQUEST_TIMEOUT,
            ANSWER_WITHIN,
        ));
    // A page waits there for the next build, as long as it takes.
    let router = match builds {
        Some(builds) => router.merge(watched::routes(builds)),
        None => router,
    };
    router
        .layer(from_fn_with_state(port, for_this_machine))
        .layer(from_fn_with_state(Arc::new(headers), add_response_headers))
}

/// The page that all addresses of the app lead to.
#[derive(Clone)]
struct Page {
    at: PathBuf,
    watched: bool,
}

/// A page of the app, whichever it is; nothing for the name of a file that is not there.
async fn app(State(page): State<Page>, request: Request) -> Response {
    if Path::new(request.uri().path()).extension().is_some() {
        return (StatusCode::NOT_FOUND, "No such file.\n").into_response();
    }
    if page.watched {
        return watched::page(page.at).await;
    }
    match ServeFile::new(page.at).oneshot(request).await {
        Ok(response) => response.into_response(),
        Err(never) => match never {},
    }
}

async fn told(State(offer): State<Offer>) -> Response {
    let told = json!({ "url": offer.url, "key": offer.key, "email": offer.email, "edge": offer.edge.get() });
    ([(CONTENT_TYPE, "application/json")], told.to_string()).into_response()
}

/// The rest of another version would not fit what a client has, and ServeDir does not look at `If-Range`. Such a request
/// gets the whole file, as every request for a part may; only GET knows parts at all (RFC 9110, section 14.2). A range
/// always applies to the uncompressed file.
async fn whole_where_unsure(mut request: Request) -> Request {
    let unsure = request.headers().contains_key(IF_RANGE) || request.method() != Method::GET;
    let headers = request.headers_mut();
    if unsure {
        headers.remove(RANGE);
    }
    if headers.contains_key(RANGE) {
        headers.remove(ACCEPT_ENCODING);
    }
    request
}

/// Says that texts are UTF-8, and that declarations are text: their ending is that of a kind of film, too.
async fn typed(uri: Uri, mut response: Response) -> Response {
    let headers = response.headers_mut();
    let Some(given) = headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok()) else {
        return response;
    };
    let kind = if uri.path().ends_with(".ts") {
        "text/plain"
    } else {
        given
    };
    if kind.starts_with("text/")
        && !kind.contains(';')
        && let Ok(kind) = HeaderValue::try_from(format!("{kind}; charset=utf-8"))
    {
        headers.insert(CONTENT_TYPE, kind);
    }
    response
}

/// A tag is of the bytes on disk: packed ones are only as good as them (RFC 9110, section 8.8.3.3).
async fn tagged(mut response: Response) -> Response {
    let headers = response.headers_mut();
    if headers.contains_key(CONTENT_ENCODING)
        && let Some(tag) = headers.get(ETAG).and_then(|tag| tag.to_str().ok())
        && let Ok(weak) = HeaderValue::try_from(format!("W/{tag}"))
    {
        headers.insert(ETAG, weak);
        headers.remove(ACCEPT_RANGES);
    }
    response
}

/// Answers requests that name this machine: a foreign name that was rebound to the loopback address must not read us.
async fn for_this_machine(State(port): State<u16>, request: Request, next: Next) -> Response {
    if is_local(request.headers(), port) {
        return next.run(request).await;
    }
    let told = "This server answers to 127.0.0.1 and localhost only.\n";
    (StatusCode::FORBIDDEN, told).into_response()
}

fn is_local(headers: &HeaderMap, port: u16) -> bool {
    let mut hosts = headers.get_all(HOST).iter();
    let host = hosts.next().and_then(|host| host.to_str().ok());
    hosts.next().is_none()
        && ["127.0.0.1", "localhost"].iter().any(|name| {
            host == Some(&format!("{name}:{port}")) || (port == 80 && host == Some(name))
        })
}

/// The headers of the page as it is now: they name its scripts by their hashes, and it may be built anew.
struct ResponseHeaders {
    page: PathBuf,
    project: Option<String>,
    stack: Option<String>,
    made: Mutex<(Option<SystemTime>, HeaderMap)>,
}

impl ResponseHeaders {
    fn new(page: PathBuf, project: Option<String>, stack: Option<String>) -> Self {
        Self {
            page,
            project,
            stack,
            made: Mutex::default(),
        }
    }

    fn headers(&self) -> HeaderMap {
        // A thread that panicked leaves a whole map.
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let changed = self.page.metadata().and_then(|data| data.modified()).ok();
        // While a new build takes the old one's place there is no page for a moment.
        if changed.is_some()
            && changed != made.0
            && let Ok(page) = std::fs::read_to_string(&self.page)
        {
            let all = headers(&page, self.project.as_deref(), self.stack.as_deref());
            let all = all.iter().filter_map(|(name, value)| {
                // They are printable text, so only a bug could make one no header.
                Some((HeaderName::try_from(*name).ok()?, value.parse().ok()?))
            });
            *made = (changed, all.collect());
        }
        made.1.clone()
    }
}

async fn add_response_headers(
    State(headers): State<Arc<ResponseHeaders>>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = next.run(request).await;
    response.headers_mut().extend(headers.headers());
    response
}

#[cfg(test)]
mod tests;
