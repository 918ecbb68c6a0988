//! The match of a query and a lesson: words and meaning together, one number from 0 to 1.
//!
//! `match = √(m · meaning + (1 − m) · words)`. Words are BM25F over what a full match would get (`keyword/scores.rs`);
//! meaning is the cosine of the vectors, from the policy's bounds to 0…1. Both are absolute, so that a match means the
//! same for every query, and a lesson without a vector, or a host without a model, has its words alone on the same scale.
//! The root spreads the lower half of the sum, where nearly all right lessons lie (their median is 0.4): without it the
//! neutral halves of metadata and confidence outweighed what was asked. A convex sum with fixed weights: on real lessons it found the right one more often than either part, than reciprocal
//! rank fusion, and than sums normalised for each query.
//!
//! A match below the policy's floor counts 0. With a model that reads many languages the floor of English queries is higher: their
//! words add to a match, also where no lesson answers. A query in another language has little but meaning to go by.

use super::candidate::{Candidate, Similarity};
use crate::keyword::{KeywordIndex, WordMatch, has_stem, is_in_other_language};
use crate::policy::RankPolicy;
use crate::space::Space;
use crate::stable_map::StableMap;
use std::cell::RefCell;

/// Share that is left of the match of a lesson that has the one word of a query aside, where it is asked how likely it is: a
/// lesson on retries that once says "payments" is no lesson on payments.
const ASIDE: f64 = 0.5;

/// The match of a lesson and a query, with its parts.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct MatchScore {
    /// 0 to 1; 0 where it is below the policy's floor.
    pub value: f64,
    /// Before the floor.
    pub raw: f64,
    /// The part of the value that tells how likely the lesson is: less where one word is all that was asked, and in it aside.
    pub telling: f64,
    /// Words in common.
    pub words: WordMatch,
    /// The cosine, where vectors are compared and the lesson has one.
    pub cosine: Option<f64>,
}

impl MatchScore {
    fn of(
        words: WordMatch,
        cosine: Option<f64>,
        is_aside: bool,
        floor: f64,
        policy: &RankPolicy,
    ) -> Self {
        let sum = match cosine {
            Some(cosine) => {
                policy.meaning_weight * meaning(cosine, policy)
                    + (1.0 - policy.meaning_weight) * words.score
            }
            None => policy.words_alone * words.score,
        };
        // Correctly rounded everywhere, unlike other powers.
        let raw = sum.sqrt();
        let value = if raw >= floor { raw } else { 0.0 };
        Self {
            value,
            raw,
            telling: if is_aside { value * ASIDE } else { value },
            words,
            cosine,
        }
    }

    /// The parts in words, for a person; `counted` is what of the match went into the score.
    pub(super) fn note(&self, counted: f64, halved: bool, policy: &RankPolicy) -> String {
        let words = self.words.score;
        let parts = match self.cosine {
            Some(cosine) => format!(
                "words {words:.2}, meaning {:.2} (cosine {cosine:.3})",
                meaning(cosine, policy)
            ),
            None => format!("words {words:.2}, no vector"),
        };
        if counted == 0.0 && self.raw > 0.0 {
            if self.value == 0.0 && self.raw >= policy.match_floor {
                let floor = policy.english_match_floor;
                format!("{parts}: too weak to count, as a query in English has to match by {floor}")
            } else {
                format!("{parts}: too weak to count")
            }
        } else if halved {
            format!("{parts}; reduced, as no technology is shared")
        } else {
            parts
        }
    }
}

/// A cosine as meaning: 0 up to `meaning_from`, 1 from `meaning_to` on. NaN counts 0.
fn meaning(cosine: f64, policy: &RankPolicy) -> f64 {
    let share = (cosine - policy.meaning_from) / (policy.meaning_to - policy.meaning_from);
    if share >= 1.0 {
        1.0
    } else if share > 0.0 {
        share
    } else {
        0.0
    }
}

