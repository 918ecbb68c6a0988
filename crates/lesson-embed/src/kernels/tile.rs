//! A tile of the product, as kernels get it.

/// Outputs of a panel of weights: four groups of four.
pub(crate) const PANEL: usize = 16;

/// Input of a tile function: a few rows, arranged as its kernel reads them, and the blocks of at most four groups of
/// four outputs.
pub(crate) struct Tile<'a, A> {
    pub activations: &'a [A],
    pub weights: &'a [u8],
    pub inputs: usize,
    pub rows: usize,
    pub groups: usize,
}

#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "wasm32", target_feature = "simd128")
))]
impl<A> Tile<'_, A> {
    /// Asserts what kernels that work with pointers rely on: slices of the lengths that are said, 1 to `most` rows, and room
    /// for the sums.
    #[inline]
    pub fn check(&self, sums: &[i32], most: usize) {
        assert!(self.activations.len() == self.rows * self.inputs);
        assert!(self.weights.len() == self.groups * 4 * self.inputs);
        assert!(self.groups <= PANEL / 4 && (1..=most).contains(&self.rows));
        assert!(sums.len() >= self.rows * PANEL);
    }
}

/// Runs a whole panel at once, or a smaller one group by group. A macro, for what runs has its own instructions.
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "wasm32", target_feature = "simd128")
))]
macro_rules! by_groups {
    ($run:ident::<$rows:ident>($tile:expr, $sums:expr)) => {
        if $tile.groups == PANEL / 4 {
            $run::<$rows, { PANEL / 4 }>($tile, 0, $sums);
        } else {
            for group in 0..$tile.groups {
                $run::<$rows, 1>($tile, group, $sums);
            }
        }
    };
}
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "wasm32", target_feature = "simd128")
))]
pub(super) use by_groups;
