//! The product in WebAssembly SIMD: both sides widened to 16 bits, eight products per instruction.

use std::arch::wasm32::*;

use super::{TILE, Tile};

const R: usize = 3;
const G: usize = 3;

/// Activations as 16-bit numbers, each four inputs in the order 0 2 1 3: the even and the odd bytes of a
/// block of weights then meet their inputs without a shuffle.
pub(super) fn widen(activations: &[i8]) -> Vec<i16> {
    activations
        .chunks_exact(4)
        .flat_map(|a| [a[0], a[2], a[1], a[3]].map(i16::from))
        .collect()
}

/// Sums of one tile.
pub(super) fn tile(t: &Tile<'_, i16>, sums: &mut [[i32; TILE]; R]) {
    assert!(t.activations.len() == t.rows * t.inputs && t.weights.len() == t.groups * 4 * t.inputs);
    // SAFETY: the assert keeps every pointer inside its slice; rows and groups are the tile's own.
    unsafe {
        match (t.rows, t.groups) {
            (3, 3) => run::<3, 3>(t, sums),
            (2, 3) => run::<2, 3>(t, sums),
            (1, 3) => run::<1, 3>(t, sums),
            (3, 2) => run::<3, 2>(t, sums),
            (2, 2) => run::<2, 2>(t, sums),
            (1, 2) => run::<1, 2>(t, sums),
            (3, 1) => run::<3, 1>(t, sums),
            (2, 1) => run::<2, 1>(t, sums),
            (1, 1) => run::<1, 1>(t, sums),
            (rows, groups) => {
                unreachable!("no tile of {rows} rows and {groups} groups; at most {R} and {G}")
            }
        }
    }
}

#[inline(always)]
unsafe fn run<const ROWS: usize, const GROUPS: usize>(
    t: &Tile<'_, i16>,
    sums: &mut [[i32; TILE]; R],
) {
    let mut acc = [[i32x4_splat(0); GROUPS]; ROWS];
    let a = t.activations.as_ptr();
    let w = t.weights.as_ptr();
    for k in (0..t.inputs).step_by(4) {
        let mut even = [i32x4_splat(0); GROUPS];
        let mut odd = [i32x4_splat(0); GROUPS];
        for group in 0..GROUPS {
            // SAFETY: group < groups and 4 * k + 16 <= 4 * inputs.
            let block = unsafe { v128_load(w.add((group * t.inputs + k) * 4).cast()) };
            even[group] = v128_and(block, u16x8_splat(0xff));
            odd[group] = u16x8_shr(block, 8);
        }
        for row in 0..ROWS {
            // SAFETY: row < rows and k + 4 <= inputs.
            let (first, second) = unsafe {
                let a = a.add(row * t.inputs + k);
                (
                    v128_load32_splat(a.cast()),
                    v128_load32_splat(a.add(2).cast()),
                )
            };
            for group in 0..GROUPS {
                let sum = i32x4_add(acc[row][group], i32x4_dot_i16x8(even[group], first));
                acc[row][group] = i32x4_add(sum, i32x4_dot_i16x8(odd[group], second));
            }
        }
    }
    for (acc, sums) in acc.iter().zip(sums) {
        for (group, acc) in acc.iter().enumerate() {
            // SAFETY: group < 4, so four integers from group * 4 are inside.
            unsafe { v128_store(sums.as_mut_ptr().add(group * 4).cast(), *acc) };
        }
    }
}
