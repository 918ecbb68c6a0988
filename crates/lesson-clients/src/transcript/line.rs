//! A line of a transcript as JSON.

use serde_json::Value;
use std::borrow::Cow;

/// Reads a line as a JSON object. Bytes that are no UTF-8, and halves of UTF-16 pairs, which JavaScript writes where a text
/// was cut within a character, become U+FFFD.
pub(super) fn parsed(line: &[u8]) -> Option<Value> {
    let read = serde_json::from_slice::<Value>(line).or_else(|_| {
        let text = String::from_utf8_lossy(line);
        serde_json::from_str(&without_halves(&text))
    });
    read.ok().filter(Value::is_object)
}

/// A text field of an object; empty where there is none.
pub(super) fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The texts of a message's content: one, or those of its parts with such a type.
pub(super) fn texts<'a>(content: &'a Value, types: &[&str]) -> Vec<&'a str> {
    match content {
        Value::String(text) => vec![text],
        Value::Array(parts) => parts
            .iter()
            .filter(|part| types.contains(&text(part, "type")))
            .map(|part| text(part, "text"))
            .collect(),
        _ => Vec::new(),
    }
}

/// JSON text whose `\uD800` to `\uDFFF` come in pairs.
fn without_halves(line: &str) -> Cow<'_, str> {
    let bytes = line.as_bytes();
    let unit = |at: usize| -> Option<u16> {
        let digits = line.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut out = String::new();
    let (mut from, mut at) = (0, 0);
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            at += 1;
            continue;
        }
        match unit(at) {
            Some(0xD800..=0xDBFF) if matches!(unit(at + 6), Some(0xDC00..=0xDFFF)) => at += 12,
            Some(0xD800..=0xDFFF) => {
                out.push_str(&line[from..at]);
                out.push_str("\\ufffd");
                at += 6;
                from = at;
            }
            // The character after a backslash is no backslash of its own.
            _ => at += 2,
        }
    }
    if from == 0 {
        return Cow::Borrowed(line);
    }
    out.push_str(&line[from..]);
    Cow::Owned(out)
}
