//! Every constant of the engine, in one value that can be shown, stored and replayed.
//!
//! The fold's constants are part of what the ledger means, so they are the same for everyone;
//! the ranking's may be changed for one request, to see what would come of it.
//!
//! Each constant says its default, its range where a request may change it, why it is so, and which of the five systems
//! it comes from whose rules are merged here: effectiveness tracking, decision recommendations, hybrid retrieval, causal
//! feedback, tool-success learning. What names no source is ours.

use crate::tools::ToolPolicy;
use lesson_types::{Category, StandingRule};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// All constants.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Policy {
    /// Constants by which events change standings.
    pub fold: FoldPolicy,
    /// Constants by which lessons are ranked.
    pub rank: RankPolicy,
    /// Constants by which use is seen in an agent's reasoning.
    pub usage: UsagePolicy,
    /// Constants by which sessions are read.
    pub session: SessionPolicy,
    /// Constants by which tool servers are suggested.
    pub tools: ToolPolicy,
    /// Bounds of the queue of lessons that a person is asked to look at.
    pub review: ReviewPolicy,
    /// Probabilities of withholding lessons at random, to measure what they do.
    pub measure: MeasurePolicy,
}

/// Constants by which events change standings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FoldPolicy {
    /// Step by which a helpful rating raises confidence. 0.02. Source: effectiveness tracking.
    pub helpful_step: f64,
    /// Step by which a rating of not helpful lowers confidence: more than a helpful one raises it, so that a lesson that helps
    /// half of the time sinks. 0.03. Source: effectiveness tracking.
    pub not_helpful_step: f64,
    /// Step by which a vote raises or lowers confidence. 0.05. Source: effectiveness tracking.
    pub vote_step: f64,
    /// Confidence does not fall below this by ratings and votes. 0.1: a lesson can come back. Source: effectiveness tracking.
    pub confidence_min: f64,
    /// Confidence does not rise above this. 1.0. Source: effectiveness tracking.
    pub confidence_max: f64,
    /// Weight that the old effectiveness keeps at a causal feedback. 0.9: about the last twenty feedbacks count. Source: causal
    /// feedback.
    pub effectiveness_keep: f64,
    /// Weight of the new value, 1 or 0, at a causal feedback. 0.1, so that both sum to 1. Source: causal feedback.
    pub effectiveness_gain: f64,
    /// Share of the way to neutral that a lesson drifts which was named but no cause. 0.10. Source: causal feedback.
    pub erosion: f64,
    /// The effectiveness it drifts to, and begins with. 0.5. Source: causal feedback.
    pub neutral: f64,
    /// Decisions with an outcome in which it was applied, before a lesson may be proven. 3. Source: decision recommendations.
    pub proven_min_applied: u32,
    /// Success rate from which it is. 0.5. Source: decision recommendations.
    pub proven_min_rate: f64,
    /// Agents' keys in the ledger from which none of them moves a standing alone: what a key says of an unapproved lesson
    /// of its own waits for a person, and its ratings and votes on a lesson count once a UTC day. Default 2: with one
    /// there is nobody to be protected from it, and the sources' rules hold as they are.
    pub shared_from_keys: u32,
    /// A lesson that was shown this often, and never applied, rated helpful or named as a cause, loses some of its lift with
    /// each further showing. 10, as in effectiveness tracking.
    pub unheeded_from: u32,
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
            shared_from_keys: 2,
            unheeded_from: 10,
        }
    }
}

