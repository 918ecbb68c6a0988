//! The native product: 16 products per instruction, exact because a weight has seven bits.

use std::arch::x86_64::*;

use super::{TILE, Tile};

const R: usize = 2;

/// Sums of one tile. Runs only where AVX2 was detected: [`super::Kernel::Avx2`] exists nowhere else.
pub(super) fn tile(t: &Tile<'_, i8>, sums: &mut [[i32; TILE]; R]) {
    debug_assert!(std::arch::is_x86_feature_detected!("avx2"));
    assert!(t.activations.len() == t.rows * t.inputs && t.weights.len() == t.groups * 4 * t.inputs);
    assert!(t.rows <= R && t.groups <= 4);
    // SAFETY: AVX2 was detected; the asserts above keep every pointer inside its slice.
    unsafe {
        match (t.rows, t.groups) {
            (R, 4) => run::<R, 4>(t, sums),
            _ => {
                for row in 0..t.rows {
                    for group in 0..t.groups {
                        run_one(t, row, group, &mut sums[row]);
                    }
                }
            }
        }
    }
}

#[target_feature(enable = "avx2")]
unsafe fn run<const ROWS: usize, const GROUPS: usize>(
    t: &Tile<'_, i8>,
    sums: &mut [[i32; TILE]; R],
) {
    let ones = _mm_set1_epi16(1);
    let mut acc = [[_mm_setzero_si128(); GROUPS]; ROWS];
    let a = t.activations.as_ptr();
    let w = t.weights.as_ptr();
    for k in (0..t.inputs).step_by(4) {
        for row in 0..ROWS {
            // SAFETY: row < rows and k + 4 <= inputs.
            let a =
                unsafe { _mm_set1_epi32(a.add(row * t.inputs + k).cast::<i32>().read_unaligned()) };
            for group in 0..GROUPS {
                // SAFETY: group < groups and 4 * k + 16 <= 4 * inputs.
                let w = unsafe { _mm_loadu_si128(w.add((group * t.inputs + k) * 4).cast()) };
                let pairs = _mm_maddubs_epi16(w, a);
                acc[row][group] = _mm_add_epi32(acc[row][group], _mm_madd_epi16(pairs, ones));
            }
        }
    }
    for (acc, sums) in acc.iter().zip(sums) {
        for (group, acc) in acc.iter().enumerate() {
            // SAFETY: group < 4, so four integers from group * 4 are inside.
            unsafe { _mm_storeu_si128(sums.as_mut_ptr().add(group * 4).cast(), *acc) };
        }
    }
}

#[target_feature(enable = "avx2")]
unsafe fn run_one(t: &Tile<'_, i8>, row: usize, group: usize, sums: &mut [i32; TILE]) {
    let one = Tile {
        activations: &t.activations[row * t.inputs..(row + 1) * t.inputs],
        weights: &t.weights[group * 4 * t.inputs..(group + 1) * 4 * t.inputs],
        inputs: t.inputs,
        rows: 1,
        groups: 1,
    };
    let mut out = [[0; TILE]; R];
    // SAFETY: the tile is as long as it says.
    unsafe { run::<1, 1>(&one, &mut out) };
    sums[group * 4..group * 4 + 4].copy_from_slice(&out[0][..4]);
}
