//! Multi-head self-attention in floats. Each output is one sum in one fixed order; the vector lanes run over
//! neighbouring outputs, so their number does not matter to the result.

use crate::math::softmax;

/// Outputs that are summed side by side.
const WIDE: usize = 16;

/// From rows of query, key and value (each `hidden` wide) to rows of `hidden`; no row is masked.
pub(crate) fn attention(qkv: &[f32], hidden: usize, heads: usize, out: &mut [f32]) {
    let stride = 3 * hidden;
    let size = hidden / heads;
    let rows = qkv.len() / stride;
    let scale = 1.0 / (size as f32).sqrt();
    let padded = rows.next_multiple_of(WIDE);
    // Keys with their rows side by side, so that neighbouring scores are neighbouring lanes.
    let mut keys = vec![0.0f32; size * padded];
    let mut scores = vec![0.0f32; padded];
    for head in 0..heads {
        let at = head * size;
        for (row, qkv) in qkv.chunks_exact(stride).enumerate() {
            for (i, v) in qkv[hidden + at..hidden + at + size].iter().enumerate() {
                keys[i * padded + row] = *v;
            }
        }
        for row in 0..rows {
            let query = &qkv[row * stride + at..row * stride + at + size];
            for (chunk, scores) in scores.chunks_exact_mut(WIDE).enumerate() {
                let mut acc = [0.0f32; WIDE];
                for (i, q) in query.iter().enumerate() {
                    let keys = &keys[i * padded + chunk * WIDE..][..WIDE];
                    for (acc, k) in acc.iter_mut().zip(keys) {
                        *acc += q * k;
                    }
                }
                for (score, acc) in scores.iter_mut().zip(acc) {
                    *score = acc * scale;
                }
            }
            softmax(&mut scores[..rows]);
            let out = &mut out[row * hidden + at..row * hidden + at + size];
            for (chunk, out) in out.chunks_mut(WIDE).enumerate() {
                let from = 2 * hidden + at + chunk * WIDE;
                weigh(&scores[..rows], qkv, stride, from, out);
            }
        }
    }
}

/// Σ weight · value over all rows, for the values from column `from` on.
#[inline(always)]
fn weigh(weights: &[f32], qkv: &[f32], stride: usize, from: usize, out: &mut [f32]) {
    let mut acc = [0.0f32; WIDE];
    if out.len() == WIDE {
        for (w, row) in weights.iter().zip(qkv.chunks_exact(stride)) {
            for (acc, v) in acc.iter_mut().zip(&row[from..from + WIDE]) {
                *acc += w * v;
            }
        }
    } else {
        for (w, row) in weights.iter().zip(qkv.chunks_exact(stride)) {
            for (acc, v) in acc.iter_mut().zip(&row[from..from + out.len()]) {
                *acc += w * v;
            }
        }
    }
    out.copy_from_slice(&acc[..out.len()]);
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
