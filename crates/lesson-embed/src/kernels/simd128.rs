//! The product in WebAssembly SIMD: activations widened to 16 bits, eight products per instruction.
//!
//! Two neighbouring weights, below 128 each, are one positive 16-bit number w₀ + 256·w₁ as they lie in the pack. With
//! it, a₀·w₀ + a₁·w₁ = a₀·(w₀ + 256·w₁) + (a₁ − 256·a₀)·w₁: half of the weights need no unpacking. The sums wrap
//! around on the way and are right in the end.

use std::arch::wasm32::*;
use std::hint::black_box;

use super::tile::{PANEL, Tile, by_groups};

/// Rows of a tile.
pub(super) const ROWS: usize = 2;
/// Steps of four inputs between two looks at the loop's end.
const UNROLL: usize = 4;

/// Of each four inputs a₀…a₃ of every row: a₀ and a₂ of all rows, then a₁ − 256·a₀ and a₃ − 256·a₂ of all rows.
pub(super) fn arrange(rows: &[i8], inputs: usize, out: &mut [i16]) {
    let count = rows.len() / inputs;
    // Two activations, and the four of a step for all rows.
    let (pairs, step) = (out.as_chunks_mut::<2>().0, 2 * count);
    for (row, values) in rows.chunks_exact(inputs).enumerate() {
        for (four, pairs) in values
            .as_chunks::<4>()
            .0
            .iter()
            .zip(pairs.chunks_exact_mut(step))
        {
            let [a, b, c, d] = four.map(i16::from);
            pairs[row] = [a, c];
            // At most 127 + 256 · 127: no activation is −128.
            pairs[count + row] = [b.wrapping_sub(a << 8), d.wrapping_sub(c << 8)];
        }
    }
}

/// Sums of one tile.
pub(super) fn tile(t: &Tile<'_, i16>, sums: &mut [i32]) {
    t.check(sums, ROWS);
    // SAFETY: `check` keeps every pointer inside its slice.
    unsafe {
        match t.rows {
            2 => rows::<2>(t, sums),
            _ => rows::<1>(t, sums),
        }
    }
}

unsafe fn rows<const R: usize>(t: &Tile<'_, i16>, sums: &mut [i32]) {
    // SAFETY: as the caller's.
    unsafe {
        by_groups!(run::<R>(t, sums));
    }
}

/// Sums of `R` rows by `G` groups from `first` on: a whole panel, or one group of a smaller one.
#[inline(never)] // by itself, the same machine code comes of it wherever it is called
unsafe fn run<const R: usize, const G: usize>(t: &Tile<'_, i16>, first: usize, sums: &mut [i32]) {
    let mut acc = [[i32x4_splat(0); R]; G];
    let mut a = t.activations.as_ptr();
    // SAFETY: first + G <= groups, and the pointers go on by what was read: `inputs` / 4 steps, at least one, of 4 · R
    // activations and of 16 bytes of each group.
    unsafe {
        let mut w = t.weights.as_ptr().add(first * 4 * t.inputs);
        let end = w.add(G * 4 * t.inputs);
        'all: loop {
            // Else the compiler counts by other addresses, and takes the first step's sums in an order that spills.
            w = black_box(w);
            for _ in 0..UNROLL {
                one(a, w, &mut acc);
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

/// Four inputs of every row by every group. Group by group, so that two vectors of weights are alive at a time.
#[inline(always)]
unsafe fn one<const R: usize, const G: usize>(
    a: *const i16,
    w: *const u8,
    acc: &mut [[v128; R]; G],
) {
    let mut halves = [[i32x4_splat(0); 2]; R];
    for row in 0..R {
        for half in 0..2 {
            // SAFETY: the caller has 4 activations of each row left: two in either half.
            halves[row][half] = unsafe { v128_load32_splat(a.add((half * R + row) * 2).cast()) };
        }
    }
    for group in 0..G {
        // SAFETY: the caller has 16 bytes of each group left.
        let block = unsafe { v128_load(w.add(group * 16).cast()) };
        let odd = u16x8_shr(block, 8);
        for row in 0..R {
            let sum = i32x4_add(acc[group][row], i32x4_dot_i16x8(block, halves[row][0]));
            acc[group][row] = i32x4_add(sum, i32x4_dot_i16x8(odd, halves[row][1]));
        }
    }
}
