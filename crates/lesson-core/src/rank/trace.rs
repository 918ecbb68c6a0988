//! The trace: how a score came about. The ranking computes every score through [`Run`], so a trace
//! can't tell anything but the numbers that were used.

use lesson_types::{Factor, FactorKind};
use serde::{Deserialize, Serialize};

/// Why a lesson is not in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExclusionCode {
    /// Out of use.
    Archived,
    /// Held back by screening or by a person.
    Quarantined,
    /// Not approved, and the policy wants approved lessons only.
    Unapproved,
    /// Of another domain.
    Domain,
    /// Of a category that the phase does not want.
    Category,
    /// Its outcomes speak against it.
    LowEffectiveness,
    /// It harms, as far as seen.
    Harms,
    /// It does not fit the situation.
    LowRelevance,
    /// Others match the query so much better that it is hardly the right one.
    Unlikely,
    /// A lesson of the same title ranks higher.
    DuplicateTitle,
    /// A lesson that says almost the same is in the answer in its place.
    NearDuplicate,
    /// The agent's key that wrote it has as many unreviewed lessons in the answer as one may.
    KeyLimit,
    /// Others rank higher.
    BeyondLimit,
}

impl ExclusionCode {
    /// All of them, in the order of the pipeline.
    pub const ALL: [Self; 13] = [
        Self::Archived,
        Self::Quarantined,
        Self::Unapproved,
        Self::Domain,
        Self::Category,
        Self::LowEffectiveness,
        Self::Harms,
        Self::LowRelevance,
        Self::Unlikely,
        Self::DuplicateTitle,
        Self::NearDuplicate,
        Self::KeyLimit,
        Self::BeyondLimit,
    ];

    /// The code as it stands in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Archived => "archived",
            Self::Quarantined => "quarantined",
            Self::Unapproved => "unapproved",
            Self::Domain => "domain",
            Self::Category => "category",
            Self::LowEffectiveness => "low_effectiveness",
            Self::Harms => "harms",
            Self::LowRelevance => "low_relevance",
            Self::Unlikely => "unlikely",
            Self::DuplicateTitle => "duplicate_title",
            Self::NearDuplicate => "near_duplicate",
            Self::KeyLimit => "key_limit",
            Self::BeyondLimit => "beyond_limit",
        }
    }
}

/// Why a lesson is not in an answer, in code and words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Exclusion {
    /// The code.
    pub code: ExclusionCode,
    /// The same for a person.
    pub words: String,
}

/// The account of one lesson in a ranking: its scores and factors, and its place or the reason that it has none.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trace {
    /// The lesson.
    pub slug: String,
    /// Its title.
    pub title: String,
    /// Its rank in the answer, from 1; `None` when it is not in it.
    pub rank: Option<u32>,
    /// Relevance, 0 to 1, before standing.
    pub relevance: f64,
    /// Likelihood that it is the right one, 0 to 1, and the formula behind it; `None` where no query is matched.
    pub likelihood: Option<(f64, String)>,
    /// The final score: the factors' running value after the last one, 0 without factors.
    pub score: f64,
    /// Every factor in order of application.
    pub factors: Vec<Factor>,
    /// Why it is not in the answer.
    pub exclusion: Option<Exclusion>,
}

/// A score in the making; keeps its factors only when asked to explain.
#[derive(Debug)]
pub(super) struct Run {
    value: f64,
    factors: Option<Vec<Factor>>,
}

impl Run {
    pub(super) fn new(explain: bool) -> Self {
        Self {
            value: 0.0,
            factors: explain.then(Vec::new),
        }
    }

    /// The running score.
    pub(super) fn value(&self) -> f64 {
        self.value
    }

    /// The factors, none when not explaining.
    pub(super) fn into_factors(self) -> Vec<Factor> {
        self.factors.unwrap_or_default()
    }

    /// Adds `input · weight`.
    pub(super) fn add(
        &mut self,
        name: &'static str,
        input: f64,
        weight: f64,
        note: impl FnOnce() -> String,
    ) {
        let contribution = input * weight;
        self.value += contribution;
        self.keep(name, FactorKind::Add, input, weight, contribution, note);
    }

    /// Multiplies by `contribution`, which came of `input` and `weight`.
    pub(super) fn multiply(
        &mut self,
        name: &'static str,
        (input, weight, contribution): (f64, f64, f64),
        note: impl FnOnce() -> String,
    ) {
        self.value *= contribution;
        self.keep(
            name,
            FactorKind::Multiply,
            input,
            weight,
            contribution,
            note,
        );
    }

    /// Holds the running score to at most `cap`; no factor when it is not above it.
    pub(super) fn cap(&mut self, name: &'static str, cap: f64, note: impl FnOnce() -> String) {
        if self.value > cap {
            let input = self.value;
            self.value = cap;
            self.keep(name, FactorKind::Cap, input, 1.0, cap, note);
        }
    }

    fn keep(
        &mut self,
        name: &'static str,
        kind: FactorKind,
        input: f64,
        weight: f64,
        contribution: f64,
        note: impl FnOnce() -> String,
    ) {
        if let Some(factors) = &mut self.factors {
            factors.push(Factor {
                name: name.into(),
                kind,
                input,
                weight,
                contribution,
                running: self.value,
                note: note(),
            });
        }
    }
}
