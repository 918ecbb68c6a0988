//! Multi-head self-attention in floats. Each output is one sum in one fixed order; the vector lanes run over
//! neighbouring outputs, so their number does not matter to the result.

use crate::kernels::F32x4;
use crate::math::{ExpNegative, softmax};

/// Queries that share each load of keys and values.
const QUERIES: usize = 4;
/// Neighbouring outputs that are summed side by side: two vectors.
const WIDE: usize = 8;

/// From rows of query, key and value (each `hidden` wide) to rows of `hidden`; no row is masked.
pub(crate) fn attention(qkv: &[f32], hidden: usize, heads: usize, out: &mut [f32]) {
    let stride = 3 * hidden;
    let size = hidden / heads;
    let rows = qkv.len() / stride;
    let mut head = Head {
        exp: ExpNegative::new(),
        size,
        rows,
        scale: 1.0 / (size as f32).sqrt(),
        keys: vec![0.0; size * rows.next_multiple_of(WIDE)],
        values: vec![0.0; rows * size.next_multiple_of(WIDE)],
        queries: vec![0.0; QUERIES * size],
        scores: vec![0.0; QUERIES * rows.next_multiple_of(WIDE)],
    };
    for at in (0..hidden).step_by(size) {
        head.read(qkv, stride, at);
        let mut row = 0;
        while row < rows {
            let queries = &qkv[row * stride + at..];
            let out = &mut out[row * hidden + at..];
            row += if rows - row >= QUERIES {
                head.attend::<QUERIES>(queries, stride, out, hidden)
            } else {
                head.attend::<1>(queries, stride, out, hidden)
            };
        }
    }
}

/// One head's keys and values, as its sums read them, and room for what comes between.
struct Head {
    exp: ExpNegative,
    size: usize,
    rows: usize,
    scale: f32,
    /// For each [`WIDE`] rows: the first component of their keys, the second, and so on.
    keys: Vec<f32>,
    /// For each [`WIDE`] components: those of the first row's value, the second's, and so on.
    values: Vec<f32>,
    /// The first component of each query, the second, and so on.
    queries: Vec<f32>,
    /// Each query's scores.
    scores: Vec<f32>,
}

impl Head {
    /// Takes up the keys and values that begin at column `at` of their parts.
    fn read(&mut self, qkv: &[f32], stride: usize, at: usize) {
        let (size, rows, hidden) = (self.size, self.rows, stride / 3);
        for (row, qkv) in qkv.chunks_exact(stride).enumerate() {
            let key = &qkv[hidden + at..][..size];
            let keys = &mut self.keys[row / WIDE * WIDE * size..][..WIDE * size];
            for (keys, component) in keys.chunks_exact_mut(WIDE).zip(key) {
                keys[row % WIDE] = *component;
            }
            let value = &qkv[2 * hidden + at..][..size];
            for (chunk, value) in value.chunks(WIDE).enumerate() {
                self.values[(chunk * rows + row) * WIDE..][..value.len()].copy_from_slice(value);
            }
        }
    }

