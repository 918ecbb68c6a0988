//! Integer matrix product: int8 activations by seven-bit weights, every product and sum exact.
//!
//! One function per instruction set computes a small tile; [`gemm`] walks the tiles. All of them give the
//! same integers, so the choice is one of speed alone.

#![allow(unsafe_code)]
// Rows and groups index sums and pointers at once.
#![allow(clippy::needless_range_loop)]

#[cfg(all(
    target_arch = "wasm32",
    target_feature = "simd128",
    feature = "relaxed-simd"
))]
mod relaxed;
mod scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
#[cfg(target_arch = "x86_64")]
mod x86;

/// Outputs of the widest tile; every tile is stored this wide.
const TILE: usize = 16;

/// Seven-bit weights in the pack's blocks: see the pack's description.
#[derive(Clone, Copy)]
pub(crate) struct Blocks<'a> {
    bytes: &'a [u8],
    outputs: usize,
    inputs: usize,
}

impl<'a> Blocks<'a> {
    /// Both lengths must be multiples of 4 and fit the bytes: the pack's reader has made sure.
    pub fn new(bytes: &'a [u8], outputs: usize, inputs: usize) -> Self {
        assert!(outputs.is_multiple_of(4) && inputs.is_multiple_of(4));
        assert_eq!(bytes.len(), outputs * inputs);
        Self {
            bytes,
            outputs,
            inputs,
        }
    }

    /// The blocks of `groups` groups of four outputs.
    fn groups(&self, first: usize, groups: usize) -> &'a [u8] {
        let len = 4 * self.inputs;
        &self.bytes[first * len..(first + groups) * len]
    }
}

/// The instruction sets. A value exists only where it can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kernel {
    /// Plain Rust: the reference, and the fallback.
    Scalar,
    /// SSSE3 instructions in their AVX encoding.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// WebAssembly SIMD.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Simd128,
    /// WebAssembly relaxed SIMD.
    #[cfg(all(
        target_arch = "wasm32",
        target_feature = "simd128",
        feature = "relaxed-simd"
    ))]
    Relaxed,
}

impl Kernel {
    /// Every kernel that runs here, slowest first.
    pub fn all() -> Vec<Kernel> {
        #[allow(unused_mut)] // where there is but one
        let mut all = vec![Kernel::Scalar];
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            all.push(Kernel::Avx2);
        }
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        all.push(Kernel::Simd128);
        #[cfg(all(
            target_arch = "wasm32",
            target_feature = "simd128",
            feature = "relaxed-simd"
        ))]
        all.push(Kernel::Relaxed);
        all
    }

    /// The fastest kernel that runs here.
    pub fn best() -> Kernel {
        Self::all().pop().unwrap_or(Kernel::Scalar)
    }
}

/// Multiplies `rows` rows of activations (`inputs` long each) by the weights. `emit` gets each result once:
/// row, first output, and the sums Σ activation · (weight + 64) of 4, 8, 12 or 16 outputs from there on.
/// Weights must be below 128.
pub(crate) fn gemm(
    kernel: Kernel,
    activations: &[i8],
    weights: Blocks<'_>,
    mut emit: impl FnMut(usize, usize, &[i32]),
) {
    assert!(activations.len().is_multiple_of(weights.inputs));
    match kernel {
        Kernel::Scalar => walk::<4, 4, i8>(activations, weights, scalar::tile, &mut emit),
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx2 => walk::<2, 4, i8>(activations, weights, x86::tile, &mut emit),
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        Kernel::Simd128 => {
            let pairs = simd128::widen(activations);
            walk::<3, 3, i16>(&pairs, weights, simd128::tile, &mut emit)
        }
        #[cfg(all(
            target_arch = "wasm32",
            target_feature = "simd128",
            feature = "relaxed-simd"
        ))]
        Kernel::Relaxed => walk::<4, 4, i8>(activations, weights, relaxed::tile, &mut emit),
    }
}

/// What a tile function gets: `rows` rows and `groups` groups of four outputs.
pub(crate) struct Tile<'a, A> {
    activations: &'a [A],
    weights: &'a [u8],
    inputs: usize,
    rows: usize,
    groups: usize,
}

/// Tiles of at most `R` rows by `G` groups. A panel of `G` groups stays in the first-level cache while all
/// rows pass by.
fn walk<const R: usize, const G: usize, A>(
    activations: &[A],
    weights: Blocks<'_>,
    tile: fn(&Tile<'_, A>, &mut [[i32; TILE]; R]),
    emit: &mut impl FnMut(usize, usize, &[i32]),
) {
    let inputs = weights.inputs;
    let all_rows = activations.len() / inputs;
    let all_groups = weights.outputs / 4;
    for group in (0..all_groups).step_by(G) {
        let groups = G.min(all_groups - group);
        let panel = weights.groups(group, groups);
        for row in (0..all_rows).step_by(R) {
            let rows = R.min(all_rows - row);
            let mut sums = [[0; TILE]; R];
            tile(
                &Tile {
                    activations: &activations[row * inputs..(row + rows) * inputs],
                    weights: panel,
                    inputs,
                    rows,
                    groups,
                },
                &mut sums,
            );
            for (i, sums) in sums.iter().take(rows).enumerate() {
                emit(row + i, group * 4, &sums[..groups * 4]);
            }
        }
    }
}

#[cfg(test)]
mod tests;
