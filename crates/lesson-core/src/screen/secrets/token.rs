//! Tokens that say by their prefix what they are, and bare keys that the words before them name.

use super::{Span, boundary_after, boundary_before, has_digit, has_letter, run};
use aho_corasick::{AhoCorasick, MatchKind};
use std::sync::LazyLock;

/// Bytes that a kind of token is made of.
#[derive(Clone, Copy)]
enum Made {
    /// Letters and digits.
    Alnum,
    /// Capitals and digits.
    Upper,
    /// Letters, digits, `-` and `_`.
    Dashed,
}

impl Made {
    fn allows(self, b: u8) -> bool {
        match self {
            Self::Alnum => b.is_ascii_alphanumeric(),
            Self::Upper => b.is_ascii_uppercase() || b.is_ascii_digit(),
            Self::Dashed => b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'),
        }
    }
}

/// Prefix, what it is made of after it, the least length after it, and what it is.
const SHAPES: &[(&str, Made, usize, &str)] = &[
    ("AKIA", Made::Upper, 16, "aws access key"),
    ("ASIA", Made::Upper, 16, "aws access key"),
    ("ghp_", Made::Alnum, 30, "github token"),
    ("gho_", Made::Alnum, 30, "github token"),
    ("ghu_", Made::Alnum, 30, "github token"),
    ("ghs_", Made::Alnum, 30, "github token"),
    ("ghr_", Made::Alnum, 30, "github token"),
    ("github_pat_", Made::Dashed, 22, "github token"),
    ("glpat-", Made::Dashed, 20, "gitlab token"),
    ("xoxb-", Made::Dashed, 16, "slack token"),
    ("xoxp-", Made::Dashed, 16, "slack token"),
    ("xoxa-", Made::Dashed, 16, "slack token"),
    ("xoxs-", Made::Dashed, 16, "slack token"),
    ("xoxr-", Made::Dashed, 16, "slack token"),
    ("xapp-", Made::Dashed, 16, "slack token"),
    ("sk_live_", Made::Alnum, 16, "stripe key"),
    ("rk_live_", Made::Alnum, 16, "stripe key"),
    ("AIza", Made::Dashed, 35, "google api key"),
    ("npm_", Made::Alnum, 36, "npm token"),
    ("pypi-", Made::Dashed, 50, "pypi token"),
    ("hf_", Made::Alnum, 30, "hugging face token"),
    ("sbp_", Made::Alnum, 40, "supabase token"),
    ("sb_secret_", Made::Dashed, 20, "supabase secret key"),
    ("sk-", Made::Dashed, 20, "api key"),
    ("eyJ", Made::Dashed, 8, "json web token"),
    ("://", Made::Dashed, 0, "password in a url"),
];

static FINDER: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .build(SHAPES.iter().map(|(prefix, ..)| prefix))
        .ok()
});

/// Adds every token of the text to `spans`.
pub(super) fn find(text: &str, spans: &mut Vec<Span>) {
    if let Some(finder) = FINDER.as_ref() {
        // What was scanned once is not scanned again, so that the cost stays linear.
        let mut past = 0;
        for hit in finder.find_iter(text) {
            let Some((prefix, made, least, label)) = SHAPES.get(hit.pattern().as_usize()).copied()
            else {
                continue;
            };
            if hit.start() < past {
                continue;
            }
            if prefix == "://" {
                spans.extend(url_password(text, hit.end(), label));
                continue;
            }
            if !boundary_before(text, hit.start()) {
                continue;
            }
            let end = hit.end() + run(&text.as_bytes()[hit.end()..], |b| made.allows(b));
            past = end;
            let found = if prefix == "eyJ" {
                web_token(text, hit.start(), end)
            } else {
                let value = &text[hit.end()..end];
                let whole = value.len() >= least && boundary_after(text, end);
                (whole && (prefix != "sk-" || random(value))).then_some(Span {
                    start: hit.start(),
                    end,
                    label,
                })
            };
            if let Some(span) = found {
                past = span.end;
                spans.push(span);
            }
        }
    }
    hex_keys(text, spans);
}

