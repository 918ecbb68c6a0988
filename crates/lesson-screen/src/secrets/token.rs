//! Tokens that are told by what is in them: JSON web tokens, Discord's bot tokens, a few that have
//! neither prefix nor name, and those of providers that the table of shapes does not know.

use super::look;
use super::shape::Class;
use super::span::{Span, boundary_after, boundary_before, run};

/// Adds every such token of the text to `spans`.
pub(super) fn find(text: &str, spans: &mut Vec<Span>) {
    let mut at = 0;
    let bytes = text.as_bytes();
    while at < bytes.len() {
        if !Class::Dashed.allows(bytes[at]) {
            at += 1;
            continue;
        }
        let end = at + run(&bytes[at..], |b| Class::Dashed.allows(b));
        let found = web_token(text, at, end)
            .or_else(|| discord(text, at, end))
            .or_else(|| mailgun(text, at, end))
            .or_else(|| ghost(text, at, end))
            .or_else(|| prefixed(text, at, end));
        if let Some(span) = found {
            at = span.end;
            spans.push(span);
        } else {
            at = end;
        }
    }
}

/// Three base64url parts with dots between, of which the first two are objects; or the five of an
/// encrypted token. The first part is the end of the word from `from` to `first`.
fn web_token(text: &str, from: usize, first: usize) -> Option<Span> {
    let at = from + text[from..first].find("eyJ")?;
    if !boundary_before(text, at) || first - at < 10 || !text[first..].starts_with('.') {
        return None;
    }
    let part = |from: usize| from + run(&text.as_bytes()[from..], |b| Class::Dashed.allows(b));
    let second = part(first + 1);
    if !text[second..].starts_with('.') {
        return None;
    }
    let mut end = part(second + 1);
    let object = text[first + 1..].starts_with("eyJ");
    let encrypted = decoded(&text[at..first]).contains("enc");
    if !encrypted && (!object || end - second < 10) {
        return None;
    }
    if encrypted {
        for _ in 0..2 {
            if !text[end..].starts_with('.') {
                return None;
            }
            end = part(end + 1);
        }
    }
    let label = if decoded(&text[first + 1..second]).contains("service_role") {
        "supabase service_role key"
    } else {
        "json web token"
    };
    Some(Span {
        start: at,
        end,
        label,
    })
}

/// The number of an account in base64, when it was made, and a signature.
fn discord(text: &str, start: usize, first: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    if !(23..=28).contains(&(first - start)) || bytes.get(first) != Some(&b'.') {
        return None;
    }
    let number = decoded(&text[start..first]);
    if !number.bytes().all(|b| b.is_ascii_digit()) && !b"MNO".contains(&bytes[start]) {
        return None;
    }
    let part = |from: usize| from + run(&bytes[from..], |b| Class::Dashed.allows(b));
    let second = part(first + 1);
    if !(5..=7).contains(&(second - first - 1)) || bytes.get(second) != Some(&b'.') {
        return None;
    }
    let end = part(second + 1);
    (27..=48).contains(&(end - second - 1)).then_some(Span {
        start,
        end,
        label: "discord bot token",
    })
}

/// 32, 8 and 8 hexadecimal digits.
fn mailgun(text: &str, start: usize, end: usize) -> Option<Span> {
    let word = &text[start..end];
    let mut parts = word
        .split('-')
        .map(|part| (part.len(), part.bytes().all(|b| Class::Hex.allows(b))));
    let shape = [(32, true), (8, true), (8, true)];
    (word.len() == 50
        && parts.by_ref().eq(shape)
        && boundary_before(text, start)
        && boundary_after(text, end))
    .then_some(Span {
        start,
        end,
        label: "mailgun key",
    })
}

/// 24 hexadecimal digits, a colon and 64 more: Ghost's admin keys.
fn ghost(text: &str, start: usize, first: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let hex = |b: u8| Class::Hex.allows(b);
    let id = first - start == 24 && bytes[start..first].iter().all(|b| hex(*b));
    let end = first + 1 + run(bytes.get(first + 1..)?, hex);
    (id && bytes[first] == b':' && end - first == 65 && boundary_after(text, end)).then_some(Span {
        start,
        end,
        label: "ghost key",
    })
}

/// Beginnings of what is public: ids of objects, and hashes.
const PUBLIC: &[&str] = &[
    "sha1", "sha256", "sha384", "sha512", "md5", "blake3", "chatcmpl", "file", "gen", "cs", "resp",
    "msg", "call", "toolu", "req", "thread", "asst", "run", "batch", "price", "prod", "evt", "pi",
    "seti", "cus", "dpl", "prj", "team", "user", "org", "id", "img", "css", "hash", "etag", "pk",
    "pub", "public", "sb", "phc",
];
/// Letters and digits after a short name, at the least, that make a token of an unknown provider.
const PREFIXED: usize = 28;

/// A short name in small letters, a `_` or `-`, and a long run drawn from capitals, small letters
/// and digits: the form that most providers give their tokens.
fn prefixed(text: &str, start: usize, end: usize) -> Option<Span> {
    let word = text[start..end].trim_end_matches('-');
    let (prefix, rest) = word.split_once(['_', '-'])?;
    let rest = match rest.split_once('_') {
        Some((middle, rest)) if middle.len() <= 8 && rest.len() >= PREFIXED => rest,
        _ => rest,
    };
    let has = |kind: fn(&u8) -> bool| rest.bytes().filter(kind).count() >= 2;
    let token = (2..=12).contains(&prefix.len())
        && prefix
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        && !PUBLIC.contains(&prefix)
        && rest.len() >= PREFIXED
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_digit)
        && rest.bytes().filter(|b| matches!(b, b'-' | b'_')).count() * 10 <= rest.len()
        && look::random(rest)
        && boundary_before(text, start);
    token.then_some(Span {
        start,
        end: start + word.len(),
        label: "token",
    })
}

/// Base64, of either alphabet, as text; what is no text reads as blanks.
pub(super) fn decoded(part: &str) -> String {
    let mut out = String::new();
    let (mut bits, mut held) = (0_u32, 0_u32);
    for b in part.bytes().take(4096) {
        let six = match b {
            b'A'..=b'Z' => b - b'A',
            b'a'..=b'z' => b - b'a' + 26,
            b'0'..=b'9' => b - b'0' + 52,
            b'-' | b'+' => 62,
            b'=' => break,
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
