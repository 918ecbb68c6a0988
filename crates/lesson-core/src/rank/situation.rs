//! The situation that lessons are wanted for, and what is wrong with one that can't be ranked for.

use crate::lessons::{bit_of, domain_hash};
use crate::policy::RankPolicy;
use crate::technologies::technology_names;
use lesson_types::{Category, Market};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The situation that lessons are wanted for. Blank text counts as absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Situation {
    /// The situation in words.
    pub query: Option<String>,
    /// The kind of project, such as `web-app`.
    pub project_type: Option<String>,
    /// Technologies at hand.
    pub tech_stack: Vec<String>,
    /// The phase of work; limits the categories.
    pub phase: Option<String>,
    /// The field of a decision, such as `perps`.
    pub domain: Option<String>,
    /// The market, for decision relevance.
    pub market: Option<Market>,
    /// At most so many answers; the policy's number when absent, and at most that where a decision is to be made.
    pub limit: Option<usize>,
    /// Set if a decision is to be made: then few answers are wanted.
    pub for_decision: bool,
}

impl Situation {
    /// True if a decision is to be made, as the flag, a domain or a market tells: then few answers are wanted.
    pub fn is_for_decision(&self) -> bool {
        self.for_decision || given(self.domain.as_deref()).is_some() || self.market.is_some()
    }
}

/// The text of a situation that is embedded: its query, or `{project_type} project using {technologies}` where only the
/// project is told (hybrid retrieval). `None` where neither is.
///
/// ```
/// let situation = lesson_core::Situation {
///     project_type: Some("web-app".to_owned()),
///     tech_stack: vec!["rust".to_owned(), "react".to_owned()],
///     ..Default::default()
/// };
/// assert_eq!(lesson_core::situation_text(&situation).unwrap(), "web-app project using rust, react");
/// ```
pub fn situation_text(situation: &Situation) -> Option<String> {
    if let Some(query) = given(situation.query.as_deref()) {
        return Some(query.to_owned());
    }
    let techs: Vec<&str> = named(&situation.tech_stack).collect();
    match (given(situation.project_type.as_deref()), techs.is_empty()) {
        (None, true) => None,
        (Some(project), true) => Some(format!("{project} project")),
        (None, false) => Some(format!("project using {}", techs.join(", "))),
        (Some(project), false) => Some(format!("{project} project using {}", techs.join(", "))),
    }
}

/// Why nothing can be ranked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RankError {
    /// The field at fault.
    pub field: &'static str,
    /// The fault and its remedy, in words.
    pub message: String,
}

impl std::fmt::Display for RankError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for RankError {}

pub(super) fn error(field: &'static str, message: impl Into<String>) -> RankError {
    RankError {
        field,
        message: message.into(),
    }
}

/// A situation made ready: blanks dropped, words lower-cased, the phase looked up.
#[derive(Debug)]
pub(super) struct Context<'a> {
    pub(super) query: Option<&'a str>,
    /// The text that is matched as words: the query, else the project's type and technologies. The words around them in
    /// [`situation_text`] say nothing.
    pub(super) text: Option<Cow<'a, str>>,
    pub(super) project_type: Option<Named>,
    /// Each once.
    pub(super) tech_stack: Vec<Technology>,
    pub(super) domain: Option<Named>,
    pub(super) market: Option<&'a Market>,
    /// The phase and the categories it wants; `None` wants all.
    pub(super) phase: Option<(&'a str, &'a [Category])>,
    /// True if project relevance counts.
    pub(super) project: bool,
    /// True if decision relevance counts.
    pub(super) decision: bool,
    pub(super) limit: usize,
}

