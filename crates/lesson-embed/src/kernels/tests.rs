//! Every kernel that runs here gives the definition's integers, over shapes with every kind of tail.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

use super::*;

// Relaxed SIMD needs a browser: Node 20 has it behind a flag only.
#[cfg(target_arch = "wasm32")]
wasm_bindgen_test_configure!(run_in_browser);

/// A small generator: the same numbers on every machine, with the extremes well represented.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn activation(&mut self) -> i8 {
        match self.next() % 8 {
            0 => -127,
            1 => 127,
            _ => (self.next() as i8).max(-127),
        }
    }

    fn weight(&mut self) -> u8 {
        match self.next() % 8 {
            0 => 127,
            1 => 0,
            _ => (self.next() % 128) as u8,
        }
    }
}

/// Σ activation · weight by the format's description, without any of the kernels.
fn definition(activations: &[i8], weights: &[u8], outputs: usize, inputs: usize) -> Vec<i32> {
    let mut out = Vec::new();
    for row in activations.chunks_exact(inputs) {
        for output in 0..outputs {
            out.push(
                (0..inputs)
                    .map(|input| {
                        let at = crate::pack::block_index(output, input, inputs);
                        i32::from(row[input]) * i32::from(weights[at])
                    })
                    .sum(),
            );
        }
    }
    out
}

fn check(rows: usize, outputs: usize, inputs: usize, seed: u64) {
    let mut numbers = Numbers(seed | 1);
    let activations: Vec<i8> = (0..rows * inputs).map(|_| numbers.activation()).collect();
    let weights: Vec<u8> = (0..outputs * inputs).map(|_| numbers.weight()).collect();
    let expected = definition(&activations, &weights, outputs, inputs);
    for kernel in Kernel::all() {
        let mut found = vec![i32::MIN; rows * outputs];
        let mut weights = weights.clone();
        kernel.lay(&mut weights, inputs);
        gemm(
            kernel,
            &activations,
            Blocks::new(&weights, outputs, inputs),
            |first, count, sums| {
                for (row, sums) in sums.chunks_exact(PANEL).enumerate() {
                    let at = row * outputs + first;
                    found[at..at + count].copy_from_slice(&sums[..count]);
                }
            },
        );
        assert_eq!(
            found, expected,
            "{kernel:?}: {rows} rows, {outputs} outputs, {inputs} inputs"
        );
    }
}

#[cfg_attr(not(target_arch = "wasm32"), test)]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn kernels_agree_over_all_tails() {
    for rows in 0..10 {
        for outputs in (4..=56).step_by(4) {
            for inputs in [4, 8, 12, 20, 64] {
                check(
                    rows,
                    outputs,
                    inputs,
                    (rows * 1000 + outputs * 10 + inputs) as u64,
                );
            }
        }
    }
}

#[cfg_attr(not(target_arch = "wasm32"), test)]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn kernels_agree_on_the_real_shapes() {
    for (outputs, inputs) in [(1152, 384), (384, 384), (1536, 384), (384, 1536)] {
        check(7, outputs, inputs, outputs as u64);
    }
}

#[cfg_attr(not(target_arch = "wasm32"), test)]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn extremes_do_not_saturate() {
    for (a, w) in [(-127i8, 127u8), (127, 127)] {
        let activations = vec![a; 1536];
        let weights = vec![w; 16 * 1536];
        for kernel in Kernel::all() {
            gemm(
                kernel,
                &activations,
                Blocks::new(&weights, 16, 1536),
                |_, _, sums| {
                    assert_eq!(
                        sums,
                        vec![i32::from(a) * i32::from(w) * 1536; sums.len()],
                        "{kernel:?}"
                    );
                },
            );
        }
    }
}
