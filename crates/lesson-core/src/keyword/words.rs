//! Splits text into the words that are indexed and asked for, and words into their stems.

use crate::technologies::{name_of_word, named_in_parts};
use rust_stemmers::{Algorithm, Stemmer};
use std::borrow::Cow;

/// Characters that join the parts of an identifier, such as `row-level` or `node.js`.
const JOINERS: [char; 5] = ['-', '_', '.', '/', ':'];

/// Longest word that is kept, in bytes: longer ones are data, not words.
const LONGEST: usize = 64;

/// Shortest and longest word that has a stem other than itself, in bytes.
const STEMMED: std::ops::RangeInclusive<usize> = 3..=32;

/// The stem of a lower-cased word, by the English Snowball rules (Porter2): `caching` and `cached` → `cach`. Words that
/// are not all letters a–z are their own stems: identifiers, numbers, other scripts.
///
/// The ways to write a technology have the stem of its name: `next.js` and `nextjs`, `postgres` and `postgresql`.
pub(crate) fn stem(word: &str) -> Cow<'_, str> {
    let word = name_of_word(word).unwrap_or(word);
    if STEMMED.contains(&word.len()) && word.bytes().all(|b| b.is_ascii_lowercase()) {
        Stemmer::create(Algorithm::English).stem(word)
    } else {
        Cow::Borrowed(word)
    }
}

/// Calls `word` for every word of `text`, lower-cased, in order, and with whether it is a whole whose parts come too.
///
/// A word is a run of letters and digits; apostrophes inside are dropped. Runs joined by one of
/// `- _ . / :` give the whole and each part: `row-level` → `row-level`, `row`, `level`. A change
/// from lower to upper case parts a run: `localStorage` → `localstorage`, `local`, `storage`. A
/// trailing `#` or `++` belongs to the whole: `c#` → `c#`, `c`. Scripts written without spaces
/// give one word per character.
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

/// Whether a text has a word of this stem.
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
            // A final sigma is the same letter as one inside a word.
            .map(|c| if c == 'ς' { 'σ' } else { c }),
    );
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’')
}

/// Han, Hiragana, Katakana, Thai: written without spaces.
fn stands_alone(c: char) -> bool {
    matches!(u32::from(c), 0x0E00..=0x0E7F | 0x3040..=0x30FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF
        | 0xF900..=0xFAFF | 0x20000..=0x323AF)
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
        if stands_alone(c) {
            return if at == 0 {
                (c.len_utf8(), true)
            } else {
                (at, simple)
            };
        }
        if c.is_alphanumeric() {
            simple &= !(after_lower && c.is_uppercase());
            after_lower = c.is_lowercase();
            end = at + c.len_utf8();
            continue;
        }
        after_lower = false;
        let goes_on = chars
            .peek()
            .is_some_and(|(_, next)| next.is_alphanumeric() && !stands_alone(*next));
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
    let is_word = |c: char| c.is_alphanumeric() || is_apostrophe(c);
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
