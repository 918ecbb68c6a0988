//! The score of a query in every lesson: an absolute match of words, 0 to 1.
//!
//! `Σ idf(w) · x / (x + k) / total` over the stems `w` of the query, where `x` is the BM25F frequency of the stem in the
//! lesson: occurrences weighted by field, over `1 − b + b · length / usual length` (Robertson and Zaragoza, "The
//! Probabilistic Relevance Framework: BM25 and Beyond", 2009). `total` is what a lesson would get that is full of the
//! query's words, or of its five rarest: of a situation told at length no lesson has every word. A word that no lesson
//! has counts in it like the rarest. So a lesson with one common word out of two is a weak match, and a lesson's match
//! does not depend on what others there are, but for the words' rarity.

use super::asked::AskedWords;
use super::stems::{stem, stems_in};
use super::words::each_word_asked;
use super::{KeywordIndex, Posting, Said, UNIT};
use crate::lessons::Lessons;
use std::ops::Bound;

/// Saturation: the lower, the sooner repeating a word stops to matter. The customary value.
const K: f64 = 1.2;
/// Strength of holding long lessons back, 0 to 1. Measured on real lessons, 0.3 to 0.75 were alike, and 0 was worse.
const B: f64 = 0.5;
/// The length of a lesson that is not held back, in words: constant, so that a lesson's match does not depend on how
/// long others are.
const USUAL_LENGTH: f64 = 250.0;
/// So many words of a query, the rarest, make a full match. With all of them, one long question got half the match that
/// its few telling words got alone.
const FULL_MATCH_WORDS: usize = 5;
/// Lessons that are thought to be there beside those of the index, when the rarity of a word is reckoned: in a space of
/// three lessons, that two have a word says little of how common it is.
const PRIOR_LESSONS: f64 = 50.0;

/// The scores of a query in every lesson of an index.
#[derive(Debug)]
pub struct KeywordScores<'a> {
    index: &'a KeywordIndex,
    /// Per place; empty when no lesson has a word of the query.
    scored: Vec<Scored>,
    /// The idf of those that make a full match.
    total: f64,
    /// The idf of those that a lesson has.
    known: f64,
    /// The stem of the query's word, where it has one that counts.
    only: Option<String>,
}

/// The sums of a query in one lesson, of which its score is made.
#[derive(Debug, Clone, Copy, Default)]
struct Scored {
    /// Σ idf · x / (x + k).
    weight: f64,
    /// The idf of the words that the lesson has.
    held: f64,
    /// True if the lesson has one of them in its title, tags or technologies.
    is_named: bool,
}

/// Score and share of one lesson, 0 to 1 each.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct WordMatch {
    /// The match of the lesson's words with the query.
    pub score: f64,
    /// The share that it contains of the query's words that any lesson has.
    pub share: f64,
    /// True if it has one of them where it says what it is about: in its title, tags or technologies.
    pub is_named: bool,
}

/// A word of a query, as the index knows it.
struct QueryWord {
    stem: String,
    /// The terms of its stem.
    terms: Vec<u32>,
    /// In how many lessons of the space it is, where the index holds but candidates.
    having: usize,
    /// When the word may be the beginning of one: the terms that begin with it.
    beginnings: Vec<u32>,
}

