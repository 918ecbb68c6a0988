//! The gateway in front of PostgREST, which behaves like Supabase's: `/rest/v1` and `apikey`. Loopback only.

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::JoinHandle;

use anyhow::{Context as _, Result};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{
    ACCESS_CONTROL_REQUEST_HEADERS, ALLOW, AUTHORIZATION, CONNECTION, CONTENT_LENGTH, HOST,
    HeaderMap, HeaderName, ORIGIN, TRANSFER_ENCODING,
};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, Uri};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};

use super::sign_in::SignIn;
use crate::fault::advice;
use crate::serve::{connection, http};

/// The largest request that is taken, in bytes.
const LARGEST: usize = 32 * 1024 * 1024;

/// Gateway of the local stack: in front of PostgREST and the stand-in for sign-in.
pub struct Gateway {
    /// Where PostgREST listens.
    pub postgrest: u16,
    /// The publishable key. It opens the gateway and says nothing of who asks: without a token PostgREST takes them for `anon`.
    pub key: String,
    /// The stand-in for sign-in.
    pub sign_in: SignIn,
}

/// The port that Supabase's own local stack takes, and how many from there on are tried.
const FIRST_PORT: u16 = 54321;
const PORTS_TRIED: u16 = 20;

/// Listens on the loopback interface and answers in a thread that ends with the process: on `port` (0: any), or on the
/// first free one from 54321 up, because a connected browser keeps the address.
pub fn start(gateway: Gateway, port: Option<u16>) -> Result<(SocketAddr, JoinHandle<()>)> {
    let remedy = "name a free port with --port";
    let bind = |port: u16| TcpListener::bind((Ipv4Addr::LOCALHOST, port));
    let listener = match port {
        Some(port) => bind(port),
        None => (FIRST_PORT..FIRST_PORT + PORTS_TRIED)
            .find_map(|port| bind(port).ok())
            .map_or_else(|| bind(0), Ok),
    };
    let listener = listener.with_context(|| advice("the gateway", remedy))?;
    let address = listener
        .local_addr()
        .with_context(|| advice("the gateway", remedy))?;
    listener
        .set_nonblocking(true)
        .with_context(|| advice("the gateway", remedy))?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .with_context(|| advice("the gateway", remedy))?;
    let gateway = Arc::new(gateway);
    let thread = std::thread::spawn(move || {
        runtime.block_on(accept(listener, gateway, address.port()));
    });
    Ok((address, thread))
}

async fn accept(listener: TcpListener, gateway: Arc<Gateway>, port: u16) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else {
        return;
    };
    loop {
        let stream = connection(&listener).await;
        let gateway = Arc::clone(&gateway);
        tokio::spawn(async move {
            let answered = service_fn(|request| async {
                Ok::<_, Infallible>(answer(request, &gateway, port).await)
            });
            // A client that went away is no concern of ours.
            let _ = http()
                .serve_connection(TokioIo::new(stream), answered)
                .await;
        });
    }
}

async fn answer(request: Request<Incoming>, gateway: &Gateway, port: u16) -> Response<Full<Bytes>> {
    let origin = request.headers().get(ORIGIN).cloned();
    let wanted = request
        .headers()
        .get(ACCESS_CONTROL_REQUEST_HEADERS)
        .cloned();
    let allowed = origin
        .as_ref()
        .is_none_or(|origin| origin.to_str().is_ok_and(is_local_origin));
    let mut response = if !is_local_host(request.headers(), port) || !allowed {
        plain(
            403,
            &json!({ "message": "this gateway answers to pages and hosts of this machine only" }),
        )
    } else if request.method() == Method::OPTIONS {
        plain(204, &Value::Null)
    } else {
        route(request, gateway).await
    };
    if let Some(origin) = origin.filter(|_| allowed) {
        let headers = response.headers_mut();
        headers.insert("access-control-allow-origin", origin);
        headers.append("vary", hyper::header::HeaderValue::from_static("Origin"));
        headers.insert(
            "access-control-allow-methods",
            hyper::header::HeaderValue::from_static("GET, HEAD, POST, PATCH, PUT, DELETE, OPTIONS"),
        );
        headers.insert(
            "access-control-expose-headers",
            hyper::header::HeaderValue::from_static("content-range, retry-after"),
        );
        if let Some(wanted) = wanted {
            headers.insert("access-control-allow-headers", wanted);
        }
    }
    response
}

