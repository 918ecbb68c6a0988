//! The product in relaxed WebAssembly SIMD for machines that have no instruction for all of it: 16 products and their
//! sums in pairs, then the pairs' sums, then the addition. Exact everywhere: a weight has seven bits, so a pair's sum, at
//! most 2 · 127 · 127, fits 16.

use std::arch::wasm32::*;
use std::hint::black_box;

use super::tile::{PANEL, Tile, by_groups};

/// Rows of a tile.
pub(super) const ROWS: usize = 2;
/// Steps of four inputs that stand in the loop's body, each with its own look at the end: see [`super::simd128`].
const UNROLL: usize = 4;

/// Sums of one tile. The module that holds it is loaded only where relaxed SIMD validates.
pub(super) fn tile(t: &Tile<'_, i8>, sums: &mut [i32]) {
    t.check(sums, ROWS);
    // SAFETY: `check` keeps every pointer inside its slice; a module with these instructions validates
    // only where they exist.
    unsafe {
        match t.rows {
            2 => rows::<2>(t, sums),
            _ => rows::<1>(t, sums),
        }
    }
}

#[target_feature(enable = "relaxed-simd")]
unsafe fn rows<const R: usize>(t: &Tile<'_, i8>, sums: &mut [i32]) {
    // SAFETY: as the caller's.
    unsafe {
        by_groups!(run::<R>(t, sums));
    }
}

/// Sums of `R` rows by `G` groups from `first` on: a whole panel, or one group of a smaller one.
#[inline(never)] // by itself, the same machine code comes of it wherever it is called
#[target_feature(enable = "relaxed-simd")]
unsafe fn run<const R: usize, const G: usize>(t: &Tile<'_, i8>, first: usize, sums: &mut [i32]) {
    let mut acc = [[i32x4_splat(0); R]; G];
    // As a constant it would be made anew for each product, from three instructions.
    let ones = black_box(i16x8_splat(1));
    let mut a = t.activations.as_ptr();
    // SAFETY: first + G <= groups, and the pointers go on by what was read: `inputs` / 4 steps, at least one, of 4 · R
    // bytes of activations and of 16 bytes of each group.
    unsafe {
        let mut w = t.weights.as_ptr().add(first * 4 * t.inputs);
        let end = w.add(G * 4 * t.inputs);
        'all: loop {
            for _ in 0..UNROLL {
                one(a, w, ones, &mut acc);
                a = a.add(4 * R);
                w = w.add(G * 16);
                if w == end {
                    break 'all;
                }
            }
        }
        for (group, acc) in acc.iter().enumerate() {
            for (row, acc) in acc.iter().enumerate() {
                let at = row * PANEL + (first + group) * 4;
                v128_store(sums.as_mut_ptr().add(at).cast(), *acc);
            }
        }
    }
}

/// Four inputs of every row by every group.
#[target_feature(enable = "relaxed-simd")]
#[inline]
unsafe fn one<const R: usize, const G: usize>(
    a: *const i8,
    w: *const u8,
    ones: v128,
    acc: &mut [[v128; R]; G],
) {
    let mut fours = [i32x4_splat(0); R];
    for row in 0..R {
        // SAFETY: the caller has 4 bytes of each row left.
        fours[row] = unsafe { v128_load32_splat(a.add(row * 4).cast()) };
    }
    for group in 0..G {
        // SAFETY: the caller has 16 bytes of each group left.
        let block = unsafe { v128_load(w.add(group * 16).cast()) };
        for row in 0..R {
            let pairs = i16x8_relaxed_dot_i8x16_i7x16(fours[row], block);
            // Not `extadd_pairwise`, which browsers make from more than one instruction.
            let products = i32x4_dot_i16x8(pairs, ones);
            acc[group][row] = i32x4_add(acc[group][row], products);
        }
    }
}
