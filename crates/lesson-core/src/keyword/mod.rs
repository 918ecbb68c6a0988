//! Finding lessons by their words: a BM25 inverted index that follows every change.
//!
//! Score of a lesson for a query (Robertson and Zaragoza, "The Probabilistic Relevance Framework:
//! BM25 and Beyond", 2009): `Σ idf(w) · tf·(k1 + 1) / (tf + k1·(1 − b + b·length/average))` over
//! the query's words, `idf(w) = ln(1 + (N − df + 0.5)/(df + 0.5))`, `tf` weighted by field.

mod alike;
mod packed;
mod words;

pub use alike::Alike;
pub(crate) use packed::packed_shape;

use crate::lesson::{Lesson, Text};
use crate::lessons::{Lessons, slug_hash};
use crate::space::Space;
use crate::stable_map::StableMap;
use crate::tools::STOP_WORDS;
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::OnceLock;
use words::each_word;

/// How soon repeating a word stops to matter; the customary value.
const K1: f64 = 1.2;
/// How much long lessons are held back; the customary value.
const B: f64 = 0.75;

/// A title is chosen with care: a word there says most of what a lesson is about.
const TITLE: u32 = 6;
/// Tags are given in order to be found by.
const TAGS: u32 = 5;
/// A technology named is what a lesson is used with.
const TECH: u32 = 5;
/// One or two sentences, each word weighed.
const DESCRIPTION: u32 = 3;
/// Long text, in which many words are said in passing.
const RECOMMENDATION: u32 = 2;
/// The weights above are in halves: a word said once in a recommendation counts once.
const UNIT: f64 = 2.0;

/// An inverted index over title, tags, tech stacks, description and recommendation.
///
/// Equal sets of lessons give equal scores to the bit, in whatever order they came and went.
/// Memory: about 8 bytes per different word of a lesson, twice.
#[derive(Debug, Clone, Default)]
pub struct KeywordIndex {
    /// The lesson in each place; places of removed lessons are used again.
    lessons: Vec<Option<Entry>>,
    free: Vec<u32>,
    places: StableMap<Box<str>, u32>,
    terms: StableMap<Box<str>, u32>,
    /// The same terms in order, for prefixes.
    sorted: BTreeMap<Box<str>, u32>,
    /// Per term, ordered by place.
    postings: Vec<Vec<Posting>>,
    /// Places of lessons in the order of their slugs, as long as those stay the same.
    by_slug: OnceLock<Vec<u32>>,
    /// Sum of all lessons' lengths.
    length: u64,
    /// Grows with every change.
    version: u64,
    /// The sum of all slugs' hashes, as [`Lessons`] has it.
    slugs: u64,
}

#[derive(Debug, Clone)]
struct Entry {
    slug: Box<str>,
    terms: Box<[u32]>,
    length: u32,
}

#[derive(Debug, Clone, Copy)]
struct Posting {
    place: u32,
    /// Weighted occurrences, in halves.
    weight: u32,
}

impl KeywordIndex {
    /// An index of nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// An index of all lessons of a space, archived ones too.
    pub fn of_space(space: &Space) -> Self {
        let mut index = Self::new();
        for lesson in space.lessons() {
            index.insert(lesson);
        }
        index
    }

    /// How many lessons it holds.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Grows with every change: as long as it is the same, so are the words of all lessons.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Adds a lesson, in place of the one with its slug. Linear in the lesson's text.
    pub fn insert(&mut self, lesson: &Lesson) {
        // A lesson that changes keeps its place, and so its place in the order.
        if !self.take_out(&lesson.slug) {
            self.by_slug.take();
        }
        let mut said: Vec<(u32, u32)> = Vec::new();
        self.count_fields(&lesson.text, |word| said.push(word));
        let length = u32::try_from(said.len()).unwrap_or(u32::MAX);
        said.sort_unstable();
        said.dedup_by(|again, held| {
            let same = again.0 == held.0;
            if same {
                held.1 = held.1.saturating_add(again.1);
            }
            same
        });
        let place = self.free.pop().unwrap_or_else(|| {
            self.lessons.push(None);
            (self.lessons.len() - 1) as u32
        });
        for (term, weight) in &said {
            let postings = &mut self.postings[*term as usize];
            let at = postings.partition_point(|posting| posting.place < place);
            postings.insert(
                at,
                Posting {
                    place,
                    weight: *weight,
                },
            );
        }
        self.length += u64::from(length);
        self.version += 1;
        self.slugs = self.slugs.wrapping_add(slug_hash(&lesson.slug));
        self.places.insert(lesson.slug.as_str().into(), place);
        self.lessons[place as usize] = Some(Entry {
            slug: lesson.slug.as_str().into(),
            terms: said.into_iter().map(|(term, _)| term).collect(),
            length,
        });
    }

