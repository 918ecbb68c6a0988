//! A row of floats to eight-bit activations.

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use std::arch::wasm32::*;

use super::F32x4;
use crate::math::{ROUND, round};
use crate::pack::WEIGHT_OFFSET;

/// Largest magnitude of an activation. Not 128: the kernels count on it.
const MOST: i32 = 127;

/// A row's activations are (q − zero) · scale.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RowScale {
    /// Of one step.
    pub scale: f32,
    /// The step that stands for 0.
    pub zero: i32,
    /// Σ q · 64: the share of the weights' offset in the integer sums.
    pub offset: i32,
}

/// A row to −127…127, its range always including zero. Its length must be a multiple of 4.
pub(crate) fn quantise(row: &[f32], out: &mut [i8]) -> RowScale {
    let (mut low, mut high) = (F32x4::splat(0.0), F32x4::splat(0.0));
    for four in row.chunks_exact(4) {
        let four = F32x4::load(four);
        low = low.least(four);
        high = high.most(four);
    }
    let low = low.to_array().into_iter().fold(0.0f32, f32::min);
    let high = high.to_array().into_iter().fold(0.0f32, f32::max);
    let range = high - low;
    // All zero, or of a size that no encoder reaches: counts as zero. What is not finite stays so, and the
    // final vector is refused for it.
    if !(1e-30..1e30).contains(&range) {
        out.fill(0);
        let scale = if range.is_finite() { 0.0 } else { f32::NAN };
        return RowScale {
            scale,
            ..RowScale::default()
        };
    }
    let steps = (2 * MOST) as f32;
    let inverse = steps / range;
    let zero = round(-(MOST as f32) - low * inverse) as i32;
    let sum = steps_of(row, inverse, zero, out);
    RowScale {
        scale: range / steps,
        zero,
        offset: WEIGHT_OFFSET * sum,
    }
}

/// Each value's step, and the sum of all steps.
fn steps_of(row: &[f32], inverse: f32, zero: i32, out: &mut [i8]) -> i32 {
    let whole = row.len() / 16 * 16;
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    let sum = sixteens(&row[..whole], inverse, zero, &mut out[..whole]);
    #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
    let sum = singles(&row[..whole], inverse, zero, &mut out[..whole]);
    sum + singles(&row[whole..], inverse, zero, &mut out[whole..])
}

fn singles(row: &[f32], inverse: f32, zero: i32, out: &mut [i8]) -> i32 {
    let mut sum = 0;
    for (q, v) in out.iter_mut().zip(row) {
        // The sum's low bits are the rounded integer: |v · inverse| is below 2⁸.
        let step = (v * inverse + ROUND).to_bits() as i32 - ROUND.to_bits() as i32 + zero;
        let step = step.clamp(-MOST, MOST);
        sum += step;
        *q = step as i8;
    }
    sum
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
fn sixteens(row: &[f32], inverse: f32, zero: i32, out: &mut [i8]) -> i32 {
    let inverse = f32x4_splat(inverse);
    let magic = f32x4_splat(ROUND);
    let base = i32x4_splat(ROUND.to_bits() as i32 - zero);
    let least = i8x16_splat(-MOST as i8);
    let mut sums = i32x4_splat(0);
    for (row, out) in row.chunks_exact(16).zip(out.chunks_exact_mut(16)) {
        // SAFETY: a chunk has 16 floats; the loads need no alignment.
        let [a, b, c, d] = [0, 4, 8, 12].map(|at| unsafe {
            let values = v128_load(row.as_ptr().add(at).cast());
            i32x4_sub(f32x4_add(f32x4_mul(values, inverse), magic), base)
        });
        let steps = i8x16_narrow_i16x8(i16x8_narrow_i32x4(a, b), i16x8_narrow_i32x4(c, d));
        let steps = i8x16_max(steps, least);
        // SAFETY: a chunk has 16 places; the store needs no alignment.
        unsafe { v128_store(out.as_mut_ptr().cast(), steps) };
        sums = i32x4_add(
            sums,
            i32x4_extadd_pairwise_i16x8(i16x8_extadd_pairwise_i8x16(steps)),
        );
    }
    let (a, b) = (i32x4_extract_lane::<0>(sums), i32x4_extract_lane::<1>(sums));
    let (c, d) = (i32x4_extract_lane::<2>(sums), i32x4_extract_lane::<3>(sums));
    a + b + c + d
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_survive_quantisation() {
        let long: Vec<f32> = (0..100).map(|i| (i as f32 - 37.0) * 0.13).collect();
        let rows: [&[f32]; 6] = [
            &[0.0; 8],
            &[1.0, -1.0, 0.5, 0.0],
            &[5.0, 6.0, 7.0, 8.0],
            &[-3.0, -2.0, -1.0, -0.5],
            &[1e-31, 0.0, 0.0, 0.0],
            &long,
        ];
        for row in rows {
            let mut quantised = vec![0i8; row.len()];
            let scale = quantise(row, &mut quantised);
            for (q, v) in quantised.iter().zip(row) {
                let back = (i32::from(*q) - scale.zero) as f32 * scale.scale;
                assert!(
                    (back - v).abs() <= scale.scale * 0.51 + 1e-30,
                    "{v} came back as {back}"
                );
                assert_ne!(*q, i8::MIN);
            }
            let sum: i32 = quantised.iter().map(|q| i32::from(*q)).sum();
            assert_eq!(scale.offset, 64 * sum);
        }
    }
}
