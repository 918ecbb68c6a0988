//! Checks that a request has to pass before anything is done: host, origin, size, a key that is in force, its rate.

use crate::agent::Agent;
use crate::config::Config;
use crate::edge::Edge;
use crate::limits::BODY_BYTES;
use crate::message::{EdgeAnswer, EdgeRequest, Refusal};
use lesson_service::Host;
use lesson_service::parse_path;
use lesson_service::strict::{self, Unread};
use lesson_service::timeout;
use lesson_sync::Store;
use lesson_types::{ApiError, ErrorCode};
use serde_json::Value;
use std::rc::Rc;

/// Query parameters that clients have sent tokens in, where these end up in logs.
const TOKEN_NAMES: [&str; 7] = [
    "access_token",
    "api_key",
    "apikey",
    "auth",
    "authorization",
    "key",
    "token",
];
/// The longest token that is read, in bytes; a key has 76 characters, or 68.
const KEY_BYTES: usize = 512;

/// Time limit of the platform's counter, in milliseconds: a request does not fail by it.
const COUNTING_MS: u32 = 500;
/// When to try again after the platform's counter refused, in seconds: it counts by the minute, and does not say.
const COUNTED_S: u64 = 10;

/// Refuses a `Host` that the operator did not list: DNS rebinding makes a foreign page's name point here.
pub(crate) fn host(request: &EdgeRequest, config: &Config) -> Result<(), Refusal> {
    let host = request
        .headers
        .get("host")
        .map(String::as_str)
        .unwrap_or_default();
    if config.hosts.is_empty() || config.hosts.contains(&host.to_ascii_lowercase()) {
        return Ok(());
    }
    Err(Refusal::forbidden(
        "host",
        "this host is not one that is answered here; the operator lists them in ALLOWED_HOSTS",
    ))
}

/// The `Origin` of a page that may call: the dashboard's, or this host's own. `None` for a caller that is no page.
pub(crate) fn origin(request: &EdgeRequest, config: &Config) -> Result<Option<String>, Refusal> {
    let Some(origin) = request.headers.get("origin") else {
        return Ok(None);
    };
    let given = origin.to_ascii_lowercase();
    let own = request.headers.get("host").is_some_and(|host| {
        let host = host.to_ascii_lowercase();
        !host.is_empty()
            && (given == format!("https://{host}") || given == format!("http://{host}"))
    });
    if own || config.dashboard_origin.as_ref() == Some(&given) {
        return Ok(Some(origin.clone()));
    }
    Err(Refusal::forbidden(
        "origin",
        "pages of this origin may not call; the operator names the dashboard's in DASHBOARD_ORIGIN",
    ))
}

/// The answer to a CORS preflight.
pub(crate) fn preflight() -> EdgeAnswer {
    let mut answer = EdgeAnswer::empty(204);
    for (name, value) in [
        ("access-control-allow-methods", "GET, POST, PATCH"),
        (
            "access-control-allow-headers",
            "authorization, content-type, idempotency-key, mcp-protocol-version",
        ),
        ("access-control-max-age", "600"),
    ] {
        answer.headers.insert(name.to_owned(), value.to_owned());
    }
    answer
}

/// Sets the headers of every answer.
pub(crate) fn add_response_headers(mut answer: EdgeAnswer, origin: Option<String>) -> EdgeAnswer {
    let mut set = |name: &str, value: &str| {
        answer.headers.insert(name.to_owned(), value.to_owned());
    };
    set("cache-control", "no-store");
    set("vary", "origin");
    set("x-content-type-options", "nosniff");
    set(
        "content-security-policy",
        "default-src 'none'; frame-ancestors 'none'",
    );
    if let Some(origin) = origin {
        set("access-control-allow-origin", &origin);
        set(
            "access-control-expose-headers",
            "retry-after, server-timing",
        );
    }
    answer
}

