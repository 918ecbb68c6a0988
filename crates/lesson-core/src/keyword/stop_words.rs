//! Stop words, by which a text's language is recognised.

use super::languages::{LATIN, Language};
use super::stems::{english_stem, term_in};
use crate::stable_map::StableMap;
use crate::tools::STOP_WORDS;
use std::sync::OnceLock;

/// Stop words of languages that their script tells.
const OTHER_SCRIPTS: &str = "и в не на что с по как это из для от при или если то но за до же бы ли так все его её они мы вы я у о к а \
    та що й та з від або якщо це як до для і є не та її \
    και το να η ο την του με σε για από που δεν θα τα στο στη είναι αν ή \
    في من على إلى أن لا ما هذا هذه التي الذي كان مع عن أو إذا هو هي ثم كل \
    के में है की को का से और पर कि यह नहीं एक हैं लिए तो भी जो या ने कर \
    של את על לא זה עם אם או כי גם הוא היא";

/// The languages and the script of a stop word's stem.
#[derive(Clone, Copy, Default)]
struct Signs {
    /// A bit for each language that has it, English the lowest.
    languages: u16,
    /// True if it is one of a script other than Latin.
    other_script: bool,
}

fn signs(stem: &str) -> Signs {
    static TABLE: OnceLock<StableMap<Box<str>, Signs>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let mut table: StableMap<Box<str>, Signs> = StableMap::default();
        for word in STOP_WORDS {
            let held = table.entry(english_stem(word).into()).or_default();
            held.languages |= 1;
        }
        for (at, (_, _, words)) in LATIN.iter().enumerate() {
            for word in words.split(' ') {
                let held = table.entry(english_stem(word).into()).or_default();
                held.languages |= 2 << at;
            }
        }
        for word in OTHER_SCRIPTS.split_whitespace() {
            let held = table.entry(english_stem(word).into()).or_default();
            held.other_script = true;
        }
        table
    });
    table.get(stem).copied().unwrap_or_default()
}

/// The languages, as bits, of whose stop words a word with this English stem is one.
pub(super) fn language_bits(stem: &str) -> u16 {
    signs(stem).languages
}

/// True if a word says nothing about what a text of the language is about. `stem` is its English stem.
pub(super) fn says_nothing(word: &str, stem: &str, language: Language) -> bool {
    STOP_WORDS.binary_search(&word).is_ok() || {
        let signs = signs(stem);
        signs.other_script
            || language != Language::ENGLISH && signs.languages >> language.place() & 1 == 1
    }
}

/// Calls `found` for every stop word, as the index keeps it in lessons of its language.
pub(super) fn each_stop_term(mut found: impl FnMut(&str)) {
    STOP_WORDS.iter().for_each(|word| found(word));
    OTHER_SCRIPTS.split_whitespace().for_each(&mut found);
    for language in Language::others() {
        let words = language.stop_words().split(' ');
        words.for_each(|word| found(&term_in(word, language)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The server tells languages by the same stems.
    #[test]
    fn the_servers_stop_words_are_these() {
        let sql = include_str!("../../../../supabase/migrations/20261126100004_search.sql");
        let english: Vec<&str> = STOP_WORDS.to_vec();
        let english = english.join(" ");
        let rows = LATIN.iter().map(|(tag, _, words)| (*tag, *words));
        let mut lacking = String::new();
        for (tag, words) in std::iter::once(("en", english.as_str())).chain(rows) {
            let mut stems: Vec<String> = words
                .split(' ')
                .map(|word| english_stem(word).into_owned())
                .collect();
            stems.sort();
            stems.dedup();
            let row = format!("    ('{tag}', '{}')", stems.join(" "));
            if !sql.contains(&row) {
                lacking = format!("{lacking}{row},\n");
            }
        }
        assert_eq!(lacking, "", "the file of search lacks rows");
    }
}