    fn count_fields(&mut self, text: &Text, mut found: impl FnMut((u32, u32))) {
        let single = |field, weight| (std::slice::from_ref(field), weight);
        let fields: [(&[String], u32); 5] = [
            single(&text.title, TITLE),
            (&text.tags, TAGS),
            (&text.tech_stacks, TECH),
            single(&text.description, DESCRIPTION),
            single(&text.recommendation, RECOMMENDATION),
        ];
        for (field, weight) in fields {
            for part in field {
                each_word(part, |word| found((self.term(word), weight)));
            }
        }
    }

    fn term(&mut self, word: &str) -> u32 {
        if let Some(term) = self.terms.get(word) {
            return *term;
        }
        let term = self.postings.len() as u32;
        self.postings.push(Vec::new());
        self.terms.insert(word.into(), term);
        self.sorted.insert(word.into(), term);
        term
    }

    /// Takes a lesson out; whether it was there.
    pub fn remove(&mut self, slug: &str) -> bool {
        self.by_slug.take();
        self.take_out(slug)
    }

    fn take_out(&mut self, slug: &str) -> bool {
        let Some(place) = self.places.remove(slug) else {
            return false;
        };
        self.slugs = self.slugs.wrapping_sub(slug_hash(slug));
        if let Some(entry) = self.lessons[place as usize].take() {
            for term in entry.terms {
                let postings = &mut self.postings[term as usize];
                if let Ok(at) = postings.binary_search_by_key(&place, |posting| posting.place) {
                    postings.remove(at);
                }
            }
            self.length -= u64::from(entry.length);
        }
        self.free.push(place);
        self.version += 1;
        true
    }

    /// The scores of all lessons for `query`. Stop words count only when there is nothing else;
    /// with `prefix` the last word may be the beginning of a word, and counts for more where it is a whole one.
    /// Linear in the postings of the query's words, plus 16 bytes per lesson.
    pub fn scores(&self, query: &str, prefix: bool) -> KeywordScores<'_> {
        let mut scores = KeywordScores {
            index: self,
            scored: Vec::new(),
            total: 0.0,
        };
        let words = self.query_terms(query, prefix);
        if words.is_empty() {
            return scores;
        }
        let average = self.length as f64 / self.len() as f64;
        // The same for every word.
        let held_back: Vec<f64> = self
            .lessons
            .iter()
            .map(|entry| {
                let length = entry.as_ref().map_or(0, |entry| entry.length);
                K1 * (1.0 - B + B * (f64::from(length) / average))
            })
            .collect();
        scores.scored = vec![(0.0, 0.0); self.lessons.len()];
        for word in words {
            self.score_word(&word, &held_back, &mut scores);
        }
        scores
    }

    /// The places that hold a lesson, in the order of slugs. Sorts when a lesson has come or gone.
    fn in_order(&self) -> &[u32] {
        self.by_slug.get_or_init(|| {
            let mut places: Vec<(&str, u32)> = self
                .lessons
                .iter()
                .zip(0..)
                .filter_map(|(entry, place)| Some((&*entry.as_ref()?.slug, place)))
                .collect();
            places.sort_unstable();
            places.into_iter().map(|(_, place)| place).collect()
        })
    }

    /// The terms of each word of the query that the index knows, one but for a prefix.
    fn query_terms(&self, query: &str, prefix: bool) -> Vec<QueryWord> {
        let mut words: Vec<String> = Vec::new();
        let mut last = String::new();
        each_word(query, |word| {
            word.clone_into(&mut last);
            if !words.iter().any(|held| held == word) {
                words.push(word.to_owned());
            }
        });
        let meaningful = |word: &String| STOP_WORDS.binary_search(&word.as_str()).is_err();
        if words.iter().any(meaningful) {
            words.retain(|word| meaningful(word) || (prefix && *word == last));
        }
        let open = prefix && query.ends_with(char::is_alphanumeric);
        words
            .iter()
            .map(|word| {
                let whole = self.terms.get(word.as_str()).copied();
                let whole = whole.filter(|term| !self.postings[*term as usize].is_empty());
                let terms: Vec<u32> = if open && *word == last {
                    self.sorted
                        .range::<str, _>((Bound::Included(word.as_str()), Bound::Unbounded))
                        .take_while(|(term, _)| term.starts_with(word.as_str()))
                        .map(|(_, term)| *term)
                        .filter(|term| !self.postings[*term as usize].is_empty())
                        .collect()
                } else {
                    whole.into_iter().collect()
                };
                QueryWord { terms, whole }
            })
            .filter(|word| !word.terms.is_empty())
            .collect()
    }

    /// Adds one word's share to the scores. The terms of a prefix count as one word, and a whole word as much as it would
    /// without them.
    fn score_word(&self, word: &QueryWord, held_back: &[f64], scores: &mut KeywordScores<'_>) {
        let merged;
        let postings: &[Posting] = if let [term] = word.terms.as_slice() {
            &self.postings[*term as usize]
        } else {
            let mut weights: BTreeMap<u32, u32> = BTreeMap::new();
            let terms = word.terms.iter();
            for posting in terms.flat_map(|term| &self.postings[*term as usize]) {
                let weight = weights.entry(posting.place).or_insert(0);
                *weight = weight.saturating_add(posting.weight);
            }
            merged = weights
                .into_iter()
                .map(|(place, weight)| Posting { place, weight })
                .collect::<Vec<_>>();
            &merged
        };
        let idf = self.idf(postings.len());
        scores.add(postings, idf, held_back);
        if let (Some(whole), [_, _, ..]) = (word.whole, word.terms.as_slice()) {
            let postings = &self.postings[whole as usize];
            scores.add(postings, self.idf(postings.len()) - idf, held_back);
        }
    }

    /// What a word counts that so many lessons have: the fewer, the more.
    fn idf(&self, having: usize) -> f64 {
        let (all, having) = (self.len() as f64, having as f64);
        libm::log(1.0 + (all - having + 0.5) / (having + 0.5))
    }
}