async fn route(request: Request<Incoming>, gateway: &Gateway) -> Response<Full<Bytes>> {
    let (mut head, body) = request.into_parts();
    // Names and methods that PostgREST and the sign-in server check themselves.
    let Some(key) = head.headers.remove("apikey") else {
        return plain(
            401,
            &json!({ "message": "No API key found in request", "hint": "No `apikey` request header was found." }),
        );
    };
    if key != gateway.key {
        return plain(
            401,
            &json!({ "message": "Invalid API key", "hint": "Take the publishable key that the stack printed." }),
        );
    }
    let body = match Limited::new(body, LARGEST).collect().await {
        Ok(body) => body.to_bytes(),
        Err(_) => {
            return plain(
                413,
                &json!({ "message": format!("a request has at most {LARGEST} bytes") }),
            );
        }
    };
    let path = head.uri.path().to_owned();
    let query = head.uri.query().unwrap_or_default().to_owned();
    if let Some(path) = path.strip_prefix("/auth/v1/") {
        let wanted = SignIn::method(path);
        if head.method != wanted {
            let mut refused = plain(
                405,
                &json!({ "code": 405, "msg": format!("{wanted} only") }),
            );
            if let Ok(allow) = wanted.as_str().parse() {
                refused.headers_mut().insert(ALLOW, allow);
            }
            return refused;
        }
        let bearer = head.headers.get(AUTHORIZATION).and_then(|bearer| {
            bearer
                .to_str()
                .ok()?
                .strip_prefix("Bearer ")
                .map(str::to_owned)
        });
        let (status, value) = gateway
            .sign_in
            .answer(path, &query, bearer.as_deref(), &body);
        return plain(status, &value);
    }
    let Some(rest) = path.strip_prefix("/rest/v1") else {
        return plain(
            404,
            &json!({ "message": "no route: /rest/v1 and /auth/v1 are served" }),
        );
    };
    let target = match (rest, query.as_str()) {
        ("", "") => "/".to_owned(),
        ("", query) => format!("/?{query}"),
        (rest, "") => rest.to_owned(),
        (rest, query) => format!("{rest}?{query}"),
    };
    let Ok(uri) = target.parse::<Uri>() else {
        return plain(404, &json!({ "message": "no such path" }));
    };
    head.uri = uri;
    // Supabase's own client sends the key as a token, too, where nobody has signed in: the one that is no token and is let through.
    if head
        .headers
        .get(AUTHORIZATION)
        .is_some_and(|given| *given == format!("Bearer {}", gateway.key))
    {
        head.headers.remove(AUTHORIZATION);
    }
    for name in [CONNECTION, TRANSFER_ENCODING, CONTENT_LENGTH, ORIGIN] {
        head.headers.remove(name);
    }
    forward(
        Request::from_parts(head, Full::new(body)),
        gateway.postgrest,
    )
    .await
    .unwrap_or_else(|| plain(503, &json!({ "message": "PostgREST does not answer" })))
}

/// Passes a request on; `None` when PostgREST is away or breaks off.
async fn forward(request: Request<Full<Bytes>>, port: u16) -> Option<Response<Full<Bytes>>> {
    let stream = tokio::net::TcpStream::connect((Ipv4Addr::LOCALHOST, port))
        .await
        .ok()?;
    let _ = stream.set_nodelay(true);
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
        .await
        .ok()?;
    tokio::spawn(connection);
    let (mut head, body) = sender.send_request(request).await.ok()?.into_parts();
    let body = body.collect().await.ok()?.to_bytes();
    for name in [CONNECTION, TRANSFER_ENCODING, CONTENT_LENGTH] {
        head.headers.remove(name);
    }
    Some(Response::from_parts(head, Full::new(body)))
}

fn plain(status: u16, value: &Value) -> Response<Full<Bytes>> {
    let body = if value.is_null() {
        Bytes::new()
    } else {
        Bytes::from(value.to_string())
    };
    Response::builder()
        .status(status)
        .header(
            HeaderName::from_static("content-type"),
            "application/json; charset=utf-8",
        )
        .body(Full::new(body))
        .unwrap_or_default()
}

/// True if the request names this machine: a foreign name that was rebound to the loopback address must not read us.
fn is_local_host(headers: &HeaderMap, port: u16) -> bool {
    let mut hosts = headers.get_all(HOST).iter();
    let host = hosts.next().and_then(|host| host.to_str().ok());
    hosts.next().is_none()
        && ["127.0.0.1", "localhost"]
            .iter()
            .any(|name| host == Some(&format!("{name}:{port}")))
}

/// True if a page of this machine asks.
fn is_local_origin(origin: &str) -> bool {
    ["http://127.0.0.1:", "http://localhost:"]
        .iter()
        .filter_map(|start| origin.strip_prefix(start))
        .any(|port| port.parse::<u16>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::super::token::TokenKey;
    use super::{Gateway, SignIn, is_local_origin, start};
    use std::io::{Read as _, Write as _};

    #[test]
    fn a_connection_that_sends_no_whole_head_is_closed() {
        let tokens = TokenKey::of("secret").expect("a key");
        let gateway = Gateway {
            postgrest: 1,
            key: "key".into(),
            sign_in: SignIn::new(Vec::new(), tokens.clone(), tokens),
        };
        let (address, _thread) = start(gateway, Some(0)).expect("a free port");
        let mut slow = std::net::TcpStream::connect(address).expect("it listens");
        slow.set_read_timeout(Some(std::time::Duration::from_secs(8)))
            .expect("a socket");
        write!(slow, "GET /rest/v1/ HTTP/1.1\r\nX-Slow: ").expect("it reads");
        let mut answer = Vec::new();
        // The end, or a reset, but not the time limit above.
        if let Err(error) = slow.read_to_end(&mut answer) {
            assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset);
        }
        let mut other = std::net::TcpStream::connect(address).expect("it listens");
        write!(
            other,
            "GET /auth/v1/user HTTP/1.1\r\nHost: localhost:{}\r\nConnection: close\r\n\r\n",
            address.port()
        )
        .expect("it reads");
        let mut answer = String::new();
        other.read_to_string(&mut answer).expect("it answers");
        assert!(answer.starts_with("HTTP/1.1 401 "), "{answer}");
    }

    #[test]
    fn pages_of_other_machines_are_foreign() {
        for (origin, local) in [
            ("http://127.0.0.1:8787", true),
            ("http://localhost:80", true),
            ("http://localhost", false),
            ("http://localhost:80.evil.com", false),
            ("http://127.0.0.1.evil.com:80", false),
            ("https://evil.com", false),
            ("null", false),
        ] {
            assert_eq!(is_local_origin(origin), local, "{origin}");
        }
    }
}
