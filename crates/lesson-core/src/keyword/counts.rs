//! The numbers of a space of which only candidates are held: how many lessons it has, and how many of them have a word.

use super::asked::AskedWords;
use super::stems::stem;
use super::words::each_word;
use crate::stable_map::StableMap;
use crate::technologies::{name_of_word, named_in_parts, other_words};
use std::collections::BTreeSet;

/// The numbers of a space by which candidates of it are ranked as if all of it were held.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SpaceCounts {
    /// Lessons of the space, archived ones too.
    pub lessons: usize,
    /// Number of them that have a vector of the model at hand; `None` where vectors are not compared.
    pub with_vector: Option<usize>,
    /// In how many lessons each stem is.
    having: StableMap<Box<str>, usize>,
}

impl SpaceCounts {
    /// The numbers of a space. `words` are those of [`words_asked`], each with the number of lessons that have a form of it.
    pub fn new<'a>(
        lessons: usize,
        with_vector: Option<usize>,
        words: impl IntoIterator<Item = (&'a str, usize)>,
    ) -> Self {
        let mut of_stem: StableMap<Box<str>, usize> = StableMap::default();
        for (word, having) in words {
            // Several ways to write a technology have one stem.
            let held = of_stem.entry(stem(word).into()).or_default();
            *held = having.max(*held);
        }
        Self {
            lessons,
            with_vector,
            having: of_stem,
        }
    }

    /// In how many lessons a stem is; 0 for one that was not asked for.
    pub(super) fn having(&self, stem: &str) -> usize {
        self.having.get(stem).copied().unwrap_or(0)
    }

    /// True if a stem was asked for.
    pub(super) fn was_asked(&self, stem: &str) -> bool {
        self.having.contains_key(stem)
    }
}

/// The words of a query in lower case, each with its stem and each stem once, without those that say nothing.
pub(crate) fn words_with_stems(query: &str) -> Vec<(String, String)> {
    let mut words = AskedWords::default();
    each_word(query, |word, _| words.push(word));
    words.keep_telling(|_| false);
    words.into_vec()
}

/// Adds the stems of a text's words.
pub(crate) fn stems_of(text: &str, stems: &mut BTreeSet<String>) {
    each_word(text, |word, _| {
        stems.insert(stem(word).into_owned());
    });
}

/// The words of a query whose numbers ranking asks for, in lower case and each stem once, up to `most`: wholes such as
/// `row-level` too, and stop words only where there is nothing else. A technology comes in each way to write it as a word,
/// since the server knows words only.
pub fn words_asked(query: &str, most: usize) -> Vec<String> {
    let mut words = AskedWords::default();
    each_word(query, |word, _| words.push(word));
    words.keep_telling(|_| false);
    let mut asked: Vec<String> = Vec::new();
    let mut ask = |word: &str| {
        if asked.len() < most && !asked.iter().any(|held| held == word) {
            asked.push(word.to_owned());
        }
    };
    let in_parts = named_in_parts(query).into_iter().map(|(_, name)| name);
    for name in in_parts {
        ask(name);
        other_words(name).for_each(&mut ask);
    }
    for (word, _) in words.iter() {
        ask(word);
        let name = name_of_word(word).unwrap_or(word);
        if name != word {
            ask(name);
        }
        other_words(name).for_each(&mut ask);
    }
    asked
}
