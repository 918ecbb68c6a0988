//! Sign-in tokens of the local stack: JWTs by HS256, as hosted Supabase's are made and PostgREST reads them.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::fault::{OrFault as _, Result};

/// A signed token with these claims.
pub fn sign(secret: &str, claims: &Value) -> String {
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let text = format!(
        "{}.{}",
        part(&json!({ "alg": "HS256", "typ": "JWT" })),
        part(claims)
    );
    let mac = URL_SAFE_NO_PAD.encode(hmac(secret.as_bytes(), text.as_bytes()));
    format!("{text}.{mac}")
}

/// The claims of a token that was signed with this secret and has not expired.
pub fn verify(secret: &str, token: &str, now: i64) -> Option<Value> {
    let (text, mac) = token.rsplit_once('.')?;
    let given = URL_SAFE_NO_PAD.decode(mac).ok()?;
    let wanted = hmac(secret.as_bytes(), text.as_bytes());
    let differs = given.len() != wanted.len()
        || given
            .iter()
            .zip(wanted)
            .fold(0, |all, (one, other)| all | (one ^ other))
            != 0;
    if differs {
        return None;
    }
    let claims = URL_SAFE_NO_PAD.decode(text.split_once('.')?.1).ok()?;
    let claims: Value = serde_json::from_slice(&claims).ok()?;
    (claims["exp"].as_i64()? > now).then_some(claims)
}

/// Random bytes in hexadecimal.
pub fn random(bytes: usize) -> Result<String> {
    use std::io::Read as _;
    let source = "/dev/urandom";
    let mut drawn = vec![0; bytes];
    std::fs::File::open(source)
        .and_then(|mut file| file.read_exact(&mut drawn))
        .or_fault(source, "run this on Linux")?;
    Ok(drawn.iter().map(|byte| format!("{byte:02x}")).collect())
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
    reason = "tokens expire by the clock; nothing here reaches the ledger"
)]
pub fn now() -> i64 {
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .ok()
        .and_then(|time| i64::try_from(time.as_secs()).ok())
        .unwrap_or(0)
}

/// HMAC with SHA-256 (RFC 2104).
fn hmac(key: &[u8], text: &[u8]) -> [u8; 32] {
    let mut block = [0_u8; 64];
    if key.len() > block.len() {
        block[..32].copy_from_slice(&Sha256::digest(key));
    } else {
        block[..key.len()].copy_from_slice(key);
    }
    let inner = Sha256::new()
        .chain_update(block.map(|byte| byte ^ 0x36))
        .chain_update(text)
        .finalize();
    Sha256::new()
        .chain_update(block.map(|byte| byte ^ 0x5c))
        .chain_update(inner)
        .finalize()
        .into()
}

#[cfg(test)]
mod tests {
    use super::{hmac, sign, verify};
    use serde_json::json;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn the_mac_is_that_of_rfc_4231() {
        for (key, text, mac) in [
            (
                &b"Jefe"[..],
                &b"what do ya want for nothing?"[..],
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            (
                &[0xaa; 131],
                b"Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            ),
        ] {
            assert_eq!(hex(&hmac(key, text)), mac);
        }
    }

    #[test]
    fn only_the_secret_and_the_time_make_a_token_good() {
        let token = sign("secret", &json!({ "sub": "a", "exp": 10 }));
        assert_eq!(
            verify("secret", &token, 9).map(|claims| claims["sub"].clone()),
            Some(json!("a"))
        );
        assert_eq!(verify("secret", &token, 10), None);
        assert_eq!(verify("other", &token, 9), None);
        for bad in ["", ".", "a.b", "a.b.c", &token[..token.len() - 1]] {
            assert_eq!(verify("secret", bad, 9), None, "{bad}");
        }
    }
}
