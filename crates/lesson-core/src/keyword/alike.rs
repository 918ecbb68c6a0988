//! Pairs of lessons that say almost the same words, without comparing each with each.
//!
//! Every lesson gets a sketch of its words by one-permutation min-hashing (Li, Owen and Zhang,
//! 2012; empty bins are filled as by Shrivastava, "Optimal Densification", 2017). Sketches are cut
//! into bands, and lessons with an equal band are looked at: two that share 60 % of their words
//! meet in at least one band 97 times in 100, two that share 20 % once in 8.

use super::stems::{english_stem, parted};
use super::stop_words::{each_stop_term, says_nothing};
use super::{Entry, KeywordIndex};
use crate::stable_map::{Mix, StableMap};
use std::hash::Hasher;

/// Values in a sketch.
const BINS: usize = 48;
/// Values in a band: more make bands of unlike lessons differ, and those of alike ones too.
const ROWS: usize = 3;
/// Lessons after it in the same band that a lesson is compared with, so that a thousand equal
/// lessons are not compared a million times.
const NEIGHBOURS: usize = 8;
/// The most sketches that are compared, the most lessons of those, and the most pairs that are
/// found. Only a store whose lessons all share their words comes near.
const LOOKS: usize = 4_000_000;
const COMPARED: usize = 300_000;
const FOUND: usize = 20_000;
/// Margin by which a sketch's estimate may lie below the share that is wanted.
const SLACK: f64 = 0.2;
/// Lessons with fewer words are alike only when they have the same ones.
const FEWEST: u32 = 4;

/// Two lessons that share most of their words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Alike<'a> {
    /// The one that came first.
    pub first: &'a str,
    /// The other.
    pub second: &'a str,
    /// Words that both have, of the words that either has: 0 to 1. Words that say nothing are
    /// left out.
    pub share: f64,
}

/// A lesson's words.
struct Sketch<'a, 'i> {
    slug: &'a str,
    entry: &'i Entry,
    /// Number of its words that say something.
    size: u32,
    bins: [u16; BINS],
}

impl KeywordIndex {
    /// Pairs of these lessons that share at least `least` of their words, 0.4 to 1. Nearly all of
    /// them: that one is missed is unlikely, and the more so the more alike they are. Equal
    /// lessons in an equal order give equal pairs.
    ///
    /// Time is that of sorting the lessons a few times, and of comparing those that meet: 10 ms
    /// for 10,000. Memory is about 150 bytes per lesson.
    pub fn alike<'a>(
        &self,
        slugs: impl IntoIterator<Item = &'a str>,
        least: f64,
    ) -> Vec<Alike<'a>> {
        let hashes = self.term_hashes();
        let sketches: Vec<Sketch<'a, '_>> = slugs
            .into_iter()
            .filter_map(|slug| {
                let place = *self.places.get(slug)?;
                let entry = self.lessons.get(place as usize)?.as_ref()?;
                Sketch::of(slug, entry, &hashes)
            })
            .collect();
        let mut found = Vec::new();
        let mut met: StableMap<u64, ()> = StableMap::default();
        let mut looks = LOOKS;
        let mut compared = COMPARED;
        let mut keyed: Vec<(u64, u32)> = Vec::with_capacity(sketches.len());
        for band in 0..BINS / ROWS {
            keyed.clear();
            keyed.extend((0..).zip(&sketches).map(|(at, one)| (one.band(band), at)));
            keyed.sort_unstable();
            for run in keyed.chunk_by(|a, b| a.0 == b.0) {
                for (place, (_, at)) in run.iter().enumerate() {
                    for (_, other) in run[place + 1..].iter().take(NEIGHBOURS) {
                        if looks == 0 || compared == 0 || found.len() == FOUND {
                            return found;
                        }
                        looks -= 1;
                        let (first, second) = (&sketches[*at as usize], &sketches[*other as usize]);
                        if first.estimate(second) < least - SLACK
                            || met
                                .insert(u64::from(*at) << 32 | u64::from(*other), ())
                                .is_some()
                        {
                            continue;
                        }
                        compared -= 1;
                        let share = first.share(second, &hashes);
                        if share >= least {
                            found.push(Alike {
                                first: first.slug,
                                second: second.slug,
                                share,
                            });
                        }
                    }
                }
            }
        }
        found
    }

    /// A hash of every term, 0 for one that says nothing. Of the word itself: its number depends
    /// on which lesson came first.
    fn term_hashes(&self) -> Vec<u64> {
        let mut hashes = vec![0; self.postings.len()];
        for (word, term) in &self.terms {
            if !term_says_nothing(word) {
                hashes[*term as usize] = mixed(|mix| mix.write(word.as_bytes())) | 1;
            }
        }
        hashes
    }
}

/// True if a term is a stop word of its lessons' language.
fn term_says_nothing(term: &str) -> bool {
    let (word, language) = parted(term);
    says_nothing(word, &english_stem(word), language)
}

/// Words that two lessons have, those that say nothing left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct SharedWords {
    pub both: u32,
    first: u32,
    second: u32,
}

