//! Near duplicates among the lessons in use, looked for only when the texts have changed.

use crate::state::vectors::Vectors;
use lesson_core::{KeywordIndex, Lesson, NearPair, ReviewPolicy, Space, is_merge_candidate};
use std::hash::{DefaultHasher, Hash, Hasher};

/// A request that only counts looks for near duplicates among so many lessons at most: it is made
/// in the background, and nobody should wait for it. In larger stores it counts those that were
/// found last.
const QUICK: usize = 20_000;

/// The near duplicates that were found last, and what they were found in.
pub(crate) struct Near {
    of: Of,
    pub pairs: Vec<NearPair>,
}

/// Versions of what near duplicates depend on: the lessons in use, their words and their vectors.
#[derive(PartialEq, Eq)]
struct Of {
    lessons: u64,
    words: u64,
    vectors: Option<(String, u64)>,
}

/// Looks for near duplicates, unless nothing has changed since those that are `held`.
pub(crate) fn look(
    held: &mut Option<Near>,
    space: &Space,
    index: &KeywordIndex,
    vectors: Option<&Vectors>,
    policy: &ReviewPolicy,
    quick: bool,
) {
    let in_use: Vec<&str> = space
        .lessons()
        .filter(|lesson| is_merge_candidate(lesson))
        .map(|lesson: &Lesson| lesson.slug.as_str())
        .collect();
    if quick && in_use.len() > QUICK {
        return;
    }
    let mut hasher = DefaultHasher::new();
    in_use.hash(&mut hasher);
    let of = Of {
        lessons: hasher.finish(),
        words: index.version(),
        vectors: vectors.map(|vectors| (vectors.model.clone(), vectors.version())),
    };
    if held.as_ref().is_some_and(|near| near.of == of) {
        return;
    }
    let by_meaning = vectors
        .map(|vectors| vectors.alike(&in_use, policy.near_meaning_min))
        .unwrap_or_default();
    let cosine = |one: &str, two: &str| vectors?.cosine(one, two);
    let pairs = lesson_core::near_duplicates(space, index, &by_meaning, &cosine, policy);
    *held = Some(Near { of, pairs });
}
