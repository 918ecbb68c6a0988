//! Removing what a person marked as private: `<private>…</private>` stays on the machine's side of every request.

/// The longest tag that is looked for, in bytes: `<private reason="…">`.
const LONGEST: usize = 200;

/// A tag of a private part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tag {
    Open,
    Close,
}

/// The text without its private parts. Parts may lie within each other; one that is never closed reaches to the end. Tags are
/// read in any case, with blanks and attributes, and with their brackets written as entities or as full-width signs.
pub(crate) fn without_private(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut kept = 0;
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some((start, end, tag)) = next_tag(text, at) {
        at = end;
        match tag {
            Tag::Open => {
                if depth == 0 {
                    out.push_str(&text[kept..start]);
                }
                depth += 1;
            }
            // One that closes nothing is text.
            Tag::Close if depth > 0 => {
                depth -= 1;
                kept = end;
            }
            Tag::Close => {}
        }
    }
    if depth == 0 {
        out.push_str(&text[kept..]);
    }
    out
}

/// Where the next tag begins and ends, from a place on.
fn next_tag(text: &str, from: usize) -> Option<(usize, usize, Tag)> {
    let mut at = from;
    while let Some(found) = text[at..].find(['<', '&', '＜', '[']) {
        let start = at + found;
        if let Some((length, tag)) = tag(&text[start..]) {
            return Some((start, start + length, tag));
        }
        at = start + text[start..].chars().next().map_or(1, char::len_utf8);
    }
    None
}

/// The length of the tag that a text begins with.
fn tag(text: &str) -> Option<(usize, Tag)> {
    const OPEN: [&str; 6] = ["<", "＜", "&lt;", "&#60;", "&#x3c;", "["];
    const CLOSE: [&str; 6] = [">", "＞", "&gt;", "&#62;", "&#x3e;", "]"];
    let place = OPEN.iter().position(|sign| begins(text, sign))?;
    let rest = text.get(OPEN[place].len()..)?.trim_start();
    let (rest, tag) = match rest.strip_prefix(['/', '／']) {
        Some(rest) => (rest.trim_start(), Tag::Close),
        None => (rest, Tag::Open),
    };
    let rest = begins(rest, "private").then(|| &rest["private".len()..])?;
    // A longer word is another tag; a link such as `[private](…)` is none.
    if rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.')) {
        return None;
    }
    let within = rest.floor_char_boundary(LONGEST);
    let (end, close) = rest
        .char_indices()
        .take_while(|(at, c)| *at < within && *c != '\n')
        .find_map(|(at, _)| Some((at, CLOSE.iter().find(|sign| begins(&rest[at..], sign))?)))?;
    let inside = rest[..end].trim();
    let brackets = OPEN[place] == "[";
    if inside.ends_with('/') && tag == Tag::Open
        || brackets && (!inside.is_empty() || *close != "]")
    {
        return None;
    }
    let length = text.len() - rest.len() + end + close.len();
    (!(brackets && text[length..].starts_with('('))).then_some((length, tag))
}

/// True if a text begins with an ASCII word, whatever its case.
fn begins(text: &str, word: &str) -> bool {
    text.as_bytes()
        .get(..word.len())
        .is_some_and(|bytes| bytes.eq_ignore_ascii_case(word.as_bytes()))
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
            ("a < private >b</ private >c", "a c"),
            ("a <private reason=\"key\">b</private>c", "a c"),
            ("a &lt;private&gt;b&lt;/private&gt;c", "a c"),
            ("a ＜private＞b＜／private＞c", "a c"),
            ("a [private]b[/private]c", "a c"),
            ("a <private>b", "a "),
            ("<private>a</private><private>b</private>c", "c"),
            ("a <private>b <private>c</private> d</private>e", "a e"),
            ("a <private>b <private>c</private> d", "a "),
            ("é<private>ü</private>ö", "éö"),
            ("a </private> b", "a </private> b"),
            ("a <private-field> b", "a <private-field> b"),
            ("a <private/> b", "a <private/> b"),
            (
                "see [private](docs/private.md) and [0]",
                "see [private](docs/private.md) and [0]",
            ),
            ("let x: Vec<Private", "let x: Vec<Private"),
        ] {
            assert_eq!(without_private(text), left, "{text}");
        }
    }
}
