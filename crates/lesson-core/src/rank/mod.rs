//! Ranking: which lessons fit a situation, best first, and why.
//!
//! One pipeline: pool → qualification → relevance → standing → order → top N. The trace is made by
//! the very steps that make the scores.

mod candidate;
mod compare;
mod crowding;
mod explain;
mod held_back;
mod likelihood;
mod matching;
mod order;
mod pool;
mod ranked;
mod relevance;
mod search;
mod situation;
mod standing;
mod trace;

pub use candidate::{Cosines, Similarity};
pub use compare::compare;
pub use explain::{Explain, TracePart};
pub use likelihood::likelihood_beside;
pub use ranked::Ranked;
pub use search::{
    Found, PatternsFor, SearchOptions, SearchRanking, patterns, patterns_text, search,
};
pub use situation::{RankError, Situation, check_policy, situation_text};
pub use trace::{Exclusion, ExclusionCode, Trace};

use crate::instant::Millis;
use crate::keyword::KeywordIndex;
use crate::lesson::Standing;
use crate::policy::RankPolicy;
use crate::space::Space;
use candidate::{Candidate, candidates, count};
use crowding::{Crowding, FAR, PassedOver, Why};
use explain::{Explained, LeftOut, TraceCollector};
use held_back::Beside;
use lesson_types::{Qualification, StandingRule};
use likelihood::Likelihood;
use matching::Matches;
use order::{AHEAD, Scored, contenders, merge_duplicates};
use situation::Context;
use std::collections::BTreeSet;
use trace::Run;

/// The answer to a situation.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// The lessons, best first.
    pub items: Vec<Ranked>,
    /// True if a model took part.
    pub semantic: bool,
    /// Number of lessons of the pool without a vector, when a model was asked.
    pub without_vector: u32,
    /// Number of lessons in the pool.
    pub total_considered: u32,
    /// Number of lessons of the pool that fell to their outcomes.
    pub excluded_low_effectiveness: u32,
    /// Number of lessons of the pool that fell to their relevance.
    pub excluded_low_relevance: u32,
    /// Number of lessons of the pool left out because others match so much better that they are hardly the right ones.
    pub excluded_unlikely: u32,
    /// One entry per lesson that is explained: the answer's in order of rank, then the others by score and slug.
    pub trace: Option<Vec<Trace>>,
    /// Number of lessons left out for each reason, when a part is explained; in the order of the pipeline.
    pub left_out: Vec<(ExclusionCode, u32)>,
}

/// Ranks the lessons of `space` for `situation`.
///
/// `similarity` is the cosine with the vector of [`situation_text`], and `None` without a model: words in common, found
/// by `index`, then make the match alone. Costs one pass over the lessons; what is explained costs what it shows.
///
/// # Errors
/// When the situation says nothing, names an unknown phase or a limit of 0, or when a number of
/// the policy is out of bounds.
pub fn recommend(
    space: &Space,
    situation: &Situation,
    similarity: Option<Similarity<'_>>,
    index: &KeywordIndex,
    policy: &RankPolicy,
    explain: Explain<'_>,
) -> Result<Ranking, RankError> {
    let known = Known::default();
    recommend_with(space, situation, similarity, index, policy, explain, known)
}

/// The facts about lessons beside their standing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Known<'a> {
    /// The time of reading: beliefs are brought to it. With 0 they are as they last changed.
    pub now: Millis,
    /// Those of [`crate::failed_by_one_key`].
    pub one_key: Option<&'a BTreeSet<String>>,
}

impl Known<'_> {
    /// Says if one agent's key alone keeps a lesson from being recommended.
    /// Asked of every lesson: only of the few that are out is the slug looked at, which lies far from the facts.
    fn by_one_key(&self, one: &Candidate<'_>, policy: &RankPolicy) -> bool {
        self.is_out(&one.facts.standing, policy)
            && self
                .one_key
                .is_some_and(|those| those.contains(&one.lesson.slug))
    }

    /// Says if what came of a lesson keeps it out.
    fn is_out(&self, held: &Standing, policy: &RankPolicy) -> bool {
        held.qualification_at(policy, self.now) != Qualification::Qualified
    }
}