impl<'a> Context<'a> {
    pub(super) fn of(situation: &'a Situation, policy: &'a RankPolicy) -> Result<Self, RankError> {
        let query = given(situation.query.as_deref());
        let project_type = given(situation.project_type.as_deref()).map(Named::of);
        let mut tech_stack: Vec<Technology> = Vec::new();
        for tech in named(&situation.tech_stack).map(Technology::of) {
            if !tech_stack.contains(&tech) {
                tech_stack.push(tech);
            }
        }
        let domain = given(situation.domain.as_deref()).map(Named::of);
        let market = situation.market.as_ref();
        let project = query.is_some() || project_type.is_some() || !tech_stack.is_empty();
        let decision = domain.is_some() || market.is_some();
        if !project && !decision {
            return Err(error(
                "query",
                "nothing was said of the situation; give at least one of query, project_type, tech_stack, domain or market",
            ));
        }
        let limit = match situation.limit {
            Some(0) => return Err(error("limit", "limit is 0; it has to be at least 1")),
            // A decision takes few lessons, however many are asked for.
            limit if decision || situation.for_decision => {
                let most = policy.top_decision as usize;
                limit.map_or(most, |limit| limit.min(most))
            }
            Some(limit) => limit,
            None => policy.top_project as usize,
        };
        let told: Vec<&str> = given(situation.project_type.as_deref())
            .into_iter()
            .chain(named(&situation.tech_stack))
            .collect();
        let text = match query {
            Some(query) => Some(Cow::Borrowed(query)),
            None if told.is_empty() => None,
            None => Some(Cow::Owned(told.join(" "))),
        };
        Ok(Self {
            query,
            text,
            project_type,
            tech_stack,
            domain,
            market,
            phase: given(situation.phase.as_deref())
                .map(|phase| known_phase(phase, policy))
                .transpose()?,
            project,
            decision,
            limit,
        })
    }
}

/// A word of a situation, made ready to be looked for in many lessons.
#[derive(Debug)]
pub(super) struct Named {
    /// Lower-cased.
    pub(super) word: String,
    /// As the facts of lessons have lists.
    pub(super) bit: u64,
    /// As the facts of lessons have domains.
    pub(super) hash: u64,
}

impl Named {
    fn of(word: &str) -> Self {
        Self {
            word: word.to_lowercase(),
            bit: bit_of(word),
            hash: domain_hash(word),
        }
    }
}

/// A technology of a situation, made ready to be looked for in many lessons.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Technology {
    /// The names that it is compared by.
    names: Vec<String>,
    /// As the facts of lessons have them.
    bits: u64,
}

impl Technology {
    fn of(written: &str) -> Self {
        let names = technology_names(written);
        let bits = names.iter().fold(0, |bits, name| bits | bit_of(name));
        Self { names, bits }
    }

    /// True if one of a lesson's technologies is this one; `bits` are those of their names.
    pub(super) fn is_in(&self, bits: u64, listed: &[String]) -> bool {
        let same = |written: &String| {
            let theirs = technology_names(written);
            theirs.iter().any(|name| self.names.contains(name))
        };
        bits & self.bits != 0 && listed.iter().any(same)
    }
}

/// `text` without its surrounding blanks, `None` when nothing is left.
fn given(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

/// The words trimmed, blanks dropped.
fn named(words: &[String]) -> impl Iterator<Item = &str> {
    words.iter().filter_map(|word| given(Some(word)))
}

fn known_phase<'a>(
    phase: &str,
    policy: &'a RankPolicy,
) -> Result<(&'a str, &'a [Category]), RankError> {
    policy
        .phases
        .iter()
        .find(|(name, _)| same_word(name, &phase.to_lowercase()))
        .map(|(name, categories)| (name.as_str(), categories.as_slice()))
        .ok_or_else(|| {
            let known: Vec<&str> = policy.phases.keys().map(String::as_str).collect();
            error(
                "phase",
                format!(
                    "there is no phase `{phase}`; use one of {}, or leave it out",
                    known.join(", ")
                ),
            )
        })
}

/// True if `word` is `lowered` but for case and surrounding blanks. No allocation for ASCII.
pub(super) fn same_word(word: &str, lowered: &str) -> bool {
    let word = word.trim();
    if word.is_ascii() {
        word.eq_ignore_ascii_case(lowered)
    } else {
        word.to_lowercase() == lowered
    }
}

/// The greatest weight in a likelihood: with it a lesson as good as the best by a tenth less is all but excluded.
const MOST_LIKELIHOOD_WEIGHT: f64 = 100.0;
/// The most lessons in an answer.
const MOST_TOP: u32 = 100;

