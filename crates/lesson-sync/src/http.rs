//! The network as syncing sees it: one request, one answer.

/// A request over HTTP.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct HttpRequest {
    /// `GET` or `POST`.
    pub method: &'static str,
    /// Absolute.
    pub url: String,
    /// Names in lower case.
    pub headers: Vec<(&'static str, String)>,
    /// The body; none for a `GET`.
    pub body: Option<String>,
    /// Makers of the events that it sends, as events name them, each once; empty where it sends none. A host that answers for
    /// several agents sends the key of each along.
    pub makers: Vec<String>,
}

impl std::fmt::Debug for HttpRequest {
    /// Headers and bodies carry tokens and passwords; they stay out of logs.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.method, self.url)
    }
}

/// An answer, whatever its status.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpResponse {
    /// The HTTP status.
    pub status: u16,
    /// The header `retry-after`, as it came.
    pub retry_after: Option<String>,
    /// The whole body.
    pub body: String,
}

impl std::fmt::Debug for HttpResponse {
    /// Bodies carry tokens and keys; they stay out of logs.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "status {}", self.status)
    }
}

/// There was no whole answer: no connection, a timeout, a connection that broke. What was asked may
/// have been done all the same. Holds the cause, for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoAnswer(pub String);

/// The network.
///
/// Futures are polled on one thread; a wasm host has no other.
#[allow(async_fn_in_trait)] // One thread: no `Send` bound is wanted.
pub trait Http {
    /// Sends a request and waits for the whole answer, with a timeout of the host's.
    ///
    /// # Errors
    /// [`NoAnswer`] when there was none.
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, NoAnswer>;
}
