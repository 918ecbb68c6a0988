//! Connecting: the address, signing in, and the spaces of a person.

use crate::http::{Http, HttpRequest, HttpResponse};
use crate::link::{Link, Named, Session};
use crate::remote::RemoteError;
use crate::supabase::{WireSession, headers, read};
use serde::Deserialize;
use serde_json::json;

/// Account that signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// The person.
    pub user: Named,
    /// The tokens.
    pub session: Session,
}

/// A space of a person.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Space {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
}

/// Why connecting did not work. Holds what to do, for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SignInError {
    /// The field `url` is no address that can be used.
    Url(String),
    /// Wrong e-mail address or password.
    Credentials(String),
    /// The key is not the project's.
    Key(String),
    /// The invitation is invalid or has expired.
    Invite(String),
    /// No answer, or one that makes no sense.
    Server(String),
}

impl SignInError {
    /// Returns the remedy, worded for a person.
    pub fn message(&self) -> &str {
        match self {
            Self::Url(text)
            | Self::Credentials(text)
            | Self::Key(text)
            | Self::Invite(text)
            | Self::Server(text) => text,
        }
    }
}

/// A server's address as it is kept: scheme and host, without a path. `https`, or `http` on this
/// machine.
///
/// # Errors
/// [`SignInError::Url`] says what is wrong with it.
///
/// ```
/// let url = lesson_sync::server_url(" https://abc.supabase.co/rest/v1/ ");
/// assert_eq!(url.as_deref(), Ok("https://abc.supabase.co"));
/// assert!(lesson_sync::server_url("http://abc.supabase.co").is_err());
/// ```
pub fn server_url(text: &str) -> Result<String, SignInError> {
    let wrong = |why: &str| {
        SignInError::Url(format!(
            "{why}; it looks like https://abc.supabase.co and stands in the project's API settings"
        ))
    };
    let text = text.trim();
    let (scheme, rest) = text
        .split_once("://")
        .ok_or_else(|| wrong("the address has to begin with https://"))?;
    let scheme = scheme.to_ascii_lowercase();
    let host_and_port = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host_and_port.to_ascii_lowercase();
    if host.is_empty()
        || host.contains(['@', ' ', '\\', '%', '<', '>', '"', '\''])
        || !host.is_ascii()
        || host.chars().any(|c| c.is_ascii_control())
    {
        return Err(wrong("the address has no host that can be used"));
    }
    let name = match host.strip_prefix('[') {
        Some(v6) => v6.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    let here = matches!(name, "localhost" | "127.0.0.1" | "::1");
    match scheme.as_str() {
        "https" => {}
        "http" if here => {}
        "http" => {
            return Err(wrong(
                "the address has to begin with https://, because http is not encrypted",
            ));
        }
        _ => return Err(wrong("the address has to begin with https://")),
    }
    Ok(format!("{scheme}://{host}"))
}

/// Signs in by password.
///
/// # Errors
/// See [`SignInError`].
pub async fn sign_in(
    http: &impl Http,
    url: &str,
    key: &str,
    email: &str,
    password: &str,
) -> Result<Account, SignInError> {
    let response = send(
        http,
        HttpRequest {
            method: "POST",
            url: format!("{url}/auth/v1/token?grant_type=password"),
            headers: headers(key, ""),
            body: Some(json!({ "email": email, "password": password }).to_string()),
            ..HttpRequest::default()
        },
    )
    .await?;
    if response.status == 400 {
        return Err(SignInError::Credentials(
            "the e-mail address or the password is wrong; try again".to_owned(),
        ));
    }
    let wire: WireSession = read(&response).map_err(of_remote)?;
    let user = wire.user.as_ref().map(|user| Named {
        id: user.id.clone(),
        name: if user.email.is_empty() {
            email.to_owned()
        } else {
            user.email.clone()
        },
    });
    match user {
        Some(user) => Ok(Account {
            user,
            session: wire.session(),
        }),
        None => Err(SignInError::Server(
            "the sign-in server does not say who signed in; check the address".to_owned(),
        )),
    }
}

/// The spaces of who is signed in, oldest first.
///
/// # Errors
/// See [`SignInError`].
pub async fn spaces(
    http: &impl Http,
    url: &str,
    key: &str,
    session: &Session,
) -> Result<Vec<Space>, SignInError> {
    let response = send(
        http,
        HttpRequest {
            method: "GET",
            url: format!("{url}/rest/v1/spaces?select=id,name&order=created_at,id"),
            headers: headers(key, &session.access_token),
            ..HttpRequest::default()
        },
    )
    .await?;
    read(&response).map_err(of_remote)
}

/// Makes a space; gives its id.
///
/// # Errors
/// See [`SignInError`].
pub async fn create_space(
    http: &impl Http,
    url: &str,
    key: &str,
    session: &Session,
    name: &str,
) -> Result<Space, SignInError> {
    let response = send(
        http,
        HttpRequest {
            method: "POST",
            url: format!("{url}/rest/v1/rpc/create_space"),
            headers: headers(key, &session.access_token),
            body: Some(json!({ "name": name }).to_string()),
            ..HttpRequest::default()
        },
    )
    .await?;
    let id: String = read(&response).map_err(of_remote)?;
    Ok(Space {
        id,
        name: name.to_owned(),
    })
}

/// Makes who is signed in a member of the space that an invitation is for; who is one already stays one.
///
/// # Errors
/// [`SignInError::Invite`] when the code is invalid or has expired; see [`SignInError`].
pub async fn join_space(
    http: &impl Http,
    url: &str,
    key: &str,
    session: &Session,
    code: &str,
) -> Result<Space, SignInError> {
    let response = send(
        http,
        HttpRequest {
            method: "POST",
            url: format!("{url}/rest/v1/rpc/accept_invite"),
            headers: headers(key, &session.access_token),
            body: Some(json!({ "p_code": code }).to_string()),
            ..HttpRequest::default()
        },
    )
    .await?;
    read(&response).map_err(|error| match error {
        RemoteError::NotFound => SignInError::Invite(
            "the invitation is invalid or has expired: it is valid for seven days and for one person; ask for another".to_owned(),
        ),
        other => of_remote(other),
    })
}

/// Ends the session on the server. A server that can't be reached forgets it by itself in time.
pub async fn sign_out(http: &impl Http, link: &Link) {
    let Some(session) = &link.session else {
        return;
    };
    let _ = http
        .send(HttpRequest {
            method: "POST",
            url: format!("{}/auth/v1/logout", link.url),
            headers: headers(&link.key, &session.access_token),
            body: Some("{}".to_owned()),
            ..HttpRequest::default()
        })
        .await;
}

async fn send(http: &impl Http, request: HttpRequest) -> Result<HttpResponse, SignInError> {
    http.send(request).await.map_err(|none| {
        SignInError::Server(format!(
            "the server can't be reached ({}); check the address and the connection",
            none.0
        ))
    })
}

fn of_remote(error: RemoteError) -> SignInError {
    match error {
        RemoteError::Unauthorized => SignInError::Credentials(
            "the server does not accept the session; sign in again".to_owned(),
        ),
        RemoteError::Refused(cause) if cause.contains("publishable key") => SignInError::Key(cause),
        RemoteError::Refused(cause) | RemoteError::Trouble(cause) => SignInError::Server(cause),
        RemoteError::NoAnswer(cause) => SignInError::Server(format!(
            "the server can't be reached ({cause}); check the address and the connection"
        )),
        RemoteError::NotFound => {
            SignInError::Server("there is no Supabase project at this address; check it".to_owned())
        }
        RemoteError::Busy(_) | RemoteError::TooLarge | RemoteError::ActorTaken => {
            SignInError::Server("the server is busy; try again in a moment".to_owned())
        }
    }
}
