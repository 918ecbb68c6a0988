//! Every constant of the engine, in one value that can be shown, stored and replayed.
//!
//! The fold's constants are part of what the ledger means, so they are the same for everyone;
//! the ranking's may be changed for one request, to see what would come of it.

use crate::tools::ToolPolicy;
use crate::words::Category;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// All constants.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Policy {
    /// How events change standings.
    pub fold: FoldPolicy,
    /// How lessons are ranked.
    pub rank: RankPolicy,
    /// How use is seen in an agent's reasoning.
    pub usage: UsagePolicy,
    /// How sessions are read.
    pub session: SessionPolicy,
    /// How tool servers are suggested.
    pub tools: ToolPolicy,
    /// Which lessons a person is asked to look at.
    pub review: ReviewPolicy,
}

/// How events change standings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FoldPolicy {
    /// A helpful rating adds this to confidence (A).
    pub helpful_step: f64,
    /// A rating of not helpful takes this from confidence (A).
    pub not_helpful_step: f64,
    /// A vote moves confidence by this.
    pub vote_step: f64,
    /// Confidence does not fall below this by ratings and votes.
    pub confidence_min: f64,
    /// Confidence does not rise above this.
    pub confidence_max: f64,
    /// What a causal feedback leaves of the old effectiveness (D).
    pub effectiveness_keep: f64,
    /// What a causal feedback adds of the new value (D).
    pub effectiveness_gain: f64,
    /// How far a lesson that was no cause drifts towards neutral (D).
    pub erosion: f64,
    /// The effectiveness it drifts to.
    pub neutral: f64,
    /// Outcomes needed to become proven (B).
    pub proven_min_applied: u32,
    /// Success rate needed to become proven (B).
    pub proven_min_rate: f64,
}

impl Default for FoldPolicy {
    fn default() -> Self {
        Self {
            helpful_step: 0.02,
            not_helpful_step: 0.03,
            vote_step: 0.05,
            confidence_min: 0.1,
            confidence_max: 1.0,
            effectiveness_keep: 0.9,
            effectiveness_gain: 0.1,
            erosion: 0.10,
            neutral: 0.5,
            proven_min_applied: 3,
            proven_min_rate: 0.5,
        }
    }
}

