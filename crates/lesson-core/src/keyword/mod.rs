//! Finding lessons by their words: a BM25F inverted index that follows every change.
//!
//! The scores of a query are in `scores.rs`.

mod alike;
mod asked;
mod counts;
mod languages;
mod packed;
mod scores;
mod stems;
mod stop_words;
mod words;

pub use alike::Alike;
pub(crate) use alike::WordComparison;
pub(crate) use asked::is_in_other_language;
pub use counts::{SpaceCounts, words_asked};
pub(crate) use counts::{stems_of, words_with_stems};
pub(crate) use packed::packed_shape;
pub use scores::KeywordScores;
pub(crate) use scores::WordMatch;

use crate::lesson::Lesson;
use crate::lessons::slug_hash;
use crate::space::Space;
use crate::stable_map::StableMap;
use crate::technologies::named_in_words;
use crate::text::Text;
use languages::{COUNT, Language};
use std::collections::BTreeMap;
use std::sync::OnceLock;
pub(crate) use stems::stem;
use stems::{parted, term_in};
use stop_words::language_bits;
use words::each_word;
pub(crate) use words::has_stem;

/// A title is chosen with care: a word there says most of what a lesson is about. The weights are those of the
/// reference that needs no fitting, 4 · 2 · 1.5 · 1 · 2; changing one by half moved no measure by a point.
const TITLE: u32 = 8;
/// Tags are given in order to be found by.
const TAGS: u32 = 4;
/// A technology named is what a lesson is used with.
const TECH: u32 = 4;
/// One or two sentences, each word weighed.
const DESCRIPTION: u32 = 4;
/// When the lesson holds: the situation in its author's words.
const CONTEXT: u32 = 3;
/// Long text, in which many words are said in passing.
const RECOMMENDATION: u32 = 2;
/// The weights above are in halves: a word said once in a recommendation counts once.
const UNIT: f64 = 2.0;

/// An inverted index over title, tags, tech stacks, description, context and recommendation.
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
    /// The terms of each stem, in the order in which they came.
    stems: StableMap<Box<str>, Vec<u32>>,
    /// Per term, ordered by place.
    postings: Vec<Vec<Posting>>,
    /// Per term, the languages of whose stop words it is one.
    languages_of: Vec<u16>,
    /// Number of lessons in each language.
    in_language: [u32; COUNT],
    /// Places of lessons in the order of their slugs, as long as those stay the same.
    by_slug: OnceLock<Vec<u32>>,
    /// Grows with every change.
    version: u64,
    /// The sum of all slugs' hashes, as `Lessons` has it.
    slugs: u64,
    /// The whole space, where the index holds but candidates of it.
    counts: Option<SpaceCounts>,
}

#[derive(Debug, Clone)]
struct Entry {
    slug: Box<str>,
    terms: Box<[u32]>,
    length: u32,
    language: Language,
}

#[derive(Debug, Clone, Copy)]
struct Posting {
    place: u32,
    said: Said,
}

/// Occurrences of a word in a lesson: their weighted sum, in halves, and in the lowest bit whether one of them is where the
/// lesson says what it is about, in title, tags or technologies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Said(u32);

impl Said {
    /// Nothing yet.
    const NOT: Self = Self(0);

    fn new(weight: u32, named: bool) -> Self {
        Self(weight << 1 | u32::from(named))
    }

    fn weight(self) -> u32 {
        self.0 >> 1
    }

    fn is_named(self) -> bool {
        self.0 & 1 == 1
    }

    fn and(self, other: Self) -> Self {
        let weight = self.weight().saturating_add(other.weight());
        Self::new(
            weight.min(u32::MAX >> 1),
            self.is_named() || other.is_named(),
        )
    }
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

    /// The space that the lessons here are but candidates of: how common words are is reckoned with its numbers, so that
    /// a lesson scores to the bit what it does in an index of all.
    pub fn count_as(&mut self, counts: SpaceCounts) {
        self.counts = Some(counts);
    }

