//! Words and the marks between them.

/// The words of a text, with the apostrophes inside them.
pub(super) fn words(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .map(|word| word.trim_matches('\''))
        .filter(|word| !word.is_empty())
}

/// `text` without the blanks, quotes and marks that may stand before a name.
pub(super) fn trim_marks(text: &str) -> &str {
    text.trim_end_matches([' ', '\'', '"', '`', ':', '(', '[', '#'])
}
