//! Step 3, relevance: how well a lesson fits the situation, whatever its standing.
//!
//! - *Project relevance* (C): `0.50·similarity + 0.30·metadata + 0.20·confidence`; for a lesson
//!   without a similarity `metadata + (1 − metadata)·keyword` when there is a query, else
//!   `metadata`.
//! - *Decision relevance* (B): 0.5 and what the market adds, at most 1.
//! - Both: their mean. Decision relevance runs first, since its cap holds for it alone.

use super::situation::{Context, Named, Trend, Volatility, same_word};
use super::trace::Run;
use crate::lesson::{Lesson, Text};
use crate::lessons::Facts;
use crate::policy::RankPolicy;
use crate::words::Kind;
use aho_corasick::{AhoCorasick, MatchKind};
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// Relevance as people see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum RelevanceWord {
    /// Below medium.
    #[serde(rename = "low")]
    Low,
    /// From `word_medium`.
    #[serde(rename = "medium")]
    Medium,
    /// From `word_high`.
    #[serde(rename = "high")]
    High,
    /// From `word_very_high`.
    #[serde(rename = "very high")]
    VeryHigh,
}

impl RelevanceWord {
    /// The word for a relevance, by the policy's thresholds.
    pub fn of(relevance: f64, policy: &RankPolicy) -> Self {
        if relevance >= policy.word_very_high {
            Self::VeryHigh
        } else if relevance >= policy.word_high {
            Self::High
        } else if relevance >= policy.word_medium {
            Self::Medium
        } else {
            Self::Low
        }
    }

    /// The word, such as `very high`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::VeryHigh => "very high",
        }
    }
}

/// How a lesson is like the query.
#[derive(Debug, Clone, Copy)]
pub(super) enum Likeness {
    /// The cosine, by a model.
    Similarity(f64),
    /// Words in common, 0 to 1; the fallback for a lesson without a vector.
    Keyword(f64),
}

/// Runs the relevance of `lesson` into `run`.
pub(super) fn relevance(
    run: &mut Run,
    lesson: &Lesson,
    facts: &Facts,
    likeness: Likeness,
    context: &Context<'_>,
    policy: &RankPolicy,
) {
    if context.decision {
        decision(run, lesson, facts, context, policy);
    }
    if context.project {
        project(run, lesson, facts, likeness, context, policy);
    }
    if context.decision && context.project {
        run.multiply("mean", (2.0, 0.5, 0.5), || {
            "the mean of decision and project relevance".to_owned()
        });
    }
    run.cap("at_most_one", 1.0, || "relevance is at most 1".to_owned());
}

/// Whether a lesson of this relevance is kept. Standing has no say in it.
pub(super) fn is_relevant(
    relevance: f64,
    likeness: Likeness,
    context: &Context<'_>,
    policy: &RankPolicy,
) -> bool {
    match likeness {
        Likeness::Keyword(_) if !context.decision => relevance > policy.keyword_relevance_above,
        _ => relevance >= policy.relevance_min,
    }
}

fn project(
    run: &mut Run,
    lesson: &Lesson,
    facts: &Facts,
    likeness: Likeness,
    context: &Context<'_>,
    policy: &RankPolicy,
) {
    let fit = Fit::of(&lesson.text, facts, context, policy);
    let metadata = fit.metadata(policy);
    match likeness {
        Likeness::Similarity(cosine) => {
            let similarity = counted_similarity(cosine, policy);
            let halved = fit.tech_mismatch && similarity > 0.0;
            let input = if halved {
                similarity * policy.tech_mismatch_factor
            } else {
                similarity
            };
            run.add("similarity", input, policy.similarity_weight, || {
                similarity_note(cosine, similarity, halved)
            });
            run.add("metadata", metadata, policy.metadata_weight, || fit.note());
            run.add(
                "confidence",
                facts.standing.confidence,
                policy.confidence_weight,
                || "stored confidence".to_owned(),
            );
        }
        Likeness::Keyword(keyword) => {
            run.add("metadata", metadata, 1.0, || fit.note());
            if context.query.is_some() {
                run.add("keyword", keyword, 1.0 - metadata, || {
                    "no vector: words in common with the query take its place".to_owned()
                });
            }
        }
    }
}

/// A cosine as it counts: 0 below the policy's minimum, never above 1. NaN counts 0.
pub(super) fn counted_similarity(cosine: f64, policy: &RankPolicy) -> f64 {
    if cosine >= policy.similarity_min {
        if cosine > 1.0 { 1.0 } else { cosine }
    } else {
        0.0
    }
}

pub(super) fn similarity_note(cosine: f64, counted: f64, halved: bool) -> String {
    if counted == 0.0 {
        format!("cosine {cosine:.3} is too low to count")
    } else if halved {
        format!("cosine {cosine:.3}, reduced: no technology in common")
    } else {
        format!("cosine {cosine:.3}")
    }
}