impl SharedWords {
    /// Words that both have, of the words that either has: 0 to 1.
    pub fn share(self) -> f64 {
        self.of(self.first + self.second - self.both)
    }

    /// Words that both have, of the second one's: 0 to 1.
    pub fn of_second(self) -> f64 {
        self.of(self.second)
    }

    fn of(self, whole: u32) -> f64 {
        if whole == 0 || (self.both < FEWEST && self.both < whole) {
            return 0.0;
        }
        f64::from(self.both) / f64::from(whole)
    }
}

/// Compares the words of a few lessons.
pub(crate) struct WordComparison<'i> {
    index: &'i KeywordIndex,
    /// The terms that say nothing, in order.
    stop: Vec<u32>,
}

impl<'i> WordComparison<'i> {
    /// Costs a look at every stop word of every language, not at the lessons.
    pub fn new(index: &'i KeywordIndex) -> Self {
        let mut stop: Vec<u32> = Vec::new();
        each_stop_term(|term| stop.extend(index.terms.get(term)));
        stop.sort_unstable();
        Self { index, stop }
    }

    /// The words that two lessons share; none where one is not in the index. Linear in their words.
    pub fn shared(&self, first: &str, second: &str) -> SharedWords {
        let (Some(a), Some(b)) = (self.terms(first), self.terms(second)) else {
            return SharedWords::default();
        };
        SharedWords {
            both: self.speaking(a, |term| b.binary_search(term).is_ok()),
            first: self.speaking(a, |_| true),
            second: self.speaking(b, |_| true),
        }
    }

    fn terms(&self, slug: &str) -> Option<&[u32]> {
        let place = *self.index.places.get(slug)?;
        let entry = self.index.lessons.get(place as usize)?.as_ref()?;
        Some(&entry.terms)
    }

    /// Counts those of these terms that say something and are wanted.
    fn speaking(&self, terms: &[u32], wanted: impl Fn(&u32) -> bool) -> u32 {
        let counted = terms
            .iter()
            .filter(|term| wanted(term) && self.stop.binary_search(term).is_err());
        counted.count() as u32
    }
}

/// A hash of little, mixed twice: once leaves every bit to those below it, and bins would be filled from the same few.
fn mixed(write: impl Fn(&mut Mix)) -> u64 {
    let mut mix = Mix::default();
    write(&mut mix);
    let once = mix.finish();
    mix.write_u64(once);
    mix.finish()
}

/// The bin that a hash falls into, by its upper half.
fn bin_of(hash: u64) -> usize {
    (((hash >> 32) * BINS as u64) >> 32) as usize
}

impl<'a, 'i> Sketch<'a, 'i> {
    /// Nothing for a lesson without a word that says something.
    fn of(slug: &'a str, entry: &'i Entry, hashes: &[u64]) -> Option<Self> {
        let mut bins = [u16::MAX; BINS];
        let mut filled = 0_u64;
        let mut size = 0;
        for term in &entry.terms {
            let hash = hashes[*term as usize];
            if hash == 0 {
                continue;
            }
            size += 1;
            let bin = bin_of(hash);
            bins[bin] = bins[bin].min((hash >> 8) as u16);
            filled |= 1 << bin;
        }
        if size == 0 {
            return None;
        }
        for bin in (0..BINS).filter(|bin| filled >> bin & 1 == 0) {
            // The bin to copy from depends on the words in no way, so that two lessons copy alike.
            let from = (0..)
                .map(|attempt| bin_of(mixed(|mix| mix.write_u64((bin as u64) << 32 | attempt))));
            if let Some(from) = from.take(4096).find(|from| filled >> from & 1 == 1) {
                bins[bin] = bins[from];
            }
        }
        Some(Self {
            slug,
            entry,
            size,
            bins,
        })
    }

    fn band(&self, band: usize) -> u64 {
        self.bins[band * ROWS..][..ROWS]
            .iter()
            .fold(0, |key, bin| key << 16 | u64::from(*bin))
    }

    /// The share of words in common, as the sketches tell it.
    fn estimate(&self, other: &Self) -> f64 {
        let same = self
            .bins
            .iter()
            .zip(&other.bins)
            .filter(|(a, b)| a == b)
            .count();
        same as f64 / BINS as f64
    }

    fn share(&self, other: &Self, hashes: &[u64]) -> f64 {
        let (mut a, mut b) = (&*self.entry.terms, &*other.entry.terms);
        let mut both = 0_u32;
        // Both are in the order of the terms' numbers.
        while let (Some((one, rest_a)), Some((two, rest_b))) = (a.split_first(), b.split_first()) {
            if one == two {
                both += u32::from(hashes[*one as usize] != 0);
            }
            if one <= two {
                a = rest_a;
            }
            if two <= one {
                b = rest_b;
            }
        }
        let either = self.size + other.size - both;
        if both < FEWEST && both < either {
            return 0.0;
        }
        f64::from(both) / f64::from(either)
    }
}
