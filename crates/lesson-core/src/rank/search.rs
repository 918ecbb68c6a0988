//! Searching by text, without a situation: `search` for people, `patterns` for a feature.
//!
//! `0.8·match + 0.2·confidence` (hybrid retrieval). Nothing here is counted in a standing.

use super::candidate::{Candidate, Similarity, candidates, count};
use super::crowding::{Crowding, Why};
use super::held_back::Beside;
use super::likelihood::{self, Likelihood};
use super::matching::{MatchScore, Matches};
use super::order::{Scored, best_first, compare, merge_duplicates};
use super::relevance::Fit;
use super::situation::{Context, Situation};
use super::trace::Run;
use crate::keyword::KeywordIndex;
use crate::lessons::RankFeatures;
use crate::policy::RankPolicy;
use crate::space::Space;
use lesson_types::{Factor, RelevanceWord, Trust};
use std::collections::BTreeSet;

/// A lesson that contains query words of at least this share of the query's weight contains the
/// query word: it can't be crowded out of an answer. One half, so that the rare word of a query
/// counts and a common one doesn't.
const EXACT_SHARE: f64 = 0.5;

/// The options of a search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SearchOptions {
    /// At most so many results; the policy's number when absent.
    pub limit: Option<usize>,
    /// Set if results carry their factors.
    pub explain: bool,
    /// Set if the last word of the query may be the beginning of a word.
    pub prefix: bool,
    /// Set if archived and quarantined lessons are found too, as a list for their owner wants.
    pub include_archived: bool,
}

/// A result.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The lesson, by its slug.
    pub slug: String,
    /// The hybrid score, 0 to 1.
    pub score: f64,
    /// Match with the query, 0 to 1.
    pub match_score: f64,
    /// The match by which its likelihood is reckoned, 0 to 1: 0 where it is too weak, less where no technology is shared.
    pub matched: f64,
    /// Likelihood that it is the right one, as a word for people, by the results' matches.
    pub word: RelevanceWord,
    /// 1 is the best.
    pub rank: u32,
    /// The highest confidence among the lessons of its title, where there is one result per title.
    pub confidence: f64,
    /// The summed frequency of the lessons of its title, where there is one result per title.
    pub frequency: u32,
    /// The factors of the score, empty when not explained.
    pub factors: Vec<Factor>,
}

/// The results, best first.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchRanking {
    /// The results.
    pub items: Vec<Found>,
    /// True if a model took part.
    pub semantic: bool,
    /// Number of the lessons considered that have no vector, when a model was asked.
    pub without_vector: u32,
    /// Number of results before the limit.
    pub total: u32,
}

/// Lessons that `query` finds: those with a word of it, or with a match that counts.
///
/// Lessons with the exact query word always have a place within the limit, however low their
/// match; when there are more of them than places, the best have. Where unreviewed lessons of agents' keys are among the
/// results, near duplicates take one place and a key two of five, as in a recommendation.
pub fn search(
    space: &Space,
    query: &str,
    similarity: Option<Similarity<'_>>,
    index: &KeywordIndex,
    policy: &RankPolicy,
    options: SearchOptions,
) -> SearchRanking {
    let considered = |facts: &RankFeatures| {
        options.include_archived || (!facts.archived && facts.trust != Trust::Quarantined)
    };
    let limit = options.limit.unwrap_or(policy.top_search as usize);
    let hybrid = Hybrid {
        query,
        similarity,
        fit: None,
        policy,
        options,
    };
    hybrid.answer(space, index, considered, limit, false)
}

/// The feature and the project that patterns are wanted for.
#[derive(Debug, Clone, Copy, Default)]
pub struct PatternsFor<'a> {
    /// The feature to be built.
    pub feature: &'a str,
    /// The kind of project.
    pub project_type: Option<&'a str>,
    /// Technologies at hand.
    pub tech_stack: &'a [String],
    /// At most so many results; the policy's number when absent.
    pub limit: Option<usize>,
    /// Set if results carry their factors.
    pub explain: bool,
}