/// Constants by which lessons are ranked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RankPolicy {
    /// Weight of the match in project relevance, 0 to 1. 0.50. Source: hybrid retrieval.
    pub match_weight: f64,
    /// Weight of project type and technologies in project relevance, 0 to 1. 0.30. Source: hybrid retrieval.
    pub metadata_weight: f64,
    /// Weight of confidence in project relevance, 0 to 1. 0.20. Source: hybrid retrieval.
    pub confidence_weight: f64,
    /// Weight of meaning in a match, 0 to 1; words have the rest. 0.4, measured: from 0.35 to 0.45 real lessons are found
    /// alike (`cargo xtask bench relevance`).
    pub meaning_weight: f64,
    /// Factor of the score of words where there is no vector, 0 to 1; below 1, since meaning mostly says less than words do.
    /// 0.8, measured: a match then reads alike with the model and without.
    pub words_alone: f64,
    /// The cosine up to which a text means something else, 0 to 1: meaning 0. 0.1, fitted to the embedding model.
    pub meaning_from: f64,
    /// The cosine from which a text means the same, 0 to 1 and above `meaning_from`: meaning 1. 0.8, fitted to the model.
    pub meaning_to: f64,
    /// Share of the pool that must have vectors for meaning to take part, 0 to 1; below it all are matched by words. 0.75,
    /// measured: a few vectors among many lessons without rank worse than words alone.
    pub meaning_min_covered: f64,
    /// A match below this counts 0; 0 to 1. 0.35, measured: of questions that no lesson answers, three of four stay below
    /// it; the right lesson lies above it in 95 of 100.
    pub match_floor: f64,
    /// The same where the model reads many languages and the query is not seen to be in another one than English, 0 to 1; never
    /// below `match_floor`. 0.4, measured: words add to English matches, so that those of what no lesson answers lie higher,
    /// and up to 0.42 no right lesson falls below it (`cargo xtask bench relevance --languages`).
    pub english_match_floor: f64,
    /// The match is multiplied by this when both sides name technologies and none is the same, 0 to 1. 0.5. Source: hybrid
    /// retrieval.
    pub tech_mismatch_factor: f64,
    /// Weight of the project type in metadata, 0 to 1. 0.4. Source: hybrid retrieval.
    pub project_weight: f64,
    /// Weight of the technologies in metadata, 0 to 1; at most 1 with `project_weight`. 0.6. Source: hybrid retrieval.
    pub tech_weight: f64,
    /// Score in metadata where a side names nothing, 0 to 1. 0.5: neither for nor against. Source: hybrid retrieval.
    pub unnamed: f64,
    /// Decision relevance begins here, 0 to 1. 0.5. Source: decision recommendations, as all of these bonuses.
    pub decision_base: f64,
    /// Bonus of a strategy in decision relevance, 0 to 1. 0.2.
    pub strategy_bonus: f64,
    /// Bonus of a warning after recent losses, 0 to 1. 0.15.
    pub warning_after_loss_bonus: f64,
    /// Bonus of a pattern with no open positions, 0 to 1. 0.1.
    pub pattern_no_position_bonus: f64,
    /// Bonus of an evolved lesson, 0 to 1. 0.15.
    pub evolved_bonus: f64,
    /// Bonus of a warning in high volatility, 0 to 1. 0.1.
    pub warning_volatility_bonus: f64,
    /// Bonus of text that speaks of exit or loss in a bearish trend, 0 to 1. 0.1.
    pub bearish_exit_bonus: f64,
    /// Decision relevance is at most this, 0 to 1. 1.0.
    pub decision_cap: f64,
    /// Relevance below this is left out, whatever the standing; 0 to 1. 0.3. Source: decision recommendations.
    pub relevance_min: f64,
    /// An effectiveness score below this is penalised, 0 to 1. 0.3. Source: effectiveness tracking.
    pub low_score_below: f64,
    /// By this factor, 0 to 1. 0.7. Source: effectiveness tracking.
    pub low_score_factor: f64,
    /// A lesson surfaced this often and never found helpful is penalised, too. 10. Source: effectiveness tracking.
    pub unhelpful_from_surfaced: u32,
    /// By this factor, 0 to 1. 0.5. Source: effectiveness tracking.
    pub unhelpful_factor: f64,
    /// The causal factor of a score is `causal_base + causal_weight · causal_adjusted`, 0 to 1. 0.5. Source: causal feedback.
    pub causal_base: f64,
    /// See `causal_base`; at most 1 with it. 0.5. Source: causal feedback.
    pub causal_weight: f64,
    /// The causal ratio, `causal_hits / use_count`, counts for at least this, 0 to 1. 0.3. Source: causal feedback.
    pub causal_floor: f64,
    /// The causal ratio counts from this many uses on: of fewer it says little. 3. Source: causal feedback.
    pub causal_min_uses: u32,
    /// A lesson applied less often than this is qualified whatever came of it. 3. Source: decision recommendations.
    pub qualify_min_applied: u32,
    /// So many failures in a row disqualify. 5. Source: decision recommendations.
    pub max_consecutive_failures: u32,
    /// Lessons in an answer to a decision, 1 to 100. 5. Source: decision recommendations.
    pub top_decision: u32,
    /// Lessons in an answer to a project context, 1 to 100. 15. Source: hybrid retrieval.
    pub top_project: u32,
    /// Lessons in an answer to patterns for a feature, 1 to 100. 3. Source: hybrid retrieval.
    pub top_patterns: u32,
    /// Lessons in an answer to a search, 1 to 100. 10. Source: hybrid retrieval.
    pub top_search: u32,
    /// Weight of the match in a search, 0 to 1. 0.8. Source: hybrid retrieval.
    pub search_match_weight: f64,
    /// Weight of confidence in a search, 0 to 1. 0.2. Source: hybrid retrieval.
    pub search_confidence_weight: f64,
    /// a in the likelihood that a lesson is the right one, `1 / (1 + e^−z)`, `z = a · match + b · match ÷ best − c`; 0 to 100.
    /// 4.8, fitted with b and c to the labelled queries of `cargo xtask bench relevance`.
    pub likelihood_match: f64,
    /// b in it, 0 to 100. 19.3.
    pub likelihood_lead: f64,
    /// c in it, 0 to 100. 21.7.
    pub likelihood_base: f64,
    /// a where lessons are matched by words alone, 0 to 100. 4.2, fitted like the others.
    pub words_likelihood_match: f64,
    /// b there, 0 to 100. 17.8.
    pub words_likelihood_lead: f64,
    /// c there, 0 to 100. 20.0.
    pub words_likelihood_base: f64,
    /// With a query, lessons that are less likely are left out, 0 to 1. 0.02; with the model, less beside a best lesson that is not
    /// sure, by the square of its likelihood.
    pub min_likelihood: f64,
    /// Likelihood from which a person reads "very high", 0 to 1. 0.7.
    pub likely_very_high: f64,
    /// Likelihood from which a person reads "high", 0 to 1. 0.4.
    pub likely_high: f64,
    /// Likelihood from which a person reads "medium", 0 to 1; below it, "low". 0.15.
    pub likely_medium: f64,
    /// A match below this reads "low" even where it is the best, 0 to 1. 0.44: of forty questions that no lesson answers,
    /// one gets more; of lessons that are likely by their lead alone, three of four are wrong.
    pub match_medium: f64,
    /// Relevance from which a person reads "very high" where nothing was asked in words, 0 to 1. 0.8.
    pub word_very_high: f64,
    /// Relevance from which a person reads "high" there, 0 to 1. 0.6.
    pub word_high: f64,
    /// Relevance from which a person reads "medium" there, 0 to 1. 0.45.
    pub word_medium: f64,
    /// Phase → categories that pass; workflow always does. Source: hybrid retrieval; the table is ours.
    pub phases: BTreeMap<String, Vec<Category>>,
    /// Set if only approved lessons are recommended. Off: an unreviewed lesson is labelled so.
    pub approved_only: bool,
    /// Rule by which past use changes a lesson's relevance: `lift`, what is believed of its lift, or `seeds`, the rules of the
    /// sources. `lift`, which loses less in every family of worlds on the bench (`cargo xtask bench learn`).
    pub standing: StandingRule,
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
            english_match_floor: 0.4,
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
            likelihood_match: 4.8,
            likelihood_lead: 19.3,
            likelihood_base: 21.7,
            words_likelihood_match: 4.2,
            words_likelihood_lead: 17.8,
            words_likelihood_base: 20.0,
            min_likelihood: 0.02,
            likely_very_high: 0.7,
            likely_high: 0.4,
            likely_medium: 0.15,
            match_medium: 0.44,
            word_very_high: 0.8,
            word_high: 0.6,
            word_medium: 0.45,
            phases: phases
                .into_iter()
                .map(|(phase, categories)| (phase.to_owned(), categories.to_vec()))
                .collect(),
            approved_only: false,
            standing: StandingRule::Lift,
        }
    }
}

