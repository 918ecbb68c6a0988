//! Values that are assigned to a name such as `password`, `api_key` or `DB_SECRET`.

use super::{Span, has_digit, has_letter, run};
use aho_corasick::{AhoCorasick, MatchKind};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Ends of names, and what is assigned to them.
const NAMES: &[(&str, &str)] = &[
    ("password", "password"),
    ("passwd", "password"),
    ("passphrase", "password"),
    ("pwd", "password"),
    ("secret", "secret"),
    ("api_key", "api key"),
    ("api-key", "api key"),
    ("apikey", "api key"),
    ("access_key", "access key"),
    ("access-key", "access key"),
    ("secret_key", "secret key"),
    ("secret-key", "secret key"),
    ("secretkey", "secret key"),
    ("secret_access_key", "aws secret key"),
    ("private_key", "private key"),
    ("private-key", "private key"),
    ("privatekey", "private key"),
    ("signing_key", "signing key"),
    ("encryption_key", "encryption key"),
    ("service_role_key", "supabase service_role key"),
    ("auth_token", "token"),
    ("access_token", "token"),
    ("refresh_token", "token"),
    ("bearer_token", "token"),
    ("bot_token", "token"),
    ("token", "token"),
];

static FINDER: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::LeftmostLongest)
        .build(NAMES.iter().map(|(name, _)| name))
        .ok()
});

/// A quoted value of at least this length is looked at.
const QUOTED: usize = 12;
/// A bare value of at least this length is looked at.
const BARE: usize = 16;

/// Adds every assigned secret of the text to `spans`.
pub(super) fn find(text: &str, spans: &mut Vec<Span>) {
    let Some(finder) = FINDER.as_ref() else {
        return;
    };
    for hit in finder.find_iter(text) {
        let Some((_, label)) = NAMES.get(hit.pattern().as_usize()).copied() else {
            continue;
        };
        if let Some((start, end)) = value(text, hit.end())
            && secret(&text[start..end], label)
        {
            spans.push(Span { start, end, label });
        }
    }
}

/// Where the value stands that is assigned right after a name.
fn value(text: &str, from: usize) -> Option<(usize, usize)> {
    let blank = |b: u8| matches!(b, b' ' | b'\t');
    let short = |from: usize, allowed: fn(u8) -> bool| {
        from + text.as_bytes()[from..]
            .iter()
            .take(8)
            .take_while(|b| allowed(**b))
            .count()
    };
    // `password"`, `password']`, then blanks.
    let at = short(from, |b| {
        matches!(b, b'"' | b'\'' | b']' | b'`' | b'*' | b' ' | b'\t')
    });
    let sign = run(&text.as_bytes()[at..text.len().min(at + 2)], |b| {
        matches!(b, b'=' | b':' | b'>')
    });
    if sign == 0
        || text[at..at + sign].starts_with("==")
        || text[at..].starts_with("::")
        || text[at..].starts_with('>')
    {
        return None;
    }
    let tight = at == from && text.as_bytes()[at] == b'=';
    let at = at + sign;
    let start = short(at, |b| matches!(b, b' ' | b'\t'));
    let quote = *text.as_bytes().get(start)?;
    if matches!(quote, b'"' | b'\'' | b'`') {
        let inside = start + 1;
        let length = text.as_bytes()[inside..]
            .iter()
            .take(512)
            .take_while(|b| **b != quote && **b != b'\n')
            .count();
        let end = inside + length;
        let closed = text.as_bytes().get(end) == Some(&quote);
        return (closed && length >= QUOTED && text.is_char_boundary(end)).then_some((inside, end));
    }
    // Bare values are of environment files and YAML; with blanks around, prose is likelier.
    if !tight && blank(quote) {
        return None;
    }
    let length = text.as_bytes()[start..]
        .iter()
        .take(512)
        .take_while(|b| {
            b.is_ascii_alphanumeric()
                || matches!(
                    b,
                    b'+' | b'/'
                        | b'='
                        | b'_'
                        | b'-'
                        | b'!'
                        | b'%'
                        | b'^'
                        | b'~'
                        | b'#'
                        | b'@'
                        | b'&'
                        | b'*'
                        | b'.'
                )
        })
        .count();
    (length >= BARE).then_some((start, start + length))
}

/// Whether a value looks like a secret rather than like an example, a name or code.
fn secret(value: &str, label: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    if !value.is_ascii() || value.bytes().any(|b| b.is_ascii_whitespace()) || placeholder(&lower) {
        return false;
    }
    let different: BTreeSet<u8> = lower.bytes().collect();
    if different.len() < 6 {
        return false;
    }
    // A password may be words; whatever else is called a key is random, so it mixes.
    let mixed = has_digit(value) && has_letter(value);
    mixed
        || (label == "password"
            && value.contains(['-', '_', '!', '@', '#', '%', '^', '&', '*', '+'])
            && has_letter(value)
            && !lower.bytes().all(|b| b == b'_' || b.is_ascii_lowercase()))
}

/// Whether a lower-case value only stands for one: `<token>`, `${TOKEN}`, `your-api-key`.
pub(super) fn placeholder(lower: &str) -> bool {
    lower.contains(['<', '>', '$', '{', '}', '(', ')', '[', ']', '|', '\\'])
        || lower.contains("...")
        || lower.contains("://")
        || lower.contains("redacted")
        || [
            "your",
            "example",
            "changeme",
            "change-me",
            "placeholder",
            "dummy",
            "xxx",
            "***",
            "process.env",
            "os.environ",
            "env.",
            "import.meta",
            "vault",
            "secrets/",
            "secrets.",
        ]
        .iter()
        .any(|word| lower.contains(word))
        || matches!(
            lower,
            "password" | "postgres" | "mysecretpassword" | "supersecret" | "user:pass" | "secret"
        )
        || lower.starts_with("test")
        || lower.starts_with("process")
        || lower.starts_with("config.")
        || lower.starts_with('/')
        || lower.starts_with("./")
        || lower.starts_with("~/")
}
