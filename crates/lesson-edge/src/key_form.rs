//! The format of an agent's key: `llk_` and 64 hexadecimal digits, then eight more that check them.
//!
//! The checksum rejects mistyped and invented keys without asking the server. Keys from before checksums have 68
//! characters and only their length and digits are checked. The checksum is no secret, and an attacker can compute it:
//! look-ups are rate-limited as well (`lookups.rs`).

use sha2::{Digest, Sha256};

const PREFIX: &str = "llk_";
/// The random part, in hexadecimal digits.
const RANDOM: usize = 64;
/// The checksum: the first digits of the SHA-256 of what stands before it.
const CHECK: usize = 8;
/// Digits of the random part that group look-ups for rate limiting.
const COUNTED: usize = 8;

/// True if the text has the format of a key. Only the server knows whether the key is in force.
pub(crate) fn may_be_key(text: &str) -> bool {
    let Some(digits) = text.strip_prefix(PREFIX) else {
        return false;
    };
    if !digits
        .bytes()
        .all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
    {
        return false;
    }
    match digits.len().checked_sub(RANDOM) {
        Some(0) => true,
        Some(CHECK) => {
            let (checked, check) = text.split_at(PREFIX.len() + RANDOM);
            hex::encode(Sha256::digest(checked))[..CHECK] == *check
        }
        _ => false,
    }
}

/// The beginning of a key by which look-ups are rate-limited. The text must have passed [`may_be_key`].
pub(crate) fn counted_as(key: &str) -> &str {
    key.get(..PREFIX.len() + COUNTED).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_told_by_its_checksum_or_its_length() {
        let old = format!("llk_{}", "0123456789abcdef".repeat(4));
        // Python: hashlib.sha256(b"llk_0123…").hexdigest()[:8]
        let good = format!("{old}9795af86");
        for key in [&old, &good] {
            assert!(may_be_key(key), "{key}");
            assert_eq!(counted_as(key), "llk_01234567");
        }
        let swapped = good.replacen("01", "10", 1);
        let wrong = [
            swapped.as_str(),
            &format!("{old}00000000"),
            &good[..75],
            &good[1..],
            &good.to_uppercase(),
            &format!("{good}0"),
            &format!("llk_{}", "é".repeat(32)),
            "llk_",
            "",
        ];
        for key in wrong {
            assert!(!may_be_key(key), "{key}");
        }
    }
}
