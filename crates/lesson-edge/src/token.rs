//! Short-lived tokens for PostgREST: HS256 JWTs with the project's secret.
//!
//! The edge holds no key that could read other spaces without naming them in a token it made
//! itself, and never sends an agent's key on.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use lesson_core::Millis;
use serde_json::{Value, json};
use sha2::Sha256;
use std::cell::RefCell;
use std::collections::HashMap;

/// How long a token for a space holds, in seconds.
const SPACE_SECONDS: i64 = 300;
/// How long a token that looks up keys holds, in seconds.
const LOOKUP_SECONDS: i64 = 60;
/// A kept token is used until this long before its end, in milliseconds.
const SPARE: Millis = 30_000;
/// Who asks on behalf of no space: the subject of a token that looks up keys.
const NOBODY: &str = "00000000-0000-0000-0000-000000000000";

/// Signs tokens, and keeps each until shortly before its end.
pub(crate) struct Tokens {
    secret: Vec<u8>,
    kept: RefCell<HashMap<String, (String, Millis)>>,
}

impl Tokens {
    /// With the project's JWT secret.
    pub fn new(secret: &str) -> Self {
        Self {
            secret: secret.as_bytes().to_vec(),
            kept: RefCell::default(),
        }
    }

    /// A token that may ask which space a key belongs to, and nothing else.
    pub fn for_lookup(&self, now: Millis) -> String {
        self.token(NOBODY, now, LOOKUP_SECONDS, |claims| claims)
    }

    /// A token that may read and write this space, and nothing else.
    pub fn for_space(&self, space: &str, now: Millis) -> String {
        self.token(space, now, SPACE_SECONDS, |mut claims| {
            claims["lessonloop_space"] = Value::from(space);
            claims
        })
    }

    /// A name that only who has the secret can make, of parts that are told apart.
    pub fn name(&self, parts: &[&str]) -> String {
        let mut text = "lessonloop name\n".to_owned();
        for part in parts {
            text.push_str(&format!("{} {part}\n", part.len()));
        }
        // No token's text has a blank, so none is signed by this.
        let mac = mac(&self.secret, &text);
        mac.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn token(
        &self,
        subject: &str,
        now: Millis,
        seconds: i64,
        more: impl FnOnce(Value) -> Value,
    ) -> String {
        let mut kept = self.kept.borrow_mut();
        if let Some((token, ends)) = kept.get(subject)
            && now >= ends - seconds * 1_000
            && now < ends - SPARE
        {
            return token.clone();
        }
        let issued = now.div_euclid(1_000);
        let claims = more(json!({
            "role": "authenticated",
            "aud": "authenticated",
            "sub": subject,
            "lessonloop": "edge",
            "iat": issued,
            "exp": issued + seconds,
        }));
        let token = sign(&self.secret, &claims);
        kept.retain(|_, (_, ends)| *ends > now);
        kept.insert(subject.to_owned(), (token.clone(), now + seconds * 1_000));
        token
    }
}

fn sign(secret: &[u8], claims: &Value) -> String {
    let header = URL_SAFE_NO_PAD.encode(r#"{"alg":"HS256","typ":"JWT"}"#);
    let body = URL_SAFE_NO_PAD.encode(claims.to_string());
    let signed = format!("{header}.{body}");
    let signature = URL_SAFE_NO_PAD.encode(mac(secret, &signed));
    format!("{signed}.{signature}")
}

fn mac(secret: &[u8], text: &str) -> Vec<u8> {
    // HMAC takes a key of any length.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret) else {
        return Vec::new();
    };
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_token_is_signed_as_others_sign_it() {
        // The example of RFC 7515, A.1, has other white space; this one was signed with Python's hmac.
        let token = sign(b"secret", &json!({"sub": "a"}));
        assert_eq!(
            token,
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJhIn0.qBdA9L_PTGPhu7ipY7Xs4Eol-m79U_HNIifGEFJXeJQ"
        );
    }

    #[test]
    fn a_token_is_kept_until_shortly_before_its_end() {
        let tokens = Tokens::new("s");
        let first = tokens.for_space("a", 1_000_000);
        assert_eq!(tokens.for_space("a", 1_200_000), first);
        assert_ne!(tokens.for_space("a", 1_280_000), first);
        assert_ne!(tokens.for_space("b", 1_000_000), first);
        assert_ne!(tokens.for_lookup(1_000_000), first);
        // A clock that was set back.
        assert_ne!(tokens.for_space("a", 100_000), first);
    }

    #[test]
    fn names_differ_by_secret_and_by_part() {
        let (one, other) = (Tokens::new("s"), Tokens::new("t"));
        let name = one.name(&["a", "bc"]);
        assert_eq!(name.len(), 64);
        assert_eq!(one.name(&["a", "bc"]), name);
        for another in [
            one.name(&["ab", "c"]),
            one.name(&["a", "bd"]),
            other.name(&["a", "bc"]),
        ] {
            assert_ne!(another, name);
        }
    }

    #[test]
    fn a_lookup_token_names_no_space() {
        let token = Tokens::new("s").for_lookup(0);
        let claims = token.split('.').nth(1).unwrap();
        let claims = URL_SAFE_NO_PAD.decode(claims).unwrap();
        let claims: Value = serde_json::from_slice(&claims).unwrap();
        assert_eq!(claims["lessonloop"], "edge");
        assert!(claims.get("lessonloop_space").is_none());
        assert_eq!(claims["exp"], 60);
    }
}
