//! What a person marked as private: `<private>…</private>` stays on the machine's side of every request.

/// The text without its private parts. One that is never closed reaches to the end; tags in any case.
pub(crate) fn without_private(text: &str) -> String {
    let (open, close) = ("<private>", "</private>");
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = find(rest, open) {
        out.push_str(&rest[..at]);
        let inside = &rest[at + open.len()..];
        rest = find(inside, close).map_or("", |end| &inside[end + close.len()..]);
    }
    out.push_str(rest);
    out
}

/// Where an ASCII word begins, whatever its case.
fn find(text: &str, word: &str) -> Option<usize> {
    text.as_bytes()
        .windows(word.len())
        .position(|bytes| bytes.eq_ignore_ascii_case(word.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::without_private;

    #[test]
    fn private_parts_are_taken_out() {
        for (text, left) in [
            ("plain", "plain"),
            ("a <private>b</private> c", "a  c"),
            ("a <PRIVATE>b</Private>c", "a c"),
            ("a <private>b", "a "),
            ("<private>a</private><private>b</private>c", "c"),
            ("é<private>ü</private>ö", "éö"),
            ("a </private> b", "a </private> b"),
        ] {
            assert_eq!(without_private(text), left, "{text}");
        }
    }
}
