//! Pieces of a line: code, emphasis, links, by CommonMark's rules for what opens and what closes.
//!
//! Pieces that were read stand in one list; a closer takes those after its opener out of it. Each piece is taken out at
//! most once for each level it lies in, and what was looked for in vain is not looked for again: cost is linear.

use super::tree::{DEPTH, Inline};
use super::visible::visible;
use std::collections::{HashMap, HashSet};

/// An address longer than this is text.
const ADDRESS: usize = 2_000;

/// Reads the pieces of a text whose lines are parted by `\n`.
pub(super) fn inlines(text: &str) -> Vec<Inline> {
    let mut reader = Reader {
        text,
        at: 0,
        nodes: Vec::new(),
        openers: Vec::new(),
        brackets: Vec::new(),
        unclosed: HashSet::new(),
        vain: HashMap::new(),
    };
    while let Some(c) = reader.next() {
        reader.step(c);
    }
    settled(reader.nodes).0
}

/// A piece that has been read.
enum Node {
    Text(String),
    /// Marks of emphasis that may open something.
    Marks {
        mark: char,
        count: usize,
        closes: bool,
    },
    /// `[` or `![`.
    Bracket {
        image: bool,
    },
    /// A piece, and how deep it is nested.
    Piece(Inline, usize),
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    nodes: Vec<Node>,
    /// Where in `nodes` marks stand that may open something.
    openers: Vec<usize>,
    /// Where brackets stand, and whether they can still begin a link.
    brackets: Vec<(usize, bool)>,
    /// Lengths of runs of backticks that nothing closes from here on.
    unclosed: HashSet<usize>,
    /// For marks, by what can match them: how many of the openers have been looked at in vain.
    vain: HashMap<(char, usize, bool), usize>,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn next(&mut self) -> Option<char> {
        let c = self.rest().chars().next()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn step(&mut self, c: char) {
        match c {
            '\\' => self.escaped(),
            '\n' => self.line_end(),
            '`' => self.code(),
            '*' | '_' | '~' => self.marks(c),
            '[' => self.bracket(false),
            '!' if self.rest().starts_with('[') => {
                self.at += 1;
                self.bracket(true);
            }
            ']' => self.link(),
            '<' => self.address(),
            '&' => self.entity(),
            _ => {
                let plain = |c: char| !"\\\n`*_~[]!<&".contains(c);
                let from = self.at - c.len_utf8();
                let rest = self.rest();
                self.at += rest.find(|c| !plain(c)).unwrap_or(rest.len());
                let text = self.text[from..self.at].to_owned();
                self.push_text(&text);
            }
        }
    }

    fn push_text(&mut self, text: &str) {
        if let Some(Node::Text(before)) = self.nodes.last_mut() {
            before.push_str(text);
        } else {
            self.nodes.push(Node::Text(text.to_owned()));
        }
    }

    fn escaped(&mut self) {
        match self.rest().chars().next() {
            Some('\n') => {
                self.at += 1;
                self.nodes.push(Node::Piece(Inline::Break, 0));
            }
            Some(c) if c.is_ascii_punctuation() => {
                self.at += 1;
                self.push_text(c.encode_utf8(&mut [0; 4]));
            }
            _ => self.push_text("\\"),
        }
    }

    fn line_end(&mut self) {
        let mut forced = false;
        if let Some(Node::Text(before)) = self.nodes.last_mut() {
            forced = before.ends_with("  ");
            before.truncate(before.trim_end_matches(' ').len());
        }
        if forced {
            self.nodes.push(Node::Piece(Inline::Break, 0));
        } else {
            self.push_text(" ");
        }
    }

    fn code(&mut self) {
        let run = 1 + count(self.rest(), '`');
        self.at += run - 1;
        let end = if self.unclosed.contains(&run) {
            None
        } else {
            closing(self.rest(), run)
        };
        let Some(end) = end else {
            self.unclosed.insert(run);
            return self.push_text(&"`".repeat(run));
        };
        let inner = self.rest()[..end].replace('\n', " ");
        self.at += end + run;
        let trimmed = inner.strip_prefix(' ').and_then(|it| it.strip_suffix(' '));
        let inner = match trimmed {
            Some(trimmed) if !trimmed.trim().is_empty() => trimmed,
            _ => &inner,
        };
        self.nodes
            .push(Node::Piece(Inline::Code(visible(inner)), 0));
    }

    fn marks(&mut self, mark: char) {
        let before = self.text[..self.at - 1].chars().next_back();
        let length = 1 + count(self.rest(), mark);
        self.at += length - 1;
        let after = self.rest().chars().next();
        let space = |c: Option<char>| c.is_none_or(char::is_whitespace);
        let point = |c: Option<char>| c.is_some_and(is_point);
        let left = !space(after) && (!point(after) || space(before) || point(before));
        let right = !space(before) && (!point(before) || space(after) || point(after));
        let (opens, closes) = match mark {
            // Within a word, `_` is a letter like others.
            '_' => (
                left && (!right || point(before)),
                right && (!left || point(after)),
            ),
            '~' if length > 2 => (false, false),
            _ => (left, right),
        };
        let mut left_over = length;
        if closes {
            left_over = self.close(mark, length, opens);
        }
        if left_over == 0 {
        } else if opens {
            self.openers.push(self.nodes.len());
            self.nodes.push(Node::Marks {
                mark,
                count: left_over,
                closes,
            });
        } else {
            let text: String = std::iter::repeat_n(mark, left_over).collect();
            self.push_text(&text);
        }
    }

    /// Closes what is open with these marks, as often as they last; how many are left.
    fn close(&mut self, mark: char, length: usize, opens: bool) -> usize {
        let mut left = length;
        while left > 0 {
            let key = (mark, left % 3, opens);
            let looked = self.vain.get(&key).copied().unwrap_or_default();
            let lowest = self.lowest().max(looked);
            let found = self.openers[lowest..].iter().rposition(|place| {
                matches!(self.nodes[*place], Node::Marks { mark: other, count, closes }
                    if other == mark && fits(mark, count, left, opens || closes))
            });
            let Some(found) = found else {
                self.vain.insert(key, self.openers.len());
                break;
            };
            let found = lowest + found;
            let place = self.openers[found];
            let inner = self.nodes.split_off(place + 1);
            // Marks between the two open nothing any more.
            self.forget(found + 1);
            let Some(Node::Marks { count, .. }) = self.nodes.last_mut() else {
                break;
            };
            let taken = if mark == '~' {
                left
            } else if *count >= 2 && left >= 2 {
                2
            } else {
                1
            };
            *count -= taken;
            left -= taken;
            if *count == 0 {
                self.nodes.pop();
                self.forget(found);
            }
            let piece = match (mark, taken) {
                ('~', _) => Inline::Struck,
                (_, 2) => Inline::Strong,
                _ => Inline::Emphasis,
            };
            self.push_piece(inner, piece);
        }
        left
    }

    /// Keeps so many openers.
    fn forget(&mut self, left: usize) {
        self.openers.truncate(left);
        for looked in self.vain.values_mut() {
            *looked = left.min(*looked);
        }
    }

    /// The first opener that belongs to the innermost open bracket.
    fn lowest(&self) -> usize {
        let from = self.brackets.last().map_or(0, |(place, _)| *place);
        self.openers.partition_point(|place| *place < from)
    }

    fn push_piece(&mut self, inner: Vec<Node>, piece: impl FnOnce(Vec<Inline>) -> Inline) {
        let (inner, depth) = settled(inner);
        if depth >= DEPTH {
            let mut text = String::new();
            words(&inner, &mut text);
            self.push_text(&text);
        } else {
            self.nodes.push(Node::Piece(piece(inner), depth + 1));
        }
    }

    fn bracket(&mut self, image: bool) {
        self.brackets.push((self.nodes.len(), true));
        self.nodes.push(Node::Bracket { image });
    }

    fn link(&mut self) {
        let Some((place, usable)) = self.brackets.pop() else {
            return self.push_text("]");
        };
        let target = if usable { target(self.rest()) } else { None };
        let Some((address, length)) = target else {
            return self.push_text("]");
        };
        let image = matches!(self.nodes.get(place), Some(Node::Bracket { image: true }));
        self.at += length;
        let inner = self.nodes.split_off(place + 1);
        self.nodes.pop();
        let left = self.openers.partition_point(|opener| *opener < place);
        self.forget(left);
        let address = visible(&address);
        self.push_piece(inner, |inner| {
            if image {
                Inline::Image(inner, address)
            } else {
                Inline::Link(inner, address)
            }
        });
        if !image {
            // There is no link within a link.
            for (place, usable) in &mut self.brackets {
                *usable &= matches!(self.nodes.get(*place), Some(Node::Bracket { image: true }));
            }
        }
    }

    fn address(&mut self) {
        let rest = self.rest();
        let end = rest
            .char_indices()
            .take(ADDRESS)
            .find(|(_, c)| matches!(c, '>' | '<') || c.is_whitespace());
        let Some((end, '>')) = end else {
            return self.push_text("<");
        };
        let inner = &rest[..end];
        let scheme = inner.split_once(':').is_some_and(|(scheme, _)| {
            scheme.len() >= 2
                && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
                && scheme
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "+.-".contains(c))
        });
        let mail = inner.split_once('@').is_some_and(|(name, host)| {
            !name.is_empty() && host.contains('.') && !inner.contains(['\\', '"'])
        });
        if !scheme && !mail {
            return self.push_text("<");
        }
        let address = visible(inner);
        self.at += end + 1;
        let words = vec![Inline::Text(address.clone())];
        self.nodes
            .push(Node::Piece(Inline::Link(words, address), 1));
    }

