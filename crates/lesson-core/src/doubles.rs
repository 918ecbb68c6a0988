//! Lessons that say almost the same, found by the meaning or by the words of their texts.

use crate::keyword::KeywordIndex;
use crate::lesson::Lesson;
use crate::policy::ReviewPolicy;
use crate::space::Space;
use lesson_types::{Measure, Trust};
use std::collections::BTreeMap;

/// Pairs that are kept for each near duplicate that the queue may have: a lesson may be in several.
const PAIRS: usize = 10;

/// Two lessons that say almost the same.
#[derive(Debug, Clone, PartialEq)]
pub struct NearPair {
    /// One of them.
    pub first: String,
    /// The other.
    pub second: String,
    /// 0 to 1; what it counts is said by `measure`.
    pub similarity: f64,
    /// The measure of their similarity: shared words, or the cosine of their vectors.
    pub measure: Measure,
}

/// True if a lesson can be merged: it is in use, and not held back.
pub fn is_merge_candidate(lesson: &Lesson) -> bool {
    !lesson.archived && lesson.trust != Trust::Quarantined
}

/// The cosine of two lessons' vectors; `None` where one of them has none.
pub type Cosine<'a> = &'a dyn Fn(&str, &str) -> Option<f64>;

/// Pairs of lessons in use that say almost the same, the most alike first.
///
/// Two lessons that both have a vector are judged by their meaning: `by_meaning` are the pairs
/// that a scan of the vectors found, as (slug, slug, cosine), and `cosine` judges what `index`
/// finds besides. All others are judged by the words that they share. Costs about 10 ms for 10,000
/// lessons; grows with the lessons, not with their pairs.
pub fn near_duplicates(
    space: &Space,
    index: &KeywordIndex,
    by_meaning: &[(String, String, f64)],
    cosine: Cosine<'_>,
    policy: &ReviewPolicy,
) -> Vec<NearPair> {
    let in_use = space.lessons().filter(|lesson| is_merge_candidate(lesson));
    let slugs = in_use.map(|lesson| lesson.slug.as_str());
    let by_words = index.alike(slugs, policy.near_words_min);
    let ordered = |one: &str, two: &str| {
        let (first, second) = if one <= two { (one, two) } else { (two, one) };
        (first.to_owned(), second.to_owned())
    };
    let mut pairs: BTreeMap<(String, String), (f64, Measure)> = BTreeMap::new();
    for (one, two, cosine) in by_meaning {
        pairs.insert(ordered(one, two), (*cosine, Measure::Meaning));
    }
    for pair in by_words {
        let measured = match cosine(pair.first, pair.second) {
            Some(cosine) => (cosine, Measure::Meaning),
            None => (pair.share, Measure::Words),
        };
        pairs.insert(ordered(pair.first, pair.second), measured);
    }
    let mut pairs: Vec<NearPair> = pairs
        .into_iter()
        .filter(|(_, (similarity, measure))| {
            *similarity
                >= match measure {
                    Measure::Meaning => policy.near_meaning_min,
                    Measure::Words => policy.near_words_min,
                }
        })
        .map(|((first, second), (similarity, measure))| NearPair {
            first,
            second,
            similarity,
            measure,
        })
        .collect();
    // Stable: equal ones stay in the order of their slugs.
    pairs.sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
    pairs.truncate((policy.near_most as usize).saturating_mul(PAIRS));
    pairs
}
