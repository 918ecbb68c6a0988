//! Words to their stems: by the script of a word, and by the language of the lesson that it is in.

use super::languages::{COUNT, Language};
use crate::technologies::name_of_word;
use rust_stemmers::{Algorithm, Stemmer};
use std::borrow::Cow;

/// Shortest and longest word that has a stem other than itself, in bytes.
const STEMMED: std::ops::RangeInclusive<usize> = 3..=32;
/// Parts a word from the tag of its language. No word has one.
const TAGGED: char = '@';

/// Latin letters with a mark, and what they are without.
const MARKED: [(&str, &str); 23] = [
    ("àáâãäåāăą", "a"),
    ("çćĉċč", "c"),
    ("ďđ", "d"),
    ("èéêëēĕėęě", "e"),
    ("ĝğġģ", "g"),
    ("ĥħ", "h"),
    ("ìíîïĩīĭįı", "i"),
    ("ĵ", "j"),
    ("ķ", "k"),
    ("ĺļľŀł", "l"),
    ("ñńņňŋ", "n"),
    ("òóôõöøōŏő", "o"),
    ("ŕŗř", "r"),
    ("śŝşšș", "s"),
    ("ţťŧț", "t"),
    ("ùúûüũūŭůűų", "u"),
    ("ŵ", "w"),
    ("ýÿŷ", "y"),
    ("źżž", "z"),
    ("ß", "ss"),
    ("æ", "ae"),
    ("œ", "oe"),
    ("ё", "е"),
];

/// A word without the marks on its letters: `größe` → `grosse`.
fn folded(word: &str) -> Cow<'_, str> {
    if word.is_ascii() {
        return Cow::Borrowed(word);
    }
    let mut plain = String::with_capacity(word.len());
    for c in word.chars() {
        let row = (!c.is_ascii()).then(|| MARKED.iter().find(|(marked, _)| marked.contains(c)));
        match row.flatten() {
            Some((_, letter)) => plain.push_str(letter),
            None => plain.push(c),
        }
    }
    Cow::Owned(plain)
}

/// The stem of a lower-cased word that is not known to be of another language, by the English Snowball rules (Porter2):
/// `caching` and `cached` → `cach`; of words in Cyrillic, Greek, Arabic and Tamil letters by the rules of Russian and so on. Marks on
/// letters are dropped. Identifiers, numbers and words of other scripts are their own stems.
pub(super) fn english_stem(word: &str) -> Cow<'_, str> {
    let plain = folded(word);
    if !STEMMED.contains(&plain.len()) {
        return plain;
    }
    if plain.bytes().all(|b| b.is_ascii_lowercase()) {
        return stemmed(Algorithm::English, plain);
    }
    if plain.is_ascii() {
        return plain;
    }
    let all = |range: std::ops::RangeInclusive<char>| plain.chars().all(|c| range.contains(&c));
    let algorithm = if all('\u{430}'..='\u{45f}') {
        Algorithm::Russian
    } else if all('\u{370}'..='\u{3ff}') {
        Algorithm::Greek
    } else if all('\u{621}'..='\u{652}') {
        Algorithm::Arabic
    } else if all('\u{b80}'..='\u{bff}') {
        Algorithm::Tamil
    } else {
        return plain;
    };
    stemmed(algorithm, plain)
}

fn stemmed(algorithm: Algorithm, word: Cow<'_, str>) -> Cow<'_, str> {
    let stemmer = Stemmer::create(algorithm);
    match word {
        Cow::Borrowed(word) => stemmer.stem(word),
        Cow::Owned(word) => Cow::Owned(stemmer.stem(&word).into_owned()),
    }
}

/// True if a word's stem depends on the language of its lesson: it has Latin letters only.
fn is_latin(word: &str) -> bool {
    let letter = |c: char| {
        c.is_ascii_lowercase() || matches!(c, '\u{df}'..='\u{17f}' | 'ș' | 'ț') && c != '÷'
    };
    STEMMED.contains(&word.len()) && word.chars().all(letter)
}

/// A word as the index keeps it for a lesson in `language`: `index` → `index@de`. Words whose stems don't depend on it stay as they are, and
/// so do ways to write a technology.
pub(super) fn term_in(word: &str, language: Language) -> Cow<'_, str> {
    match language.tag() {
        Some(tag) if is_latin(word) && name_of_word(word).is_none() => {
            Cow::Owned(format!("{word}{TAGGED}{tag}"))
        }
        _ => Cow::Borrowed(word),
    }
}

/// A term as it was said, and the language that it is kept for.
pub(super) fn parted(term: &str) -> (&str, Language) {
    term.rsplit_once(TAGGED)
        .and_then(|(word, tag)| Some((word, Language::tagged(tag)?)))
        .unwrap_or((term, Language::ENGLISH))
}

/// The stem of a term. Terms of different languages have none in common.
///
/// The ways to write a technology have the stem of its name: `next.js` and `nextjs`, `postgres` and `postgresql`.
pub(crate) fn stem(term: &str) -> Cow<'_, str> {
    match parted(term) {
        (word, Language::ENGLISH) => english_stem(name_of_word(word).unwrap_or(word)),
        (word, language) => {
            let stem = stemmed(language.algorithm(), Cow::Borrowed(word));
            let tag = language.tag().unwrap_or_default();
            Cow::Owned(format!("{}{TAGGED}{tag}", folded(&stem)))
        }
    }
}

/// The stems by which a word is looked for in lessons of these languages: its English one first.
pub(super) fn stems_in(word: &str, lessons: &[u32; COUNT]) -> Vec<String> {
    let mut stems = vec![stem(word).into_owned()];
    for language in Language::others().filter(|language| lessons[language.place()] > 0) {
        if let Cow::Owned(term) = term_in(word, language) {
            stems.push(stem(&term).into_owned());
        }
    }
    stems
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_have_the_stems_of_their_language() {
        for (one, other, tag) in [
            ("datenbank", "datenbanken", "de"),
            ("configuración", "configuraciones", "es"),
            ("requête", "requêtes", "fr"),
            ("configuração", "configurações", "pt"),
            ("richieste", "richiesta", "it"),
        ] {
            let language = Language::tagged(tag).expect("known");
            let stem_of = |word| stem(&term_in(word, language)).into_owned();
            assert_eq!(stem_of(one), stem_of(other), "{tag}");
            assert!(stem_of(one).ends_with(tag));
        }
        assert_eq!(stem("запросы"), stem("запросов"));
        assert_eq!(stem("naïve"), stem("naive"));
        assert_eq!(stem("größe"), stem("grösse"));
    }

    proptest! {
        /// No word is too odd for the rules of any language.
        #[test]
        fn any_word_has_a_stem(word in "[a-zß-ſа-яα-ωء-ْ஀-ௐ]{0,20}", odd in any::<String>()) {
            for word in [word, odd.to_lowercase()] {
                for language in Language::others() {
                    stem(&term_in(&word, language));
                }
                stem(&word);
            }
        }
    }
}