/// How a lesson's project types and technologies meet those of the situation (C).
#[derive(Debug)]
pub(super) struct Fit {
    project: f64,
    tech: f64,
    /// Both sides name technologies, and none is the same.
    pub(super) tech_mismatch: bool,
}

impl Fit {
    /// project = 1 if listed, 0.5 if the lesson lists none, else 0;
    /// tech = |lesson ∩ query| / |query|, 0.5 if either side names none.
    pub(super) fn of(
        text: &Text,
        facts: &Facts,
        context: &Context<'_>,
        policy: &RankPolicy,
    ) -> Self {
        let lists = |bits: u64, words: &[String], named: &Named| {
            bits & named.bit != 0 && words.iter().any(|word| same_word(word, &named.word))
        };
        let project = if !facts.has_projects {
            policy.unnamed
        } else if context
            .project_type
            .as_ref()
            .is_some_and(|named| lists(facts.projects, &text.project_types, named))
        {
            1.0
        } else {
            0.0
        };
        if !facts.has_techs || context.tech_stack.is_empty() {
            return Self {
                project,
                tech: policy.unnamed,
                tech_mismatch: false,
            };
        }
        let shared = context
            .tech_stack
            .iter()
            .filter(|named| lists(facts.techs, &text.tech_stacks, named))
            .count();
        Self {
            project,
            tech: shared as f64 / context.tech_stack.len() as f64,
            tech_mismatch: shared == 0,
        }
    }

    /// `0.4·project + 0.6·tech`.
    pub(super) fn metadata(&self, policy: &RankPolicy) -> f64 {
        self.project * policy.project_weight + self.tech * policy.tech_weight
    }

    pub(super) fn note(&self) -> String {
        format!(
            "project type {:.2}, technologies {:.2}",
            self.project, self.tech
        )
    }
}

fn decision(
    run: &mut Run,
    lesson: &Lesson,
    facts: &Facts,
    context: &Context<'_>,
    policy: &RankPolicy,
) {
    run.add("decision", policy.decision_base, 1.0, || {
        "every lesson of the pool may bear on the decision".to_owned()
    });
    let mut bonus = |name, weight, words: &str| run.add(name, 1.0, weight, || words.to_owned());
    let market = context.market;
    match facts.kind {
        Kind::Strategy => bonus("strategy", policy.strategy_bonus, "a strategy"),
        Kind::Warning => {
            if market.is_some_and(|market| market.recent_loss_count.is_some_and(|n| n > 0)) {
                bonus(
                    "warning_after_loss",
                    policy.warning_after_loss_bonus,
                    "a warning, after recent losses",
                );
            }
            if market.is_some_and(|market| market.volatility == Some(Volatility::High)) {
                bonus(
                    "warning_volatility",
                    policy.warning_volatility_bonus,
                    "a warning, in high volatility",
                );
            }
        }
        Kind::Pattern => {
            if market.is_some_and(|market| market.has_open_positions == Some(false)) {
                bonus(
                    "pattern_no_position",
                    policy.pattern_no_position_bonus,
                    "a pattern, with no open positions",
                );
            }
        }
        Kind::Evolved => bonus("evolved", policy.evolved_bonus, "an evolved lesson"),
    }
    if market.is_some_and(|market| market.trend == Some(Trend::Bearish))
        && speaks_of_exit_or_loss(&lesson.text)
    {
        bonus(
            "bearish_exit",
            policy.bearish_exit_bonus,
            "speaks of exit or loss, in a bearish trend",
        );
    }
    run.cap("decision_cap", policy.decision_cap, || {
        "decision relevance is at most this".to_owned()
    });
}

/// Whether a word of the text is a form of "exit" or "loss": `stop-loss` is, `glossary` is not.
fn speaks_of_exit_or_loss(text: &Text) -> bool {
    static STEMS: OnceLock<Option<AhoCorasick>> = OnceLock::new();
    let stems = STEMS.get_or_init(|| {
        // Every case that is written, and leftmost-first, so that many bytes are skipped at once.
        AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostFirst)
            .build(["exit", "loss", "Exit", "Loss", "EXIT", "LOSS"])
            .ok()
    });
    let Some(stems) = stems else { return false };
    let word_byte = |b: &u8| b.is_ascii_alphanumeric() || !b.is_ascii();
    [
        &text.title,
        &text.description,
        &text.recommendation,
        &text.context,
    ]
    .into_iter()
    .any(|field| {
        let bytes = field.as_bytes();
        stems.find_iter(field).any(|found| {
            let begins = found.start() == 0 || !word_byte(&bytes[found.start() - 1]);
            let rest = &bytes[found.end()..];
            let rest = &rest[..rest.iter().take_while(|b| word_byte(b)).count()];
            begins
                && ["", "s", "es", "ed", "ing"]
                    .iter()
                    .any(|ending| rest.eq_ignore_ascii_case(ending.as_bytes()))
        })
    })
}
