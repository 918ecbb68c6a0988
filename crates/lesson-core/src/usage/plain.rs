//! An agent's text made plain for matching, with the way back to the original's bytes.

use crate::shown_lines::shown_lines;
use std::ops::Range;

/// Text in lower case, with blanks collapsed, straight quotes and no asterisks, and for each of
/// its bytes where in the original its character begins.
#[derive(Debug)]
pub(super) struct Plain<'a> {
    original: &'a str,
    pub(super) text: String,
    origins: Vec<usize>,
}

impl<'a> Plain<'a> {
    /// Makes what an agent itself says in `original` plain: without `INJECTED:` lines and quoted blocks.
    pub(super) fn of_own(original: &'a str) -> Self {
        let mut skipped = shown_lines(original);
        let mut at = 0;
        for line in original.split_inclusive('\n') {
            if line.trim_start().starts_with('>') {
                skipped.push(at..at + line.len());
            }
            at += line.len();
        }
        skipped.sort_unstable_by_key(|range| range.start);
        Self::without(original, &skipped)
    }

    /// Makes `original` plain. A line break becomes a space within a paragraph, and stays where a
    /// paragraph, list item or heading begins.
    pub(super) fn of(original: &'a str) -> Self {
        Self::without(original, &[])
    }

    fn without(original: &'a str, skipped: &[Range<usize>]) -> Self {
        let mut skipped = skipped.iter().peekable();
        let mut plain = Self {
            original,
            text: String::with_capacity(original.len()),
            origins: Vec::with_capacity(original.len()),
        };
        let mut chars = original.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            while skipped.next_if(|range| range.end <= at).is_some() {}
            if skipped.peek().is_some_and(|range| range.start <= at) {
                if !plain.text.ends_with('\n') {
                    plain.push(at, '\n');
                }
                continue;
            }
            match c {
                '*' => {}
                '‘' | '’' => plain.push(at, '\''),
                '“' | '”' => plain.push(at, '"'),
                c if c.is_whitespace() => {
                    let mut breaks = usize::from(c == '\n');
                    while let Some((_, next)) = chars.next_if(|(place, next)| {
                        next.is_whitespace()
                            && skipped.peek().is_none_or(|range| *place < range.start)
                    }) {
                        breaks += usize::from(next == '\n');
                    }
                    let rest = chars.peek().map_or("", |(next, _)| &original[*next..]);
                    let parted = breaks > 1 || (breaks == 1 && begins_block(rest));
                    plain.push(at, if parted { '\n' } else { ' ' });
                }
                c => c.to_lowercase().for_each(|lower| plain.push(at, lower)),
            }
        }
        plain
    }

    fn push(&mut self, at: usize, c: char) {
        self.text.push(c);
        self.origins.resize(self.text.len(), at);
    }

    /// `radius` characters of the original either side of a match in the plain text, between
    /// `...`.
    pub(super) fn quote(&self, start: usize, end: usize, radius: usize) -> String {
        let (Some(from), Some(last)) = (
            self.origins.get(start).copied(),
            end.checked_sub(1).and_then(|at| self.origins.get(at)),
        ) else {
            return String::new();
        };
        let until = last
            + self.original[*last..]
                .chars()
                .next()
                .map_or(0, char::len_utf8);
        let begin = self.original[..from]
            .char_indices()
            .rev()
            .take(radius)
            .last()
            .map_or(from, |(at, _)| at);
        let finish = self.original[until..]
            .char_indices()
            .nth(radius)
            .map_or(self.original.len(), |(at, _)| until + at);
        format!("...{}...", &self.original[begin..finish])
    }
}

/// True if a line that begins with `rest` is a list item, heading or quotation of its own.
pub(super) fn begins_block(rest: &str) -> bool {
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    rest.starts_with(['-', '*', '+', '•', '#', '>', '|'])
        || (digits > 0 && rest[digits..].starts_with(['.', ')']))
}
