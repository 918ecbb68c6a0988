//! Step 5, order: total and stable, with one lesson per title.

use crate::lesson::Lesson;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::collections::hash_map::{DefaultHasher, Entry};
use std::hash::BuildHasherDefault;

/// A hash map whose layout is the same in every run.
pub(crate) type StableMap<K, V> = HashMap<K, V, BuildHasherDefault<DefaultHasher>>;

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
    let mut places: StableMap<String, usize> =
        StableMap::with_capacity_and_hasher(scored.len(), BuildHasherDefault::default());
    let mut kept: Vec<Scored<'a>> = Vec::with_capacity(scored.len());
    let mut lost: Vec<(Scored<'a>, usize)> = Vec::new();
    for next in scored {
        match places.entry(next.lesson.text.title.trim().to_lowercase()) {
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

/// Brings the best `limit` to the front in order; the rest follow in order only when `all`.
pub(super) fn best_first(scored: &mut [Scored<'_>], limit: usize, all: bool) {
    if !all && limit > 0 && limit < scored.len() {
        scored.select_nth_unstable_by(limit - 1, compare);
        scored[..limit].sort_unstable_by(compare);
    } else {
        scored.sort_unstable_by(compare);
    }
}
