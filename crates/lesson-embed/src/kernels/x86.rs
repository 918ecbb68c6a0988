//! The native products: 32 products per instruction. Exact in both forms because a weight has seven bits.

use std::arch::x86_64::*;

use super::tile::{PANEL, Tile, by_groups};

/// Sums of one tile of at most 2 rows. Runs only where AVX2 was detected: [`super::Kernel::Avx2`] exists nowhere else.
pub(super) fn avx2(t: &Tile<'_, i8>, sums: &mut [i32]) {
    debug_assert!(std::arch::is_x86_feature_detected!("avx2"));
    t.check(sums, 2);
    // SAFETY: AVX2 was detected; `check` keeps every pointer inside its slice.
    unsafe {
        match t.rows {
            2 => avx2_rows::<2>(t, sums),
            _ => avx2_rows::<1>(t, sums),
        }
    }
}

/// Sums of one tile of at most 4 rows. Runs only where [`super::Kernel::Vnni`] exists.
pub(super) fn vnni(t: &Tile<'_, i8>, sums: &mut [i32]) {
    debug_assert!(std::arch::is_x86_feature_detected!("avx512vnni"));
    t.check(sums, 4);
    // SAFETY: the instructions were detected; `check` keeps every pointer inside its slice.
    unsafe {
        match t.rows {
            4 => vnni_rows::<4>(t, sums),
            3 => vnni_rows::<3>(t, sums),
            2 => vnni_rows::<2>(t, sums),
            _ => vnni_rows::<1>(t, sums),
        }
    }
}

/// One function per instruction set: two steps of four inputs at a time, the first in the lower half.
macro_rules! product {
    ($rows:ident, $run:ident, $features:literal, |$weights:ident, $activations:ident, $sum:ident| $add:expr) => {
        #[target_feature(enable = $features)]
        unsafe fn $rows<const R: usize>(t: &Tile<'_, i8>, sums: &mut [i32]) {
            // SAFETY: as the caller's.
            unsafe {
                by_groups!($run::<R>(t, sums));
            }
        }

        #[target_feature(enable = $features)]
        unsafe fn $run<const R: usize, const G: usize>(
            t: &Tile<'_, i8>,
            first: usize,
            sums: &mut [i32],
        ) {
            let add = |$weights, $activations, $sum| $add;
            let steps = t.inputs / 4;
            let stride = 4 * t.inputs;
            let mut acc = [[_mm256_setzero_si256(); G]; R];
            // SAFETY: first + G <= groups; step is below `steps`, and two steps are read only where two are left.
            unsafe {
                let w = t.weights.as_ptr().add(first * stride);
                for step in (0..steps / 2 * 2).step_by(2) {
                    let mut blocks = [_mm256_setzero_si256(); G];
                    for group in 0..G {
                        blocks[group] =
                            _mm256_loadu_si256(w.add(group * stride + step * 16).cast());
                    }
                    for row in 0..R {
                        let four = |step: usize| {
                            let at = t.activations.as_ptr().add((step * R + row) * 4);
                            _mm_set1_epi32(at.cast::<i32>().read_unaligned())
                        };
                        let a = _mm256_set_m128i(four(step + 1), four(step));
                        for group in 0..G {
                            acc[row][group] = add(blocks[group], a, acc[row][group]);
                        }
                    }
                }
                for step in steps / 2 * 2..steps {
                    for row in 0..R {
                        let at = t.activations.as_ptr().add((step * R + row) * 4);
                        let a = _mm256_zextsi128_si256(_mm_set1_epi32(
                            at.cast::<i32>().read_unaligned(),
                        ));
                        for group in 0..G {
                            let block = _mm_loadu_si128(w.add(group * stride + step * 16).cast());
                            let block = _mm256_zextsi128_si256(block);
                            acc[row][group] = add(block, a, acc[row][group]);
                        }
                    }
                }
                for (row, acc) in acc.iter().enumerate() {
                    for (group, acc) in acc.iter().enumerate() {
                        let halves = (
                            _mm256_castsi256_si128(*acc),
                            _mm256_extracti128_si256(*acc, 1),
                        );
                        let at = row * PANEL + (first + group) * 4;
                        _mm_storeu_si128(
                            sums.as_mut_ptr().add(at).cast(),
                            _mm_add_epi32(halves.0, halves.1),
                        );
                    }
                }
            }
        }
    };
}

product!(avx2_rows, avx2_run, "avx2", |weights, activations, sum| {
    // Two products are at most 2 · 127 · 127: they fit 16 bits.
    let pairs = _mm256_maddubs_epi16(weights, activations);
    _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
});
product!(
    vnni_rows,
    vnni_run,
    "avx512vnni,avx512vl",
    |weights, activations, sum| _mm256_dpbusd_epi32(sum, weights, activations)
);
