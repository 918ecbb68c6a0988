//! The kernels: integer matrix product of int8 activations by seven-bit weights, quantisation of a row, and four
//! floats at a time.
//!
//! One function per instruction set computes a tile of the product; [`gemm`] walks the tiles. All of them give the
//! same integers, so the choice is one of speed alone.

#![allow(unsafe_code)]
// Rows and groups index sums and pointers at once.
#![allow(clippy::needless_range_loop)]

mod lanes;
#[cfg(all(
    target_arch = "wasm32",
    target_feature = "simd128",
    feature = "relaxed-simd"
))]
mod pairs;
mod quantise;
#[cfg(all(
    target_arch = "wasm32",
    target_feature = "simd128",
    feature = "relaxed-simd"
))]
mod relaxed;
mod scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
mod tile;
#[cfg(target_arch = "x86_64")]
mod x86;

pub(crate) use lanes::F32x4;
pub(crate) use quantise::{RowScale, quantise};
pub(crate) use tile::PANEL;
use tile::Tile;

/// Seven-bit weights in the pack's blocks (see the pack's description), in the order that a kernel reads: see
/// [`Kernel::lay`].
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
    /// AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// AVX-512 VNNI in its 256-bit form.
    #[cfg(target_arch = "x86_64")]
    Vnni,
    /// WebAssembly SIMD.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Simd128,
    /// WebAssembly relaxed SIMD, all in one operation.
    #[cfg(all(
        target_arch = "wasm32",
        target_feature = "simd128",
        feature = "relaxed-simd"
    ))]
    Relaxed,
    /// WebAssembly relaxed SIMD, products and sums apart.
    #[cfg(all(
        target_arch = "wasm32",
        target_feature = "simd128",
        feature = "relaxed-simd"
    ))]
    Pairs,
}

impl Kernel {
    /// Every kernel that runs here, slowest first.
    pub fn all() -> Vec<Kernel> {
        #[allow(unused_mut)] // where there is but one
        let mut all = vec![Kernel::Scalar];
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            all.push(Kernel::Avx2);
            if std::arch::is_x86_feature_detected!("avx512vnni")
                && std::arch::is_x86_feature_detected!("avx512vl")
            {
                all.push(Kernel::Vnni);
            }
        }
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        all.push(Kernel::Simd128);
        #[cfg(all(
            target_arch = "wasm32",
            target_feature = "simd128",
            feature = "relaxed-simd"
        ))]
        if relaxed::is_kept() {
            all.extend(if relaxed::is_one_instruction() {
                [Kernel::Pairs, Kernel::Relaxed]
            } else {
                [Kernel::Relaxed, Kernel::Pairs]
            });
        }
        all
    }

    /// The fastest kernel that runs here.
    pub fn best() -> Kernel {
        Self::all().pop().unwrap_or(Kernel::Scalar)
    }

    /// Puts a pack's weights into the order in which this kernel reads them. In WebAssembly the groups of a whole
    /// panel lie side by side, step by step: a product then reads all weights in one stream, which few rows wait for,
    /// and from one address. What is left of the groups stays as it is.
    pub fn lay(self, weights: &mut [u8], inputs: usize) {
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        if self != Kernel::Scalar {
            let mut panel_before = vec![0; PANEL * inputs];
            for panel in weights.chunks_exact_mut(PANEL * inputs) {
                panel_before.copy_from_slice(panel);
                let (before, blocks) = (panel_before.as_chunks().0, panel.as_chunks_mut::<16>().0);
                for (group, before) in before.chunks_exact(inputs / 4).enumerate() {
                    let places = blocks.iter_mut().skip(group).step_by(PANEL / 4);
                    for (to, from) in places.zip(before) {
                        *to = *from;
                    }
                }
            }
        }
        #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
        let _ = (weights, inputs);
    }
}

/// Multiplies rows of activations (`inputs` long each) by the weights. `emit` gets each panel of outputs once: the
/// first output, how many there are (4, 8, 12 or 16), and the sums Σ activation · (weight + 64) of all rows, each
/// [`PANEL`] wide. Weights must be below 128, and laid for this kernel.
pub(crate) fn gemm(
    kernel: Kernel,
    activations: &[i8],
    weights: Blocks<'_>,
    emit: impl FnMut(usize, usize, &[i32]),
) {
    assert!(activations.len().is_multiple_of(weights.inputs));
    match kernel {
        Kernel::Scalar => walk(activations, weights, 4, arrange_bytes, scalar::tile, emit),
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx2 => walk(activations, weights, 2, arrange_bytes, x86::avx2, emit),
        #[cfg(target_arch = "x86_64")]
        Kernel::Vnni => walk(activations, weights, 4, arrange_bytes, x86::vnni, emit),
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        Kernel::Simd128 => walk(
            activations,
            weights,
            simd128::ROWS,
            simd128::arrange,
            simd128::tile,
            emit,
        ),
        #[cfg(all(
            target_arch = "wasm32",
            target_feature = "simd128",
            feature = "relaxed-simd"
        ))]
        Kernel::Relaxed => walk(
            activations,
            weights,
            relaxed::ROWS,
            arrange_bytes,
            relaxed::tile,
            emit,
        ),
        #[cfg(all(
            target_arch = "wasm32",
            target_feature = "simd128",
            feature = "relaxed-simd"
        ))]
        Kernel::Pairs => walk(
            activations,
            weights,
            pairs::ROWS,
            arrange_bytes,
            pairs::tile,
            emit,
        ),
    }
}

/// Tiles of at most `most` rows by a panel. The panel stays in the first-level cache while all rows pass by, and the
/// sums of a panel until `emit` has read them.
fn walk<A: Copy + Default>(
    activations: &[i8],
    weights: Blocks<'_>,
    most: usize,
    arrange: fn(&[i8], usize, &mut [A]),
    tile: fn(&Tile<'_, A>, &mut [i32]),
    mut emit: impl FnMut(usize, usize, &[i32]),
) {
    let inputs = weights.inputs;
    let rows = activations.len() / inputs;
    let mut arranged = vec![A::default(); activations.len()];
    for (from, to) in activations
        .chunks(most * inputs)
        .zip(arranged.chunks_mut(most * inputs))
    {
        arrange(from, inputs, to);
    }
    let mut sums = vec![0i32; rows * PANEL];
    let all_groups = weights.outputs / 4;
    for group in (0..all_groups).step_by(PANEL / 4) {
        let groups = (PANEL / 4).min(all_groups - group);
        let panel = weights.groups(group, groups);
        for (activations, sums) in arranged
            .chunks(most * inputs)
            .zip(sums.chunks_mut(most * PANEL))
        {
            tile(
                &Tile {
                    activations,
                    weights: panel,
                    inputs,
                    rows: activations.len() / inputs,
                    groups,
                },
                sums,
            );
        }
        emit(group * 4, groups * 4, &sums);
    }
}

/// Four inputs of each row side by side, then the next four: a tile then reads one stream.
fn arrange_bytes(rows: &[i8], inputs: usize, out: &mut [i8]) {
    let count = rows.len() / inputs;
    let out = out.as_chunks_mut::<4>().0;
    for (row, values) in rows.chunks_exact(inputs).enumerate() {
        let places = out.iter_mut().skip(row).step_by(count);
        for (to, from) in places.zip(values.as_chunks::<4>().0) {
            *to = *from;
        }
    }
}

#[cfg(test)]
mod tests;
