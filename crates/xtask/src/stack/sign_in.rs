//! A STAND-IN for Supabase's sign-in server, for this machine only: it knows the sample users, and mints tokens for them.
//!
//! `POST /auth/v1/token?grant_type=password|refresh_token`, `GET /auth/v1/user` and `POST /auth/v1/logout`, with the answers
//! of the real one.
//! To try expiry, `&expires_in=SECONDS` sets a token's life, which the real one does not take.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use hyper::Method;
use serde_json::{Value, json};

use super::token::{self, TokenKey};

/// Seconds that tokens live, as on hosted Supabase.
const ACCESS: i64 = 3600;
const REFRESH: i64 = 30 * 24 * 3600;

/// A user who may sign in.
#[derive(Clone)]
pub struct User {
    pub id: String,
    pub email: String,
    pub password: String,
}

/// Users who may sign in, and the sessions and refresh tokens that are spent.
pub struct SignIn {
    users: Vec<User>,
    tokens: TokenKey,
    /// Another one, so that a refresh token opens nothing.
    refreshing: TokenKey,
    spent: Mutex<HashSet<String>>,
}

/// Status and body.
pub type Answer = (u16, Value);

impl SignIn {
    /// For these users. `tokens` signs access tokens, `refreshing` refresh tokens.
    pub fn new(users: Vec<User>, tokens: TokenKey, refreshing: TokenKey) -> Self {
        Self {
            users,
            tokens,
            refreshing,
            spent: Mutex::default(),
        }
    }

    /// The method of a path that follows `/auth/v1/`.
    pub fn method(path: &str) -> Method {
        match path {
            "user" => Method::GET,
            _ => Method::POST,
        }
    }

    /// Answers a request whose path follows `/auth/v1/`.
    pub fn answer(&self, path: &str, query: &str, bearer: Option<&str>, body: &[u8]) -> Answer {
        let asked = |name: &str| {
            query
                .split('&')
                .filter_map(|pair| pair.split_once('='))
                .find(|(key, _)| *key == name)
                .map(|(_, value)| value)
        };
        let life = asked("expires_in")
            .and_then(|life| life.parse().ok())
            .unwrap_or(ACCESS);
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        match (path, asked("grant_type")) {
            ("token", Some("password")) => {
                let found = self.users.iter().find(|user| {
                    body["email"] == *user.email && body["password"] == *user.password
                });
                match (found, token::uuid()) {
                    (Some(user), Ok(session)) => self.session(user, &session, life),
                    _ => refused("invalid_credentials", "Invalid login credentials"),
                }
            }
            ("token", Some("refresh_token")) => {
                let given = body["refresh_token"].as_str().unwrap_or_default();
                let Some(claims) = self.refreshing.verify(given) else {
                    return refused("refresh_token_not_found", "Invalid Refresh Token");
                };
                let (once, session) = (text(&claims, "jti"), text(&claims, "session_id"));
                let user = self.users.iter().find(|user| claims["sub"] == *user.id);
                // A thread that panicked leaves a whole set.
                let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
                match user {
                    Some(user) if !spent.contains(&session) && spent.insert(once) => {
                        drop(spent);
                        self.session(user, &session, life)
                    }
                    _ => refused(
                        "refresh_token_already_used",
                        "Invalid Refresh Token: Already Used",
                    ),
                }
            }
            ("token", _) => refused("validation_failed", "unsupported_grant_type"),
            ("user", _) => self.who(bearer),
            ("logout", _) => {
                let claims = bearer.and_then(|bearer| self.tokens.verify(bearer));
                match claims {
                    Some(claims) => {
                        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
                        spent.insert(text(&claims, "session_id"));
                        (204, Value::Null)
                    }
                    None => (
                        401,
                        json!({ "code": 401, "error_code": "bad_jwt", "msg": "invalid JWT" }),
                    ),
                }
            }
            _ => (
                404,
                json!({ "code": 404, "msg": "this stand-in knows token, user and logout only" }),
            ),
        }
    }

    /// Whose token it is, as long as its session goes on.
    fn who(&self, bearer: Option<&str>) -> Answer {
        let told = |status: u16, code: &str, message: &str| {
            let body = json!({ "code": status, "error_code": code, "msg": message });
            (status, body)
        };
        let Some(bearer) = bearer else {
            return told(
                401,
                "no_authorization",
                "This endpoint requires a valid Bearer token",
            );
        };
        let Some(claims) = self.tokens.verify(bearer) else {
            return told(
                403,
                "bad_jwt",
                "invalid JWT: unable to parse or verify signature",
            );
        };
        let session = text(&claims, "session_id");
        // A thread that panicked leaves a whole set.
        let spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        if !session.is_empty() && spent.contains(&session) {
            return told(
                403,
                "session_not_found",
                "Session from session_id claim in JWT does not exist",
            );
        }
        let user = self.users.iter().find(|user| claims["sub"] == *user.id);
        match user {
            Some(user) => (200, shown(user)),
            None => told(
                403,
                "user_not_found",
                "User from sub claim in JWT does not exist",
            ),
        }
    }

    fn session(&self, user: &User, session: &str, life: i64) -> Answer {
        let now = token::now();
        let Ok(once) = token::uuid() else {
            return (500, json!({ "code": 500, "msg": "no token can be made" }));
        };
        let access = json!({
            "aud": "authenticated", "role": "authenticated", "sub": user.id, "email": user.email,
            "session_id": session, "iat": now, "exp": now + life,
        });
        let refresh =
            json!({ "sub": user.id, "session_id": session, "jti": once, "exp": now + REFRESH });
        let answer = json!({
            "access_token": self.tokens.sign(&access),
            "token_type": "bearer",
            "expires_in": life,
            "expires_at": now + life,
            "refresh_token": self.refreshing.sign(&refresh),
            "user": shown(user),
        });
        (200, answer)
    }
}

/// A user as the real server tells of one, as far as there is something to tell.
fn shown(user: &User) -> Value {
    json!({
        "id": user.id, "aud": "authenticated", "role": "authenticated", "email": user.email,
        "app_metadata": { "provider": "email", "providers": ["email"] }, "user_metadata": {}, "identities": [],
        "is_anonymous": false,
    })
}

fn text(claims: &Value, name: &str) -> String {
    claims[name].as_str().unwrap_or_default().to_owned()
}

fn refused(code: &str, message: &str) -> Answer {
    (
        400,
        json!({ "code": 400, "error_code": code, "msg": message }),
    )
}
