//! The headings of a markdown text, found line by line with fenced code and comments left out.

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

/// Lines with their byte offsets, line break included, without fenced code blocks and comments.
pub(super) fn lines_outside_code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fence = Fence::default();
    let mut comment = Comment::default();
    let mut at = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let start = at;
        at += line.len();
        let left_out = comment.holds(line, &text[at..], fence.is_open()) || fence.holds(line);
        (!left_out).then_some((start, line))
    })
}

/// True if a text holds nothing but comments and white space: a licence, a mark for a tool.
pub(super) fn is_only_comments(text: &str) -> bool {
    let mut comment = Comment::default();
    let mut at = 0;
    text.split_inclusive('\n').all(|line| {
        at += line.len();
        comment.holds(line, &text[at..], false) || line.trim().is_empty()
    })
}

/// Tells lines of HTML comments from others, one after the other. A comment begins a line, and its last line is of it as a
/// whole. One that never ends is text: it would take with it all that follows.
#[derive(Debug, Default)]
struct Comment {
    open: bool,
    /// Nothing ends a comment in the rest of the text.
    endless: bool,
}

impl Comment {
    fn holds(&mut self, line: &str, rest: &str, in_code: bool) -> bool {
        const END: &str = "-->";
        if self.open {
            self.open = !line.contains(END);
            return true;
        }
        let inner = line.trim_start_matches(' ');
        let indent = line.len() - inner.len();
        let Some(inner) = inner
            .strip_prefix("<!--")
            .filter(|_| indent <= 3 && !in_code)
        else {
            return false;
        };
        if inner.contains(END) {
            return true;
        }
        self.endless = self.endless || !rest.contains(END);
        self.open = !self.endless;
        self.open
    }
}

/// Tells fenced code from other lines, one line after the other.
#[derive(Debug, Default)]
pub(super) struct Fence {
    open: Option<(u8, usize)>,
}

impl Fence {
    /// Takes the next line; true if it is code, or a fence.
    pub fn holds(&mut self, line: &str) -> bool {
        let trimmed = line.trim();
        let mark = trimmed.bytes().next().filter(|b| matches!(b, b'`' | b'~'));
        let run = mark.map_or(0, |mark| trimmed.bytes().take_while(|b| *b == mark).count());
        match self.open {
            Some((open, length)) => {
                if mark == Some(open) && run >= length && run == trimmed.len() {
                    self.open = None;
                }
                true
            }
            None => match mark {
                // An info string may not hold a backtick: that line is inline code.
                Some(mark) if run >= 3 && !(mark == b'`' && trimmed[run..].contains('`')) => {
                    self.open = Some((mark, run));
                    true
                }
                _ => false,
            },
        }
    }

    /// True if a fence is open.
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }
}
