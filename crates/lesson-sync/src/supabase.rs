//! The remote over HTTP: Supabase's REST, with the functions of `supabase/migrations`.

use crate::http::{Http, HttpRequest, HttpResponse};
use crate::link::{Link, Session};
use crate::remote::{Page, Pushed, Remote, RemoteError};
use crate::schema::{LACKS, MIGRATE};
use crate::wire::{WirePage, WirePushed};
use lesson_core::{Event, LEDGER_VERSION};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The code of the refusal of a request without an agent's key that is in force.
pub(crate) const WITHOUT_KEY: &str = "PT401";
/// The status that hosted Supabase answers with for a project that is paused.
pub(crate) const PAUSED: u16 = 540;

/// A Supabase project, or anything that behaves like one.
#[derive(Debug)]
pub struct Supabase<'a, H> {
    http: &'a H,
}

impl<'a, H: Http> Supabase<'a, H> {
    /// Over a network.
    pub fn new(http: &'a H) -> Self {
        Self { http }
    }

    pub(crate) async fn call<T: DeserializeOwned>(
        &self,
        link: &Link,
        function: &str,
        body: String,
    ) -> Result<T, RemoteError> {
        self.ask(link, &format!("rpc/{function}"), Some(body), Vec::new())
            .await
    }

    async fn ask<T: DeserializeOwned>(
        &self,
        link: &Link,
        path_and_query: &str,
        body: Option<String>,
        makers: Vec<String>,
    ) -> Result<T, RemoteError> {
        let session = link.session.as_ref().ok_or(RemoteError::Unauthorized)?;
        let request = HttpRequest {
            method: if body.is_some() { "POST" } else { "GET" },
            url: format!("{}/rest/v1/{path_and_query}", link.url),
            headers: headers(&link.key, &session.access_token),
            body,
            makers,
        };
        read(&self.send(request).await?)
    }

    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, RemoteError> {
        let answer = self.http.send(request).await;
        answer.map_err(|none| RemoteError::NoAnswer(none.0))
    }

    /// Reads rows of a table, with the rights of who is signed in.
    ///
    /// # Errors
    /// See [`RemoteError`].
    pub async fn get<T: DeserializeOwned>(
        &self,
        link: &Link,
        path_and_query: &str,
    ) -> Result<T, RemoteError> {
        self.ask(link, path_and_query, None, Vec::new()).await
    }

    /// Calls a function with arguments as JSON, with the rights of who is signed in.
    ///
    /// # Errors
    /// See [`RemoteError`].
    pub async fn rpc<T: DeserializeOwned>(
        &self,
        link: &Link,
        function: &str,
        arguments: &Value,
    ) -> Result<T, RemoteError> {
        self.call(link, function, arguments.to_string()).await
    }

    /// One page of the events that moved or saw a lesson, newest first, as the server tells it.
    ///
    /// # Errors
    /// See [`RemoteError`].
    pub async fn history<T: DeserializeOwned>(
        &self,
        link: &Link,
        slug: &str,
        before: Option<u64>,
    ) -> Result<T, RemoteError> {
        let body = json!({
            "p_space": link.space.id, "p_slug": slug, "p_before": before, "p_limit": 500,
        });
        self.call(link, "lesson_history", body.to_string()).await
    }

    /// The keys of the space's agents, as the server lists them.
    ///
    /// # Errors
    /// See [`RemoteError`].
    pub async fn agent_keys<T: DeserializeOwned>(&self, link: &Link) -> Result<T, RemoteError> {
        let body = json!({ "p_space": link.space.id });
        self.call(link, "list_agent_keys", body.to_string()).await
    }

    /// Makes a key. Not safe to repeat: without an answer there may be a key that nobody saw.
    ///
    /// # Errors
    /// See [`RemoteError`].
    pub async fn create_agent_key<T: DeserializeOwned>(
        &self,
        link: &Link,
        name: &str,
    ) -> Result<T, RemoteError> {
        let body = json!({ "p_space": link.space.id, "p_name": name });
        self.call(link, "create_agent_key", body.to_string()).await
    }

    /// Revokes a key; `false` when it was revoked before.
    ///
    /// # Errors
    /// See [`RemoteError`].
    pub async fn revoke_agent_key(&self, link: &Link, id: &str) -> Result<bool, RemoteError> {
        let body = json!({ "p_key": id });
        self.call(link, "revoke_agent_key", body.to_string()).await
    }
}