impl KeywordIndex {
    /// The scores of all lessons for `query`. Stop words count only when there is nothing else; with `prefix` the last
    /// word may be the beginning of a word, and counts for more where it is a whole one. Linear in the postings of the
    /// query's words, plus 36 bytes per lesson.
    pub fn scores(&self, query: &str, prefix: bool) -> KeywordScores<'_> {
        let words = self.query_words(query, prefix);
        let mut scores = KeywordScores {
            index: self,
            scored: Vec::new(),
            total: 0.0,
            known: 0.0,
            only: match &words[..] {
                [word] if !prefix => Some(word.stem.clone()),
                _ => None,
            },
        };
        if words
            .iter()
            .all(|word| word.terms.is_empty() && word.beginnings.is_empty())
        {
            return scores;
        }
        // The same for every word.
        let held_back: Vec<f64> = self
            .lessons
            .iter()
            .map(|entry| {
                let length = entry.as_ref().map_or(0, |entry| entry.length);
                K * (1.0 - B + B * (f64::from(length) / USUAL_LENGTH))
            })
            .collect();
        scores.scored = vec![Scored::default(); self.lessons.len()];
        let mut merge = Merge::new(self.lessons.len());
        let mut idfs: Vec<f64> = words
            .iter()
            .map(|word| scores.add_word(word, &held_back, &mut merge))
            .collect();
        idfs.sort_unstable_by(|a, b| b.total_cmp(a));
        scores.total = idfs.iter().take(FULL_MATCH_WORDS).sum();
        scores
    }

    /// The words of a query, each stem once. A whole such as `row-level` counts where a lesson has it; else its parts
    /// alone do.
    fn query_words(&self, query: &str, prefix: bool) -> Vec<QueryWord> {
        let mut words = AskedWords::default();
        let mut last = String::new();
        let is_known = |name: &str| self.knows(name);
        each_word_asked(query, is_known, |word, whole| {
            word.clone_into(&mut last);
            if !whole || self.knows(word) {
                words.push(word);
            }
        });
        let open = prefix && query.ends_with(char::is_alphanumeric);
        words.keep_telling(|word| open && word == last);
        let mut words = words.into_vec();
        if let Some(counts) = &self.counts {
            // A very long query is ranked by those of its words that were asked for.
            words.retain(|(_, stem)| counts.was_asked(stem));
        }
        words
            .iter()
            .map(|(word, stem)| QueryWord {
                stem: stem.clone(),
                terms: self.terms_of(word),
                having: self.counts.as_ref().map_or(0, |counts| counts.having(stem)),
                beginnings: if open && *word == last {
                    let from = (Bound::Included(word.as_str()), Bound::Unbounded);
                    let begun = self
                        .sorted
                        .range::<str, _>(from)
                        .take_while(|(term, _)| term.starts_with(word.as_str()));
                    self.terms_in_use(begun.map(|(_, term)| term))
                } else {
                    Vec::new()
                },
            })
            .collect()
    }

    /// True if a lesson has a form of the word.
    fn knows(&self, word: &str) -> bool {
        self.counts
            .as_ref()
            .is_some_and(|counts| counts.having(&stem(word)) > 0)
            || !self.terms_of(word).is_empty()
    }

    /// The terms that are forms of a word, in whatever language their lessons are.
    fn terms_of(&self, word: &str) -> Vec<u32> {
        let stems = stems_in(word, &self.in_language);
        let terms = stems
            .iter()
            .filter_map(|stem| self.stems.get(stem.as_str()));
        self.terms_in_use(terms.flatten())
    }

    fn terms_in_use<'t>(&self, terms: impl Iterator<Item = &'t u32>) -> Vec<u32> {
        terms
            .copied()
            .filter(|term| !self.postings[*term as usize].is_empty())
            .collect()
    }

    /// Weighs a word by the number of lessons that have it: the fewer, the more. Never 0.
    fn idf(&self, having: usize) -> f64 {
        let lessons = self
            .counts
            .as_ref()
            .map_or(self.len(), |counts| counts.lessons.max(self.len()));
        let (all, having) = (lessons as f64 + PRIOR_LESSONS, having as f64);
        libm::log(1.0 + (all - having + 0.5) / (having + 0.5))
    }
}

/// Adds up the postings of several terms by place, in memory that is used again.
struct Merge {
    said: Vec<Said>,
    merged: Vec<Posting>,
}

impl Merge {
    fn new(places: usize) -> Self {
        Self {
            said: vec![Said::NOT; places],
            merged: Vec::new(),
        }
    }

    fn postings<'m>(&'m mut self, index: &'m KeywordIndex, terms: &[u32]) -> &'m [Posting] {
        if let [term] = terms {
            return &index.postings[*term as usize];
        }
        self.merged.clear();
        for posting in terms
            .iter()
            .flat_map(|term| &index.postings[*term as usize])
        {
            let said = &mut self.said[posting.place as usize];
            if *said == Said::NOT {
                self.merged.push(*posting);
            }
            *said = said.and(posting.said);
        }
        for posting in &mut self.merged {
            let said = &mut self.said[posting.place as usize];
            posting.said = std::mem::replace(said, Said::NOT);
        }
        &self.merged
    }
}

