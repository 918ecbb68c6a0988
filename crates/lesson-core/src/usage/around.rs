//! The surroundings of a name: the words and marks of its sentence, and of the one after it.

/// Bytes before a name that are read; keeps long texts linear.
const MOST_BEFORE: usize = 600;
/// Bytes after a name that are read: the rest of its sentence, and the next one.
const MOST_AFTER: usize = 400;

/// Hyphenated words that are no lesson's name.
const HYPHENATED: [&str; 8] = [
    "off-topic",
    "out-of-scope",
    "non-applicable",
    "not-applicable",
    "not-relevant",
    "non-relevant",
    "low-tvl",
    "follow-up",
];

/// A piece of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A word with its inner apostrophes, hyphens and slashes.
    Word(&'a str),
    /// A lesson's name, by its looks: a quoted word, or one of several parts.
    Name,
    /// `,` `;` `:` `(` `)` `|`, a dash as `-`, and `.` `!` `?` where a sentence ends.
    Mark(char),
}

/// The words around the names of a list: what is said of the list is said of each.
#[derive(Debug, Default)]
pub(super) struct Around<'a> {
    /// The sentence up to the list, without the mark that opens the list.
    pub(super) before: Vec<Token<'a>>,
    /// The mark that opens the list: `:`, `(` or `-`.
    pub(super) opener: Option<char>,
    /// True if nothing stands before the sentence in its block.
    pub(super) first: bool,
    /// True if the list begins an item of a list.
    pub(super) item: bool,
    /// True if the list goes on after the name.
    pub(super) goes_on: bool,
    /// The sentence after the list.
    pub(super) rest: Vec<Token<'a>>,
    /// The mark that ends the sentence; `.` at the end of the block.
    pub(super) end: char,
    /// The sentence after that, in the same block.
    pub(super) next: Vec<Token<'a>>,
}

impl<'a> Around<'a> {
    /// Reads the surroundings of the name at `start..end` of a plain text.
    pub(super) fn of(text: &'a str, start: usize, end: usize) -> Self {
        let from = text.ceil_char_boundary(start.saturating_sub(MOST_BEFORE));
        let line = text[from..start]
            .rfind('\n')
            .map_or(from, |at| from + at + 1);
        let before = &text[line..start];
        let (head, item) = without_bullet(before);
        let whole = line == 0 || text[..line].ends_with('\n');
        let mut before = tokens(head);
        strip_list_back(&mut before);
        strip_fillers(&mut before);
        let opener = match before.last() {
            Some(Token::Mark(mark @ (':' | '(' | '-'))) => Some(*mark),
            _ => None,
        };
        if opener.is_some() {
            before.pop();
        }
        before.retain(|token| *token != Token::Mark('|'));
        let cut = before.iter().rposition(is_end).map_or(0, |at| at + 1);
        let first = cut == 0;
        let before = before.split_off(cut);
        let until = text.floor_char_boundary((end + MOST_AFTER).min(text.len()));
        let after = text[end..until].split('\n').next().unwrap_or_default();
        let after = after.trim_start_matches(['\'', '"', '`']);
        let after = tokens(after);
        let listed = after.len();
        let after = strip_list(&after);
        let stop = after.iter().position(is_end).unwrap_or(after.len());
        let mark = match after.get(stop) {
            Some(Token::Mark(mark)) => *mark,
            _ => '.',
        };
        let next = after.get(stop + 1..).unwrap_or_default();
        let next_stop = next.iter().position(is_end).unwrap_or(next.len());
        Self {
            item: item && whole && before.is_empty() && opener.is_none(),
            before,
            opener,
            first,
            goes_on: after.len() < listed,
            rest: after[..stop].to_vec(),
            end: mark,
            next: next[..next_stop].to_vec(),
        }
    }
}

/// The text of a line without the bullet, number or box that makes it an item of a list, and whether there was one.
fn without_bullet(line: &str) -> (&str, bool) {
    let text = line.trim_start();
    let rest = text.trim_start_matches(['-', '*', '+', '•', '#']);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = digits > 0 && digits < 4 && rest[digits..].starts_with(['.', ')']);
    let rest = if numbered { &rest[digits + 1..] } else { rest };
    let rest = rest.trim_start();
    let rest = rest.strip_prefix("[ ]").unwrap_or(rest);
    (rest, rest.len() < text.len())
}

