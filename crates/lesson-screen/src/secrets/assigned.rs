//! Values that are assigned to a name such as `password`, `api_key` or `DB_SECRET`: in files of
//! settings, code, headers, addresses, command lines and sentences.

use super::names::{Kind, NAMES, NOT_AFTER, NOT_BEFORE};
use super::span::{Span, boundary_after, run};
use super::value::{Form, value};
use super::{look, token};
use aho_corasick::{AhoCorasick, MatchKind};
use std::sync::LazyLock;

static FINDER: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::LeftmostLongest)
        .build(NAMES.iter().map(|(name, ..)| name))
        .ok()
});

/// Adds every assigned secret of the text to `spans`.
pub(super) fn find(text: &str, spans: &mut Vec<Span>) {
    let Some(finder) = FINDER.as_ref() else {
        return;
    };
    for hit in finder.find_iter(text) {
        let Some((_, label, kind)) = NAMES.get(hit.pattern().as_usize()).copied() else {
            continue;
        };
        if !begins(text, hit.start(), kind, label) || in_mark(text, hit.start()) {
            continue;
        }
        let Some(end) = named_until(text, hit.end()) else {
            continue;
        };
        if kind == Kind::Phrase {
            spans.extend(phrase(text, end, label));
            continue;
        }
        if kind == Kind::Groups
            && let Some(span) = groups(text, end, label)
        {
            spans.push(span);
            continue;
        }
        let kind = if kind == Kind::Groups {
            Kind::Password
        } else {
            kind
        };
        let Some(found) = value(text, hit.start(), end, kind) else {
            continue;
        };
        let (start, end) = (found.start, found.end);
        if secret(text, found.form, kind, start, end) {
            spans.push(Span { start, end, label });
        }
    }
    web_keys(text, spans);
}

/// True if the name begins where a word does, as it has to when it is short, and the word
/// before doesn't make it another thing.
fn begins(text: &str, at: usize, kind: Kind, label: &str) -> bool {
    let bytes = text.as_bytes();
    let first = bytes.get(at).copied().unwrap_or_default();
    let apart = at == 0 || {
        let before = bytes[at - 1];
        !before.is_ascii_alphanumeric()
            || (before.is_ascii_lowercase() && first.is_ascii_uppercase())
            || (at >= 2 && bytes[at - 2] == b'\\' && matches!(before, b'n' | b't' | b'r'))
    };
    if kind == Kind::Weak && !apart {
        return false;
    }
    // `pass` is a part of many words, `password` of none.
    if label == "password" && !apart {
        let long = text
            .get(at..at + 5)
            .is_some_and(|word| word.eq_ignore_ascii_case("passw"));
        if !long {
            return false;
        }
    }
    let before = &bytes[at.saturating_sub(24)..at];
    let word_end = before.len()
        - before
            .iter()
            .rev()
            .take_while(|b| matches!(b, b'_' | b'-' | b' ' | b'.'))
            .count();
    let word_start = word_end
        - before[..word_end]
            .iter()
            .rev()
            .take_while(|b| b.is_ascii_alphanumeric())
            .count();
    let word = String::from_utf8_lossy(&before[word_start..word_end]).to_ascii_lowercase();
    let joined = ["public", "cache", "idempotency", "page"];
    let other =
        NOT_BEFORE.contains(&&*word) || (apart && joined.iter().any(|not| word.ends_with(not)));
    !other
}

/// Where the name ends that goes on after `at`; None when it names something else.
fn named_until(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let rest = bytes[at..]
        .iter()
        .take(40)
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
        .count();
    if rest == 0 {
        return Some(at);
    }
    let tail = &text[at..at + rest];
    let first = tail.as_bytes()[0];
    if first.is_ascii_alphabetic() {
        let hump = first.is_ascii_uppercase() && at > 0 && bytes[at - 1].is_ascii_lowercase();
        if tail.eq_ignore_ascii_case("s") {
            return Some(at + 1);
        }
        if !hump {
            return None;
        }
    }
    let mut parts = tail
        .split(['_', '-'])
        .filter(|part| !part.is_empty())
        .map(str::to_ascii_lowercase);
    if parts.any(|part| NOT_AFTER.contains(&&*part)) {
        return None;
    }
    // A dash that ends it belongs to the sentence.
    Some(at + tail.trim_end_matches('-').len())
}

/// True if the place is within a mark that stands for a secret already.
fn in_mark(text: &str, at: usize) -> bool {
    let before = &text.as_bytes()[at.saturating_sub(48)..at];
    before.iter().rposition(|b| *b == b'[').is_some_and(|open| {
        before[open..].starts_with(b"[redacted: ") && !before[open..].contains(&b']')
    })
}

