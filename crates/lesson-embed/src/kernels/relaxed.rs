//! The product in relaxed WebAssembly SIMD: 16 products per instruction. What is relaxed is only how the
//! second operand's eighth bit is read; weights have seven, so every machine gives the same sums.

use std::arch::wasm32::*;

use super::{TILE, Tile};

const R: usize = 4;

/// Sums of one tile. The module that holds it is loaded only where relaxed SIMD validates.
pub(super) fn tile(t: &Tile<'_, i8>, sums: &mut [[i32; TILE]; R]) {
    assert!(t.activations.len() == t.rows * t.inputs && t.weights.len() == t.groups * 4 * t.inputs);
    assert!(t.rows <= R && t.groups <= 4);
    // SAFETY: the asserts keep every pointer inside its slice; a module with these instructions validates
    // only where they exist.
    unsafe {
        match (t.rows, t.groups) {
            (4, 4) => run::<4, 4>(t, sums),
            (3, 4) => run::<3, 4>(t, sums),
            (2, 4) => run::<2, 4>(t, sums),
            (1, 4) => run::<1, 4>(t, sums),
            _ => {
                for row in 0..t.rows {
                    for group in 0..t.groups {
                        let one = Tile {
                            activations: &t.activations[row * t.inputs..(row + 1) * t.inputs],
                            weights: &t.weights[group * 4 * t.inputs..(group + 1) * 4 * t.inputs],
                            inputs: t.inputs,
                            rows: 1,
                            groups: 1,
                        };
                        let mut out = [[0; TILE]; R];
                        run::<1, 1>(&one, &mut out);
                        sums[row][group * 4..group * 4 + 4].copy_from_slice(&out[0][..4]);
                    }
                }
            }
        }
    }
}

#[target_feature(enable = "relaxed-simd")]
unsafe fn run<const ROWS: usize, const GROUPS: usize>(
    t: &Tile<'_, i8>,
    sums: &mut [[i32; TILE]; R],
) {
    let mut acc = [[i32x4_splat(0); GROUPS]; ROWS];
    let a = t.activations.as_ptr();
    let w = t.weights.as_ptr();
    for k in (0..t.inputs).step_by(4) {
        let mut blocks = [i32x4_splat(0); GROUPS];
        for group in 0..GROUPS {
            // SAFETY: group < groups and 4 * k + 16 <= 4 * inputs.
            blocks[group] = unsafe { v128_load(w.add((group * t.inputs + k) * 4).cast()) };
        }
        for row in 0..ROWS {
            // SAFETY: row < rows and k + 4 <= inputs.
            let a = unsafe { v128_load32_splat(a.add(row * t.inputs + k).cast()) };
            for group in 0..GROUPS {
                acc[row][group] =
                    i32x4_relaxed_dot_i8x16_i7x16_add(a, blocks[group], acc[row][group]);
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
