//! Secrets: keys, tokens and passwords that a lesson should never carry.
//!
//! Known token shapes are told by their prefix and length; values that are assigned to a name
//! such as `password` by their look. Each is replaced by `[redacted: what it was]`.

mod assigned;
mod token;

use aho_corasick::AhoCorasick;
use std::sync::LazyLock;

/// A text without its secrets.
pub(super) struct Redacted {
    pub text: String,
    /// What each one was, in order.
    pub labels: Vec<&'static str>,
}

/// A secret's bytes in the text, and what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Span {
    start: usize,
    end: usize,
    label: &'static str,
}

/// Replaces every secret by a mark that says what it was.
pub(super) fn redacted(text: &str) -> Redacted {
    let mut labels = Vec::new();
    let mut text = std::borrow::Cow::Borrowed(text);
    // A mark ends a word, so one more secret may stand out beside it; bounded, to stay linear.
    for _ in 0..4 {
        match pass(&text, &mut labels) {
            Some(clean) => text = std::borrow::Cow::Owned(clean),
            None => break,
        }
    }
    Redacted {
        text: text.into_owned(),
        labels,
    }
}

/// The text without the secrets that stand in it, None when there are none.
fn pass(text: &str, labels: &mut Vec<&'static str>) -> Option<String> {
    let mut spans = key_blocks(text);
    token::find(text, &mut spans);
    assigned::find(text, &mut spans);
    if spans.is_empty() {
        return None;
    }
    // The widest of those that begin at one place comes first.
    spans.sort_by(|a, b| a.start.cmp(&b.start).then(b.end.cmp(&a.end)));
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for span in spans {
        if span.start < at {
            // It overlaps the last one: its rest goes as well.
            at = at.max(span.end);
            continue;
        }
        // Spans begin and end at ASCII bytes that were found in this very text.
        out.push_str(&text[at..span.start]);
        out.push_str("[redacted: ");
        out.push_str(span.label);
        out.push(']');
        labels.push(span.label);
        at = span.end;
    }
    out.push_str(&text[at..]);
    Some(out)
}

static FRAMES: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::new(["-----BEGIN ", "-----END "]).ok());

/// Private key blocks, whole or cut off.
fn key_blocks(text: &str) -> Vec<Span> {
    let Some(frames) = FRAMES.as_ref() else {
        return Vec::new();
    };
    let hits: Vec<_> = frames.find_iter(text).collect();
    let mut spans = Vec::new();
    for (place, hit) in hits.iter().enumerate() {
        if hit.pattern().as_usize() != 0 {
            continue;
        }
        let Some(head) = header_length(&text[hit.end()..]) else {
            continue;
        };
        let inside = hit.end() + head;
        let close = hits
            .get(place + 1)
            .filter(|next| next.pattern().as_usize() == 1 && next.start() >= inside);
        let end = match close {
            Some(next) => {
                let tail = header_length(&text[next.end()..]).unwrap_or(0);
                let key = base64_count(&text[inside..next.start()]);
                (key >= 32).then_some(next.end() + tail)
            }
            None => cut_off(&text[inside..]).map(|length| inside + length),
        };
        if let Some(end) = end {
            spans.push(Span {
                start: hit.start(),
                end,
                label: "private key",
            });
        }
    }
    spans
}

/// Length of `RSA PRIVATE KEY-----`.
fn header_length(text: &str) -> Option<usize> {
    let name = text
        .bytes()
        .take(40)
        .take_while(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b' ')
        .count();
    let header = &text[..name];
    let private = header.contains("PRIVATE KEY");
    (private && text[name..].starts_with("-----")).then_some(name + 5)
}

fn base64_count(text: &str) -> usize {
    text.bytes().filter(|b| base64(*b)).count()
}

fn base64(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=')
}

/// Length of the lines of base64 that follow a header whose end is missing.
fn cut_off(text: &str) -> Option<usize> {
    let mut length = 0;
    let mut key = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.trim();
        if !bare.bytes().all(base64) || (!bare.is_empty() && bare.len() < 16 && key < 32) {
            break;
        }
        if bare.is_empty() && key > 0 {
            break;
        }
        key += bare.len();
        length += line
            .trim_end()
            .len()
            .max(line.len() - usize::from(line.ends_with('\n')));
        length += usize::from(line.ends_with('\n'));
    }
    let length = text[..length].trim_end().len();
    (key >= 32).then_some(length)
}

/// Length of the run of such bytes at the start.
fn run(bytes: &[u8], allowed: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|b| allowed(**b)).count()
}

/// Whether no word goes on across this place.
fn boundary_before(text: &str, at: usize) -> bool {
    at == 0 || {
        let before = text.as_bytes()[at - 1];
        !(before.is_ascii_alphanumeric() || before == b'_')
    }
}

/// Whether no word goes on across this place.
fn boundary_after(text: &str, at: usize) -> bool {
    text.as_bytes()
        .get(at)
        .is_none_or(|after| !(after.is_ascii_alphanumeric() || *after == b'_'))
}

fn has_digit(text: &str) -> bool {
    text.bytes().any(|b| b.is_ascii_digit())
}

fn has_letter(text: &str) -> bool {
    text.bytes().any(|b| b.is_ascii_alphabetic())
}