    fn entity(&mut self) {
        let rest = self.rest();
        let end = rest.char_indices().take(10).find(|(_, c)| *c == ';');
        let found = end.and_then(|(end, _)| Some((character(&rest[..end])?, end + 1)));
        match found {
            Some((c, length)) => {
                self.at += length;
                self.push_text(c.encode_utf8(&mut [0; 4]));
            }
            None => self.push_text("&"),
        }
    }
}

/// True if an opener of `count` marks fits a closer of `left`.
fn fits(mark: char, count: usize, left: usize, both: bool) -> bool {
    if mark == '~' {
        return count == left;
    }
    // Marks that could do either match only if their sum is no multiple of three, or both are.
    !both
        || !(count + left).is_multiple_of(3)
        || (count.is_multiple_of(3) && left.is_multiple_of(3))
}

fn is_point(c: char) -> bool {
    c.is_ascii_punctuation() || (!c.is_ascii() && !c.is_alphanumeric() && !c.is_whitespace())
}

fn count(text: &str, mark: char) -> usize {
    text.chars().take_while(|c| *c == mark).count()
}

/// Where a run of exactly so many backticks begins.
fn closing(text: &str, run: usize) -> Option<usize> {
    let mut from = 0;
    while let Some(found) = text[from..].find('`') {
        let at = from + found;
        let length = count(&text[at..], '`');
        if length == run {
            return Some(at);
        }
        from = at + length;
    }
    None
}

