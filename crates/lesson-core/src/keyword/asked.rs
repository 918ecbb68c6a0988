//! The words of a query, each stem once and without those that say nothing.

use super::languages::Language;
use super::stems::{stem, term_in};
use super::stop_words::{language_bits, says_nothing};

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
        let bits = self.0.iter().map(|(_, stem)| language_bits(stem));
        let language = Language::of_bits(bits);
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

    pub fn iter(&self) -> impl Iterator<Item = &(String, String)> {
        self.0.iter()
    }

    pub fn into_vec(self) -> Vec<(String, String)> {
        self.0
    }
}