/// The text that is embedded to find patterns for a feature (hybrid retrieval).
///
/// ```
/// assert_eq!(lesson_core::patterns_text("login"), "implementation patterns for login");
/// ```
pub fn patterns_text(feature: &str) -> String {
    format!("implementation patterns for {}", feature.trim())
}

/// Lessons for building a feature: `similarity` is that of [`patterns_text`], keywords are those
/// of the feature itself; one lesson per title.
///
/// With a project type or technologies, the match is halved as in a recommendation, and the
/// score is multiplied by `1 − metadata_weight·(1 − metadata)`.
pub fn patterns(
    space: &Space,
    wanted: PatternsFor<'_>,
    similarity: Option<Similarity<'_>>,
    index: &KeywordIndex,
    policy: &RankPolicy,
) -> SearchRanking {
    let situation = Situation {
        query: Some(patterns_text(wanted.feature)),
        project_type: wanted.project_type.map(str::to_owned),
        tech_stack: wanted.tech_stack.to_vec(),
        ..Situation::default()
    };
    let context = Context::of(&situation, policy)
        .ok()
        .filter(|context| context.project_type.is_some() || !context.tech_stack.is_empty());
    let considered = |facts: &RankFeatures| {
        !facts.archived
            && facts.trust != Trust::Quarantined
            && (!policy.approved_only || facts.trust == Trust::Approved)
    };
    let hybrid = Hybrid {
        query: wanted.feature,
        similarity,
        fit: context,
        policy,
        options: SearchOptions {
            explain: wanted.explain,
            ..SearchOptions::default()
        },
    };
    let limit = wanted.limit.unwrap_or(policy.top_patterns as usize);
    hybrid.answer(space, index, considered, limit, true)
}

struct Hybrid<'a> {
    query: &'a str,
    similarity: Option<Similarity<'a>>,
    fit: Option<Context<'a>>,
    policy: &'a RankPolicy,
    options: SearchOptions,
}