/// The address of a link, which begins with `(`, and the length of all that belongs to it.
fn target(text: &str) -> Option<(String, usize)> {
    let inner = text.strip_prefix('(')?;
    let start = text.len() - inner.trim_start().len();
    let from = &text[start..];
    let (address, end) = match from.strip_prefix('<') {
        Some(inner) => {
            let end = inner.find(['>', '\n', '<'])?;
            inner[end..]
                .starts_with('>')
                .then(|| (&inner[..end], start + end + 2))?
        }
        None => {
            let mut open = 0_usize;
            let end = from.char_indices().take(ADDRESS).find(|(_, c)| match c {
                '(' => {
                    open += 1;
                    false
                }
                ')' if open > 0 => {
                    open -= 1;
                    false
                }
                c => *c == ')' || c.is_whitespace(),
            });
            let end = end?.0;
            (&from[..end], start + end)
        }
    };
    let mut rest = text[end..].trim_start();
    if let Some(quote @ ('"' | '\'')) = rest.chars().next() {
        // The title is not shown.
        rest = rest[1..].get(rest[1..].find(quote)? + 1..)?.trim_start();
    }
    let rest = rest.strip_prefix(')')?;
    Some((unescaped(address), text.len() - rest.len()))
}

fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        if c == '\\' && letters.peek().is_some_and(char::is_ascii_punctuation) {
            continue;
        }
        out.push(c);
    }
    out
}

/// The character that an entity stands for: those of HTML's own signs, and numbers.
fn character(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16),
            None => number.parse(),
        };
        return code.ok().filter(|code| *code > 0).and_then(char::from_u32);
    }
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => '\u{a0}',
        _ => return None,
    })
}

/// Nodes as pieces, marks that opened nothing as text; and how deep the pieces are nested.
fn settled(nodes: Vec<Node>) -> (Vec<Inline>, usize) {
    let mut pieces: Vec<Inline> = Vec::with_capacity(nodes.len());
    let mut deepest = 0;
    for node in nodes {
        let text = match node {
            Node::Piece(piece, depth) => {
                deepest = deepest.max(depth);
                pieces.push(piece);
                continue;
            }
            Node::Text(text) => visible(&text),
            Node::Marks { mark, count, .. } => std::iter::repeat_n(mark, count).collect(),
            Node::Bracket { image } => if image { "![" } else { "[" }.to_owned(),
        };
        if let Some(Inline::Text(before)) = pieces.last_mut() {
            before.push_str(&text);
        } else {
            pieces.push(Inline::Text(text));
        }
    }
    (pieces, deepest)
}

/// The words of pieces, without their structure.
pub(super) fn words(pieces: &[Inline], out: &mut String) {
    for piece in pieces {
        match piece {
            Inline::Text(text) | Inline::Code(text) => out.push_str(text),
            Inline::Emphasis(inner)
            | Inline::Strong(inner)
            | Inline::Struck(inner)
            | Inline::Link(inner, _)
            | Inline::Image(inner, _) => words(inner, out),
            Inline::Break => out.push(' '),
        }
    }
}
