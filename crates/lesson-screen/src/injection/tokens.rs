//! Words of a plain text, each with where it stands: what rules are matched with.

use super::lexicon::{Lexicon, WordId, skeleton};
use super::marks::marks;

/// A word with what the signs around it say.
#[derive(Debug, Default)]
pub(super) struct Token {
    pub word: String,
    /// Ids that it may have in the lexicon.
    pub ids: Vec<WordId>,
    /// Where it begins in the plain text.
    pub at: usize,
    /// First of a line, but for signs.
    pub begins_line: bool,
    /// First of a clause: after a sign other than a hyphen, or a line break.
    pub begins_clause: bool,
    /// Last of a sentence.
    pub ends_sentence: bool,
    /// A colon follows.
    pub colon: bool,
    /// Between quotation marks or backticks.
    pub quoted: bool,
    /// Nothing but one sign between it and the word before.
    tied: bool,
}

/// The longest quotation, in bytes, that can stand in a sentence as an example.
const QUOTATION: usize = 120;
/// Letters that stand alone, one after the other, from which on they are a word.
const SPACED: usize = 5;
/// A word of this length may be several without blanks between.
const JOINED: usize = 12;
/// Longest run of letters that is taken apart at once, to stay linear.
const RUN: usize = 256;

/// The words of a plain text, with what disguises them undone.
pub(super) fn tokens(plain: &str, lexicon: &Lexicon) -> Vec<Token> {
    let mut words = split(plain);
    quote(&mut words, plain);
    let mut out = Vec::with_capacity(words.len());
    let mut at = 0;
    while at < words.len() {
        let spaced = words[at..]
            .iter()
            .take(RUN)
            .enumerate()
            .take_while(|(place, word)| single(word) && (*place == 0 || !word.begins_line))
            .count();
        if spaced >= SPACED {
            let run = &words[at..at + spaced];
            let letters: String = run.iter().map(|word| word.word.as_str()).collect();
            apart(&mut out, &letters, run, lexicon, 60);
            at += spaced;
            continue;
        }
        // "over-ride", "ig.nore".
        let tied = words[at + 1..]
            .iter()
            .take(2)
            .take_while(|word| word.tied && !ideograph_word(word))
            .count();
        let whole = (1..=tied).rev().find_map(|more| {
            let whole: String = words[at..=at + more]
                .iter()
                .map(|word| word.word.as_str())
                .collect();
            (whole.len() >= 5 && whole.len() <= 24 && lexicon.knows(&whole))
                .then_some((whole, more))
        });
        if let Some((whole, more)) = whole {
            let last = &words[at + more];
            let mut token = Token {
                word: whole,
                ids: Vec::new(),
                ..words[at].placed()
            };
            token.ends_sentence = last.ends_sentence;
            token.colon = last.colon;
            token.ids = lexicon.ids(&token.word);
            out.push(token);
            at += more + 1;
            continue;
        }
        let word = &words[at];
        let ids = lexicon.ids(&word.word);
        let long = ids.is_empty() && word.word.len() >= JOINED && word.word.len() <= RUN;
        if !(long
            && apart(
                &mut out,
                &word.word,
                std::slice::from_ref(word),
                lexicon,
                95,
            ))
        {
            out.push(Token {
                word: word.word.clone(),
                ids,
                ..word.placed()
            });
        }
        at += 1;
    }
    for (place, name) in marks(plain) {
        // The word that begins there, or a longer one that it is a part of.
        let token = out
            .partition_point(|token| token.at <= place)
            .checked_sub(1);
        if let Some(token) = token.and_then(|at| out.get_mut(at)) {
            token.ids.extend(lexicon.ids(name));
        }
    }
    out
}

impl Token {
    /// Its place without its word.
    fn placed(&self) -> Self {
        Self {
            word: String::new(),
            ids: Vec::new(),
            ..*self
        }
    }
}

/// Takes letters apart into words of the lexicon, if those make up so many percent of them; else
/// keeps them as one word when they were spaced, and as nothing when not.
fn apart(
    out: &mut Vec<Token>,
    letters: &str,
    run: &[Token],
    lexicon: &Lexicon,
    least: usize,
) -> bool {
    let (Some(first), Some(last)) = (run.first(), run.last()) else {
        return false;
    };
    let parts = lexicon.parts(letters);
    let known: usize = parts
        .iter()
        .filter(|(_, known)| *known)
        .map(|(part, _)| part.len())
        .sum();
    if known * 100 < letters.len() * least || parts.len() < 2 {
        if run.len() > 1 {
            out.push(Token {
                word: letters.to_owned(),
                ids: lexicon.ids(letters),
                ends_sentence: last.ends_sentence,
                colon: last.colon,
                ..first.placed()
            });
        }
        return run.len() > 1;
    }
    let end = parts.len() - 1;
    for (place, (part, _)) in parts.into_iter().enumerate() {
        out.push(Token {
            ids: lexicon.ids(part),
            word: part.to_owned(),
            at: first.at,
            begins_line: place == 0 && first.begins_line,
            begins_clause: place == 0 && first.begins_clause,
            ends_sentence: place == end && last.ends_sentence,
            colon: place == end && last.colon,
            quoted: first.quoted,
            tied: false,
        });
    }
    true
}

