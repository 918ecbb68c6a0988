//! HTTP/1.1 over a socket that waits: one request, one connection, the whole answer or none.

use lesson_sync::{Http, HttpRequest, HttpResponse, NoAnswer};
use std::cell::Cell;
use std::io::{Error, ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

/// Longer than the server takes for anything.
const PATIENCE: Duration = Duration::from_secs(60);

/// The network, with what a test counts and changes.
#[derive(Default)]
pub struct Network {
    /// Seconds that tokens of the next sign-in live; the stand-in of the local stack takes this.
    pub expires_in: Cell<Option<i64>>,
    /// Requests sent.
    pub requests: Cell<u64>,
    /// Bytes of requests' and answers' bodies.
    pub bytes: Cell<usize>,
}

impl Http for Network {
    async fn send(&self, mut request: HttpRequest) -> Result<HttpResponse, NoAnswer> {
        if request.url.contains("grant_type=password")
            && let Some(seconds) = self.expires_in.take()
        {
            request.url.push_str(&format!("&expires_in={seconds}"));
        }
        self.requests.set(self.requests.get() + 1);
        let answer = exchange(&request).map_err(|error| NoAnswer(error.to_string()))?;
        let sent = request.body.map_or(0, |body| body.len());
        self.bytes.set(self.bytes.get() + sent + answer.body.len());
        Ok(answer)
    }
}

fn exchange(request: &HttpRequest) -> Result<HttpResponse, Error> {
    let bad = |what: &str| Error::new(ErrorKind::InvalidData, what.to_owned());
    let rest = request
        .url
        .strip_prefix("http://")
        .ok_or_else(|| bad("http only"))?;
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let mut stream = TcpStream::connect(host)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let body = request.body.as_deref().unwrap_or_default();
    let mut head = format!(
        "{} /{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-length: {}\r\n",
        request.method,
        body.len()
    );
    for (name, value) in &request.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    read(&answer).ok_or_else(|| bad("the answer was cut off"))
}

/// The answer in these bytes; `None` when it is not whole.
fn read(bytes: &[u8]) -> Option<HttpResponse> {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = std::str::from_utf8(bytes.get(..end)?).ok()?;
    let body = bytes.get(end + 4..)?;
    let mut lines = head.split("\r\n");
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let headers: Vec<(String, &str)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim()))
        .collect();
    let header = |wanted: &str| {
        headers
            .iter()
            .find(|(name, _)| name == wanted)
            .map(|(_, value)| *value)
    };
    let body = match header("content-length") {
        Some(length) => body.get(..length.parse().ok()?)?.to_vec(),
        None if header("transfer-encoding") == Some("chunked") => joined(body)?,
        None => body.to_vec(),
    };
    Some(HttpResponse {
        status,
        retry_after: header("retry-after").map(str::to_owned),
        body: String::from_utf8(body).ok()?,
    })
}

/// The chunks of a body; `None` when the last one is missing.
fn joined(mut rest: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let end = rest.windows(2).position(|two| two == b"\r\n")?;
        let size = std::str::from_utf8(rest.get(..end)?).ok()?;
        let size = usize::from_str_radix(size.split(';').next()?.trim(), 16).ok()?;
        if size == 0 {
            return Some(body);
        }
        let from = end + 2;
        body.extend_from_slice(rest.get(from..from + size)?);
        rest = rest.get(from + size + 2..)?;
    }
}
