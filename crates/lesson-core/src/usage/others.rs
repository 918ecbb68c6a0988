//! Others' words: quotations that the text says somebody else wrote.

use super::around::{Token, tokens};
use std::ops::Range;

/// Bytes before and after a quotation in which it is said whose it is.
const NEAR: usize = 120;

/// Words that say whose words follow, or which text they stand in.
const SOURCES: [&str; 44] = [
    "said",
    "says",
    "say",
    "wrote",
    "writes",
    "asked",
    "asks",
    "told",
    "tells",
    "replied",
    "replies",
    "commented",
    "states",
    "stated",
    "quote",
    "quoting",
    "quoted",
    "suggested",
    "suggests",
    "demanded",
    "requested",
    "instructs",
    "instructed",
    "claims",
    "claimed",
    "prompt",
    "docs",
    "documentation",
    "ticket",
    "issue",
    "readme",
    "comment",
    "message",
    "log",
    "example",
    "template",
    "instruction",
    "instructions",
    "phrase",
    "sentence",
    "wording",
    "reviewer",
    "user",
    "format",
];

/// The quotations of several words that are others' own, in order.
pub(super) fn quotations(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut double: Option<usize> = None;
    for (at, c) in text.char_indices() {
        match c {
            '\n' => double = None,
            '"' => match double.take() {
                None => double = Some(at),
                Some(open) => keep(&mut found, text, open, at),
            },
            _ => {}
        }
    }
    found
}

fn keep(found: &mut Vec<Range<usize>>, text: &str, open: usize, close: usize) {
    if text[open + 1..close].contains(' ') && is_of_others(text, open, close) {
        found.push(open..close);
    }
}

fn is_of_others(text: &str, open: usize, close: usize) -> bool {
    let before = &text[text.ceil_char_boundary(open.saturating_sub(NEAR))..open];
    let before = before.rsplit(['\n', '"']).next().unwrap_or_default();
    let before = tokens(before);
    let cut = before
        .iter()
        .rposition(|token| matches!(token, Token::Mark('.' | '!' | '?' | ';')));
    let before = &before[cut.map_or(0, |at| at + 1)..];
    let end = text.floor_char_boundary((close + 1 + NEAR).min(text.len()));
    let after = text[close + 1..end]
        .split(['\n', '"', '.', ';'])
        .next()
        .unwrap_or_default();
    let after = tokens(after);
    // "…", the ticket says
    let after = match after.as_slice() {
        [Token::Mark(','), rest @ ..] => rest,
        rest => rest,
    };
    names_source(before) || (before.is_empty() && after.len() <= 5 && names_source(after))
}

fn names_source(tokens: &[Token<'_>]) -> bool {
    let word = |at: usize| match tokens.get(at) {
        Some(Token::Word(word)) => *word,
        _ => "",
    };
    (0..tokens.len()).any(|at| {
        let own = at.checked_sub(1).is_some_and(|before| {
            matches!(word(before), "i" | "we" | "my" | "our" | "i've" | "i'd")
        });
        SOURCES.contains(&word(at)) && !own
    })
}
