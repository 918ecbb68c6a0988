//! Lines of HTML, which stay text.

/// Returns the text after the beginning of a comment, if the line begins with one.
pub(super) fn comment(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix("<!--")
}

/// A line that is a tag: what follows up to an empty line is shown as it is written.
pub(super) fn is_html(line: &str) -> bool {
    let text = line.trim();
    let tag = text.strip_prefix('<').is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_alphabetic() || "/!?".contains(c))
    });
    let inner = text
        .get(1..text.len().saturating_sub(1))
        .unwrap_or_default();
    let name = inner.split([' ', '>', '/']).next().unwrap_or_default();
    tag && text.ends_with('>') && !name.contains([':', '@'])
}
