//! Two rankings of one situation side by side: which lessons moved, and which factors made them.

use super::Ranking;
use super::trace::{Exclusion, Trace};
use std::collections::{BTreeMap, BTreeSet};

/// Differences below this are rounding, not reasons.
const NOTHING: f64 = 1e-9;

/// A lesson of two rankings.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// Which.
    pub slug: String,
    /// Its title.
    pub title: String,
    /// In the first.
    pub before: Placed,
    /// In the second.
    pub after: Placed,
    /// The factors whose effect differs, the greatest difference first.
    pub factors: Vec<FactorChange>,
    /// What moved its score most, in words.
    pub sentence: String,
}

/// A lesson's place in a ranking.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Placed {
    /// Its rank; `None` when it is not in it.
    pub rank: Option<u32>,
    /// Its score.
    pub score: f64,
    /// Its relevance before standing.
    pub relevance: f64,
    /// Why it is not in it.
    pub exclusion: Option<Exclusion>,
}

/// What a factor did to a score in two rankings.
#[derive(Debug, Clone, PartialEq)]
pub struct FactorChange {
    /// Which.
    pub name: &'static str,
    /// By how much it moved the running score in the first; 0 when it took no part.
    pub before: f64,
    /// In the second.
    pub after: f64,
}

/// The lessons that are in the answer of either: in the second's order, then those that are in the first only. Both
/// rankings have to carry their traces; one without them compares as empty.
pub fn compare(before: &Ranking, after: &Ranking) -> Vec<Compared> {
    let (old, new) = (by_slug(before), by_slug(after));
    let mut told = BTreeSet::new();
    after
        .items
        .iter()
        .chain(&before.items)
        .filter(|item| told.insert(item.slug.as_str()))
        .filter_map(|item| {
            let (was, is) = (old.get(item.slug.as_str())?, new.get(item.slug.as_str())?);
            let factors = changes(was, is);
            Some(Compared {
                slug: item.slug.clone(),
                title: is.title.clone(),
                sentence: sentence(was, is, &factors),
                before: placed(was),
                after: placed(is),
                factors,
            })
        })
        .collect()
}

fn by_slug(ranking: &Ranking) -> BTreeMap<&str, &Trace> {
    let traces = ranking.trace.iter().flatten();
    traces.map(|trace| (trace.slug.as_str(), trace)).collect()
}

fn placed(trace: &Trace) -> Placed {
    Placed {
        rank: trace.rank,
        score: trace.score,
        relevance: trace.relevance,
        exclusion: trace.exclusion.clone(),
    }
}

/// By how much each factor moved the running score.
fn effects(trace: &Trace) -> Vec<(&'static str, f64)> {
    let mut running = 0.0;
    trace
        .factors
        .iter()
        .map(|factor| {
            let effect = factor.running - running;
            running = factor.running;
            (factor.name, effect)
        })
        .collect()
}

fn changes(was: &Trace, is: &Trace) -> Vec<FactorChange> {
    let mut changes: Vec<FactorChange> = Vec::new();
    for (name, effect) in effects(was) {
        changes.push(FactorChange {
            name,
            before: effect,
            after: 0.0,
        });
    }
    for (name, effect) in effects(is) {
        match changes.iter_mut().find(|change| change.name == name) {
            Some(change) => change.after = effect,
            None => changes.push(FactorChange {
                name,
                before: 0.0,
                after: effect,
            }),
        }
    }
    let by = |change: &FactorChange| (change.after - change.before).abs();
    changes.retain(|change| by(change) > NOTHING);
    changes.sort_by(|a, b| by(b).total_cmp(&by(a)));
    changes
}

fn sentence(was: &Trace, is: &Trace, factors: &[FactorChange]) -> String {
    let fallen = match &is.exclusion {
        Some(exclusion) if was.rank.is_some() => format!(" It is left out: {}.", exclusion.words),
        _ => String::new(),
    };
    let Some(most) = factors.first() else {
        return if was.rank == is.rank {
            "Its score is the same.".to_owned()
        } else {
            format!("Its score is the same; others moved past it.{fallen}")
        };
    };
    let by = most.after - most.before;
    let score = is.score - was.score;
    let turn = if score > NOTHING {
        "rises"
    } else if score < -NOTHING {
        "falls"
    } else {
        "stays"
    };
    format!(
        "Its score {turn} from {:.3} to {:.3}, most by {}: {by:+.3}.{fallen}",
        was.score,
        is.score,
        words(most.name)
    )
}

/// A factor in words.
fn words(name: &str) -> &str {
    match name {
        "match" => "how well words and meaning match",
        "metadata" => "project and technologies",
        "decision" => "where decisions begin",
        "low_rating" => "poor ratings",
        "never_helpful" => "never having helped",
        "causal" => "how often it was a cause",
        other => other,
    }
}