/// The words as they stand, without ids.
fn split(plain: &str) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::new();
    let mut chars = plain.char_indices().peekable();
    let mut gap = Gap::at_start();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        if ideograph(c) {
            let word = gap.token(at, c, out.last_mut());
            out.push(word);
            gap = Gap::default();
            continue;
        }
        if !letter(c, next) {
            gap.take(c, next);
            continue;
        }
        let mut token = gap.token(at, c, out.last_mut());
        gap = Gap::default();
        while let Some((_, c)) = chars.peek().copied() {
            if matches!(c, '\'') && token.word.len() < 4 * RUN {
                // "don't", "l'utilisateur": read as one, and as an apostrophe that ends a word.
                chars.next();
                let joins = chars.peek().is_some_and(|(_, next)| next.is_alphanumeric());
                if !joins {
                    gap.take(c, None);
                    break;
                }
                continue;
            }
            if ideograph(c) || !c.is_alphanumeric() && !leet_sign(c) || token.word.len() >= 4 * RUN
            {
                break;
            }
            chars.next();
            let after = chars.peek().map(|(_, next)| *next);
            if leet_sign(c) && !after.is_some_and(char::is_alphanumeric) {
                gap.take(c, after);
                break;
            }
            token.word.push(c);
        }
        out.push(token);
    }
    if let Some(last) = out.last_mut() {
        last.ends_sentence = true;
    }
    out
}

/// Signs and breaks between two words.
#[derive(Default)]
struct Gap {
    line: bool,
    lines: usize,
    clause: bool,
    sentence: bool,
    colon: bool,
    length: usize,
    blank: bool,
}

impl Gap {
    fn at_start() -> Self {
        Self {
            line: true,
            clause: true,
            blank: true,
            ..Self::default()
        }
    }

    fn take(&mut self, c: char, next: Option<char>) {
        let ends = next.is_none_or(|next| !next.is_alphanumeric());
        match c {
            '\n' => {
                self.line = true;
                self.clause = true;
                self.lines += 1;
                self.sentence |= self.lines > 1;
            }
            '.' | '!' | '?' if ends => self.sentence = true,
            '。' | '！' | '？' | '।' | '؟' => self.sentence = true,
            ':' => {
                self.colon |= !self.line;
                self.clause = true;
            }
            ',' | '、' | '،' | ';' | '"' | '\'' | '(' | ')' | '[' | ']' | '{' | '}' | '`' | '>'
            | '=' => {
                self.clause = true;
            }
            _ => {}
        }
        self.clause |= self.sentence;
        self.blank |= c.is_whitespace();
        self.length += 1;
    }

    /// The word that follows, its first letter given; tells the one before what comes after it.
    fn token(&self, at: usize, c: char, before: Option<&mut Token>) -> Token {
        if let Some(before) = before {
            before.ends_sentence = self.sentence;
            before.colon = self.colon;
        }
        Token {
            word: c.to_string(),
            at,
            begins_line: self.line,
            begins_clause: self.clause,
            tied: self.length == 1 && !self.blank && !self.clause,
            ..Token::default()
        }
    }
}

/// Marks what stands between quotation marks or backticks of one line.
fn quote(words: &mut [Token], plain: &str) {
    let spans = quotations(plain);
    let mut spans = spans.iter().peekable();
    for word in words {
        while spans.peek().is_some_and(|(_, end)| *end <= word.at) {
            spans.next();
        }
        word.quoted = spans.peek().is_some_and(|(start, _)| *start <= word.at);
    }
}

/// Where quotations stand in a text, without their marks.
pub(super) fn quotations(plain: &str) -> Vec<(usize, usize)> {
    let mut spans = Vec::new();
    let mut open: Option<(char, usize)> = None;
    let mut before = ' ';
    for (at, c) in plain.char_indices() {
        match (open, c) {
            (_, '\n') => open = None,
            (None, '"' | '`' | '「' | '『') => open = Some((c, at)),
            (None, '\'') if !before.is_alphanumeric() => open = Some((c, at)),
            (Some((mark, from)), _) if at - from > QUOTATION => {
                open = (c == mark).then_some((c, at));
            }
            (Some((mark, from)), c) => {
                let closes = match mark {
                    '「' => c == '」',
                    '『' => c == '』',
                    '\'' => {
                        c == '\''
                            && !plain[at + 1..]
                                .chars()
                                .next()
                                .is_some_and(char::is_alphanumeric)
                    }
                    mark => c == mark,
                };
                if closes {
                    spans.push((from + mark.len_utf8(), at));
                    open = None;
                }
            }
            _ => {}
        }
        before = c;
    }
    spans
}

fn single(word: &Token) -> bool {
    let mut chars = word.word.chars();
    chars.next().is_some_and(|c| !ideograph(c)) && chars.next().is_none()
}

fn ideograph_word(word: &Token) -> bool {
    word.word.chars().next().is_some_and(ideograph)
}

/// Scripts without blanks between words: each character is a word.
pub(super) fn ideograph(c: char) -> bool {
    matches!(c, '\u{E00}'..='\u{E7F}' | '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{323AF}')
}

/// True if a character begins a word.
fn letter(c: char, next: Option<char>) -> bool {
    c.is_alphanumeric() || (leet_sign(c) && next.is_some_and(char::is_alphanumeric))
}

fn leet_sign(c: char) -> bool {
    matches!(c, '@' | '$' | '!')
}

/// The words of an entry of a rule, as a text's are.
pub(super) fn entry(text: &str) -> Vec<String> {
    split(&super::super::plain::plain(text))
        .into_iter()
        .map(|token| skeleton(&token.word))
        .collect()
}