    /// The numbers of the whole space, where these lessons are candidates of it.
    pub fn counts(&self) -> Option<&SpaceCounts> {
        self.counts.as_ref()
    }

    /// Returns the number of lessons that it holds.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Grows with every change: as long as it is the same, so are the words of all lessons.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// True if it holds no lesson.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Adds a lesson, in place of the one with its slug. Linear in the lesson's text.
    pub fn insert(&mut self, lesson: &Lesson) {
        // A lesson that changes keeps its place, and so its place in the order.
        if !self.take_out(&lesson.slug) {
            self.by_slug.take();
        }
        let (mut said, mut length) = self.said(&lesson.text, Language::ENGLISH);
        let signs = said.iter().map(|said| self.languages_of[said.0 as usize]);
        let language = Language::of_bits(signs);
        if language != Language::ENGLISH {
            (said, length) = self.said(&lesson.text, language);
        }
        let place = self.free.pop().unwrap_or_else(|| {
            self.lessons.push(None);
            (self.lessons.len() - 1) as u32
        });
        for (term, said) in &said {
            let postings = &mut self.postings[*term as usize];
            let at = postings.partition_point(|posting| posting.place < place);
            postings.insert(at, Posting { place, said: *said });
        }
        self.version += 1;
        self.slugs = self.slugs.wrapping_add(slug_hash(&lesson.slug));
        self.places.insert(lesson.slug.as_str().into(), place);
        self.lessons[place as usize] = Some(Entry {
            slug: lesson.slug.as_str().into(),
            terms: said.into_iter().map(|(term, _)| term).collect(),
            length,
            language,
        });
        self.in_language[language.place()] += 1;
    }

    /// The terms of a text in a language, each once with what it is said for, in the order of their numbers; and how many words it has.
    fn said(&mut self, text: &Text, language: Language) -> (Vec<(u32, Said)>, u32) {
        let mut said: Vec<(u32, Said)> = Vec::new();
        self.count_fields(text, language, |word| said.push(word));
        let length = u32::try_from(said.len()).unwrap_or(u32::MAX);
        said.sort_unstable();
        said.dedup_by(|again, held| {
            let same = again.0 == held.0;
            if same {
                held.1 = held.1.and(again.1);
            }
            same
        });
        (said, length)
    }

    fn count_fields(
        &mut self,
        text: &Text,
        language: Language,
        mut found: impl FnMut((u32, Said)),
    ) {
        let single = |field, weight| (std::slice::from_ref(field), Said::new(weight, false));
        let fields: [(&[String], Said); 6] = [
            (std::slice::from_ref(&text.title), Said::new(TITLE, true)),
            (&text.tags, Said::new(TAGS, true)),
            (&text.tech_stacks, Said::new(TECH, true)),
            single(&text.description, DESCRIPTION),
            single(&text.context, CONTEXT),
            single(&text.recommendation, RECOMMENDATION),
        ];
        for (field, said) in fields {
            for part in field {
                each_word(part, |word, _| {
                    found((self.term(&term_in(word, language)), said))
                });
                for name in named_in_words(part) {
                    found((self.term(name), said));
                }
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
        self.add_stem(word, term);
        term
    }

    /// Notes the stem of the newest term, and the languages that the term is a sign of.
    fn add_stem(&mut self, word: &str, term: u32) {
        let stem = stem(word);
        let english = parted(word).1 == Language::ENGLISH;
        self.languages_of
            .push(if english { language_bits(&stem) } else { 0 });
        match self.stems.get_mut(&*stem) {
            Some(terms) => terms.push(term),
            None => {
                self.stems.insert(stem.into(), vec![term]);
            }
        }
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
            self.in_language[entry.language.place()] -= 1;
            for term in entry.terms {
                let postings = &mut self.postings[term as usize];
                if let Ok(at) = postings.binary_search_by_key(&place, |posting| posting.place) {
                    postings.remove(at);
                }
            }
        }
        self.free.push(place);
        self.version += 1;
        true
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
}