/// Whether a dashed value is a key rather than words with dashes between.
fn random(value: &str) -> bool {
    has_digit(value)
        && has_letter(value)
        && (value.bytes().any(|b| b.is_ascii_uppercase())
            || value.split(['-', '_']).any(|part| part.len() >= 20))
}

/// Three base64url parts with dots between, the first of which ends at `first`, the second of
/// them an object too.
fn web_token(text: &str, start: usize, first: usize) -> Option<Span> {
    let part = |from: usize| from + run(&text.as_bytes()[from..], |b| Made::Dashed.allows(b));
    if !text[first..].starts_with(".eyJ") {
        return None;
    }
    let second = part(first + 1);
    if !text[second..].starts_with('.') {
        return None;
    }
    let third = part(second + 1);
    if third - second < 10 {
        return None;
    }
    let label = if decoded(&text[first + 1..second]).contains("service_role") {
        "supabase service_role key"
    } else {
        "json web token"
    };
    Some(Span {
        start,
        end: third,
        label,
    })
}

/// Base64url as text; what is no text reads as blanks.
fn decoded(part: &str) -> String {
    let mut out = String::new();
    let (mut bits, mut held) = (0_u32, 0_u32);
    for b in part.bytes().take(4096) {
        let six = match b {
            b'A'..=b'Z' => b - b'A',
            b'a'..=b'z' => b - b'a' + 26,
            b'0'..=b'9' => b - b'0' + 52,
            b'-' => 62,
            _ => 63,
        };
        bits = (bits << 6) | u32::from(six);
        held += 6;
        if held >= 8 {
            held -= 8;
            let byte = ((bits >> held) & 0xFF) as u8;
            out.push(if byte.is_ascii_graphic() {
                char::from(byte)
            } else {
                ' '
            });
            bits &= (1 << held) - 1;
        }
    }
    out
}

/// The password of `scheme://user:password@host`.
fn url_password(text: &str, from: usize, label: &'static str) -> Option<Span> {
    let part = |from: usize| {
        from + text.as_bytes()[from..]
            .iter()
            .take(200)
            .take_while(|b| {
                b.is_ascii_graphic()
                    && !matches!(
                        b,
                        b':' | b'@' | b'/' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'$' | b'{' | b'['
                    )
            })
            .count()
    };
    let user = part(from);
    if text.as_bytes().get(user) != Some(&b':') {
        return None;
    }
    let end = part(user + 1);
    let password = &text[user + 1..end];
    let shown = password.to_ascii_lowercase();
    let placeholder =
        shown == text[from..user].to_ascii_lowercase() || super::assigned::placeholder(&shown);
    (text.as_bytes().get(end) == Some(&b'@') && password.len() >= 8 && !placeholder).then_some(
        Span {
            start: user + 1,
            end,
            label,
        },
    )
}

/// 64 hexadecimal digits that the words before them call a private key.
fn hex_keys(text: &str, spans: &mut Vec<Span>) {
    const DIGITS: usize = 64;
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_hexdigit() {
            at += 1;
            continue;
        }
        let end = at + run(&bytes[at..], |b| b.is_ascii_alphanumeric());
        let word = &text[at..end];
        let digits = word.strip_prefix("0x").unwrap_or(word);
        if digits.len() == DIGITS
            && digits.bytes().all(|b| b.is_ascii_hexdigit())
            && boundary_before(text, at)
            && named_private(&bytes[at.saturating_sub(60)..at])
        {
            spans.push(Span {
                start: at,
                end,
                label: "private key",
            });
        }
        at = end;
    }
}

fn named_private(before: &[u8]) -> bool {
    let before = before.to_ascii_lowercase();
    let has = |word: &[u8]| before.windows(word.len()).any(|window| window == word);
    (has(b"priv") || has(b"secret")) && has(b"key") && !has(b"sha256") && !has(b"hash")
}
