//! Step 6, the places: no group of near duplicates and no agent's key fills an answer.
//!
//! Only what may have a place is compared: some lessons of the top with those that have one, whatever the size of the
//! space.

use super::candidate::{Candidate, Similarity};
use super::held_back::Beside;
use super::order::{AHEAD, Scored, best_first, compare};
use crate::apart::ApartPairs;
use crate::contradiction::contradiction;
use crate::keyword::{KeywordIndex, WordComparison};
use crate::policy::{NEAR_MEANING, NEAR_WORDS};
use crate::space::Space;

/// Of so many places in a row …
pub(super) const PLACES: usize = 5;
/// … so many go to unreviewed lessons of one agent's key.
pub(super) const OF_ONE_KEY: usize = 2;
/// … and so many beside approved lessons.
const BESIDE_APPROVED: usize = 1;

/// Share of a lesson's words from which an unreviewed lesson of an agent's key that has them is a near duplicate of it,
/// however much else it says; 0 to 1. 0.8: a copy is padded at no cost.
const COPIED: f64 = 0.8;

/// Words that near duplicates share at least, unless a key wrote the very same ones: of fewer, as in lists made after one pattern,
/// each may be what matters.
const FEWEST: u32 = 10;

/// A lesson that an approved one may take the place of is looked for among the first so many, or four times the places
/// if that is less.
const LOOKED_AT: usize = 100;

/// An approved lesson that a key's lesson copies is looked for among the first so many: twice what a key may have
/// unreviewed, and some.
pub(super) const FAR: usize = 512;

/// The comparisons and places that keep lessons from crowding an answer.
pub(super) struct Crowding<'a> {
    words: WordComparison<'a>,
    similarity: Option<Similarity<'a>>,
    apart: ApartPairs<'a>,
    /// True if all that is considered is of one key: then it takes no place from anybody.
    is_one_keys: bool,
    /// Set if an approved lesson is among what is considered; knows which keys' unreviewed lessons wait beside it.
    beside: Option<Beside>,
    /// True if those that wait get no place; false in a search, which wants what there is.
    waits: bool,
}

/// A lesson that gets no place.
pub(super) struct PassedOver<'a> {
    pub one: Scored<'a>,
    pub why: Why<'a>,
}

/// Why a lesson gets no place.
pub(super) enum Why<'a> {
    /// The lesson of this slug says almost the same.
    Near(&'a str),
    /// Its key has its places.
    KeyLimit,
    /// There are no more places.
    BeyondLimit,
}

impl<'a> Crowding<'a> {
    /// Costs nothing that grows with the space.
    pub fn of(
        (space, index): (&'a Space, &'a KeywordIndex),
        similarity: Option<Similarity<'a>>,
        is_one_keys: bool,
        (beside, waits): (Option<Beside>, bool),
    ) -> Self {
        Self {
            words: WordComparison::new(index),
            similarity,
            apart: ApartPairs::of(space),
            is_one_keys,
            beside,
            waits,
        }
    }

    /// The lessons that get the `limit` places, best first, and those that would have been before the last of them. With
    /// `all`, the rest follow, in order.
    pub fn choose<'s>(
        &self,
        ranked: &mut [Scored<'s>],
        limit: usize,
        all: bool,
    ) -> (Vec<Scored<'s>>, Vec<PassedOver<'s>>) {
        let ahead = limit.saturating_mul(AHEAD);
        let ahead = ahead.min(LOOKED_AT.max(limit)).min(ranked.len());
        best_first(ranked, ahead, all);
        let mut sorted = if all { ranked.len() } else { ahead };
        let mut vouched: Vec<Scored<'s>> = vouched_of(&ranked[..ahead]).collect();
        loop {
            let (kept, passed) = self.walk(ranked, (limit, all), &mut sorted, &vouched);
            let copies: Vec<&Scored<'s>> =
                kept.iter().filter(|one| one.of.facts.key != 0).collect();
            if copies.is_empty() || ahead == ranked.len() {
                return (kept, passed);
            }
            if sorted < ranked.len() {
                ranked[sorted..].sort_unstable_by(compare);
                sorted = ranked.len();
            }
            let far = FAR.min(ranked.len()).max(ahead);
            let copied = vouched_of(&ranked[ahead..far]).filter(|one| {
                let is_near = |copy: &&&Scored<'s>| self.is_near(&copy.of, &one.of);
                copies.iter().find(is_near).is_some()
            });
            let before = vouched.len();
            vouched.extend(copied);
            if vouched.len() == before {
                return (kept, passed);
            }
        }
    }

