//! Ranking: which lessons fit a situation, best first, and why.
//!
//! One pipeline: pool → qualification → relevance → standing → order → top N. The trace is made by
//! the very steps that make the scores.

mod compare;
mod order;
mod pool;
mod relevance;
mod search;
mod situation;
mod standing;
mod trace;

pub use compare::{Compared, FactorChange, Placed, compare};
pub use relevance::RelevanceWord;
pub use search::{
    Found, PatternsFor, SearchOptions, SearchRanking, patterns, patterns_text, search,
};
pub use situation::{Market, RankError, Situation, Trend, Volatility};
pub use trace::{Exclusion, ExclusionCode, Factor, FactorKind, Trace};

use crate::keyword::KeywordIndex;
use crate::lesson::Lesson;
use crate::lessons::Facts;
use crate::policy::RankPolicy;
use crate::space::Space;
use order::{Scored, best_first, merge_duplicates};
use relevance::{Likeness, is_relevant};
use situation::Context;
use trace::Run;

/// The cosine of the query and a lesson; `None` for a lesson without a vector.
pub type Similarity<'a> = &'a dyn Fn(&Lesson) -> Option<f64>;

/// A lesson that is considered. Its text is somewhere else in memory: most of them need no look at it.
#[derive(Debug, Clone, Copy)]
struct Candidate<'a> {
    lesson: &'a Lesson,
    facts: &'a Facts,
    /// Its place in the order of slugs.
    place: u32,
}

/// All lessons of a space, in the order of their slugs. Costs a look at none of them.
fn candidates(space: &Space) -> impl Iterator<Item = Candidate<'_>> {
    let all = space.lessons.in_order().zip(0..);
    all.map(|((lesson, facts), place)| Candidate {
        lesson,
        facts,
        place,
    })
}

/// A lesson in an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// Which.
    pub slug: String,
    /// The final score.
    pub score: f64,
    /// Relevance before standing, 0 to 1.
    pub relevance: f64,
    /// 1 is the best.
    pub rank: u32,
    /// The highest confidence among the lessons of its title.
    pub confidence: f64,
    /// The summed frequency of the lessons of its title.
    pub frequency: u32,
}

/// The answer to a situation.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// The lessons, best first.
    pub items: Vec<Ranked>,
    /// Whether a model took part: at least one lesson had a similarity.
    pub semantic: bool,
    /// How many lessons were in the pool.
    pub total_considered: u32,
    /// How many of the pool fell to their outcomes.
    pub excluded_low_effectiveness: u32,
    /// How many of the pool fell to their relevance.
    pub excluded_low_relevance: u32,
    /// One entry per lesson of the space when explained: the answer's in order of rank, then the
    /// others by score and slug.
    pub trace: Option<Vec<Trace>>,
}

