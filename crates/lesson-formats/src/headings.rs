//! The headings of a markdown text, found line by line with fenced code left out.

/// A heading such as `## Context`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Heading<'a> {
    pub level: usize,
    pub text: &'a str,
    /// Byte offset of its line.
    pub start: usize,
    /// Byte offset of the line after it.
    pub end: usize,
}

/// Every ATX heading, in order.
pub(super) fn headings(text: &str) -> Vec<Heading<'_>> {
    let mut found = Vec::new();
    for (start, line) in lines_outside_code(text) {
        let trimmed = line.trim();
        let level = trimmed.bytes().take_while(|b| *b == b'#').count();
        let indent = line.len() - line.trim_start_matches(' ').len();
        if !(1..=6).contains(&level) || indent > 3 {
            continue;
        }
        // `level` counts leading ASCII bytes, so it is a character boundary.
        let rest = &trimmed[level..];
        if !rest.is_empty() && !rest.starts_with([' ', '\t']) {
            continue;
        }
        let rest = rest.trim();
        let text = match rest.trim_end_matches('#') {
            closed if closed.is_empty() || closed.ends_with([' ', '\t']) => closed.trim_end(),
            _ => rest,
        };
        if !text.is_empty() {
            found.push(Heading {
                level,
                text,
                start,
                end: start + line.len(),
            });
        }
    }
    found
}

/// Lines with their byte offsets, line break included, without fenced code blocks.
pub(super) fn lines_outside_code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fence: Option<(u8, usize)> = None;
    let mut at = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let start = at;
        at += line.len();
        let trimmed = line.trim();
        let mark = trimmed.bytes().next().filter(|b| matches!(b, b'`' | b'~'));
        let run = mark.map_or(0, |mark| trimmed.bytes().take_while(|b| *b == mark).count());
        match fence {
            Some((open, length)) => {
                if mark == Some(open) && run >= length && run == trimmed.len() {
                    fence = None;
                }
                None
            }
            None => match mark {
                // An info string may not hold a backtick: that line is inline code.
                Some(mark) if run >= 3 && !(mark == b'`' && trimmed[run..].contains('`')) => {
                    fence = Some((mark, run));
                    None
                }
                _ => Some((start, line)),
            },
        }
    })
}
