//! A STAND-IN for Supabase's sign-in server, for this machine only: it knows the sample users, and mints tokens for them.
//!
//! `POST /auth/v1/token?grant_type=password|refresh_token` and `POST /auth/v1/logout`, with the answers of the real one.
//! To try expiry, `&expires_in=SECONDS` sets a token's life, which the real one does not take.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use super::token;

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

/// Who may sign in, and which sessions and refresh tokens are spent.
pub struct SignIn {
    users: Vec<User>,
    secret: String,
    spent: Mutex<HashSet<String>>,
}

/// Status and body.
pub type Answer = (u16, Value);

impl SignIn {
    /// For these users; access tokens are signed with `secret`.
    pub fn new(users: Vec<User>, secret: String) -> Self {
        Self {
            users,
            secret,
            spent: Mutex::default(),
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
                let Some(claims) = token::verify(&self.refresh_secret(), given, token::now())
                else {
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
            ("logout", _) => {
                let claims =
                    bearer.and_then(|bearer| token::verify(&self.secret, bearer, token::now()));
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
                json!({ "code": 404, "msg": "this stand-in knows token and logout only" }),
            ),
        }
    }

    fn session(&self, user: &User, session: &str, life: i64) -> Answer {
        let now = token::now();
        let Ok(once) = token::uuid() else {
            return (500, json!({ "code": 500, "msg": "no randomness" }));
        };
        let access = json!({
            "aud": "authenticated", "role": "authenticated", "sub": user.id, "email": user.email,
            "session_id": session, "iat": now, "exp": now + life,
        });
        let refresh =
            json!({ "sub": user.id, "session_id": session, "jti": once, "exp": now + REFRESH });
        let answer = json!({
            "access_token": token::sign(&self.secret, &access),
            "token_type": "bearer",
            "expires_in": life,
            "expires_at": now + life,
            "refresh_token": token::sign(&self.refresh_secret(), &refresh),
            "user": { "id": user.id, "aud": "authenticated", "role": "authenticated", "email": user.email },
        });
        (200, answer)
    }

    /// Another secret, so that a refresh token opens nothing.
    fn refresh_secret(&self) -> String {
        format!("refresh {}", self.secret)
    }
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