/// Ranks the lessons of `space` for `situation`.
///
/// `similarity` is `None` without a model; words in common with the query, found by `index`, then
/// take its place, as they do for a single lesson without a vector. Costs one pass over the
/// lessons; only `explain` allocates per lesson.
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
    explain: bool,
) -> Result<Ranking, RankError> {
    situation::check_policy(policy)?;
    let context = Context::of(situation, policy)?;
    let mut traces = Traces::new(explain);

    let mut pool: Vec<(Candidate<'_>, Option<f64>)> = Vec::with_capacity(space.lessons.len());
    for one in candidates(space) {
        let lesson = one.lesson;
        match pool::left_out(lesson, one.facts, &context, policy) {
            Some(code) => traces.leave_out(lesson, code, || pool::words(code, lesson, &context)),
            None => pool.push((one, None)),
        }
    }
    let mut ranking = Ranking {
        items: Vec::new(),
        semantic: similarity.is_some() && pool.is_empty(),
        total_considered: count(pool.len()),
        excluded_low_effectiveness: 0,
        excluded_low_relevance: 0,
        trace: None,
    };
    let mut lacking = false;
    for (one, cosine) in &mut pool {
        *cosine = similarity.and_then(|similarity| similarity(one.lesson));
        ranking.semantic |= cosine.is_some();
        lacking |= cosine.is_none();
    }
    let keywords = match context.query {
        Some(query) if lacking && context.project => {
            let places = pool.iter().map(|(one, _)| one.place);
            Normalised::of(index, query, false, space, places)
        }
        _ => Normalised::default(),
    };

    let mut scored: Vec<Scored<'_>> = Vec::with_capacity(pool.len());
    for (one, cosine) in pool {
        let Candidate { lesson, facts, .. } = one;
        if let Some(why) = standing::disqualified(&facts.standing, policy) {
            ranking.excluded_low_effectiveness += 1;
            traces.leave_out(lesson, ExclusionCode::LowEffectiveness, || {
                why.words(&facts.standing)
            });
            continue;
        }
        let likeness = match cosine {
            Some(cosine) => Likeness::Similarity(cosine),
            None => Likeness::Keyword(keywords.score(one.place)),
        };
        let mut run = Run::new(explain);
        relevance::relevance(&mut run, lesson, facts, likeness, &context, policy);
        let relevance = run.value();
        if !is_relevant(relevance, likeness, &context, policy) {
            ranking.excluded_low_relevance += 1;
            traces.score(lesson, relevance, run);
            traces.exclude(lesson, ExclusionCode::LowRelevance, || {
                format!("relevance {relevance:.3} is too low")
            });
            continue;
        }
        standing::standing(&mut run, &facts.standing, policy);
        scored.push(Scored::new(one, relevance, run.value()));
        traces.score(lesson, relevance, run);
    }

    let mut kept = merge_duplicates(scored, |other, best| {
        traces.exclude(other.of.lesson, ExclusionCode::DuplicateTitle, || {
            format!(
                "`{}` has the same title and ranks higher",
                best.of.lesson.slug
            )
        });
    });
    best_first(&mut kept, context.limit, explain);
    if explain {
        for (place, beyond) in kept.iter().enumerate().skip(context.limit) {
            traces.exclude(beyond.of.lesson, ExclusionCode::BeyondLimit, || {
                format!("it ranks {}, and {} were wanted", place + 1, context.limit)
            });
        }
    }
    ranking.items = kept
        .iter()
        .take(context.limit)
        .enumerate()
        .map(|(place, best)| Ranked {
            slug: best.of.lesson.slug.clone(),
            score: best.score,
            relevance: best.relevance,
            rank: count(place + 1),
            confidence: best.confidence,
            frequency: best.frequency,
        })
        .collect();
    ranking.trace = traces.finish(&ranking.items);
    Ok(ranking)
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// Keyword scores of the lessons of a space, over the highest one among those considered: 0 to 1.
#[derive(Debug, Default)]
struct Normalised {
    /// Score and share per lesson, in the order of slugs; empty when no lesson has a word.
    found: Vec<(f64, f64)>,
    highest: f64,
}

impl Normalised {
    fn of(
        index: &KeywordIndex,
        query: &str,
        prefix: bool,
        space: &Space,
        considered: impl Iterator<Item = u32>,
    ) -> Self {
        let scores = index.scores(query, prefix);
        let mut normalised = Self::default();
        if scores.is_empty() {
            return normalised;
        }
        normalised.found = scores.in_order(&space.lessons);
        normalised.highest = considered.fold(0.0, |high, place| {
            let (score, _) = normalised.held(place);
            if score > high { score } else { high }
        });
        normalised
    }

    fn held(&self, place: u32) -> (f64, f64) {
        self.found.get(place as usize).copied().unwrap_or_default()
    }

    /// The keyword score of the lesson in this place of the order of slugs.
    fn score(&self, place: u32) -> f64 {
        match self.held(place) {
            (score, _) if score > 0.0 => score / self.highest,
            _ => 0.0,
        }
    }

    /// How much of the query that lesson contains, 0 to 1.
    fn share(&self, place: u32) -> f64 {
        self.held(place).1
    }
}

/// Collects traces when explaining, does nothing otherwise.
struct Traces {
    kept: Option<std::collections::BTreeMap<String, Trace>>,
}

impl Traces {
    fn new(explain: bool) -> Self {
        Self {
            kept: explain.then(std::collections::BTreeMap::new),
        }
    }

    fn score(&mut self, lesson: &Lesson, relevance: f64, run: Run) {
        if let Some(kept) = &mut self.kept {
            kept.insert(
                lesson.slug.clone(),
                Trace {
                    slug: lesson.slug.clone(),
                    title: lesson.text.title.clone(),
                    rank: None,
                    relevance,
                    score: run.value(),
                    factors: run.into_factors(),
                    exclusion: None,
                },
            );
        }
    }

    /// Leaves a lesson out that has not been scored.
    fn leave_out(&mut self, lesson: &Lesson, code: ExclusionCode, words: impl FnOnce() -> String) {
        if self.kept.is_some() {
            self.score(lesson, 0.0, Run::new(false));
            self.exclude(lesson, code, words);
        }
    }

    /// Says why a lesson is left out after all.
    fn exclude(&mut self, lesson: &Lesson, code: ExclusionCode, words: impl FnOnce() -> String) {
        if let Some(trace) = self
            .kept
            .as_mut()
            .and_then(|kept| kept.get_mut(&lesson.slug))
        {
            trace.exclusion = Some(Exclusion {
                code,
                words: words(),
            });
        }
    }

    fn finish(self, items: &[Ranked]) -> Option<Vec<Trace>> {
        let mut kept = self.kept?;
        for item in items {
            if let Some(trace) = kept.get_mut(&item.slug) {
                trace.rank = Some(item.rank);
            }
        }
        let mut traces: Vec<Trace> = kept.into_values().collect();
        traces.sort_by(|a, b| {
            let place = |trace: &Trace| trace.rank.unwrap_or(u32::MAX);
            place(a)
                .cmp(&place(b))
                .then_with(|| b.score.total_cmp(&a.score))
                .then_with(|| a.slug.cmp(&b.slug))
        });
        Some(traces)
    }
}
