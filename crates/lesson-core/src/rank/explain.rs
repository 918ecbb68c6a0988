//! Selection of the lessons whose traces are made: a space has many lessons, and a page shows few.
//!
//! The ranking keeps a few numbers of every lesson that it leaves out; factors and words are made for those that are
//! asked for, by the same steps that scored them.

use super::candidate::{Candidate, count};
use super::ranked::Ranked;
use super::trace::{Exclusion, ExclusionCode, Trace};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// The lessons that a ranking explains.
#[derive(Debug, Clone, Copy, Default)]
pub enum Explain<'a> {
    /// None: nothing is kept.
    #[default]
    Nothing,
    /// Every lesson of the space.
    All,
    /// Those of the answer, and a part of those that were left out.
    Part(&'a TracePart),
    /// Those with these slugs.
    Only(&'a BTreeSet<String>),
}

/// A part of the lessons that were left out: of each reason those from `offset` on, best score first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TracePart {
    /// Only those left out for this reason.
    pub reason: Option<ExclusionCode>,
    /// Only those with this in their slug or title, whatever the case; lower-cased.
    pub text: String,
    /// So many of each reason are passed over.
    pub offset: usize,
    /// At most so many of each reason.
    pub limit: usize,
}

impl TracePart {
    fn fits(&self, one: &LeftOut<'_>) -> bool {
        let lesson = one.of.lesson;
        self.text.is_empty()
            || lesson.slug.contains(&self.text)
            || lesson.text.title.to_lowercase().contains(&self.text)
    }
}

/// A lesson that is not in the answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct LeftOut<'a> {
    pub of: Candidate<'a>,
    pub code: ExclusionCode,
    /// As far as it was scored.
    pub score: f64,
    /// The slug of the lesson that was kept in its place, of duplicates.
    pub kept: Option<&'a str>,
    /// Its rank, where it is beyond the limit.
    pub rank: usize,
}

impl<'a> LeftOut<'a> {
    pub(super) fn new(of: Candidate<'a>, code: ExclusionCode, score: f64) -> Self {
        Self {
            of,
            code,
            score,
            kept: None,
            rank: 0,
        }
    }
}

/// The lessons that were left out, while anybody wants to know.
pub(super) struct TraceCollector<'a, 'e> {
    explain: Explain<'e>,
    left: Vec<LeftOut<'a>>,
}

/// The traces and counts that explain a ranking.
pub(super) struct Explained {
    pub traces: Vec<Trace>,
    /// Number of lessons left out for each reason, of a part.
    pub counts: Vec<(ExclusionCode, u32)>,
}

impl<'a, 'e> TraceCollector<'a, 'e> {
    pub(super) fn new(explain: Explain<'e>) -> Self {
        Self {
            explain,
            left: Vec::new(),
        }
    }

    /// True if anything is explained.
    pub(super) fn wanted(&self) -> bool {
        !matches!(self.explain, Explain::Nothing)
    }

    pub(super) fn leave_out(&mut self, one: LeftOut<'a>) {
        if self.wanted() {
            self.left.push(one);
        }
    }

    /// The traces wanted: those of the answer by rank, then the others by score and slug. `of` makes the trace of a
    /// lesson without its rank and its exclusion, `words` tells why one was left out.
    pub(super) fn finish(
        self,
        items: &[(Candidate<'a>, &Ranked)],
        of: impl Fn(&Candidate<'a>, Option<ExclusionCode>) -> Trace,
        words: impl Fn(&LeftOut<'a>) -> String,
    ) -> Option<Explained> {
        let (chosen, counts) = match self.explain {
            Explain::Nothing => return None,
            Explain::All => (self.left, Vec::new()),
            Explain::Part(part) => choose(self.left, part),
            Explain::Only(slugs) => {
                let mut left = self.left;
                left.retain(|one| slugs.contains(&one.of.lesson.slug));
                (left, Vec::new())
            }
        };
        let shown = |ranked: &Ranked| match self.explain {
            Explain::Only(slugs) => slugs.contains(&ranked.slug),
            _ => true,
        };
        let mut made: Vec<Trace> = items
            .iter()
            .filter(|(_, ranked)| shown(ranked))
            .map(|(one, ranked)| Trace {
                rank: Some(ranked.rank),
                ..of(one, None)
            })
            .collect();
        let mut chosen = chosen;
        chosen.sort_unstable_by(by_score);
        made.extend(chosen.iter().map(|one| Trace {
            exclusion: Some(Exclusion {
                code: one.code,
                words: words(one),
            }),
            ..of(&one.of, Some(one.code))
        }));
        Some(Explained {
            traces: made,
            counts,
        })
    }
}

fn by_score(a: &LeftOut<'_>, b: &LeftOut<'_>) -> Ordering {
    let score = b.score.total_cmp(&a.score);
    score.then_with(|| a.of.place.cmp(&b.of.place))
}

/// The page of each reason, and how many each has.
fn choose<'a>(
    left: Vec<LeftOut<'a>>,
    part: &TracePart,
) -> (Vec<LeftOut<'a>>, Vec<(ExclusionCode, u32)>) {
    let mut by_reason: BTreeMap<usize, Vec<LeftOut<'a>>> = BTreeMap::new();
    for one in left {
        if part.fits(&one) {
            by_reason.entry(one.code as usize).or_default().push(one);
        }
    }
    let mut chosen = Vec::new();
    let mut counts = Vec::new();
    // The codes are numbered in the order of the pipeline.
    for code in ExclusionCode::ALL {
        let Some(mut all) = by_reason.remove(&(code as usize)) else {
            continue;
        };
        counts.push((code, count(all.len())));
        if part.reason.is_some_and(|reason| reason != code) {
            continue;
        }
        let end = part.offset.saturating_add(part.limit);
        if end < all.len() {
            // Most are never shown: only those up to the page's end are brought to the front.
            all.select_nth_unstable_by(end, by_score);
            all.truncate(end);
        }
        all.sort_unstable_by(by_score);
        chosen.extend(all.into_iter().skip(part.offset));
    }
    (chosen, counts)
}