impl<H: Http> Remote for Supabase<'_, H> {
    async fn push(&self, link: &Link, events: &[Event]) -> Result<Pushed, RemoteError> {
        let makers: BTreeSet<&String> = events.iter().map(|event| &event.by).collect();
        let makers = makers.into_iter().cloned().collect();
        // The events' own text, because a negative zero has to stay one.
        let events = serde_json::to_string(events).map_err(|error| {
            RemoteError::Refused(format!("an event can't be written ({error})"))
        })?;
        let events = without_nul(events);
        let (space, actor) = (Value::from(&*link.space.id), Value::from(&*link.actor));
        let body = format!(
            r#"{{"p_space":{space},"p_actor":{actor},"p_ledger_version":{LEDGER_VERSION},"p_events":{events}}}"#
        );
        let answer: WirePushed = self
            .ask(link, "rpc/push_events", Some(body), makers)
            .await?;
        answer
            .read()
            .ok_or_else(|| unreadable("it has a status of another version"))
    }

    async fn pull(&self, link: &Link, cursor: u64, limit: u32) -> Result<Page, RemoteError> {
        let body = json!({
            "p_space": link.space.id, "p_cursor": cursor, "p_limit": limit, "p_ledger_version": LEDGER_VERSION,
        });
        let answer: WirePage = self.call(link, "pull_changes", body.to_string()).await?;
        answer.read(&link.actor).map_err(|cause| unreadable(&cause))
    }

    async fn refresh(&self, link: &Link) -> Result<Session, RemoteError> {
        let session = link.session.as_ref().ok_or(RemoteError::Unauthorized)?;
        if session.refresh_token.is_empty() {
            return Err(RemoteError::Unauthorized);
        }
        let request = HttpRequest {
            method: "POST",
            url: format!("{}/auth/v1/token?grant_type=refresh_token", link.url),
            headers: headers(&link.key, ""),
            body: Some(json!({ "refresh_token": session.refresh_token }).to_string()),
            ..HttpRequest::default()
        };
        let response = self.send(request).await?;
        // The sign-in server says 400 of a token that is not accepted.
        if matches!(response.status, 400 | 403) {
            return Err(RemoteError::Unauthorized);
        }
        read::<WireSession>(&response).map(WireSession::session)
    }
}

/// The sign-in server's answer.
#[derive(Deserialize)]
pub(crate) struct WireSession {
    access_token: String,
    refresh_token: String,
    pub user: Option<WireUser>,
}

#[derive(Deserialize)]
pub(crate) struct WireUser {
    pub id: String,
    #[serde(default)]
    pub email: String,
}

impl WireSession {
    pub fn session(self) -> Session {
        Session {
            access_token: self.access_token,
            refresh_token: self.refresh_token,
        }
    }
}

/// The headers of every request. The publishable key goes as `apikey` alone: it is no token, and hosted Supabase refuses one of today
/// where a token is expected. `token` is a person's; empty where nobody has signed in.
pub(crate) fn headers(key: &str, token: &str) -> Vec<(&'static str, String)> {
    let mut headers = vec![
        ("apikey", key.to_owned()),
        ("content-type", "application/json".to_owned()),
    ];
    if !token.is_empty() {
        headers.push(("authorization", format!("Bearer {token}")));
    }
    headers
}

/// An error's body, as PostgREST and the gateway write it.
#[derive(Default, Deserialize)]
pub(crate) struct WireError {
    #[serde(default)]
    pub code: Value,
    #[serde(default)]
    pub message: String,
    #[serde(default)]
    msg: String,
    #[serde(default)]
    hint: Option<String>,
}

