//! Private keys that stand as blocks of text: PEM and OpenPGP, SSH2, PuTTY; whole or cut off.

use super::span::Span;
use aho_corasick::AhoCorasick;
use std::sync::LazyLock;

static FRAMES: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::new(["---- BEGIN ", "-----BEGIN ", "---- END ", "-----END "]).ok()
});

/// A base64 count from which a block holds a key rather than a remark about one.
const KEY: usize = 32;

/// Adds every private key block of the text to `spans`.
pub(super) fn find(text: &str, spans: &mut Vec<Span>) {
    framed(text, spans);
    putty(text, spans);
}

fn framed(text: &str, spans: &mut Vec<Span>) {
    let Some(frames) = FRAMES.as_ref() else {
        return;
    };
    let hits: Vec<_> = frames.find_iter(text).collect();
    for (place, hit) in hits.iter().enumerate() {
        if hit.pattern().as_usize() > 1 {
            continue;
        }
        let Some(head) = header_length(&text[hit.end()..]) else {
            continue;
        };
        let inside = hit.end() + head;
        let close = hits
            .get(place + 1)
            .filter(|next| next.pattern().as_usize() > 1 && next.start() >= inside);
        let end = match close {
            Some(next) => {
                let tail = header_length(&text[next.end()..]).unwrap_or(0);
                let key = text[inside..next.start()].bytes().filter(|b| base64(*b));
                (key.count() >= KEY).then_some(next.end() + tail)
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
}

/// Length of `RSA PRIVATE KEY-----`.
fn header_length(text: &str) -> Option<usize> {
    let name = text
        .bytes()
        .take(48)
        .take_while(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b' ')
        .count();
    let header = &text[..name];
    let private = header.contains("PRIVATE KEY");
    let dashes = text[name..].bytes().take(5).take_while(|b| *b == b'-');
    let dashes = dashes.count();
    (private && dashes >= 4).then_some(name + dashes)
}

fn base64(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=')
}

/// Length of what follows a header whose end is missing: lines of base64, after lines such as
/// `Proc-Type: 4,ENCRYPTED` and a blank one; or, in JSON, one line with escaped breaks.
fn cut_off(text: &str) -> Option<usize> {
    let mut length = 0;
    let mut key = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.trim().trim_start_matches("\\n");
        let run = bare
            .bytes()
            .take_while(|b| base64(*b) || *b == b'\\')
            .count();
        if run < bare.len() {
            if key == 0 && bare.contains(": ") && bare.len() < 80 {
                length += line.len();
                continue;
            }
            // The last line may be followed by a quote or by words.
            if run >= KEY {
                let lead = line.len() - line.trim_start().len();
                let escaped = line.trim().len() - bare.len();
                length += lead + escaped + run;
                key += run;
            }
            break;
        }
        if !bare.is_empty() && bare.len() < 16 && key < KEY {
            break;
        }
        if bare.is_empty() && key > 0 {
            break;
        }
        key += bare.len();
        length += line.len();
    }
    let length = text[..length].trim_end().len();
    (key >= KEY).then_some(length)
}

/// `PuTTY-User-Key-File-3: …` up to the line of its private lines' end.
fn putty(text: &str, spans: &mut Vec<Span>) {
    let mut at = 0;
    while let Some(found) = text[at..].find("PuTTY-User-Key-File-") {
        let start = at + found;
        let mut end = start;
        for line in text[start..].split_inclusive('\n') {
            let bare = line.trim();
            if !(bare.bytes().all(base64) && !bare.is_empty()
                || bare
                    .split_once(": ")
                    .is_some_and(|(name, _)| !name.contains(' ')))
            {
                break;
            }
            end += line.len();
        }
        let block = text[start..end].trim_end();
        if block.contains("Private-Lines:") {
            spans.push(Span {
                start,
                end: start + block.len(),
                label: "private key",
            });
        }
        at = end.max(start + 1);
    }
}
