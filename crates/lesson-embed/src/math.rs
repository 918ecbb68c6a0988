//! Float stages of the encoder. Only + − × ÷, comparisons and the (correctly rounded) square root, each sum
//! in one fixed order, so that a text has the same vector to the bit on every machine.

use std::f32::consts::{FRAC_1_SQRT_2, LOG2_E};
use std::hint::black_box;

use crate::kernels::F32x4;

/// Adding and subtracting it rounds a float of magnitude below 2²² to the nearest integer, ties to even.
pub(crate) const ROUND: f32 = 12_582_912.0;
/// Lanes of a sum: wide enough for any SIMD, and part of the result's definition.
const LANES: usize = 8;

/// Nearest integer of a number of magnitude below 2²².
#[inline(always)]
pub(crate) fn round(v: f32) -> f32 {
    (v + ROUND) - ROUND
}

/// Constants of a function, four times each, in memory. As plain constants they would be made anew at each use, which
/// takes a browser three instructions where a load takes one.
fn held<const N: usize>(values: [f32; N]) -> [F32x4; N] {
    black_box(values.map(F32x4::splat))
}

/// eˣ for x ≤ 0 to about 1e-7 of its value, and 1e-7 more for each unit of −x; about 1e-38 below −87.
pub(crate) struct ExpNegative {
    /// Where it is cut off, log₂ e, and [`ROUND`].
    low_log_round: [F32x4; 3],
    /// A minimax fit of the relative error of 2ᶠ, the highest power first.
    powers: [F32x4; 6],
}

impl ExpNegative {
    #[allow(clippy::approx_constant)] // A fitted coefficient happens to be near ln 2.
    pub fn new() -> Self {
        Self {
            low_log_round: held([-87.0, LOG2_E, ROUND]),
            powers: held([
                1.327_647_2e-3,
                9.675_541e-3,
                5.550_713_3e-2,
                2.402_212e-1,
                6.931_47e-1,
                1.000_000_1,
            ]),
        }
    }

    #[inline(always)]
    pub fn of(&self, x: F32x4) -> F32x4 {
        // 2ᵗ with t = n + f: n goes into the exponent, and f, at most one half, into a polynomial.
        let [low, log, round] = self.low_log_round;
        let t = x.most(low).times(log);
        // n as the low bits of a float, and as a float: in −126..=0, so that the exponent field stays normal.
        let bits = t.plus(round);
        let f = t.minus(bits.minus(round));
        let [mut p, rest @ ..] = self.powers;
        for c in rest {
            p = p.times(f).plus(c);
        }
        p.times(bits.power_of_two())
    }
}

/// GELU in its exact form, x · Φ(x), from the error function to about 3e-7: a ratio of polynomials (the one Eigen
/// uses), flat beyond ±4.
pub(crate) struct Gelu {
    /// √½, −4 and 4, 1 and ½.
    numbers: [F32x4; 5],
    above: [F32x4; 7],
    below: [F32x4; 5],
}

impl Gelu {
    pub fn new() -> Self {
        Self {
            numbers: held([FRAC_1_SQRT_2, -4.0, 4.0, 1.0, 0.5]),
            above: held([
                -2.726_142_3e-10,
                2.770_681_4e-8,
                -2.101_024e-6,
                -5.692_506_5e-5,
                -7.349_906e-4,
                -2.954_6e-3,
                -1.609_603_3e-2,
            ]),
            below: held([
                -1.456_607_2e-5,
                -2.133_740_6e-4,
                -1.682_827e-3,
                -7.373_329e-3,
                -1.426_474e-2,
            ]),
        }
    }

    #[inline(always)]
    pub fn of(&self, x: F32x4) -> F32x4 {
        let [root, least, most, one, half] = self.numbers;
        let z = x.times(root).most(least).least(most);
        let s = z.times(z);
        let [mut p, rest @ ..] = self.above;
        for c in rest {
            p = p.times(s).plus(c);
        }
        let [mut q, rest @ ..] = self.below;
        for c in rest {
            q = q.times(s).plus(c);
        }
        let erf = z.times(p).over(q);
        half.times(x).times(one.plus(erf))
    }
}

