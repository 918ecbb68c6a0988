//! Sign-in tokens of the local stack: JWTs by HS256, as hosted Supabase's are made and PostgREST reads them.

use anyhow::{Context as _, Error, Result};
use hmac::{Hmac, Mac as _};
use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{Error as JwtError, ErrorKind};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde_json::Value;
use sha2::Sha256;
use signature::{Signer, Verifier};

use crate::fault::advice;

/// A signed token with these claims.
pub fn sign(secret: &str, claims: &Value) -> Result<String> {
    ready();
    let key = EncodingKey::from_secret(secret.as_bytes());
    jsonwebtoken::encode(&Header::default(), claims, &key)
        .with_context(|| advice("a token of the local stack", "try again"))
}

/// The claims of a token that was signed with this secret and has not expired.
pub fn verify(secret: &str, token: &str) -> Option<Value> {
    ready();
    let mut rules = Validation::new(Algorithm::HS256);
    // To the second: suites let tokens expire.
    rules.leeway = 0;
    rules.reject_tokens_expiring_in_less_than = 1;
    // The gateway's users are all for one audience.
    rules.validate_aud = false;
    let key = DecodingKey::from_secret(secret.as_bytes());
    let token = jsonwebtoken::decode(token, &key, &rules).ok()?;
    Some(token.claims)
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
pub fn now() -> i64 {
    i64::try_from(jsonwebtoken::get_current_timestamp()).unwrap_or(0)
}

/// Gives jsonwebtoken the one algorithm that is used here. Its own providers bring RSA and elliptic curves.
fn ready() {
    static HS256: CryptoProvider = CryptoProvider {
        signer_factory: |_, key| Ok(Box::new(Hs256::new(key.as_bytes())?)),
        verifier_factory: |_, key| Ok(Box::new(Hs256::new(key.try_get_as_bytes()?)?)),
        key_utils: KeyUtils::new_unimplemented(),
    };
    // An error says that it is installed already.
    let _ = HS256.install_default();
}

struct Hs256(Hmac<Sha256>);

impl Hs256 {
    fn new(secret: &[u8]) -> Result<Self, JwtError> {
        let keyed = Hmac::new_from_slice(secret);
        keyed
            .map(Self)
            .map_err(|_| ErrorKind::InvalidKeyFormat.into())
    }
}

impl Signer<Vec<u8>> for Hs256 {
    fn try_sign(&self, text: &[u8]) -> Result<Vec<u8>, signature::Error> {
        let mac = self.0.clone().chain_update(text);
        Ok(mac.finalize().into_bytes().to_vec())
    }
}

impl Verifier<Vec<u8>> for Hs256 {
    fn verify(&self, text: &[u8], mac: &Vec<u8>) -> Result<(), signature::Error> {
        let wanted = self.0.clone().chain_update(text);
        wanted
            .verify_slice(mac)
            .map_err(|_| signature::Error::new())
    }
}

impl JwtSigner for Hs256 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::HS256
    }
}

impl JwtVerifier for Hs256 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::HS256
    }
}

#[cfg(test)]
mod tests {
    use super::{now, sign, verify};
    use serde_json::json;

    #[test]
    fn a_token_is_what_others_make_of_the_same_claims() {
        // printf %s "$head.$claims" | openssl dgst -sha256 -hmac secret -binary | basenc --base64url
        assert_eq!(
            sign("secret", &json!({ "sub": "a", "exp": 10 })).expect("it is signed"),
            "eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9.eyJleHAiOjEwLCJzdWIiOiJhIn0.UalJi7ypGQS1oWVMeriou_2FnU3Jsc8Uhkg01psCVzQ"
        );
    }

    #[test]
    fn only_the_secret_and_the_time_make_a_token_good() {
        let until = |exp| sign("secret", &json!({ "sub": "a", "exp": exp })).expect("signed");
        let token = until(now() + 100);
        assert_eq!(
            verify("secret", &token).map(|claims| claims["sub"].clone()),
            Some(json!("a"))
        );
        assert_eq!(verify("secret", &until(now())), None);
        assert_eq!(verify("other", &token), None);
        for bad in ["", ".", "a.b", "a.b.c", &token[..token.len() - 1]] {
            assert_eq!(verify("secret", bad), None, "{bad}");
        }
    }
}
