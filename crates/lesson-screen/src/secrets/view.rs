//! A text as it reads without what hides in it, and the way back: a zero-width character within a
//! token doesn't split it.

use super::span::Span;
use crate::hidden::{always_hidden, selector};
use crate::plain::mark;
use std::borrow::Cow;

/// A text without hidden characters and the marks that stand for them.
pub(super) struct View<'a> {
    pub text: Cow<'a, str>,
    /// Where each kept piece begins, here and in the text itself; empty when all of it is kept.
    pieces: Vec<(usize, usize)>,
}

impl<'a> View<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let mut kept = String::new();
        let mut pieces = Vec::new();
        let mut from = 0;
        let mut at = 0;
        while let Some(c) = text[at..].chars().next() {
            let hidden = match c {
                '⟦' => mark(&text[at..]).map(|(_, _, length)| length),
                '\u{200C}' | '\u{200D}' => Some(c.len_utf8()),
                c if always_hidden(c) || selector(c) => Some(c.len_utf8()),
                _ => None,
            };
            let Some(length) = hidden else {
                at += c.len_utf8();
                continue;
            };
            if at > from {
                pieces.push((kept.len(), from));
                kept.push_str(&text[from..at]);
            }
            at += length;
            from = at;
        }
        if from == 0 {
            return Self {
                text: Cow::Borrowed(text),
                pieces: Vec::new(),
            };
        }
        if from < text.len() {
            pieces.push((kept.len(), from));
            kept.push_str(&text[from..]);
        }
        Self {
            text: Cow::Owned(kept),
            pieces,
        }
    }

    /// The same bytes in the text itself.
    pub(super) fn back(&self, span: Span) -> Span {
        if self.pieces.is_empty() || span.end == 0 {
            return span;
        }
        Span {
            start: self.place(span.start),
            // The end belongs to the last byte: what hides after it stays.
            end: self.place(span.end - 1) + 1,
            label: span.label,
        }
    }

    fn place(&self, at: usize) -> usize {
        let piece = self.pieces.partition_point(|(here, _)| *here <= at);
        self.pieces
            .get(piece.saturating_sub(1))
            .map_or(at, |(here, there)| there + (at - here))
    }
}