/// Σ f(v) over eight lanes, then pairwise.
#[inline(always)]
fn sum(values: &[f32], f: impl Fn(f32) -> f32) -> f32 {
    let mut lanes = [0.0f32; LANES];
    let chunks = values.chunks_exact(LANES);
    let rest = chunks.remainder();
    for chunk in chunks {
        for (lane, v) in lanes.iter_mut().zip(chunk) {
            *lane += f(*v);
        }
    }
    for (lane, v) in lanes.iter_mut().zip(rest) {
        *lane += f(*v);
    }
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

/// LayerNorm of one row, in place.
pub(crate) fn layer_norm(row: &mut [f32], gamma: &[f32], beta: &[f32], epsilon: f32) {
    let n = row.len() as f32;
    let mean = sum(row, |v| v) / n;
    let variance = sum(row, |v| (v - mean) * (v - mean)) / n;
    let inverse = 1.0 / (variance + epsilon).sqrt();
    for ((v, gamma), beta) in row.iter_mut().zip(gamma).zip(beta) {
        *v = (*v - mean) * inverse * gamma + beta;
    }
}

/// Turns scores into weights, in place, and returns the factor that makes them sum to 1. Their number must be a
/// multiple of 4; of these, those from `count` on are no scores and become 0.
pub(crate) fn softmax(scores: &mut [f32], count: usize, exp: &ExpNegative) -> f32 {
    scores[count..].fill(f32::NEG_INFINITY);
    let mut most = F32x4::splat(f32::NEG_INFINITY);
    for four in scores.chunks_exact(4) {
        most = most.most(F32x4::load(four));
    }
    let most = most
        .to_array()
        .into_iter()
        .fold(f32::NEG_INFINITY, f32::max);
    let most = F32x4::splat(most);
    for four in scores.chunks_exact_mut(4) {
        exp.of(F32x4::load(four).minus(most)).store(four);
    }
    scores[count..].fill(0.0);
    1.0 / sum(scores, |v| v)
}

/// Mean of the rows, scaled to unit length.
pub(crate) fn mean_unit(rows: &[f32], width: usize) -> Vec<f32> {
    let mut mean = vec![0.0f32; width];
    for row in rows.chunks_exact(width) {
        for (mean, v) in mean.iter_mut().zip(row) {
            *mean += v;
        }
    }
    let count = (rows.len() / width).max(1) as f32;
    for v in &mut mean {
        *v /= count;
    }
    to_unit(&mut mean);
    mean
}

/// Adds another vector with a weight, and scales the sum to unit length.
pub(crate) fn add_unit(vector: &mut [f32], other: &[f32], weight: f32) {
    for (v, other) in vector.iter_mut().zip(other) {
        *v += other * weight;
    }
    to_unit(vector);
}

/// Scales a vector to unit length.
pub(crate) fn to_unit(vector: &mut [f32]) {
    let length = sum(vector, |v| v * v).sqrt();
    // As sentence-transformers does: a vanishing vector stays as it is.
    let length = if length < 1e-12 { 1e-12 } else { length };
    for v in vector {
        *v /= length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exp(x: f32) -> f32 {
        ExpNegative::new().of(F32x4::splat(x)).to_array()[3]
    }

    fn gelu(x: f32) -> f32 {
        Gelu::new().of(F32x4::splat(x)).to_array()[3]
    }

    #[test]
    fn exp_is_close_to_the_library() {
        for i in 0..=100_000 {
            let x = -90.0 * i as f32 / 100_000.0;
            let expected = libm::exp(f64::from(x.max(-87.0)));
            let error = (f64::from(exp(x)) - expected).abs() / expected;
            assert!(
                error < 2e-7 - 1e-7 * f64::from(x),
                "exp({x}) is off by {error}"
            );
        }
        assert!((exp(0.0) - 1.0).abs() < 2e-7);
        assert!(exp(f32::NEG_INFINITY) < 1e-37);
    }

    #[test]
    fn gelu_is_close_to_the_library() {
        for i in -100_000..=100_000 {
            let x = 10.0 * i as f32 / 100_000.0;
            let wide = f64::from(x);
            let expected = 0.5 * wide * (1.0 + libm::erf(wide * std::f64::consts::FRAC_1_SQRT_2));
            let error = (f64::from(gelu(x)) - expected).abs();
            assert!(error < 2e-6, "gelu({x}) is off by {error}");
        }
    }

    #[test]
    fn softmax_sums_to_one_and_survives_extremes() {
        for scores in [vec![0.0], vec![1e30, -1e30, 0.0], vec![-5.0; 257]] {
            let mut weights = scores.clone();
            weights.resize(scores.len().next_multiple_of(4), 7.0);
            let factor = softmax(&mut weights, scores.len(), &ExpNegative::new());
            assert!(weights[scores.len()..].iter().all(|weight| *weight == 0.0));
            let total: f32 = weights.iter().map(|weight| weight * factor).sum();
            assert!((total - 1.0).abs() < 1e-5, "{scores:?} sums to {total}");
        }
    }

    #[test]
    fn layer_norm_centres_and_scales() {
        let mut row: Vec<f32> = (0..13).map(|v| v as f32).collect();
        layer_norm(&mut row, &[2.0; 13], &[1.0; 13], 1e-12);
        let mean: f32 = row.iter().sum::<f32>() / 13.0;
        let spread: f32 = row.iter().map(|v| (v - 1.0) * (v - 1.0)).sum::<f32>() / 13.0;
        assert!((mean - 1.0).abs() < 1e-5 && (spread - 4.0).abs() < 1e-4);
    }

    #[test]
    fn mean_is_unit_length_and_zero_stays_zero() {
        let unit = mean_unit(&[1.0, 0.0, 3.0, 0.0], 2);
        assert_eq!(unit, [1.0, 0.0]);
        assert_eq!(mean_unit(&[0.0; 6], 3), [0.0; 3]);
        let mut vector = [1.0, 0.0];
        add_unit(&mut vector, &[-2.0, 0.0], 0.25);
        assert_eq!(vector, [1.0, 0.0]);
    }
}
