//! Step 3, relevance: how well a lesson fits the situation, whatever its standing.
//!
//! - *Project relevance* (hybrid retrieval): `0.50·match + 0.30·metadata + 0.20·confidence`; the match is that of
//!   `matching.rs`, halved when both sides name technologies and share none.
//! - *Decision relevance* (decision recommendations): 0.5 and what the market adds, at most 1.
//! - Both: their mean. Decision relevance runs first, since its cap holds for it alone.

use super::candidate::Candidate;
use super::matching::MatchScore;
use super::situation::{Context, Named, same_word};
use super::trace::Run;
use crate::lessons::RankFeatures;
use crate::policy::RankPolicy;
use crate::text::Text;
use aho_corasick::{AhoCorasick, MatchKind};
use lesson_types::{Kind, RelevanceWord, Trend, Volatility};
use std::sync::OnceLock;

impl RankPolicy {
    /// The word for a relevance where nothing was asked in words, by the thresholds `word_…`.
    pub fn relevance_word(&self, relevance: f64) -> RelevanceWord {
        word(
            relevance,
            [self.word_very_high, self.word_high, self.word_medium],
        )
    }
}

pub(super) fn word(value: f64, [very_high, high, medium]: [f64; 3]) -> RelevanceWord {
    if value >= very_high {
        RelevanceWord::VeryHigh
    } else if value >= high {
        RelevanceWord::High
    } else if value >= medium {
        RelevanceWord::Medium
    } else {
        RelevanceWord::Low
    }
}

/// The relevance of a lesson to a situation, with the match and the ground behind it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Relevance {
    /// 0 to 1.
    pub value: f64,
    /// The match by which the lesson's likelihood is reckoned, 0 to 1.
    pub matched: f64,
    /// True if anything of the lesson meets the situation: words, meaning, a project type, a technology, the domain or the
    /// market. Without it, relevance is made of neutral defaults.
    pub has_ground: bool,
    /// True if the lesson shares the project's type or a technology of it.
    pub shares_project: bool,
}

impl Relevance {
    /// True if a lesson of this relevance is kept. Standing has no say in it.
    pub(super) fn is_enough(self, context: &Context<'_>, policy: &RankPolicy) -> bool {
        self.value >= policy.relevance_min && (self.has_ground || !context.project)
    }

    /// Why it is not, for a person.
    pub(super) fn why_not(self, policy: &RankPolicy) -> String {
        if self.value < policy.relevance_min {
            format!(
                "relevance {:.3} is below {}",
                self.value, policy.relevance_min
            )
        } else {
            "it shares no word, meaning, project type, technology or domain with the situation"
                .to_owned()
        }
    }
}

/// Runs the relevance of a lesson into `run`.
pub(super) fn relevance(
    run: &mut Run,
    one: &Candidate<'_>,
    found: &MatchScore,
    context: &Context<'_>,
    policy: &RankPolicy,
) -> Relevance {
    let mut has_ground = found.value > 0.0;
    if context.decision {
        decision(run, one, context, policy);
        has_ground |= run.value() > policy.decision_base;
        has_ground |= context.domain.as_ref().is_some_and(|domain| {
            one.facts.domain == domain.hash && same_word(&one.lesson.text.domain, &domain.word)
        });
    }
    let mut shares_project = false;
    let mut matched = found.telling;
    if context.project {
        let fit = Fit::of(&one.lesson.text, one.facts, context, policy);
        project(run, one.facts, found, &fit, policy);
        if fit.tech_mismatch {
            matched *= policy.tech_mismatch_factor;
        }
        has_ground |= fit.shared;
        shares_project = fit.shared;
    }
    if context.decision && context.project {
        run.multiply("mean", (2.0, 0.5, 0.5), || {
            "the mean of decision and project relevance".to_owned()
        });
    }
    run.cap("at_most_one", 1.0, || "relevance is at most 1".to_owned());
    Relevance {
        value: run.value(),
        matched,
        has_ground,
        shares_project,
    }
}

fn project(
    run: &mut Run,
    facts: &RankFeatures,
    found: &MatchScore,
    fit: &Fit,
    policy: &RankPolicy,
) {
    let halved = fit.tech_mismatch && found.value > 0.0;
    let input = if halved {
        found.value * policy.tech_mismatch_factor
    } else {
        found.value
    };
    run.add("match", input, policy.match_weight, || {
        found.note(input, halved, policy)
    });
    run.add(
        "metadata",
        fit.metadata(policy),
        policy.metadata_weight,
        || fit.note(),
    );
    run.add(
        "confidence",
        facts.standing.confidence,
        policy.confidence_weight,
        || "stored confidence".to_owned(),
    );
}

/// The overlap of a lesson's project types and technologies with those of the situation (hybrid retrieval).
#[derive(Debug)]
pub(super) struct Fit {
    project: f64,
    tech: f64,
    /// Both sides name technologies, and none is the same.
    pub(super) tech_mismatch: bool,
    /// The project type or a technology is the same.
    pub(super) shared: bool,
}

impl Fit {
    /// project = 1 if listed, 0.5 if either side names none, else 0: of a question alone, the match decides;
    /// tech = |lesson ∩ query| / |query|, 0.5 if either side names none.
    pub(super) fn of(
        text: &Text,
        facts: &RankFeatures,
        context: &Context<'_>,
        policy: &RankPolicy,
    ) -> Self {
        let lists = |bits: u64, words: &[String], named: &Named| {
            bits & named.bit != 0 && words.iter().any(|word| same_word(word, &named.word))
        };
        let listed = context
            .project_type
            .as_ref()
            .is_some_and(|named| lists(facts.projects, &text.project_types, named));
        let project = if !facts.has_projects || context.project_type.is_none() {
            policy.unnamed
        } else if listed {
            1.0
        } else {
            0.0
        };
        if !facts.has_techs || context.tech_stack.is_empty() {
            return Self {
                project,
                tech: policy.unnamed,
                tech_mismatch: false,
                shared: listed,
            };
        }
        let shared = context
            .tech_stack
            .iter()
            .filter(|tech| tech.is_in(facts.techs, &text.tech_stacks))
            .count();
        Self {
            project,
            tech: shared as f64 / context.tech_stack.len() as f64,
            tech_mismatch: shared == 0,
            shared: listed || shared > 0,
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

fn decision(run: &mut Run, one: &Candidate<'_>, context: &Context<'_>, policy: &RankPolicy) {
    let Candidate { lesson, facts, .. } = *one;
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

/// True if a word of the text is a form of "exit" or "loss": `stop-loss` is, `glossary` is not.
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
