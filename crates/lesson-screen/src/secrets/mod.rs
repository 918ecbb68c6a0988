//! Secrets: keys, tokens and passwords that a lesson should never carry.
//!
//! Known token shapes are told by their prefix and length ([`rules`] is the table); values that are
//! given to a name such as `password` by their look. Each is replaced by `[redacted: what it was]`.
//! Hashes, commits and base64 without such a name are left alone.

mod addresses;
mod assigned;
mod blocks;
mod look;
mod names;
mod rules;
mod shape;
mod span;
mod token;
mod value;
mod view;

use view::View;

/// A text without its secrets.
pub(super) struct Redacted {
    pub text: String,
    /// Label of each secret, in order.
    pub labels: Vec<&'static str>,
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
    let view = View::of(text);
    let mut spans = Vec::new();
    blocks::find(&view.text, &mut spans);
    // Before tokens by their look, which may see less of one.
    shape::find(&view.text, &mut spans);
    token::find(&view.text, &mut spans);
    addresses::find(&view.text, &mut spans);
    assigned::find(&view.text, &mut spans);
    if spans.is_empty() {
        return None;
    }
    for span in &mut spans {
        *span = view.back(*span);
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
        out.push_str(text.get(at..span.start).unwrap_or_default());
        out.push_str("[redacted: ");
        out.push_str(span.label);
        out.push(']');
        labels.push(span.label);
        at = span.end;
    }
    out.push_str(&text[at..]);
    Some(out)
}

/// True if a word without a name or a prefix is a token all the same.
pub(super) fn random_word(word: &str) -> bool {
    word.len() >= 20 && look::random(word)
}