/// Constants by which use is seen in an agent's reasoning. Source: decision recommendations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct UsagePolicy {
    /// Confidence of a lesson named by its slug, 0 to 1. 0.95.
    pub explicit_confidence: f64,
    /// Confidence of a lesson seen by its key phrases, 0 to 1. 0.60.
    pub implicit_confidence: f64,
    /// Different key phrases needed. 3: two are met by chance.
    pub implicit_min_phrases: u32,
    /// Shortest key phrase from bold text and headers, in characters. 5.
    pub phrase_min: u32,
    /// Longest key phrase from bold text and headers, in characters. 50.
    pub phrase_max: u32,
    /// Words taken from the beginning of a bullet. 5.
    pub bullet_words: u32,
    /// Shortest phrase from a bullet, in characters. 10.
    pub bullet_min: u32,
    /// Characters quoted either side of a match. 50.
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

/// Constants by which sessions are read. Source: causal feedback.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SessionPolicy {
    /// Shortest insight that becomes a lesson, in characters. 20.
    pub insight_min: u32,
    /// Cosine of lesson and outcome text from which a lesson is a cause, 0 to 1. 0.40.
    pub causal_cosine_min: f64,
    /// Days that health looks back for feedback. 7.
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

/// See [`ReviewPolicy::near_meaning_min`]; answers go by it, too.
pub(crate) const NEAR_MEANING: f64 = 0.88;
/// See [`ReviewPolicy::near_words_min`]; answers go by it, too.
pub(crate) const NEAR_WORDS: f64 = 0.6;