/// How lessons are ranked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RankPolicy {
    /// Weight of the match in project relevance (C).
    pub match_weight: f64,
    /// Weight of metadata in project relevance (C).
    pub metadata_weight: f64,
    /// Weight of confidence in project relevance (C).
    pub confidence_weight: f64,
    /// Weight of meaning in a match, 0 to 1; words have the rest. From 0.35 to 0.45 real lessons are found alike.
    pub meaning_weight: f64,
    /// What words count for where there is no vector: so much of their score, since meaning mostly says less than words
    /// do. With it, a match reads alike with the model and without.
    pub words_alone: f64,
    /// The cosine up to which a text means something else: meaning 0.
    pub meaning_from: f64,
    /// The cosine from which a text means the same: meaning 1.
    pub meaning_to: f64,
    /// Share of the pool that must have vectors for meaning to take part; below it all are matched by words.
    pub meaning_min_covered: f64,
    /// A match below this counts 0. Of questions that no lesson answers, three of four stay below it; the right lesson
    /// lies above it in 95 of 100.
    pub match_floor: f64,
    /// The match is multiplied by this when both sides name tech stacks and none overlaps (C).
    pub tech_mismatch_factor: f64,
    /// Weight of the project type in metadata (C).
    pub project_weight: f64,
    /// Weight of the tech stack in metadata (C).
    pub tech_weight: f64,
    /// What a side that names nothing counts for in metadata (C).
    pub unnamed: f64,
    /// Decision relevance begins here (B).
    pub decision_base: f64,
    /// A strategy adds (B).
    pub strategy_bonus: f64,
    /// A warning adds, after recent losses (B).
    pub warning_after_loss_bonus: f64,
    /// A pattern adds, with no open positions (B).
    pub pattern_no_position_bonus: f64,
    /// An evolved lesson adds (B).
    pub evolved_bonus: f64,
    /// A warning adds, in high volatility (B).
    pub warning_volatility_bonus: f64,
    /// Text that speaks of exit or loss adds, in a bearish trend (B).
    pub bearish_exit_bonus: f64,
    /// Decision relevance is at most this (B).
    pub decision_cap: f64,
    /// Relevance below this is left out, whatever the standing.
    pub relevance_min: f64,
    /// An effectiveness score below this is penalised (A).
    pub low_score_below: f64,
    /// By this factor (A).
    pub low_score_factor: f64,
    /// Surfaced this often and never helpful is penalised (A).
    pub unhelpful_from_surfaced: u32,
    /// By this factor (A).
    pub unhelpful_factor: f64,
    /// The causal factor is `causal_base + causal_weight · causal_adjusted` (D).
    pub causal_base: f64,
    /// See `causal_base` (D).
    pub causal_weight: f64,
    /// The causal ratio counts for at least this (D).
    pub causal_floor: f64,
    /// The causal ratio counts from this many uses on (D).
    pub causal_min_uses: u32,
    /// A lesson applied less often than this is qualified whatever came of it (B).
    pub qualify_min_applied: u32,
    /// So many failures in a row disqualify (B).
    pub max_consecutive_failures: u32,
    /// Answers to a decision (B).
    pub top_decision: u32,
    /// Answers to a project context (C).
    pub top_project: u32,
    /// Answers to patterns for a feature (C).
    pub top_patterns: u32,
    /// Answers to a search (C).
    pub top_search: u32,
    /// Weight of the match in a search (C).
    pub search_match_weight: f64,
    /// Weight of confidence in a search (C).
    pub search_confidence_weight: f64,
    /// Match from which a person reads "very high".
    pub match_very_high: f64,
    /// Match from which a person reads "high": what four of five right lessons reach.
    pub match_high: f64,
    /// Match from which a person reads "medium": above what a question gets that no lesson answers.
    pub match_medium: f64,
    /// Relevance from which a person reads "very high" where nothing was asked in words.
    pub word_very_high: f64,
    /// Relevance from which a person reads "high" there.
    pub word_high: f64,
    /// Relevance from which a person reads "medium" there.
    pub word_medium: f64,
    /// Phase → categories that pass; workflow always does.
    pub phases: BTreeMap<String, Vec<Category>>,
    /// Whether only approved lessons are recommended.
    pub approved_only: bool,
}

impl Default for RankPolicy {
    fn default() -> Self {
        use Category::{
            Architecture, Communication, Domain, Performance, Security, Testing, Tooling,
        };
        let phases: [(&str, &[Category]); 8] = [
            ("planning", &[Architecture, Communication, Domain]),
            ("design", &[Architecture, Security, Performance, Domain]),
            (
                "implementation",
                &[
                    Architecture,
                    Security,
                    Performance,
                    Testing,
                    Tooling,
                    Domain,
                ],
            ),
            ("testing", &[Testing, Tooling, Performance, Security]),
            (
                "debugging",
                &[Testing, Tooling, Performance, Architecture, Domain],
            ),
            (
                "review",
                &[Security, Testing, Performance, Architecture, Communication],
            ),
            (
                "deployment",
                &[Security, Performance, Tooling, Architecture],
            ),
            ("trading", &[Domain, Security, Performance]),
        ];
        Self {
            match_weight: 0.50,
            metadata_weight: 0.30,
            confidence_weight: 0.20,
            meaning_weight: 0.4,
            words_alone: 0.8,
            meaning_from: 0.1,
            meaning_to: 0.8,
            meaning_min_covered: 0.75,
            match_floor: 0.35,
            tech_mismatch_factor: 0.5,
            project_weight: 0.4,
            tech_weight: 0.6,
            unnamed: 0.5,
            decision_base: 0.5,
            strategy_bonus: 0.2,
            warning_after_loss_bonus: 0.15,
            pattern_no_position_bonus: 0.1,
            evolved_bonus: 0.15,
            warning_volatility_bonus: 0.1,
            bearish_exit_bonus: 0.1,
            decision_cap: 1.0,
            relevance_min: 0.3,
            low_score_below: 0.3,
            low_score_factor: 0.7,
            unhelpful_from_surfaced: 10,
            unhelpful_factor: 0.5,
            causal_base: 0.5,
            causal_weight: 0.5,
            causal_floor: 0.3,
            causal_min_uses: 3,
            qualify_min_applied: 3,
            max_consecutive_failures: 5,
            top_decision: 5,
            top_project: 15,
            top_patterns: 3,
            top_search: 10,
            search_match_weight: 0.8,
            search_confidence_weight: 0.2,
            match_very_high: 0.67,
            match_high: 0.45,
            match_medium: 0.40,
            word_very_high: 0.8,
            word_high: 0.6,
            word_medium: 0.45,
            phases: phases
                .into_iter()
                .map(|(phase, categories)| (phase.to_owned(), categories.to_vec()))
                .collect(),
            approved_only: false,
        }
    }
}