/// The answer's body, or what its status means.
pub(crate) fn read<T: DeserializeOwned>(response: &HttpResponse) -> Result<T, RemoteError> {
    if (200..300).contains(&response.status) {
        return serde_json::from_str(&response.body).map_err(|error| {
            if looks_like_html(&response.body) {
                RemoteError::Trouble("The address answers with a web page, not with data. Check the address; a proxy or the sign-in page of a network may be in between.".to_owned())
            } else if error.is_eof() {
                RemoteError::Trouble("The server's answer was cut off. It is tried again by itself.".to_owned())
            } else {
                RemoteError::Trouble(format!("The server's answer can't be read ({error}). {MIGRATE}"))
            }
        });
    }
    let error: WireError = serde_json::from_str(&response.body).unwrap_or_default();
    let code = error.code.as_str().unwrap_or_default();
    let said = [&error.message, &error.msg]
        .into_iter()
        .find(|text| !text.is_empty())
        .cloned()
        .unwrap_or_default();
    Err(match response.status {
        401 if said.to_lowercase().contains("api key") => RemoteError::Refused(
            "The publishable key is not this project's. Copy it from the project's API settings and connect again.".to_owned(),
        ),
        // A person who has signed in gets 403 of it.
        401 if code == "42501" => RemoteError::Refused(format!(
            "{LACKS}, or has another version of it. {MIGRATE}"
        )),
        401 if code == WITHOUT_KEY => RemoteError::Trouble(
            "No agent's key that asked lately is in force any more. Make one in the dashboard, under Agents.".to_owned(),
        ),
        401 => RemoteError::Unauthorized,
        403 if code == "PT403" => RemoteError::ActorTaken,
        403 => RemoteError::Refused(format!(
            "The server does not allow this{}. {MIGRATE}",
            in_brackets(&said)
        )),
        404 if code == "PT404" => RemoteError::NotFound,
        // PostgREST's own code, or PostgreSQL's when PostgREST has not noticed yet.
        404 if !code.is_empty() => RemoteError::Refused(format!(
            "{LACKS}, or has another version of it. {MIGRATE}"
        )),
        404 => RemoteError::Refused(
            "There is no Supabase project at this address. Check it: it looks like https://abc.supabase.co.".to_owned(),
        ),
        408 | 504 => RemoteError::NoAnswer("the server took too long".to_owned()),
        413 => RemoteError::TooLarge,
        426 => RemoteError::Refused(format!(
            "The server needs a newer version of this app{}. Reload the page, or update what runs; everything is kept here meanwhile.",
            in_brackets(&said)
        )),
        429 => RemoteError::Busy(waits(response)),
        503 if response.retry_after.is_some() => RemoteError::Busy(waits(response)),
        PAUSED => RemoteError::Trouble(
            "The project is paused. Restore it in Supabase's dashboard.".to_owned(),
        ),
        status if status >= 500 => RemoteError::Trouble(format!(
            "The server is in trouble (status {status}{}). It is tried again by itself.",
            if said.is_empty() { String::new() } else { format!(": {said}") }
        )),
        status => RemoteError::Refused(format!(
            "The server refuses (status {status}{}){}",
            if said.is_empty() { String::new() } else { format!(": {said}") },
            error.hint.map_or_else(|| ".".to_owned(), |hint| format!("; {hint}."))
        )),
    })
}

fn in_brackets(said: &str) -> String {
    if said.is_empty() {
        String::new()
    } else {
        format!(" ({said})")
    }
}

/// Milliseconds of `retry-after` in seconds; a date is left to the own back-off.
fn waits(response: &HttpResponse) -> Option<u64> {
    let seconds: u64 = response.retry_after.as_ref()?.trim().parse().ok()?;
    Some(seconds.saturating_mul(1_000))
}

fn looks_like_html(body: &str) -> bool {
    body.trim_start().starts_with('<')
}

fn unreadable(cause: &str) -> RemoteError {
    RemoteError::Trouble(format!(
        "The server's answer can't be read ({cause}). {MIGRATE}"
    ))
}

/// JSON text with NUL written as the replacement character: PostgreSQL's text can't hold one, and
/// would refuse the whole batch.
fn without_nul(json: String) -> String {
    if !json.contains(r"\u0000") {
        return json;
    }
    let mut out = String::with_capacity(json.len());
    let mut rest = json.as_str();
    while let Some(at) = rest.find('\\') {
        // An escape is two characters, or six.
        let (plain, escape) = rest.split_at(at);
        out.push_str(plain);
        if let Some(after) = escape.strip_prefix(r"\u0000") {
            out.push_str(r"\ufffd");
            rest = after;
        } else {
            let end = escape
                .char_indices()
                .nth(2)
                .map_or(escape.len(), |(end, _)| end);
            let (pair, after) = escape.split_at(end);
            out.push_str(pair);
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::without_nul;

    #[test]
    fn only_a_real_nul_is_replaced() {
        for (json, out) in [
            (r#""a""#, r#""a""#),
            (r#""\u0000""#, r#""\ufffd""#),
            (r#""\\u0000""#, r#""\\u0000""#),
            (r#""\\\u0000\"\u0000é""#, r#""\\\ufffd\"\ufffdé""#),
        ] {
            assert_eq!(without_nul(json.to_owned()), out);
        }
    }
}
