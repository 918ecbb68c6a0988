//! Texts that are longer than a request takes.

/// Most bytes of a text in a request. The interface takes 1,000,000 characters, the edge a body of 1 MiB, and JSON makes
/// text longer.
const MOST: usize = 800_000;

/// The text in pieces that a request takes, each from the beginning of a line where there is one.
pub(super) fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while rest.len() > MOST {
        let head = &rest[..rest.floor_char_boundary(MOST)];
        let end = head.rfind('\n').map_or(head.len(), |at| at + 1);
        let (piece, after) = rest.split_at(end);
        pieces.push(piece);
        rest = after;
    }
    pieces.push(rest);
    pieces.retain(|piece| !piece.trim().is_empty());
    pieces
}

/// The end of a text that is too long, from the beginning of a line: the last words tell the outcome.
pub(crate) fn end_of(text: &str) -> &str {
    if text.len() <= MOST {
        return text;
    }
    let tail = &text[text.ceil_char_boundary(text.len() - MOST)..];
    tail.find('\n').map_or(tail, |at| &tail[at + 1..])
}