/// The matches of a query with lessons of a space.
pub(super) struct Matches<'a> {
    /// By place in the order of slugs; empty when no lesson has a word of the query.
    words: Vec<WordMatch>,
    /// By place, each asked for once; empty when vectors are not compared.
    cosines: Vec<Option<f64>>,
    policy: &'a RankPolicy,
    /// The least that a match with meaning in it has to come to.
    floor: f64,
    /// True if meaning takes part.
    pub semantic: bool,
    /// Number of the considered lessons that have no vector, when vectors are compared at all.
    pub without_vector: u32,
    /// The stem of the word, where one is all that is asked.
    only: Option<String>,
    /// The domains that were looked at, by their hashes, and whether they have that word.
    domains: RefCell<StableMap<u64, bool>>,
}

impl<'a> Matches<'a> {
    /// The matches of `text`, for these lessons. Vectors are compared only when most of the lessons have one: else those
    /// without would be judged by words among others that are judged by both, which is worse than by words alone.
    pub(super) fn of<'c>(
        text: Option<&str>,
        prefix: bool,
        (space, index): (&Space, &KeywordIndex),
        similarity: Option<Similarity<'_>>,
        considered: impl Iterator<Item = &'c Candidate<'c>>,
        policy: &'a RankPolicy,
    ) -> Self {
        let mut matches = Self {
            words: Vec::new(),
            cosines: Vec::new(),
            policy,
            floor: policy.match_floor,
            semantic: false,
            without_vector: 0,
            only: None,
            domains: RefCell::default(),
        };
        if let Some(text) = text {
            let scores = index.scores(text, prefix);
            matches.only = scores.only_word().map(str::to_owned);
            if !scores.is_empty() {
                matches.words = scores.in_order(&space.lessons);
            }
        }
        if let Some(similarity) = similarity {
            let mut cosines = vec![None; space.lessons.len()];
            let (mut having, mut all) = (0_u32, 0_u32);
            for one in considered {
                let cosine = similarity.at(one.place, one.lesson);
                all = all.saturating_add(1);
                having += u32::from(cosine.is_some());
                if let Some(held) = cosines.get_mut(one.place as usize) {
                    *held = cosine;
                }
            }
            // Of candidates, most were found by their vectors: the space says how many have one.
            if let Some(counts) = index.counts()
                && let Some(with_vector) = counts.with_vector
            {
                all = u32::try_from(counts.lessons).unwrap_or(u32::MAX);
                having = u32::try_from(with_vector).unwrap_or(u32::MAX).min(all);
            }
            matches.without_vector = all - having;
            matches.semantic = f64::from(having) >= policy.meaning_min_covered * f64::from(all);
            if matches.semantic {
                matches.cosines = cosines;
                let english = text.is_some_and(|text| !is_in_other_language(text));
                if similarity.reads_languages() && english {
                    matches.floor = policy.match_floor.max(policy.english_match_floor);
                }
            }
        }
        matches
    }

    pub(super) fn of_lesson(&self, one: &Candidate<'_>) -> MatchScore {
        let words = self.words.get(one.place as usize).copied();
        let cosine = self.cosines.get(one.place as usize).copied().flatten();
        let words = words.unwrap_or_default();
        let only = self.only.as_deref().filter(|_| words.score > 0.0);
        let is_aside = only.is_some_and(|word| !words.is_named && !self.is_domain(one, word));
        // Words alone are not on the model's scale.
        let floor = cosine.map_or(self.policy.match_floor, |_| self.floor);
        MatchScore::of(words, cosine, is_aside, floor, self.policy)
    }

    /// True if a lesson's domain has the word. Domains are few, and each is looked at once.
    fn is_domain(&self, one: &Candidate<'_>, word: &str) -> bool {
        let domain = one.facts.domain;
        if domain == 0 {
            return false;
        }
        *self
            .domains
            .borrow_mut()
            .entry(domain)
            .or_insert_with(|| has_stem(&one.lesson.text.domain, word))
    }
}
