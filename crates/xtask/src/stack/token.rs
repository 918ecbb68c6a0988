//! Sign-in tokens of the local stack: JWTs by ES256, as a Supabase project of today signs them and PostgREST checks them by the
//! public half in a JWKS.

use anyhow::{Context as _, Error, Result};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use p256::ecdsa::signature::{Signer as _, Verifier as _};
use p256::ecdsa::{Signature, SigningKey, VerifyingKey};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::fault::advice;

/// A key that signs tokens.
#[derive(Clone)]
pub struct TokenKey(SigningKey);

impl TokenKey {
    /// The key of a secret text, the same at every start.
    pub fn of(secret: &str) -> Result<Self> {
        SigningKey::from_slice(&Sha256::digest(secret.as_bytes()))
            .map(Self)
            .map_err(Error::msg)
            .with_context(|| advice("the local stack's signing key", "remove its data"))
    }

    /// A signed token with these claims.
    pub fn sign(&self, claims: &Value) -> String {
        let head = json!({ "alg": "ES256", "kid": self.id(), "typ": "JWT" });
        let [head, body] = [&head, claims].map(|part| URL_SAFE_NO_PAD.encode(part.to_string()));
        let signed = format!("{head}.{body}");
        let signature: Signature = self.0.sign(signed.as_bytes());
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature.to_bytes()))
    }

    /// The claims of a token that was signed with this key and has not expired.
    pub fn verify(&self, token: &str) -> Option<Value> {
        let (signed, signature) = token.rsplit_once('.')?;
        let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
        let signature = Signature::from_slice(&signature).ok()?;
        VerifyingKey::from(&self.0)
            .verify(signed.as_bytes(), &signature)
            .ok()?;
        let body = URL_SAFE_NO_PAD.decode(signed.split('.').nth(1)?).ok()?;
        let claims: Value = serde_json::from_slice(&body).ok()?;
        // To the second: suites let tokens expire.
        (claims["exp"].as_i64()? > now()).then_some(claims)
    }

    /// The public half, as it stands in a JWKS.
    pub fn jwk(&self) -> Value {
        let point = VerifyingKey::from(&self.0).to_encoded_point(false);
        let part = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        // Uncompressed: a byte that says so, then x and y.
        let (x, y) = point.as_bytes()[1..].split_at(32);
        json!({ "kty": "EC", "crv": "P-256", "x": part(x), "y": part(y), "kid": self.id(), "alg": "ES256", "use": "sig" })
    }

    /// Both halves, for a suite that signs tokens itself.
    pub fn private_jwk(&self) -> Value {
        let mut jwk = self.jwk();
        jwk["d"] = Value::from(URL_SAFE_NO_PAD.encode(self.0.to_bytes()));
        jwk
    }

    fn id(&self) -> String {
        let point = VerifyingKey::from(&self.0).to_encoded_point(true);
        hex::encode(&Sha256::digest(point.as_bytes())[..8])
    }
}

/// Random bytes in hexadecimal.
pub fn random(bytes: usize) -> Result<String> {
    let mut drawn = vec![0; bytes];
    getrandom::fill(&mut drawn)
        .map_err(Error::msg)
        .with_context(|| advice("the system's randomness", "run this on Linux"))?;
    Ok(hex::encode(drawn))
}

/// A random UUID.
pub fn uuid() -> Result<String> {
    let hex = random(16)?;
    let (a, b, c, d) = (&hex[..8], &hex[8..12], &hex[13..16], &hex[17..20]);
    Ok(format!("{a}-{b}-4{c}-8{d}-{}", &hex[20..]))
}

/// Seconds since the Unix epoch.
#[expect(
    clippy::disallowed_methods,
    reason = "a token of the local stack ends by the machine's clock"
)]
pub fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::{TokenKey, now};
    use serde_json::json;

    #[test]
    fn only_the_key_and_the_time_make_a_token_good() {
        let [key, other] = ["one", "other"].map(|secret| TokenKey::of(secret).expect("a key"));
        let until = |exp| key.sign(&json!({ "sub": "a", "exp": exp }));
        let token = until(now() + 100);
        let claims = key.verify(&token);
        assert_eq!(claims.map(|claims| claims["sub"].clone()), Some(json!("a")));
        assert_eq!(key.verify(&until(now())), None);
        assert_eq!(other.verify(&token), None);
        let changed = token.replacen("eyJ", "eyK", 1);
        for bad in ["", ".", "a.b", "a.b.c", &changed, &token[..token.len() - 1]] {
            assert_eq!(key.verify(bad), None, "{bad}");
        }
    }

    #[test]
    fn the_public_half_holds_nothing_of_the_private_one() {
        let key = TokenKey::of("one").expect("a key");
        let (public, private) = (key.jwk(), key.private_jwk());
        assert_eq!(public.get("d"), None);
        assert_ne!(private["d"], public["x"]);
        assert_eq!(private["kid"], public["kid"]);
        assert_eq!(TokenKey::of("one").expect("a key").jwk(), public);
    }
}