impl Hybrid<'_> {
    fn answer(
        &self,
        space: &Space,
        index: &KeywordIndex,
        considered: impl Fn(&RankFeatures) -> bool,
        limit: usize,
        one_per_title: bool,
    ) -> SearchRanking {
        let pool: Vec<Candidate<'_>> = candidates(space)
            .filter(|one| considered(one.facts))
            .collect();
        let matches = Matches::of(
            Some(self.query),
            self.options.prefix,
            (space, index),
            self.similarity,
            pool.iter(),
            self.policy,
        );
        let mut scored: Vec<Scored<'_>> = Vec::new();
        let mut exact: BTreeSet<u32> = BTreeSet::new();
        for one in pool {
            let found = matches.of_lesson(&one);
            if found.words.score == 0.0 && found.value == 0.0 {
                continue;
            }
            if found.words.share >= EXACT_SHARE {
                exact.insert(one.place);
            }
            let fit = self.fit_of(&one);
            let run = self.score(&one, &found, fit.as_ref(), false);
            let matched = self.counted(found.telling, fit.as_ref());
            scored.push(Scored::new(one, found.raw, matched, run.value()));
        }
        if one_per_title {
            scored = merge_duplicates(scored, |_, _| {});
        }
        let total = count(scored.len());
        let best = scored.iter().map(|one| one.matched).fold(0.0, f64::max);
        let likelihood = Likelihood::of_best(best, matches.semantic, self.policy);
        // Beyond the limit order matters only to choose among exact lessons.
        let all = limit < scored.len() && !exact.is_empty();
        let key = |one: &Scored<'_>| one.of.facts.key;
        if self.options.include_archived || scored.iter().all(|one| key(one) == 0) {
            best_first(&mut scored, limit, all);
        } else {
            // As in a recommendation, no key fills an answer, nor does what says almost the same.
            let first = scored.first().map_or(0, key);
            // Of a part of a space nobody knows who wrote the rest.
            let is_one_keys =
                index.counts().is_none() && scored.iter().all(|one| key(one) == first);
            let beside = Beside::of(&scored, Some(self.query));
            // Patterns are given to who plans; who searches wants what there is.
            let beside = (beside, one_per_title);
            let crowding = Crowding::of((space, index), self.similarity, is_one_keys, beside);
            let (kept, passed) = crowding.choose(&mut scored, limit, all);
            let beyond = passed
                .iter()
                .filter(|one| matches!(one.why, Why::BeyondLimit));
            let beyond: Vec<Scored<'_>> = beyond.map(|one| one.one).collect();
            scored = kept;
            scored.extend(beyond);
        }
        keep_exact(&mut scored, limit, |one| exact.contains(&one.of.place));
        let items = scored
            .iter()
            .enumerate()
            .map(|(place, one)| Found {
                slug: one.of.lesson.slug.clone(),
                score: one.score,
                match_score: one.relevance,
                matched: one.matched,
                word: likelihood::word(likelihood.as_ref(), one.matched, self.policy),
                rank: count(place + 1),
                confidence: one.confidence,
                frequency: one.frequency,
                factors: if self.options.explain {
                    let found = matches.of_lesson(&one.of);
                    let fit = self.fit_of(&one.of);
                    let run = self.score(&one.of, &found, fit.as_ref(), true);
                    run.into_factors()
                } else {
                    Vec::new()
                },
            })
            .collect();
        SearchRanking {
            items,
            semantic: matches.semantic,
            without_vector: matches.without_vector,
            total,
        }
    }

    /// Compares a lesson with the project, where one was told.
    fn fit_of(&self, one: &Candidate<'_>) -> Option<Fit> {
        let context = self.fit.as_ref()?;
        Some(Fit::of(&one.lesson.text, one.facts, context, self.policy))
    }

    /// Lowers a match by the policy's factor where both sides name technologies and none is the same.
    fn counted(&self, value: f64, fit: Option<&Fit>) -> f64 {
        if fit.is_some_and(|fit| fit.tech_mismatch) {
            value * self.policy.tech_mismatch_factor
        } else {
            value
        }
    }

    /// The floor says what is a result, not how results are ordered: the match counts as it is.
    fn score(
        &self,
        one: &Candidate<'_>,
        found: &MatchScore,
        fit: Option<&Fit>,
        explain: bool,
    ) -> Run {
        let policy = self.policy;
        let mut run = Run::new(explain);
        let halved = found.raw > 0.0 && fit.is_some_and(|fit| fit.tech_mismatch);
        let input = self.counted(found.raw, fit);
        run.add("match", input, policy.search_match_weight, || {
            found.note(input, halved, policy)
        });
        run.add(
            "confidence",
            one.facts.standing.confidence,
            policy.search_confidence_weight,
            || "stored confidence".to_owned(),
        );
        if let Some(fit) = fit {
            let metadata = fit.metadata(policy);
            let factor = 1.0 - policy.metadata_weight * (1.0 - metadata);
            run.multiply(
                "metadata",
                (metadata, policy.metadata_weight, factor),
                || fit.note(),
            );
        }
        run.cap("at_most_one", 1.0, || "a score is at most 1".to_owned());
        run
    }
}

/// Cuts to `limit`, letting the best exact lessons push out the last of the others.
fn keep_exact<'a>(
    scored: &mut Vec<Scored<'a>>,
    limit: usize,
    is_exact: impl Fn(&Scored<'a>) -> bool,
) {
    if scored.len() <= limit {
        return;
    }
    let late: Vec<Scored<'a>> = scored[limit..]
        .iter()
        .filter(|one| is_exact(one))
        .take(limit)
        .copied()
        .collect();
    scored.truncate(limit);
    let mut late = late.into_iter();
    let mut place = limit;
    while place > 0 {
        place -= 1;
        if is_exact(&scored[place]) {
            continue;
        }
        let Some(next) = late.next() else { break };
        scored[place] = next;
    }
    scored.sort_unstable_by(compare);
}