/// The key that the caller sent.
pub(crate) fn key(request: &EdgeRequest) -> Result<&str, Refusal> {
    let query = parse_path(&request.path)?.query;
    if query
        .iter()
        .any(|(name, _)| TOKEN_NAMES.contains(&name.to_ascii_lowercase().as_str()))
    {
        let mut refusal = Refusal::unauthorized(false);
        refusal.error.message = "a key in the address ends up in logs, so it is not looked at; send it in the header `authorization: Bearer llk_…` and revoke the one that was sent here".to_owned();
        refusal.error.field = Some("path".to_owned());
        return Err(refusal);
    }
    let Some(given) = request.headers.get("authorization") else {
        return Err(Refusal::unauthorized(false));
    };
    let token = match given.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => token.trim(),
        _ => return Err(Refusal::unauthorized(false)),
    };
    if token.is_empty() || token.len() > KEY_BYTES {
        return Err(Refusal::unauthorized(!token.is_empty()));
    }
    Ok(token)
}

/// The body as JSON; `null` for an empty one.
pub(crate) fn json(body: &[u8]) -> Result<Value, ApiError> {
    if body.is_empty() {
        return Ok(Value::Null);
    }
    strict::parse(body).map_err(|unread| {
        let (Unread::Syntax(cause) | Unread::Shape(cause)) = unread;
        ApiError::invalid(
            "body",
            format!("the body is no JSON that is taken here: {cause}"),
        )
    })
}

/// Refuses a body that is too large, or is not said to be JSON.
pub(crate) fn body(request: &EdgeRequest) -> Result<(), Refusal> {
    if request.body.len() > BODY_BYTES {
        return Err(ApiError::new(
            ErrorCode::TooLarge,
            format!("the body is longer than {BODY_BYTES} bytes; send less at a time"),
        )
        .at("body")
        .into());
    }
    if request.body.is_empty() {
        return Ok(());
    }
    let kind = request
        .headers
        .get("content-type")
        .map(String::as_str)
        .unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if kind.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    Err(ApiError::invalid(
        "content-type",
        "the body has to be JSON, with `content-type: application/json`",
    )
    .into())
}

impl<S: Store, H: Host> Edge<S, H> {
    /// The agent whose key the request carries.
    ///
    /// # Errors
    /// 401 without a valid key, 429 above a rate limit, 503 when the key can't be looked up.
    pub(crate) async fn admit(&self, request: &EdgeRequest) -> Result<Rc<Agent>, Refusal> {
        let key = key(request)?;
        let now = self.host.now();
        let asking = self.lookups.of(&request.client, key);
        let found = self
            .keys
            .agent(key, &self.host, &self.config, || asking.begin(now))
            .await;
        match &found {
            Ok(_) => asking.was_right(),
            Err(refusal) if refusal.error.code == ErrorCode::Unauthorized => {
                for space in self.spaces.borrow().iter() {
                    space.keys.forget(key);
                }
            }
            Err(_) => {}
        }
        let agent = found?;
        // A body longer than any may be is refused for that, unread.
        let bytes = Some(request.body.len()).filter(|bytes| *bytes <= BODY_BYTES);
        self.budget
            .request(&agent.id, bytes.unwrap_or_default(), now)?;
        // By the key's id, so that a key is one however its header is written; and keys that nobody has cost no counter.
        if let Some(count) = &request.count {
            let limit = self.host.sleep(COUNTING_MS);
            let goes_on = timeout(count(&agent.id), limit).await.unwrap_or(true);
            if !goes_on {
                return Err(Refusal::too_often(COUNTED_S));
            }
        }
        Ok(agent)
    }

    /// Counts the further messages of a batch against the key's rate limit.
    pub(crate) fn take_turns(&self, agent: &Agent, count: usize) -> Result<(), Refusal> {
        let now = self.host.now();
        (0..count).try_for_each(|_| self.budget.message(&agent.id, now))
    }
}
