//! Calibration of likelihoods: of lessons said to be right with so much probability, how many are. And the cost of an answer.

use crate::corpus::Corpus;
use crate::measure::score;
use crate::ours::Answer;
use crate::queries::{Kind, Query};

/// Where the bins of the table begin: the least that is answered, and what reads *medium*, *high* and *very high*.
pub const BINS: [f64; 5] = [0.0, 0.03, 0.15, 0.4, 0.7];
/// Places of an answer that are looked at: as many as a decision gets.
const PLACES: usize = 5;

/// A row of the table.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Bin {
    /// Lessons in it.
    pub lessons: usize,
    /// Their mean likelihood.
    pub said: f64,
    /// The share that is right.
    pub right: f64,
}

/// Hits and cost of the answers to some queries.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Cost {
    /// Share of the queries whose right lesson is first.
    pub first: f64,
    /// Share of the queries whose right lesson is among the first five.
    pub five: f64,
    /// Lessons an answer, of five at most.
    pub lessons: f64,
    /// Tokens that these take.
    pub tokens: f64,
}

/// The answerable queries with their answers.
fn answered<'a>(
    corpus: &'a Corpus,
    answers: &'a [Answer],
) -> impl Iterator<Item = (&'a Query, &'a Answer)> {
    let all = corpus.queries.iter().zip(answers);
    all.filter(|(query, _)| query.kind != Kind::None)
}

/// The table over the queries that have an answer, one row for each of [`BINS`].
pub fn bins(corpus: &Corpus, answers: &[Answer]) -> [Bin; BINS.len()] {
    let mut bins = [Bin::default(); BINS.len()];
    for (query, answer) in answered(corpus, answers) {
        let given = answer.ranked.iter().zip(&answer.likely).take(PLACES);
        for (place, (likelihood, _)) in given {
            let at = BINS.iter().rposition(|least| likelihood >= least);
            let bin = &mut bins[at.unwrap_or_default()];
            bin.lessons += 1;
            bin.said += likelihood;
            bin.right += f64::from(u8::from(query.right.contains(place)));
        }
    }
    bins.map(|bin| {
        let count = bin.lessons.max(1) as f64;
        Bin {
            said: bin.said / count,
            right: bin.right / count,
            ..bin
        }
    })
}

/// The expected calibration error: how far what is said lies from what is right, by the lessons in each bin.
pub fn error(bins: &[Bin]) -> f64 {
    let all = bins.iter().map(|bin| bin.lessons).sum::<usize>().max(1) as f64;
    let off = |bin: &Bin| (bin.said - bin.right).abs() * bin.lessons as f64;
    bins.iter().map(off).sum::<f64>() / all
}

/// Averages hits and cost over the queries that have an answer.
pub fn cost(corpus: &Corpus, answers: &[Answer]) -> Cost {
    let mut sum = Cost::default();
    let mut count = 0.0_f64;
    for (query, answer) in answered(corpus, answers) {
        let [first, five, ..] = score(answer, &query.right);
        let given = answer.likely.iter().take(PLACES);
        count += 1.0;
        sum.first += first;
        sum.five += five;
        sum.lessons += given.clone().count() as f64;
        sum.tokens += given.map(|(_, tokens)| *tokens as f64).sum::<f64>();
    }
    let count = count.max(1.0);
    Cost {
        first: sum.first / count,
        five: sum.five / count,
        lessons: sum.lessons / count,
        tokens: sum.tokens / count,
    }
}