impl KeywordScores<'_> {
    /// The stem of the query's word, where it is one whole word beside those that say nothing.
    pub(crate) fn only_word(&self) -> Option<&str> {
        self.only.as_deref()
    }

    /// Adds one word's part, and gives back its idf. The terms that begin with it count as one word; a lesson with the word itself gets as much
    /// as it would without them.
    fn add_word(&mut self, word: &QueryWord, held_back: &[f64], merge: &mut Merge) -> f64 {
        let index = self.index;
        let mut counted = 0.0;
        for (terms, having) in [(&word.beginnings, 0), (&word.terms, word.having)] {
            let postings = merge.postings(index, terms);
            // The server that counts may part words otherwise; what is here is there.
            let having = having.max(postings.len());
            if having == 0 {
                continue;
            }
            let idf = index.idf(having) - counted;
            // The word's own forms may be more common than what begins with it.
            if idf > 0.0 {
                self.add(postings, idf, held_back);
                counted += idf;
            }
        }
        self.known += counted;
        if counted > 0.0 { counted } else { index.idf(0) }
    }

    /// Adds what a word with this `idf` scores in the lessons that have it.
    fn add(&mut self, postings: &[Posting], idf: f64, held_back: &[f64]) {
        for posting in postings {
            // Only places that hold a lesson have postings.
            let tf = f64::from(posting.said.weight()) / UNIT;
            let place = posting.place as usize;
            let scored = &mut self.scored[place];
            scored.weight += idf * tf / (tf + held_back[place]);
            scored.held += idf;
            scored.is_named |= posting.said.is_named();
        }
    }

    /// True if no lesson contains a word of the query.
    pub fn is_empty(&self) -> bool {
        self.scored.is_empty()
    }

    /// Returns the match of a lesson's words with the query, 0 to 1: 0 when it contains none of them.
    pub fn score(&self, slug: &str) -> f64 {
        self.word_match(self.at(slug)).score
    }

    /// Returns the share of the query that a lesson contains: the idf of the words it has over that of all
    /// words that the index knows, 0 to 1.
    pub fn share(&self, slug: &str) -> f64 {
        self.word_match(self.at(slug)).share
    }

    fn word_match(&self, scored: Scored) -> WordMatch {
        if scored.weight > 0.0 {
            let score = scored.weight / self.total;
            WordMatch {
                score: if score > 1.0 { 1.0 } else { score },
                share: scored.held / self.known,
                is_named: scored.is_named,
            }
        } else {
            WordMatch::default()
        }
    }

    /// The match of each of these lessons, in the order of their slugs.
    pub(crate) fn in_order(&self, lessons: &Lessons) -> Vec<WordMatch> {
        // In the same order of the same slugs, a lesson's place says which it is.
        if self.index.len() == lessons.len() && self.index.slugs == lessons.slugs() {
            let places = self.index.in_order().iter();
            let scored = places.map(|place| self.scored.get(*place as usize).copied());
            return scored
                .map(|scored| self.word_match(scored.unwrap_or_default()))
                .collect();
        }
        lessons
            .values()
            .map(|lesson| self.word_match(self.at(&lesson.slug)))
            .collect()
    }

    /// All lessons with a word of the query and their scores, best first.
    pub fn best(&self) -> Vec<(&str, f64)> {
        let mut best: Vec<(&str, f64)> = self
            .index
            .lessons
            .iter()
            .zip(&self.scored)
            .filter(|(_, scored)| scored.weight > 0.0)
            .filter_map(|(entry, scored)| {
                Some((&*entry.as_ref()?.slug, self.word_match(*scored).score))
            })
            .collect();
        best.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        best
    }

    fn at(&self, slug: &str) -> Scored {
        if self.scored.is_empty() {
            return Scored::default();
        }
        self.index
            .places
            .get(slug)
            .and_then(|place| self.scored.get(*place as usize))
            .copied()
            .unwrap_or_default()
    }
}