/// Bounds of the queue of lessons that a person is asked to look at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReviewPolicy {
    /// Cosine of two lessons' vectors from which they are near duplicates, 0 to 1. 0.88, measured on the sample lessons.
    pub near_meaning_min: f64,
    /// Share of words in common from which lessons without a vector are near duplicates, 0 to 1. 0.6.
    pub near_words_min: f64,
    /// The most near duplicates in the queue at a time. 200: a person sees no end of more.
    pub near_most: u32,
    /// The five worst are in the queue and in the stats while their effectiveness score is below this, 0 to 1. 0.5, neutral.
    pub bottom_below: f64,
    /// A lesson is a candidate for pruning while its causal effectiveness is below this, 0 to 1. 0.25. Source: causal
    /// feedback, "consistently unhelpful".
    pub prune_below: f64,
    /// And it was a cause this often: fewer say little. 5.
    pub prune_min_causal: u32,
    /// The most lessons in the queue at a time that outcomes keep out, and as many candidates for pruning. 200.
    pub judged_most: u32,
    /// The most lessons in the queue at a time that are often shown and never rated. 200.
    pub never_rated_most: u32,
}

impl Default for ReviewPolicy {
    fn default() -> Self {
        Self {
            near_meaning_min: NEAR_MEANING,
            near_words_min: NEAR_WORDS,
            near_most: 200,
            bottom_below: 0.5,
            prune_below: 0.25,
            prune_min_causal: 5,
            judged_most: 200,
            never_rated_most: 200,
        }
    }
}

/// Draws that withhold lessons from decisions at random, so that what lessons do can be told from what situations do. All of it
/// is off until a person turns it on; decisions without an id are never measured.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MeasurePolicy {
    /// The share of decisions that get no lessons, 0 to 0.5. 0, off; 0.1 tells the lift of the loop in some thousand runs.
    pub control_runs: f64,
    /// The probability that a lesson which would be shown is left out, each on its own, 0 to 0.5. 0, off; 0.2 tells a lift
    /// of 0.15 in about 530 runs of a lesson, 0.1 in about 1,230.
    pub withhold: f64,
    /// The probability that the last place goes to one of the next five lessons, 0 to 0.5. 0, off: what they would gain is
    /// paid by the lesson whose place it is.
    pub explore: f64,
    /// Lessons that are never withheld, in control runs neither, by slug: a person's word, such as for safety or law. At
    /// most 100. None.
    pub always: Vec<String>,
}

impl MeasurePolicy {
    /// True if anything is drawn.
    pub fn is_on(&self) -> bool {
        self.control_runs > 0.0 || self.withhold > 0.0 || self.explore > 0.0
    }
}
