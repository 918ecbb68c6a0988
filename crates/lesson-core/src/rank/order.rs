//! Step 5, order: total and stable, with one lesson per title.

use super::candidate::Candidate;
use crate::lesson::Lesson;
use crate::stable_map::StableMap;
use std::cmp::Ordering;
use std::collections::hash_map::Entry;
use std::hash::BuildHasherDefault;

/// A lesson and its score.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scored<'a> {
    pub(super) of: Candidate<'a>,
    pub(super) relevance: f64,
    /// The match by which its likelihood is reckoned.
    pub(super) matched: f64,
    pub(super) score: f64,
    /// Its own confidence, or the highest of its duplicates.
    pub(super) confidence: f64,
    /// Its own frequency, or the sum of its duplicates'.
    pub(super) frequency: u32,
}

impl<'a> Scored<'a> {
    pub(super) fn new(of: Candidate<'a>, relevance: f64, matched: f64, score: f64) -> Self {
        Self {
            of,
            relevance,
            matched,
            score,
            confidence: of.facts.standing.confidence,
            frequency: of.facts.standing.frequency,
        }
    }

    /// With its own confidence and frequency again.
    fn alone(&self) -> Self {
        Self::new(self.of, self.relevance, self.matched, self.score)
    }
}

/// Score descending, then proven, then confidence descending, then slug. Slugs are unique, so no
/// two lessons are equal.
pub(super) fn compare(a: &Scored<'_>, b: &Scored<'_>) -> Ordering {
    b.score
        .total_cmp(&a.score)
        .then_with(|| {
            let proven = |s: &Scored<'_>| s.of.facts.standing.proven_effective;
            proven(b).cmp(&proven(a))
        })
        .then_with(|| b.confidence.total_cmp(&a.confidence))
        .then_with(|| a.of.place.cmp(&b.of.place))
}

/// So many times the places of an answer are looked at first to find as many titles.
pub(super) const AHEAD: usize = 4;

/// The lessons that may be among the best `limit` titles or count in one of them, so that duplicates are merged among few
/// lessons instead of all. Where many scores are equal, many are left.
pub(super) fn contenders<'a>(scored: &[Scored<'a>], limit: usize) -> Vec<Scored<'a>> {
    let mut ahead = limit.saturating_mul(AHEAD);
    let mut best: Vec<(f64, u64)> = Vec::new();
    while ahead > 0 && ahead < scored.len() {
        if best.is_empty() {
            best.extend(scored.iter().map(|one| (one.score, one.of.facts.title)));
        }
        let (_, least, _) = best.select_nth_unstable_by(ahead - 1, |a, b| b.0.total_cmp(&a.0));
        let least = least.0;
        let mut titles: Vec<u64> = best[..ahead].iter().map(|(_, title)| *title).collect();
        titles.sort_unstable();
        titles.dedup();
        if titles.len() < limit {
            ahead = ahead.saturating_mul(AHEAD);
            continue;
        }
        // Lessons of the same score as the last of them are chosen among by what follows the score.
        let as_good = best[ahead..].iter().filter(|(score, _)| *score >= least);
        titles.extend(as_good.map(|(_, title)| *title));
        titles.sort_unstable();
        let wanted = |one: &&Scored<'a>| titles.binary_search(&one.of.facts.title).is_ok();
        return scored.iter().filter(wanted).copied().collect();
    }
    scored.to_vec()
}

/// Keeps the best of each lower-cased title, one that a person stands behind before all others, with the highest confidence and the summed
/// frequency of its duplicates; `beaten` hears of the others as (left out, kept).
pub(super) fn merge_duplicates<'a>(
    scored: Vec<Scored<'a>>,
    mut beaten: impl FnMut(&Scored<'a>, &Scored<'a>),
) -> Vec<Scored<'a>> {
    let mut places: StableMap<u64, usize> =
        StableMap::with_capacity_and_hasher(scored.len(), BuildHasherDefault::default());
    let mut kept: Vec<Scored<'a>> = Vec::with_capacity(scored.len());
    let mut lost: Vec<(Scored<'a>, usize)> = Vec::new();
    for next in scored {
        let mut key = next.of.facts.title;
        // Different titles of one hash take the next free key.
        while places
            .get(&key)
            .is_some_and(|place| !same_title(next.of.lesson, kept[*place].of.lesson))
        {
            key = key.wrapping_add(1);
        }
        match places.entry(key) {
            Entry::Vacant(place) => {
                place.insert(kept.len());
                kept.push(next);
            }
            Entry::Occupied(place) => {
                let held = &mut kept[*place.get()];
                let own = held.alone();
                let vouched = |one: &Scored<'_>| one.of.facts.vouched;
                let is_better = match (vouched(&next), vouched(&own)) {
                    (true, false) => true,
                    (false, true) => false,
                    _ => compare(&next, &own) == Ordering::Less,
                };
                let (best, other) = if is_better { (next, own) } else { (own, next) };
                let confidence = if next.confidence > held.confidence {
                    next.confidence
                } else {
                    held.confidence
                };
                *held = Scored {
                    confidence,
                    frequency: held.frequency.saturating_add(next.frequency),
                    ..best
                };
                lost.push((other, *place.get()));
            }
        }
    }
    for (other, place) in &lost {
        beaten(other, &kept[*place]);
    }
    kept
}

fn same_title(a: &Lesson, b: &Lesson) -> bool {
    let (a, b) = (a.text.title.trim(), b.text.title.trim());
    if a.is_ascii() && b.is_ascii() {
        a.eq_ignore_ascii_case(b)
    } else {
        a.to_lowercase() == b.to_lowercase()
    }
}

/// Brings the best `limit` to the front in order; the rest follow in order only when `all`.
pub(super) fn best_first(scored: &mut [Scored<'_>], limit: usize, all: bool) {
    if !all && limit > 0 && limit < scored.len() {
        scored.select_nth_unstable_by(limit - 1, compare);
        scored[..limit].sort_unstable_by(compare);
    } else {
        scored.sort_unstable_by(compare);
    }
}
