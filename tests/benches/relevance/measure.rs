//! Quality measures of a ranking, and the certainty of a difference between two.

use crate::ours::Answer;

/// Draws of a bootstrap.
const DRAWS: usize = 2_000;
/// The seed of the draws: every run draws the same.
const SEED: u64 = 13;
/// Places that nDCG looks at.
const DEPTH: usize = 10;

/// The measures' names, in the order of [`Score`].
pub const MEASURES: [&str; 4] = ["hit@1", "hit@5", "MRR", "nDCG@10"];
/// The number of measures that are compared by their differences: all but the last, which moves with MRR.
pub const COMPARED: usize = 3;

/// One query's measures, each 0 to 1: whether a right lesson is first, or among five; one over the place of the first
/// right one; the discounted gain of the first ten, as a share of what is possible.
pub type Score = [f64; 4];

/// Measures one answer.
pub fn score(answer: &Answer, right: &[usize]) -> Score {
    let first = answer.ranked.iter().position(|place| right.contains(place));
    let within = |most: usize| f64::from(u8::from(first.is_some_and(|at| at < most)));
    let gain = |at: usize| 1.0 / libm::log2(at as f64 + 2.0);
    let gained: f64 = answer
        .ranked
        .iter()
        .take(DEPTH)
        .enumerate()
        .filter(|(_, place)| right.contains(place))
        .map(|(at, _)| gain(at))
        .sum();
    let possible: f64 = (0..right.len().min(DEPTH)).map(gain).sum();
    [
        within(1),
        within(5),
        first.map_or(0.0, |at| 1.0 / (at as f64 + 1.0)),
        if possible > 0.0 {
            gained / possible
        } else {
            0.0
        },
    ]
}

/// The mean of each measure.
pub fn mean(scores: &[Score]) -> Score {
    let count = scores.len().max(1) as f64;
    std::array::from_fn(|at| scores.iter().map(|score| score[at]).sum::<f64>() / count)
}

/// A mean difference with the interval that 95 of 100 bootstrap draws of the queries lie in.
#[derive(Debug, Clone, Copy)]
pub struct Difference {
    /// The mean.
    pub mean: f64,
    /// The interval's lower end.
    pub low: f64,
    /// The interval's upper end.
    pub high: f64,
}

/// By how much one way of searching is above another on the same queries, in the first [`COMPARED`] measures.
pub fn differences(one: &[Score], other: &[Score]) -> [Difference; COMPARED] {
    let count = one.len();
    let mut seed = SEED;
    let mut drawn: [Vec<f64>; COMPARED] = Default::default();
    for _ in 0..DRAWS {
        let mut sums = [0.0; COMPARED];
        for _ in 0..count {
            let at = (draw(&mut seed) % count as u64) as usize;
            for (measure, sum) in sums.iter_mut().enumerate() {
                *sum += one[at][measure] - other[at][measure];
            }
        }
        for (means, sum) in drawn.iter_mut().zip(sums) {
            means.push(sum / count.max(1) as f64);
        }
    }
    let (one, other) = (mean(one), mean(other));
    std::array::from_fn(|measure| {
        let means = &mut drawn[measure];
        means.sort_by(f64::total_cmp);
        Difference {
            mean: one[measure] - other[measure],
            low: means[DRAWS / 40],
            high: means[DRAWS - 1 - DRAWS / 40],
        }
    })
}

/// SplitMix64.
fn draw(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut mixed = *seed;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}
