//! Two rankings of one situation side by side: which lessons moved, and which factors made them.

use super::Ranking;
use super::trace::Trace;
use lesson_types::{Compared, FactorChange, Placed};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Differences below this are rounding, not reasons.
const NOTHING: f64 = 1e-9;

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
        excluded: trace
            .exclusion
            .as_ref()
            .map(|why| why.code.as_str().to_owned()),
        reason: trace.exclusion.as_ref().map(|why| why.words.clone()),
    }
}

/// By how much each factor moved the running score.
fn effects(trace: &Trace) -> Vec<(&Cow<'static, str>, f64)> {
    let mut running = 0.0;
    trace
        .factors
        .iter()
        .map(|factor| {
            let effect = factor.running - running;
            running = factor.running;
            (&factor.name, effect)
        })
        .collect()
}

fn changes(was: &Trace, is: &Trace) -> Vec<FactorChange> {
    let mut changes: Vec<FactorChange> = Vec::new();
    for (name, effect) in effects(was) {
        changes.push(FactorChange {
            name: name.clone(),
            before: effect,
            after: 0.0,
        });
    }
    for (name, effect) in effects(is) {
        match changes.iter_mut().find(|change| change.name == *name) {
            Some(change) => change.after = effect,
            None => changes.push(FactorChange {
                name: name.clone(),
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
        words(&most.name)
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
        "lift" => "its lift",
        other => other,
    }
}
