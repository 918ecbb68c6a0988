//! The words of a query, each stem once and without those that say nothing.

use super::languages::Language;
use super::stems::{stem, term_in};
use super::stop_words::{language_bits, says_nothing};
use super::words::each_word;

/// Latin letters with a mark, such as `é`: English has none.
const MARKED: std::ops::RangeInclusive<char> = '\u{c0}'..='\u{24f}';

/// True if a query is seen to be in another language than English: it has a letter with a mark, half of its letters are of
/// another script, or it has more stop words of another language. One that says too little is not seen to be.
pub(crate) fn is_in_other_language(query: &str) -> bool {
    let (mut letters, mut others) = (0_usize, 0_usize);
    for c in query.chars().filter(|c| c.is_alphabetic()) {
        if MARKED.contains(&c) {
            return true;
        }
        letters += 1;
        others += usize::from(c > *MARKED.end());
    }
    if others > 0 && others >= letters - others {
        return true;
    }
    let mut words = AskedWords::default();
    each_word(query, |word, _| words.push(word));
    words.language() != Language::ENGLISH
}

/// Words of a query in lower case, each with its English stem, in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct AskedWords(Vec<(String, String)>);

impl AskedWords {
    /// Adds a word, unless another form of it is there.
    pub fn push(&mut self, word: &str) {
        let stem = stem(word);
        if !self.0.iter().any(|(_, held)| *held == *stem) {
            self.0.push((word.to_owned(), stem.into_owned()));
        }
    }

    /// Takes out words that say nothing in the query's language, unless there is nothing else or they are to be `kept`; and of several
    /// forms that a word has in that language all but the first.
    pub fn keep_telling(&mut self, kept: impl Fn(&str) -> bool) {
        let language = self.language();
        let telling = |(word, stem): &(String, String)| !says_nothing(word, stem, language);
        if self.0.iter().any(telling) {
            self.0.retain(|word| telling(word) || kept(&word.0));
        }
        if language != Language::ENGLISH {
            let mut held: Vec<String> = Vec::new();
            self.0.retain(|(word, _)| {
                let stem = stem(&term_in(word, language)).into_owned();
                let first = !held.contains(&stem);
                held.push(stem);
                first || kept(word)
            });
        }
    }

    /// By its stop words.
    fn language(&self) -> Language {
        Language::of_bits(self.0.iter().map(|(_, stem)| language_bits(stem)))
    }

    pub fn iter(&self) -> impl Iterator<Item = &(String, String)> {
        self.0.iter()
    }

    pub fn into_vec(self) -> Vec<(String, String)> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_seen_to_be_in_another_language() {
        for query in [
            "wie finde ich die langsame Abfrage",
            "Rundungsfehler bei Geldbeträgen",
            "медленный запрос к Postgres",
            "慢查询",
            "遅いクエリ in CI",
        ] {
            assert!(is_in_other_language(query), "{query}");
        }
        for query in [
            "",
            "1 + 1",
            "slow query",
            "postgres",
            "die on error",
            "the word привет in a log line",
            "der index",
        ] {
            assert!(!is_in_other_language(query), "{query}");
        }
    }
}