/// That every number of a policy keeps scores finite and between 0 and 1.
pub fn check_policy(policy: &RankPolicy) -> Result<(), RankError> {
    let numbers = [
        ("match_weight", policy.match_weight),
        ("metadata_weight", policy.metadata_weight),
        ("confidence_weight", policy.confidence_weight),
        ("meaning_weight", policy.meaning_weight),
        ("words_alone", policy.words_alone),
        ("meaning_from", policy.meaning_from),
        ("meaning_to", policy.meaning_to),
        ("meaning_min_covered", policy.meaning_min_covered),
        ("match_floor", policy.match_floor),
        ("english_match_floor", policy.english_match_floor),
        ("min_likelihood", policy.min_likelihood),
        ("likely_very_high", policy.likely_very_high),
        ("likely_high", policy.likely_high),
        ("likely_medium", policy.likely_medium),
        ("match_medium", policy.match_medium),
        ("tech_mismatch_factor", policy.tech_mismatch_factor),
        ("project_weight", policy.project_weight),
        ("tech_weight", policy.tech_weight),
        ("unnamed", policy.unnamed),
        ("decision_base", policy.decision_base),
        ("strategy_bonus", policy.strategy_bonus),
        ("warning_after_loss_bonus", policy.warning_after_loss_bonus),
        (
            "pattern_no_position_bonus",
            policy.pattern_no_position_bonus,
        ),
        ("evolved_bonus", policy.evolved_bonus),
        ("warning_volatility_bonus", policy.warning_volatility_bonus),
        ("bearish_exit_bonus", policy.bearish_exit_bonus),
        ("decision_cap", policy.decision_cap),
        ("relevance_min", policy.relevance_min),
        ("low_score_below", policy.low_score_below),
        ("low_score_factor", policy.low_score_factor),
        ("unhelpful_factor", policy.unhelpful_factor),
        ("causal_base", policy.causal_base),
        ("causal_weight", policy.causal_weight),
        ("causal_floor", policy.causal_floor),
        ("search_match_weight", policy.search_match_weight),
        ("search_confidence_weight", policy.search_confidence_weight),
        ("word_very_high", policy.word_very_high),
        ("word_high", policy.word_high),
        ("word_medium", policy.word_medium),
    ];
    for (name, value) in numbers {
        if !(0.0..=1.0).contains(&value) {
            return Err(error(
                "policy",
                format!("{name} is {value}; it has to be between 0 and 1"),
            ));
        }
    }
    for (name, weight) in [
        ("likelihood_match", policy.likelihood_match),
        ("likelihood_lead", policy.likelihood_lead),
        ("likelihood_base", policy.likelihood_base),
        ("words_likelihood_match", policy.words_likelihood_match),
        ("words_likelihood_lead", policy.words_likelihood_lead),
        ("words_likelihood_base", policy.words_likelihood_base),
    ] {
        if !(0.0..=MOST_LIKELIHOOD_WEIGHT).contains(&weight) {
            return Err(error(
                "policy",
                format!("{name} is {weight}; it has to be between 0 and {MOST_LIKELIHOOD_WEIGHT}"),
            ));
        }
    }
    for (name, count) in [
        ("top_decision", policy.top_decision),
        ("top_project", policy.top_project),
        ("top_patterns", policy.top_patterns),
        ("top_search", policy.top_search),
    ] {
        if !(1..=MOST_TOP).contains(&count) {
            return Err(error(
                "policy",
                format!("{name} is {count}; it has to be between 1 and {MOST_TOP}"),
            ));
        }
    }
    if policy.meaning_from >= policy.meaning_to {
        return Err(error(
            "policy",
            format!(
                "meaning_to is {}; it has to be above meaning_from, {}",
                policy.meaning_to, policy.meaning_from
            ),
        ));
    }
    for (name, sum) in [
        (
            "project_weight + tech_weight",
            policy.project_weight + policy.tech_weight,
        ),
        (
            "causal_base + causal_weight",
            policy.causal_base + policy.causal_weight,
        ),
    ] {
        if sum > 1.0 {
            return Err(error(
                "policy",
                format!("{name} is {sum}; it has to be at most 1"),
            ));
        }
    }
    Ok(())
}
