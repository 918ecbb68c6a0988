//! Step 5, order: total and stable, with one lesson per title.

use crate::lesson::Lesson;
use crate::stable_map::{Mix, StableMap};
use std::cmp::Ordering;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};

/// A lesson and its score.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scored<'a> {
    pub(super) lesson: &'a Lesson,
    pub(super) relevance: f64,
    pub(super) score: f64,
    /// Its own confidence, or the highest of its duplicates.
    pub(super) confidence: f64,
    /// Its own frequency, or the sum of its duplicates'.
    pub(super) frequency: u32,
}

impl<'a> Scored<'a> {
    pub(super) fn new(lesson: &'a Lesson, relevance: f64, score: f64) -> Self {
        Self {
            lesson,
            relevance,
            score,
            confidence: lesson.standing.confidence,
            frequency: lesson.standing.frequency,
        }
    }
}

/// Score descending, then proven, then confidence descending, then slug. Slugs are unique, so no
/// two lessons are equal.
pub(super) fn compare(a: &Scored<'_>, b: &Scored<'_>) -> Ordering {
    b.score
        .total_cmp(&a.score)
        .then_with(|| {
            let proven = |s: &Scored<'_>| s.lesson.standing.proven_effective;
            proven(b).cmp(&proven(a))
        })
        .then_with(|| b.confidence.total_cmp(&a.confidence))
        .then_with(|| a.lesson.slug.cmp(&b.lesson.slug))
}

/// Keeps the best of each lower-cased title, with the highest confidence and the summed
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
        let title = next.lesson.text.title.trim();
        let mut key = title_hash(title);
        // Different titles of one hash take the next free key.
        while places
            .get(&key)
            .is_some_and(|place| !same_title(title, kept[*place].lesson.text.title.trim()))
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
                let own = Scored::new(held.lesson, held.relevance, held.score);
                let (best, other) = if compare(&next, &own) == Ordering::Less {
                    (next, own)
                } else {
                    (own, next)
                };
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

/// A hash of the lower-cased title, without making it for ASCII.
fn title_hash(title: &str) -> u64 {
    let mut mix = Mix::default();
    if title.is_ascii() {
        let mut eight = [0; 8];
        for part in title.as_bytes().chunks(8) {
            let held = &mut eight[..part.len()];
            held.copy_from_slice(part);
            held.make_ascii_lowercase();
            mix.write(held);
        }
    } else {
        title
            .to_lowercase()
            .as_bytes()
            .chunks(8)
            .for_each(|part| mix.write(part));
    }
    mix.finish()
}

fn same_title(a: &str, b: &str) -> bool {
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
