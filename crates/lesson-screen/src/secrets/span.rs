//! A place in a text, and what ends a word there.

/// A secret's bytes in the text, and what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Span {
    pub start: usize,
    pub end: usize,
    pub label: &'static str,
}

/// Length of the run of such bytes at the start.
pub(super) fn run(bytes: &[u8], allowed: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|b| allowed(**b)).count()
}

/// True if no word goes on across this place; an escape such as `\\n` or `%20` ends a word.
pub(super) fn boundary_before(text: &str, at: usize) -> bool {
    let before = &text.as_bytes()[..at];
    match before {
        [] => true,
        [.., b'\\', b'n' | b't' | b'r'] => true,
        [.., b'%', high, low] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => true,
        [.., last] => !(last.is_ascii_alphanumeric() || *last == b'_'),
    }
}

/// True if no word goes on across this place.
pub(super) fn boundary_after(text: &str, at: usize) -> bool {
    text.as_bytes()
        .get(at)
        .is_none_or(|after| !(after.is_ascii_alphanumeric() || *after == b'_'))
}
