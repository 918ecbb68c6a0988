//! The reference: the definition of the product, written down.

use super::{TILE, Tile};

/// Sums of one tile.
pub(super) fn tile(t: &Tile<'_, i8>, sums: &mut [[i32; TILE]; 4]) {
    for (row, sums) in t.activations.chunks_exact(t.inputs).zip(sums) {
        for (group, blocks) in t.weights.chunks_exact(4 * t.inputs).enumerate() {
            let mut acc = [0i32; 4];
            for (a, block) in row.chunks_exact(4).zip(blocks.chunks_exact(16)) {
                for (acc, w) in acc.iter_mut().zip(block.chunks_exact(4)) {
                    for (a, w) in a.iter().zip(w) {
                        *acc += i32::from(*a) * i32::from(*w);
                    }
                }
            }
            sums[group * 4..group * 4 + 4].copy_from_slice(&acc);
        }
    }
}