/// A word of a query, as the index knows it.
struct QueryWord {
    /// The terms that it stands for.
    terms: Vec<u32>,
    /// The one that it is, where there is one.
    whole: Option<u32>,
}

/// What a query scores in every lesson of an index.
#[derive(Debug)]
pub struct KeywordScores<'a> {
    index: &'a KeywordIndex,
    /// Per place: BM25, and the idf of the query words it contains.
    scored: Vec<(f64, f64)>,
    /// The idf of all query words that the index knows.
    total: f64,
}

impl KeywordScores<'_> {
    /// Adds what a word with this `idf` scores in the lessons that have it.
    fn add(&mut self, postings: &[Posting], idf: f64, held_back: &[f64]) {
        self.total += idf;
        for posting in postings {
            // Only places that hold a lesson have postings.
            let tf = f64::from(posting.weight) / UNIT;
            let place = posting.place as usize;
            let held = &mut self.scored[place];
            held.0 += idf * tf * (K1 + 1.0) / (tf + held_back[place]);
            held.1 += idf;
        }
    }

    /// Whether no lesson contains a word of the query.
    pub fn is_empty(&self) -> bool {
        self.scored.is_empty()
    }

    /// The BM25 score of a lesson: 0 when it contains no word of the query, unbounded above.
    pub fn score(&self, slug: &str) -> f64 {
        self.held(slug).0
    }

    /// How much of the query a lesson contains: the idf of the words it has over that of all
    /// words that the index knows, 0 to 1.
    pub fn share(&self, slug: &str) -> f64 {
        let (_, contained) = self.held(slug);
        if contained > 0.0 {
            contained / self.total
        } else {
            0.0
        }
    }

    /// Score and share of each of these lessons, in the order of their slugs; 0 of one without a word of the query.
    pub(crate) fn in_order(&self, lessons: &Lessons) -> Vec<(f64, f64)> {
        let held = |(score, contained): (f64, f64)| {
            if score > 0.0 {
                (score, contained / self.total)
            } else {
                (0.0, 0.0)
            }
        };
        // In the same order of the same slugs, a lesson's place says which it is.
        if self.index.len() == lessons.len() && self.index.slugs == lessons.slugs() {
            let places = self.index.in_order().iter();
            let scored = places.map(|place| self.scored.get(*place as usize).copied());
            return scored
                .map(|scored| held(scored.unwrap_or_default()))
                .collect();
        }
        lessons
            .values()
            .map(|lesson| held(self.held(&lesson.slug)))
            .collect()
    }

    /// All lessons with a word of the query and their scores, best first.
    pub fn best(&self) -> Vec<(&str, f64)> {
        let mut best: Vec<(&str, f64)> = self
            .index
            .lessons
            .iter()
            .zip(&self.scored)
            .filter(|(_, (score, _))| *score > 0.0)
            .filter_map(|(entry, (score, _))| Some((&*entry.as_ref()?.slug, *score)))
            .collect();
        best.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        best
    }

    fn held(&self, slug: &str) -> (f64, f64) {
        if self.scored.is_empty() {
            return (0.0, 0.0);
        }
        self.index
            .places
            .get(slug)
            .and_then(|place| self.scored.get(*place as usize))
            .copied()
            .unwrap_or((0.0, 0.0))
    }
}