    /// One way down the lessons; `sorted` of them are in order.
    fn walk<'s>(
        &self,
        ranked: &mut [Scored<'s>],
        (limit, all): (usize, bool),
        sorted: &mut usize,
        vouched: &[Scored<'s>],
    ) -> (Vec<Scored<'s>>, Vec<PassedOver<'s>>) {
        let (mut kept, mut passed) = (Vec::<Scored<'s>>::new(), Vec::new());
        for place in 0..ranked.len() {
            if place == *sorted {
                ranked[place..].sort_unstable_by(compare);
                *sorted = ranked.len();
            }
            let one = ranked[place];
            let why = if kept.len() >= limit {
                if !all {
                    break;
                }
                Why::BeyondLimit
            } else if let Some(other) = self.stands_in(&one, &kept, vouched) {
                Why::Near(other)
            } else if self.has_its_places(&one, &kept) {
                Why::KeyLimit
            } else {
                kept.push(one);
                continue;
            };
            passed.push(PassedOver { one, why });
        }
        (kept, passed)
    }

    /// The lesson that is given in place of this one.
    fn stands_in<'s>(
        &self,
        one: &Scored<'s>,
        kept: &[Scored<'s>],
        vouched: &[Scored<'s>],
    ) -> Option<&'s str> {
        let vouched = if one.of.facts.vouched { &[] } else { vouched };
        kept.iter()
            .chain(vouched)
            .find(|other| self.is_near(&one.of, &other.of))
            .map(|other| other.of.lesson.slug.as_str())
    }

    fn is_near(&self, one: &Candidate<'_>, other: &Candidate<'_>) -> bool {
        let (a, b) = (one.lesson, other.lesson);
        let cosine = self
            .similarity
            .and_then(|similarity| similarity.between(a, b));
        let is_near = if cosine.is_some_and(|cosine| cosine >= NEAR_MEANING) {
            true
        } else if one.facts.key == 0 && cosine.is_some() {
            // As in Review: words are asked where a vector is missing.
            false
        } else {
            // A padded copy is judged by its share of the other one's words.
            let shared = self.words.shared(&a.slug, &b.slug);
            let (is_keys, share) = (one.facts.key != 0, shared.share());
            let is_same = share >= 1.0 && is_keys;
            let is_copy = shared.of_second() >= COPIED && is_keys;
            is_same || (shared.both >= FEWEST && (share >= NEAR_WORDS || is_copy))
        };
        // A denial is no copy; but an agent's key is not shown against what a person stands behind.
        let is_denial = || {
            let is_answered = one.facts.key != 0 && other.facts.vouched;
            !is_answered && contradiction(&a.text, &b.text).is_some()
        };
        is_near && !self.apart.has(a, b) && !is_denial()
    }

    fn has_its_places(&self, one: &Scored<'_>, kept: &[Scored<'_>]) -> bool {
        let key = one.of.facts.key;
        if key == 0 || self.is_one_keys {
            return false;
        }
        let of_one_key = match &self.beside {
            Some(beside) if self.waits && beside.holds_back(one) => return true,
            Some(_) => BESIDE_APPROVED,
            None => OF_ONE_KEY,
        };
        let before = kept.iter().rev().take(PLACES - 1);
        before.filter(|other| other.of.facts.key == key).count() >= of_one_key
    }
}

fn vouched_of<'a, 's>(ranked: &'a [Scored<'s>]) -> impl Iterator<Item = Scored<'s>> + use<'a, 's> {
    let vouched = ranked.iter().filter(|one| one.of.facts.vouched);
    vouched.copied()
}