    /// `R` outputs; returns `R`. Queries lie `stride` apart, outputs `hidden`.
    fn attend<const R: usize>(
        &mut self,
        queries: &[f32],
        stride: usize,
        out: &mut [f32],
        hidden: usize,
    ) -> usize {
        let (size, rows) = (self.size, self.rows);
        let padded = rows.next_multiple_of(WIDE);
        let arranged = &mut self.queries[..R * size];
        for (row, query) in queries.chunks(stride).take(R).enumerate() {
            for (arranged, component) in arranged.chunks_exact_mut(R).zip(&query[..size]) {
                arranged[row] = *component;
            }
        }
        let scores = &mut self.scores[..R * padded];
        let scale = F32x4::splat(self.scale);
        for (chunk, keys) in self.keys.chunks_exact(WIDE * size).enumerate() {
            let sums = sums_of::<R>(
                keys,
                arranged
                    .chunks_exact(R)
                    .map(|query| std::array::from_fn(|row| query[row])),
            );
            for (scores, sums) in scores.chunks_exact_mut(padded).zip(sums) {
                let scores = &mut scores[chunk * WIDE..][..WIDE];
                sums[0].times(scale).store(scores);
                sums[1].times(scale).store(&mut scores[WIDE / 2..]);
            }
        }
        let mut factors = [F32x4::splat(0.0); R];
        for (factor, scores) in factors.iter_mut().zip(scores.chunks_exact_mut(padded)) {
            *factor = F32x4::splat(softmax(scores, rows, &self.exp));
        }
        for (chunk, values) in self.values.chunks_exact(WIDE * rows).enumerate() {
            let weights: [&[f32]; R] = std::array::from_fn(|row| &scores[row * padded..][..rows]);
            let weights =
                (0..rows).map(|row| std::array::from_fn::<f32, R, _>(|query| weights[query][row]));
            let sums = sums_of::<R>(values, weights);
            let count = WIDE.min(size - chunk * WIDE);
            for (row, (sums, factor)) in sums.into_iter().zip(factors).enumerate() {
                let mut wide = [0.0; WIDE];
                sums[0].times(factor).store(&mut wide);
                sums[1].times(factor).store(&mut wide[WIDE / 2..]);
                out[row * hidden + chunk * WIDE..][..count].copy_from_slice(&wide[..count]);
            }
        }
        R
    }
}

/// Σ factor · column for each of `R` factors of each column of [`WIDE`] numbers.
#[inline(always)]
fn sums_of<const R: usize>(
    columns: &[f32],
    factors: impl Iterator<Item = [f32; R]>,
) -> [[F32x4; 2]; R] {
    let mut sums = [[F32x4::splat(0.0); 2]; R];
    for (column, factors) in columns.chunks_exact(WIDE).zip(factors) {
        let (low, high) = (F32x4::load(column), F32x4::load(&column[WIDE / 2..]));
        for (sums, factor) in sums.iter_mut().zip(factors) {
            let factor = F32x4::splat(factor);
            sums[0] = sums[0].plus(factor.times(low));
            sums[1] = sums[1].plus(factor.times(high));
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition in f64.
    fn definition(qkv: &[f32], hidden: usize, heads: usize) -> Vec<f64> {
        let (stride, size) = (3 * hidden, hidden / heads);
        let rows = qkv.len() / stride;
        let value =
            |row: usize, part: usize, i: usize| f64::from(qkv[row * stride + part * hidden + i]);
        let mut out = vec![0.0; rows * hidden];
        for head in 0..heads {
            for row in 0..rows {
                let columns = head * size..(head + 1) * size;
                let scores: Vec<f64> = (0..rows)
                    .map(|other| {
                        let dot: f64 = columns
                            .clone()
                            .map(|i| value(row, 0, i) * value(other, 1, i))
                            .sum();
                        libm::exp(dot / (size as f64).sqrt())
                    })
                    .collect();
                let total: f64 = scores.iter().sum();
                for i in columns {
                    out[row * hidden + i] = scores
                        .iter()
                        .enumerate()
                        .map(|(other, s)| s / total * value(other, 2, i))
                        .sum();
                }
            }
        }
        out
    }

    #[test]
    fn matches_the_definition() {
        for (hidden, heads, rows) in [(4, 1, 1), (8, 2, 3), (24, 1, 17), (64, 2, 33), (20, 4, 16)] {
            let qkv: Vec<f32> = (0..rows * 3 * hidden)
                .map(|i| ((i * 7919 % 1000) as f32 - 500.0) / 250.0)
                .collect();
            let mut out = vec![0.0; rows * hidden];
            attention(&qkv, hidden, heads, &mut out);
            for (found, expected) in out.iter().zip(definition(&qkv, hidden, heads)) {
                assert!(
                    (f64::from(*found) - expected).abs() < 1e-5,
                    "{found} is not {expected}"
                );
            }
        }
    }
}