fn is_end(token: &Token<'_>) -> bool {
    matches!(token, Token::Mark('.' | '!' | '?'))
}

/// Takes the names that a list begins with, and what joins them, from its end.
fn strip_list_back(tokens: &mut Vec<Token<'_>>) {
    loop {
        let joined = tokens.iter().rposition(|token| !joins(token));
        match joined {
            Some(at) if tokens[at] == Token::Name => tokens.truncate(at),
            _ => return,
        }
    }
}

/// Takes what may stand between the mark that opens a list and its first name: an article, a kind, a number.
fn strip_fillers(tokens: &mut Vec<Token<'_>>) {
    let words = tokens
        .iter()
        .rev()
        .take_while(|token| joins(token) && **token != Token::Mark(','))
        .count();
    let rest = tokens.len() - words;
    if words > 0 && matches!(tokens[..rest].last(), Some(Token::Mark(':' | '(' | '-'))) {
        tokens.truncate(rest);
    }
}

/// `tokens` without the names that a list goes on with.
fn strip_list<'b, 'a>(mut tokens: &'b [Token<'a>]) -> &'b [Token<'a>] {
    loop {
        let joined = tokens.iter().position(|token| !joins(token));
        match joined {
            Some(at) if at > 0 && tokens[at] == Token::Name => tokens = &tokens[at + 1..],
            _ => return tokens,
        }
    }
}

/// True if a token may stand between two names of a list.
fn joins(token: &Token<'_>) -> bool {
    match token {
        Token::Mark(mark) => *mark == ',',
        Token::Name => false,
        Token::Word(word) => {
            matches!(
                *word,
                "and" | "or" | "nor" | "the" | "lesson" | "skill" | "&"
            ) || word.bytes().all(|byte| byte.is_ascii_digit())
        }
    }
}

/// The words and marks of a piece of plain text.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        if is_word(c) {
            let end = rest
                .char_indices()
                .find(|(at, c)| !continues(rest, *at, *c))
                .map_or(rest.len(), |(at, _)| at);
            let word = rest[..end].trim_end_matches(['\'', '-', '/']);
            let before = &text[..text.len() - rest.len()];
            rest = &rest[word.len().max(c.len_utf8())..];
            let quoted = before.ends_with(['\'', '"', '`']) && rest.starts_with(['\'', '"', '`']);
            let parts = word.contains('-') && !HYPHENATED.contains(&word);
            tokens.push(if quoted || (parts && word.len() > 5) {
                Token::Name
            } else {
                Token::Word(word)
            });
            continue;
        }
        let open = after.starts_with(|next: char| next.is_whitespace()) || after.is_empty();
        match c {
            // `1)` before a name counts it.
            ')' if counts(&tokens) => {
                tokens.pop();
            }
            ',' | ';' | ':' | '(' | ')' | '|' => tokens.push(Token::Mark(c)),
            '—' | '–' => tokens.push(Token::Mark('-')),
            '-' if open => tokens.push(Token::Mark('-')),
            '!' | '?' => tokens.push(Token::Mark(c)),
            '.' => {
                let ends = open || after.starts_with(['\'', '"', '`', ')']);
                // `1.` before a name counts it.
                if ends && !counts(&tokens) {
                    tokens.push(Token::Mark('.'));
                }
            }
            _ => {}
        }
        rest = after;
    }
    tokens
}

/// True if the last token is a number of its own.
fn counts(tokens: &[Token<'_>]) -> bool {
    matches!(tokens.last(), Some(Token::Word(word)) if word.bytes().all(|byte| byte.is_ascii_digit()))
        && !matches!(tokens.iter().rev().nth(1), Some(Token::Word(_)))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric()
}

fn continues(text: &str, at: usize, c: char) -> bool {
    let next = || text[at + c.len_utf8()..].chars().next();
    is_word(c) || (matches!(c, '\'' | '-' | '/' | '.' | '_') && next().is_some_and(is_word))
}