fn secret(text: &str, form: Form, kind: Kind, start: usize, end: usize) -> bool {
    let value = &text[start..end];
    if !value.is_ascii() || look::placeholder(value) {
        return false;
    }
    let blank = value.bytes().any(|b| b.is_ascii_whitespace());
    let random = look::random(value) && !blank;
    match (form, kind) {
        // Twelve characters of a connection string are no sentence, whatever they are.
        (Form::Pair, Kind::Password) => value.len() >= 4 && !blank,
        (Form::Scheme, _) => {
            let basic = token::decoded(value).contains(':') && value.len() >= 8;
            random || basic || (value.len() >= 12 && look::mixed(value))
        }
        // `X_PASSPHRASE='words 12 and signs!'`.
        (Form::Quoted, Kind::Password) if blank => {
            let name = text[..start].trim_end_matches(['=', '"', '\'']);
            (name.ends_with("_PASSPHRASE") || name.ends_with("_PASSWORD"))
                && value.len() >= 12
                && value.bytes().any(|b| b.is_ascii_digit())
        }
        (Form::Quoted, Kind::Password) => {
            value.len() >= 6 && !blank && (random || look::password(value))
        }
        (Form::Bare, Kind::Password) => random || (value.len() >= 6 && look::password(value)),
        (Form::Said, Kind::Password) => {
            value.len() >= 8 && (random || look::password(value) && look::mixed(value))
        }
        (Form::Quoted, Kind::Secret) => {
            !blank && (random || value.len() >= 12 && look::mixed(value))
        }
        (Form::Bare | Form::Pair, Kind::Secret) => {
            random || (value.len() >= 12 && look::mixed(value) && !value.contains('.'))
        }
        (Form::Said, Kind::Secret) => {
            random && value.len() >= 20 || (value.len() >= 16 && random && !value.contains('-'))
        }
        (Form::Said, Kind::Weak) => random && value.len() >= 24 && !hash_before(text, start),
        (_, Kind::Weak) => random && !uuid(value) && !hash_before(text, start),
        (_, Kind::Phrase | Kind::Groups) => false,
    }
}

fn uuid(value: &str) -> bool {
    value.len() == 36 && value.split('-').map(str::len).eq([8, 4, 4, 4, 12])
}

/// True if the words before a value say that it is a hash.
fn hash_before(text: &str, at: usize) -> bool {
    let before = text.as_bytes()[at.saturating_sub(48)..at].to_ascii_lowercase();
    let says = |word: &[u8]| before.windows(word.len()).any(|window| window == word);
    [
        &b"sha"[..],
        b"hash",
        b"digest",
        b"commit",
        b"md5",
        b"ssh-",
        b"etag",
    ]
    .iter()
    .any(|word| says(word))
}

/// Twelve small words or more in a row.
fn phrase(text: &str, from: usize, label: &'static str) -> Option<Span> {
    let bytes = text.as_bytes();
    let lead = bytes[from..]
        .iter()
        .take(12)
        .take_while(|b| !b.is_ascii_lowercase())
        .count();
    let mut start = from + lead;
    let mut words = 0;
    let mut end = start;
    let mut at = start;
    // `is` stands before, and no word of the list is so short.
    if text[at..].starts_with("is ") {
        let skip = bytes[at + 2..]
            .iter()
            .take(4)
            .take_while(|b| !b.is_ascii_lowercase())
            .count();
        start = at + 2 + skip;
        at = start;
    }
    while words < 24 {
        let length = run(&bytes[at..], |b| b.is_ascii_lowercase());
        if !(3..=8).contains(&length) {
            break;
        }
        words += 1;
        end = at + length;
        at = end + run(&bytes[end..], |b| b == b' ' || b == b',').min(2);
        if at == end {
            break;
        }
    }
    (words >= 12 && words % 3 == 0 && boundary_after(text, end)).then_some(Span {
        start,
        end,
        label,
    })
}

/// Six groups of four letters and digits, or four of small letters, soon after a name.
fn groups(text: &str, from: usize, label: &'static str) -> Option<Span> {
    let bytes = text.as_bytes();
    let lead = run(&bytes[from..bytes.len().min(from + 8)], |b| {
        !b.is_ascii_alphanumeric()
    });
    let start = from + lead;
    let is = |at: usize| bytes[at..].starts_with(b"is ");
    let start = if is(start) { start + 3 } else { start };
    let start = start
        + run(&bytes[start..bytes.len().min(start + 2)], |b| {
            b == b'`' || b == b'"'
        });
    let mut at = start;
    let mut count = 0;
    while count < 6 && run(&bytes[at..], |b| b.is_ascii_alphanumeric()) == 4 {
        count += 1;
        at += 4;
        if count == 6 || bytes.get(at) != Some(&b' ') {
            break;
        }
        at += 1;
    }
    let mixed = text[start..at].bytes().any(|b| b.is_ascii_digit());
    (count == 6 && mixed || count == 4).then(|| Span {
        start,
        end: start + count * 5 - 1,
        label,
    })
}

/// The secret numbers of a JSON web key.
fn web_keys(text: &str, spans: &mut Vec<Span>) {
    if !text.contains("\"kty\"") {
        return;
    }
    for name in [
        "\"d\"", "\"k\"", "\"p\"", "\"q\"", "\"dp\"", "\"dq\"", "\"qi\"",
    ] {
        for (at, _) in text.match_indices(name) {
            let rest = text[at + name.len()..].trim_start_matches([':', ' ', '"']);
            let start = text.len() - rest.len();
            let end = start
                + run(rest.as_bytes(), |b| {
                    b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'=')
                });
            if end - start >= 20 {
                spans.push(Span {
                    start,
                    end,
                    label: "private key",
                });
            }
        }
    }
}