/// How use is seen in an agent's reasoning (B).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct UsagePolicy {
    /// Confidence of a lesson named by its slug.
    pub explicit_confidence: f64,
    /// Confidence of a lesson seen by its key phrases.
    pub implicit_confidence: f64,
    /// Different key phrases needed.
    pub implicit_min_phrases: u32,
    /// Shortest key phrase from bold text and headers, in characters.
    pub phrase_min: u32,
    /// Longest key phrase from bold text and headers, in characters.
    pub phrase_max: u32,
    /// Words taken from a bullet.
    pub bullet_words: u32,
    /// Shortest phrase from a bullet, in characters.
    pub bullet_min: u32,
    /// Characters quoted either side of a match.
    pub quote_radius: u32,
}

impl Default for UsagePolicy {
    fn default() -> Self {
        Self {
            explicit_confidence: 0.95,
            implicit_confidence: 0.60,
            implicit_min_phrases: 3,
            phrase_min: 5,
            phrase_max: 50,
            bullet_words: 5,
            bullet_min: 10,
            quote_radius: 50,
        }
    }
}

/// How sessions are read (D).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SessionPolicy {
    /// Shortest insight that becomes a lesson, in characters.
    pub insight_min: u32,
    /// Cosine of lesson and outcome text from which a lesson is a cause.
    pub causal_cosine_min: f64,
    /// Days that health looks back for feedback.
    pub health_days: u32,
}

impl Default for SessionPolicy {
    fn default() -> Self {
        Self {
            insight_min: 20,
            causal_cosine_min: 0.40,
            health_days: 7,
        }
    }
}

/// Which lessons a person is asked to look at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReviewPolicy {
    /// Cosine of two lessons' vectors from which they are near duplicates.
    pub near_meaning_min: f64,
    /// Share of words in common from which lessons without a vector are near duplicates.
    pub near_words_min: f64,
    /// The most near duplicates in the queue at a time.
    pub near_most: u32,
    /// The five worst are in the queue and in the stats while their effectiveness score is below
    /// this.
    pub bottom_below: f64,
    /// A lesson is a candidate for pruning while its causal effectiveness is below this.
    pub prune_below: f64,
    /// And it was a cause this often: fewer say little.
    pub prune_min_causal: u32,
    /// The most lessons in the queue at a time that outcomes keep out, and as many candidates for
    /// pruning.
    pub judged_most: u32,
    /// The most lessons in the queue at a time that are often shown and never rated.
    pub never_rated_most: u32,
}

impl Default for ReviewPolicy {
    fn default() -> Self {
        Self {
            near_meaning_min: 0.88,
            near_words_min: 0.6,
            near_most: 200,
            bottom_below: 0.5,
            prune_below: 0.25,
            prune_min_causal: 5,
            judged_most: 200,
            never_rated_most: 200,
        }
    }
}
