//! The product in relaxed WebAssembly SIMD: 16 products per instruction. What is relaxed is only how the
//! second operand's eighth bit is read; weights have seven, so every machine gives the same sums.
//!
//! Some machines have that instruction, sums included, and some make it from five: [`super::pairs`] is for those.

use std::arch::wasm32::*;
use std::hint::black_box;

use super::tile::{PANEL, Tile, by_groups};

/// Rows of a tile.
pub(super) const ROWS: usize = 4;
/// Steps of four inputs between two looks at the loop's end; V8 keeps its sums in registers best so.
const UNROLL: usize = 4;

/// Mark that tells a module that keeps these instructions from one that they were taken out of. A release is linked once; for
/// hosts without relaxed SIMD, `cargo xtask build` turns its last letter into `n` and puts strict instructions, or where there
/// are none a trap, in the place of relaxed ones (crates/xtask/src/relaxed.rs).
static MARK: [u8; 25] = *b"lessonloop-relaxed-simd:y";

/// True if this module keeps relaxed SIMD.
pub(super) fn is_kept() -> bool {
    // SAFETY: the last byte of a static. Volatile, as it is not what the compiler has seen once the build has changed it.
    unsafe { std::ptr::read_volatile(&raw const MARK[MARK.len() - 1]) == b'y' }
}

/// True if this machine multiplies and sums up in one instruction. One that does not saturates on the way, which
/// operands of eight bits show.
pub(super) fn is_one_instruction() -> bool {
    /// Twice, and no longer 2 · 127 · 255.
    const SATURATED: i32 = 2 * 32_767;

    #[target_feature(enable = "relaxed-simd")]
    unsafe fn probe() -> i32 {
        let (most, all) = black_box((i8x16_splat(127), i8x16_splat(-1)));
        i32x4_extract_lane::<0>(i32x4_relaxed_dot_i8x16_i7x16_add(most, all, i32x4_splat(0)))
    }

    // SAFETY: a module with these instructions validates only where they exist.
    unsafe { probe() != SATURATED }
}

/// Sums of one tile. The module that holds it is loaded only where relaxed SIMD validates.
pub(super) fn tile(t: &Tile<'_, i8>, sums: &mut [i32]) {
    t.check(sums, ROWS);
    // SAFETY: `check` keeps every pointer inside its slice; a module with these instructions validates
    // only where they exist.
    unsafe {
        match t.rows {
            4 => rows::<4>(t, sums),
            3 => rows::<3>(t, sums),
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
    let mut acc = [[i32x4_splat(0); G]; R];
    let mut a = t.activations.as_ptr();
    // SAFETY: first + G <= groups, and the pointers go on by what was read: `inputs` / 4 steps of 4 · R bytes of
    // activations and of 16 bytes of each group.
    unsafe {
        let mut w = t.weights.as_ptr().add(first * 4 * t.inputs);
        for _ in 0..t.inputs / (4 * UNROLL) {
            for step in 0..UNROLL {
                one(a.add(step * 4 * R), w.add(step * 16 * G), &mut acc);
            }
            a = a.add(UNROLL * 4 * R);
            w = w.add(UNROLL * 16 * G);
        }
        for _ in 0..t.inputs / 4 % UNROLL {
            one(a, w, &mut acc);
            a = a.add(4 * R);
            w = w.add(16 * G);
        }
        for (row, acc) in acc.iter().enumerate() {
            for (group, acc) in acc.iter().enumerate() {
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
    acc: &mut [[v128; G]; R],
) {
    let mut blocks = [i32x4_splat(0); G];
    for group in 0..G {
        // SAFETY: the caller has 16 bytes of each group left.
        blocks[group] = unsafe { v128_load(w.add(group * 16).cast()) };
    }
    for row in 0..R {
        // SAFETY: the caller has 4 bytes of each row left.
        let a = unsafe { v128_load32_splat(a.add(row * 4).cast()) };
        for group in 0..G {
            acc[row][group] = i32x4_relaxed_dot_i8x16_i7x16_add(a, blocks[group], acc[row][group]);
        }
    }
}
