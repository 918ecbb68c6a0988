//! The reference: the definition of the product, written down.

use super::tile::{PANEL, Tile};

/// Sums of one tile.
pub(super) fn tile(t: &Tile<'_, i8>, sums: &mut [i32]) {
    for (row, sums) in sums.chunks_exact_mut(PANEL).take(t.rows).enumerate() {
        for (group, blocks) in t.weights.chunks_exact(4 * t.inputs).enumerate() {
            let mut acc = [0i32; 4];
            let steps = t.activations.chunks_exact(4 * t.rows);
            for (a, block) in steps.zip(blocks.chunks_exact(16)) {
                let a = &a[4 * row..4 * row + 4];
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
