//! The looks of a value: random as keys are, like a password, or like words, code and examples.

use std::collections::BTreeSet;

/// The shortest value that can look random.
const RANDOM: usize = 16;

/// True if a value looks drawn by chance: letters and digits that change kind often, and few
/// words. Of 1,000 random values of 20 letters and digits about 960 do; identifiers of code and
/// slugs do not.
pub(super) fn random(value: &str) -> bool {
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let token = |b: u8| b.is_ascii_alphanumeric() || b"+/=_-.~%$".contains(&b);
    if value.len() < RANDOM || !value.bytes().all(token) || letters == 0 || digits < 2 {
        return false;
    }
    let different: BTreeSet<u8> = value.bytes().collect();
    if different.len() < 8 || 2 * in_words(value) > letters {
        return false;
    }
    changes(value) * 5 >= value.len()
}

/// Counts pairs of neighbours of different kinds; a capital before a small letter begins a word
/// and is no change.
fn changes(value: &str) -> usize {
    let kind = |b: u8| match b {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    value
        .as_bytes()
        .windows(2)
        .filter(|pair| kind(pair[0]) != kind(pair[1]) && (kind(pair[0]), kind(pair[1])) != (1, 0))
        .count()
}

/// Letters of parts that are words: three or more small letters with a vowel among every four, or
/// capitals throughout.
fn in_words(value: &str) -> usize {
    value
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|part| part.len() >= 3)
        .filter(|part| {
            let rest = &part.as_bytes()[1..];
            rest.iter().all(u8::is_ascii_lowercase) || part.bytes().all(|b| b.is_ascii_uppercase())
        })
        .map(str::len)
        .sum()
}

/// True if a value that was given a secret's name mixes letters and digits as keys do, and is no
/// path, pair or place in code.
pub(super) fn mixed(value: &str) -> bool {
    let code = |b: u8| matches!(b, b'/' | b':' | b'(' | b'[' | b'=');
    has_digit(value)
        && !value.trim_end_matches('=').bytes().any(code)
        && has_letter(value)
        && different(value) >= 6
        && !worded(value)
}

/// True if a value that was given a password's name looks like one.
pub(super) fn password(value: &str) -> bool {
    let chosen = has_digit(value) && value.bytes().any(|b| b.is_ascii_uppercase());
    if different(value) < 4
        || (worded(value) && !chosen && !scrambled(value))
        || ALGORITHMS.contains(&&*value.to_ascii_lowercase())
    {
        return false;
    }
    let sign = value.contains([
        '-', '_', '!', '@', '#', '%', '^', '&', '*', '+', '$', '?', '~',
    ]);
    let upper = value.bytes().any(|b| b.is_ascii_uppercase());
    match (has_letter(value), has_digit(value)) {
        (true, true) => value.len() >= 8 || (value.len() >= 6 && (sign || upper)),
        (true, false) => {
            scrambled(value)
                || value.len() >= 8
                    && sign
                    && !value
                        .bytes()
                        .all(|b| matches!(b, b'_' | b'-') || b.is_ascii_alphabetic())
                || value.len() >= 12 && sign && upper && value.bytes().any(|b| b == b'-')
        }
        (false, true) => value.len() >= 8 && sign,
        (false, false) => false,
    }
}

/// True if letters alone look drawn by chance: capitals and small letters in no order, which
/// identifiers made of words have.
fn scrambled(value: &str) -> bool {
    let bytes = value.as_bytes();
    if !(12..=64).contains(&bytes.len()) || !bytes.iter().all(u8::is_ascii_alphabetic) {
        return false;
    }
    let humps = bytes
        .windows(2)
        .filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
        .count();
    let mut in_words = 0;
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at + 1..];
        let length = 1 + rest.iter().take_while(|b| b.is_ascii_lowercase()).count();
        let vowel = bytes[at..at + length]
            .iter()
            .any(|b| b"aeiouAEIOU".contains(b));
        if length >= 4 && vowel {
            in_words += length;
        }
        at += length;
    }
    humps >= 2 && 2 * in_words < bytes.len()
}

/// Names of hashes and the like, which stand where a password's kind is told.
const ALGORITHMS: &[&str] = &[
    "argon2id",
    "argon2i",
    "argon2d",
    "bcrypt12",
    "sha256",
    "sha-256",
    "sha512",
    "sha-512",
    "scram-sha-256",
    "pbkdf2-sha256",
    "ed25519",
    "es256",
    "hs256",
    "rs256",
    "base64",
    "base64url",
    "oauth2",
    "aes256",
    "aes-256-gcm",
    "optional1",
];

/// True if every part of five or more characters is a word, or a version such as `v2`.
fn worded(value: &str) -> bool {
    let parts = value.split(|c: char| !c.is_ascii_alphanumeric());
    let mut long = 0;
    for part in parts.filter(|part| part.len() >= 5) {
        if has_digit(part) {
            return false;
        }
        long += 1;
    }
    long > 0 && !value.contains(['!', '@', '#', '%', '^', '&', '*', '+', '$', '?', '~'])
}

fn different(value: &str) -> usize {
    let lower = value.to_ascii_lowercase();
    lower.bytes().collect::<BTreeSet<u8>>().len()
}

fn has_digit(text: &str) -> bool {
    text.bytes().any(|b| b.is_ascii_digit())
}

fn has_letter(text: &str) -> bool {
    text.bytes().any(|b| b.is_ascii_alphabetic())
}

/// Words of values that only stand for one.
const STAND_INS: &[&str] = &[
    "your",
    "example",
    "changeme",
    "change-me",
    "change_me",
    "placeholder",
    "dummy",
    "xxx",
    "***",
    "insert",
    "replace",
    "sample",
];

/// Beginnings and parts of code and of places where secrets are kept.
const CODE: &[&str] = &[
    "...",
    "…",
    "://",
    "redacted",
    "process.env",
    "os.environ",
    "env.",
    "import.meta",
    "secrets/",
    "secrets.",
    "vault:",
    "vault/",
    "${",
    "$(",
    "{{",
    "%(",
    "<",
    ">",
    "|",
];

/// True if a value only stands for one: `<token>`, `${TOKEN}`, `your-api-key`.
pub(super) fn placeholder(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let random = random(value);
    CODE.iter().any(|word| lower.contains(word))
        || (!random
            && (STAND_INS.iter().any(|word| lower.contains(word)) || lower.starts_with("test")))
        || (lower.ends_with(')') && lower.contains('('))
        || (lower.ends_with(']') && lower.contains('['))
        || matches!(
            &*lower,
            "password"
                | "passwd"
                | "pass"
                | "postgres"
                | "mysecretpassword"
                | "supersecret"
                | "user:pass"
                | "secret"
                | "guest"
                | "root"
                | "admin"
                | "minioadmin"
                | "mypassword"
                | "password123"
                | "none"
                | "null"
                | "true"
                | "false"
                | "undefined"
                | "required"
                | "string"
                | "optional"
        )
        || ["$", "process", "config.", "./", "~/", "@", "&", "--"]
            .iter()
            .any(|start| lower.starts_with(start))
        || (lower.starts_with('/') && !random)
}