/// The same at a time, with what is known of the lessons beside their standing.
///
/// # Errors
/// As [`recommend`].
pub fn recommend_with(
    space: &Space,
    situation: &Situation,
    similarity: Option<Similarity<'_>>,
    index: &KeywordIndex,
    policy: &RankPolicy,
    explain: Explain<'_>,
    known: Known<'_>,
) -> Result<Ranking, RankError> {
    situation::check_policy(policy)?;
    let context = Context::of(situation, policy)?;
    let mut traces = TraceCollector::new(explain);

    let mut pool: Vec<Candidate<'_>> = Vec::with_capacity(space.lessons.len());
    for one in candidates(space) {
        match pool::left_out(one.lesson, one.facts, &context, policy) {
            Some(code) => traces.leave_out(LeftOut::new(one, code, 0.0)),
            None => pool.push(one),
        }
    }
    // Of a part of a space nobody knows who wrote the rest.
    let is_one_keys = index.counts().is_none()
        && pool
            .first()
            .is_some_and(|first| pool.iter().all(|one| one.facts.key == first.facts.key));
    let text = context.text.as_deref();
    let held = (space, index);
    let similarity = similarity.filter(|_| text.is_some());
    let matches = Matches::of(text, false, held, similarity, pool.iter(), policy);
    let mut ranking = Ranking {
        items: Vec::new(),
        semantic: matches.semantic,
        without_vector: matches.without_vector,
        total_considered: count(pool.len()),
        excluded_low_effectiveness: 0,
        excluded_low_relevance: 0,
        excluded_unlikely: 0,
        trace: None,
        left_out: Vec::new(),
    };

    let mut scored: Vec<Scored<'_>> = Vec::with_capacity(pool.len());
    // A project without a question gets what shares its type or a technology, however little, before it gets nothing.
    let only_project = context.query.is_none() && context.project && !context.decision;
    let mut turn = pool;
    let mut lenient = false;
    loop {
        let mut below: Vec<(Candidate<'_>, f64)> = Vec::new();
        for one in turn {
            let by_one_key = known.by_one_key(&one, policy);
            if known.is_out(&one.facts.standing, policy) && !by_one_key {
                ranking.excluded_low_effectiveness += 1;
                let code = match policy.standing {
                    StandingRule::Lift => ExclusionCode::Harms,
                    StandingRule::Seeds => ExclusionCode::LowEffectiveness,
                };
                traces.leave_out(LeftOut::new(one, code, 0.0));
                continue;
            }
            let found = matches.of_lesson(&one);
            let mut run = Run::new(false);
            let relevance = relevance::relevance(&mut run, &one, &found, &context, policy);
            if !lenient && !relevance.is_enough(&context, policy) {
                if only_project && relevance.shares_project {
                    below.push((one, relevance.value));
                    continue;
                }
                ranking.excluded_low_relevance += 1;
                let left = LeftOut::new(one, ExclusionCode::LowRelevance, relevance.value);
                traces.leave_out(left);
                continue;
            }
            standing::of_policy(
                &mut run,
                &one.facts.standing,
                by_one_key,
                (policy, known.now),
            );
            let matched = relevance.matched;
            scored.push(Scored::new(one, relevance.value, matched, run.value()));
        }
        if !below.is_empty() && scored.is_empty() {
            turn = below.into_iter().map(|(one, _)| one).collect();
            lenient = true;
            continue;
        }
        for (one, relevance) in below {
            ranking.excluded_low_relevance += 1;
            traces.leave_out(LeftOut::new(one, ExclusionCode::LowRelevance, relevance));
        }
        break;
    }

    let likelihood = Likelihood::of_query(&context, &scored, matches.semantic, policy);
    if let Some(likelihood) = &likelihood
        && !context.decision
    {
        scored.retain(|one| {
            let stays = likelihood.keeps(one);
            if !stays {
                ranking.excluded_unlikely += 1;
                traces.leave_out(LeftOut::new(one.of, ExclusionCode::Unlikely, one.score));
            }
            stays
        });
    }
    let beside = Beside::of(&scored, text);
    let crowding = Crowding::of(held, similarity, is_one_keys, (beside, true));
    let kept = places(&scored, &crowding, context.limit, &mut traces);
    ranking.items = kept
        .iter()
        .enumerate()
        .map(|(place, best)| Ranked {
            slug: best.of.lesson.slug.clone(),
            score: best.score,
            relevance: best.relevance,
            matched: best.matched,
            likelihood: context
                .query
                .map(|_| likelihood.map_or(0.0, |likelihood| likelihood.of(best.matched))),
            word: if context.query.is_some() {
                likelihood::word(likelihood.as_ref(), best.matched, policy)
            } else {
                policy.relevance_word(best.relevance)
            },
            rank: count(place + 1),
            confidence: best.confidence,
            frequency: best.frequency,
        })
        .collect();
    let shown: Vec<(Candidate<'_>, &Ranked)> = kept
        .iter()
        .map(|best| best.of)
        .zip(&ranking.items)
        .collect();
    let explained = traces.finish(
        &shown,
        |one, code| trace(one, code, (&matches, known, likelihood), &context, policy),
        |left| why(left, (&matches, known, likelihood), &context, policy),
    );
    if let Some(Explained { traces, counts }) = explained {
        ranking.trace = Some(traces);
        ranking.left_out = counts;
    }
    Ok(ranking)
}

/// Fills the places of the answer, best first: one lesson of each title, and of those that say almost the same.
fn places<'a>(
    scored: &[Scored<'a>],
    crowding: &Crowding<'_>,
    limit: usize,
    traces: &mut TraceCollector<'a, '_>,
) -> Vec<Scored<'a>> {
    let mut titles = limit.saturating_mul(AHEAD);
    if scored.iter().any(|one| one.of.facts.key != 0) {
        titles = titles.max(FAR);
    }
    loop {
        let some = if traces.wanted() {
            scored.to_vec()
        } else {
            contenders(scored, titles)
        };
        let is_all = some.len() == scored.len();
        let mut ranked = merge_duplicates(some, |other, best| {
            traces.leave_out(LeftOut {
                kept: Some(&best.of.lesson.slug),
                ..LeftOut::new(other.of, ExclusionCode::DuplicateTitle, other.score)
            });
        });
        let (kept, passed) = crowding.choose(&mut ranked, limit, traces.wanted());
        if kept.len() < limit && !is_all {
            titles = titles.saturating_mul(AHEAD);
            continue;
        }
        let mut next = kept.len();
        for PassedOver { one, why } in passed {
            let left = |code| LeftOut::new(one.of, code, one.score);
            traces.leave_out(match why {
                Why::Near(slug) => LeftOut {
                    kept: Some(slug),
                    ..left(ExclusionCode::NearDuplicate)
                },
                Why::KeyLimit => left(ExclusionCode::KeyLimit),
                Why::BeyondLimit => {
                    next += 1;
                    LeftOut {
                        rank: next,
                        ..left(ExclusionCode::BeyondLimit)
                    }
                }
            });
        }
        return kept;
    }
}

/// The inputs that explain a lesson's place.
type Reckoned<'a> = (&'a Matches<'a>, Known<'a>, Option<Likelihood<'a>>);

/// Traces one lesson through the steps of the ranking that it took.
fn trace(
    one: &Candidate<'_>,
    code: Option<ExclusionCode>,
    (matches, known, likelihood): Reckoned<'_>,
    context: &Context<'_>,
    policy: &RankPolicy,
) -> Trace {
    use ExclusionCode::{
        BeyondLimit, DuplicateTitle, KeyLimit, LowRelevance, NearDuplicate, Unlikely,
    };
    let scored = matches!(
        code,
        None | Some(
            LowRelevance | Unlikely | DuplicateTitle | NearDuplicate | KeyLimit | BeyondLimit
        )
    );
    let mut run = Run::new(scored);
    let mut relevance = 0.0;
    let mut likely = None;
    if scored {
        let found = matches.of_lesson(one);
        let fits = relevance::relevance(&mut run, one, &found, context, policy);
        relevance = fits.value;
        likely = likelihood.map(|all| (all.of(fits.matched), all.formula(fits.matched)));
        if code != Some(LowRelevance) {
            let held = &one.facts.standing;
            let by_one_key = known.by_one_key(one, policy);
            standing::of_policy(&mut run, held, by_one_key, (policy, known.now));
        }
    }
    Trace {
        slug: one.lesson.slug.clone(),
        title: one.lesson.text.title.clone(),
        rank: None,
        relevance,
        likelihood: likely,
        score: run.value(),
        factors: run.into_factors(),
        exclusion: None,
    }
}

/// Why a lesson is not in the answer, for a person.
fn why(
    left: &LeftOut<'_>,
    (matches, known, likelihood): Reckoned<'_>,
    context: &Context<'_>,
    policy: &RankPolicy,
) -> String {
    let held = &left.of.facts.standing;
    match left.code {
        ExclusionCode::LowEffectiveness => standing::disqualified(held, policy)
            .map_or_else(String::new, |disqualified| disqualified.words(held)),
        ExclusionCode::Harms => standing::harms(held, known.now),
        ExclusionCode::LowRelevance => {
            let mut run = Run::new(false);
            let found = matches.of_lesson(&left.of);
            let relevance = relevance::relevance(&mut run, &left.of, &found, context, policy);
            relevance.why_not(policy)
        }
        ExclusionCode::Unlikely => {
            let mut run = Run::new(false);
            let found = matches.of_lesson(&left.of);
            let fits = relevance::relevance(&mut run, &left.of, &found, context, policy);
            likelihood.map_or_else(String::new, |likelihood| likelihood.why_not(fits.matched))
        }
        ExclusionCode::DuplicateTitle => format!(
            "`{}` has the same title and ranks higher",
            left.kept.unwrap_or_default()
        ),
        ExclusionCode::NearDuplicate => format!(
            "it says almost the same as `{}`, which is approved or ranks higher",
            left.kept.unwrap_or_default()
        ),
        ExclusionCode::KeyLimit => format!(
            "unreviewed lessons of an agent's key get {} of {} places, and beside approved lessons one, in one answer of eight unless they match far better; approve it to lift the limit",
            crowding::OF_ONE_KEY,
            crowding::PLACES
        ),
        ExclusionCode::BeyondLimit => {
            format!("it ranks {}, and {} were wanted", left.rank, context.limit)
        }
        code => pool::words(code, left.of.lesson, context),
    }
}
