//! Splits text into the words that are indexed and asked for.

use super::stems::stem;
use crate::technologies::named_in_parts;

/// Characters that join the parts of an identifier, such as `row-level` or `node.js`.
const JOINERS: [char; 5] = ['-', '_', '.', '/', ':'];

/// Longest word that is kept, in bytes: longer ones are data, not words.
const LONGEST: usize = 64;

/// Calls `word` for every word of `text`, lower-cased, in order, and with whether it is a whole whose parts come too.
///
/// A word is a run of letters and digits; apostrophes inside are dropped. Runs joined by one of
/// `- _ . / :` give the whole and each part: `row-level` → `row-level`, `row`, `level`. A change
/// from lower to upper case parts a run: `localStorage` → `localstorage`, `local`, `storage`. A
/// trailing `#` or `++` belongs to the whole: `c#` → `c#`, `c`. Scripts written without spaces, and Korean, whose words take
/// endings, give every two neighbours: `数据库` → `数据`, `据库`. Marks that combine with a letter are dropped.
pub(super) fn each_word(text: &str, mut word: impl FnMut(&str, bool)) {
    let mut lowered = String::new();
    let mut emit = |run: &str, whole: bool| {
        if !run.is_empty() && run.len() <= LONGEST {
            lower_into(&mut lowered, run);
            word(&lowered, whole);
        }
    };
    let mut rest = text;
    while let Some(start) = rest.find(char::is_alphanumeric) {
        rest = &rest[start..];
        let run = rest.find(|c| !in_pairs(c)).unwrap_or(rest.len());
        if run > 0 {
            each_pair(&rest[..run], |pair| emit(pair, false));
            rest = &rest[run..];
            continue;
        }
        let (length, simple) = identifier(rest);
        let whole = &rest[..length];
        rest = &rest[length..];
        if simple {
            emit(whole, false);
            continue;
        }
        let mut parts = 0;
        each_part(whole, |_| parts += 1);
        if parts > 1 || !whole.ends_with(char::is_alphanumeric) {
            emit(whole, true);
        }
        each_part(whole, |part| emit(part, false));
    }
}

/// True if a text has a word of this stem.
pub(crate) fn has_stem(text: &str, wanted: &str) -> bool {
    let mut found = false;
    each_word_asked(text, |_| true, |word, _| found |= stem(word) == wanted);
    found
}

/// Calls `word` for every word of a query: of a technology that it names in parts (`Next JS`, `Next.js`), `is_known` says
/// whether the name stands for them.
pub(super) fn each_word_asked(
    query: &str,
    is_known: impl Fn(&str) -> bool,
    mut word: impl FnMut(&str, bool),
) {
    let mut at = 0;
    for (named, name) in named_in_parts(query) {
        if is_known(name) {
            each_word(&query[at..named.start], &mut word);
            word(name, false);
            at = named.end;
        }
    }
    each_word(&query[at..], word);
}

fn lower_into(lowered: &mut String, run: &str) {
    lowered.clear();
    if run.bytes().all(|b| b.is_ascii_alphanumeric()) {
        lowered.push_str(run);
        lowered.make_ascii_lowercase();
        return;
    }
    lowered.extend(
        run.chars()
            .filter(|c| !is_apostrophe(*c))
            .flat_map(char::to_lowercase)
            .filter(|c| !is_mark(*c))
            // A final sigma is the same letter as one inside a word.
            .map(|c| if c == 'ς' { 'σ' } else { c }),
    );
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’')
}

/// A mark that combines with the letter before it, as some systems write `é`.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

/// Belongs to a word, and is no letter: signs of Indic scripts that join or end a syllable, which hold no vowel.
fn is_inside(c: char) -> bool {
    is_apostrophe(c)
        || is_mark(c)
        || matches!(u32::from(c), 0x0900..=0x0DFF if !c.is_ascii_punctuation() && !is_danda(c))
}

fn is_danda(c: char) -> bool {
    matches!(c, '\u{964}' | '\u{965}')
}

/// Han, Hiragana, Katakana, Thai, Hangul: written without spaces, or with endings that no rule here parts off.
fn in_pairs(c: char) -> bool {
    matches!(u32::from(c), 0x0E00..=0x0E7F | 0x3040..=0x30FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF
        | 0xAC00..=0xD7A3 | 0xF900..=0xFAFF | 0x20000..=0x323AF)
}

/// Calls `pair` for every two neighbours of a run, or for its only character.
fn each_pair<'a>(run: &'a str, mut pair: impl FnMut(&'a str)) {
    let starts = || run.char_indices().map(|(at, _)| at);
    let ends = starts().skip(2).chain([run.len()]);
    for (start, end) in starts().zip(ends) {
        pair(&run[start..end]);
    }
}

/// Length in bytes of the identifier that `text` begins with, and whether it is a single run
/// without parts.
fn identifier(text: &str) -> (usize, bool) {
    let mut end = 0;
    let mut simple = true;
    let mut after_lower = false;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c.is_ascii_lowercase() {
            after_lower = true;
            end = at + 1;
            continue;
        }
        if in_pairs(c) {
            return (end, simple);
        }
        if c.is_alphanumeric() {
            simple &= !(after_lower && c.is_uppercase());
            after_lower = c.is_lowercase();
            end = at + c.len_utf8();
            continue;
        }
        if is_inside(c) && !is_apostrophe(c) {
            end = at + c.len_utf8();
            continue;
        }
        after_lower = false;
        let goes_on = chars
            .peek()
            .is_some_and(|(_, next)| next.is_alphanumeric() && !in_pairs(*next));
        if goes_on && (JOINERS.contains(&c) || is_apostrophe(c)) {
            simple = false;
            continue;
        }
        let tail = &text[at..];
        if tail.starts_with("++") {
            return (at + 2, false);
        }
        if tail.starts_with('#') && !goes_on {
            return (at + 1, false);
        }
        break;
    }
    (end, simple)
}

/// The parts of an identifier, in order.
fn each_part<'a>(whole: &'a str, mut part: impl FnMut(&'a str)) {
    let is_word = |c: char| c.is_alphanumeric() || is_inside(c);
    for run in whole.split(|c: char| !is_word(c)) {
        let mut start = 0;
        let mut before_lower = false;
        for (at, c) in run.char_indices() {
            if before_lower && c.is_uppercase() {
                part(&run[start..at]);
                start = at;
            }
            before_lower = c.is_lowercase();
        }
        if start < run.len() {
            part(&run[start..]);
        }
    }
}
