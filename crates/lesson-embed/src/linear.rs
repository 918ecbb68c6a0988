//! A fused linear layer: quantise each row, multiply in integers, scale back, add the bias, then GELU or the
//! residual.

use crate::EmbedError;
use crate::kernels::{Blocks, Kernel, gemm};
use crate::math::{gelu, round};
use crate::pack::{LinearAt, Pack, WEIGHT_OFFSET};

/// What happens to a sum once it is a float.
#[derive(Clone, Copy)]
pub(crate) enum Then<'a> {
    /// Nothing more.
    Keep,
    /// GELU.
    Gelu,
    /// The value at the same place is added.
    Add(&'a [f32]),
}

/// A linear layer whose weights stay in the pack.
#[derive(Debug)]
pub(crate) struct Linear {
    at: LinearAt,
    scales: Vec<f32>,
    bias: Vec<f32>,
    /// Σ weight per output, to take the activations' zero point out of the integer sums.
    weight_sums: Vec<i32>,
}

/// A row's activations are (q − zero) · scale.
#[derive(Clone, Copy, Default)]
struct RowScale {
    scale: f32,
    zero: i32,
    /// Σ q · 64: the share of the weights' offset in the integer sums.
    offset: i32,
}

impl Linear {
    /// Checks the weights (seven bits) and sums them.
    pub fn new(pack: &Pack, at: &LinearAt) -> Result<Self, EmbedError> {
        let mut weight_sums = Vec::with_capacity(at.outputs);
        let mut seen = 0u8;
        for group in pack.slice(&at.weights).chunks_exact(4 * at.inputs) {
            let mut lanes = [0u32; 16];
            for block in group.chunks_exact(16) {
                for (lane, w) in lanes.iter_mut().zip(block) {
                    *lane += u32::from(*w);
                    seen |= w;
                }
            }
            for output in lanes.chunks_exact(4) {
                let sum: u32 = output.iter().sum();
                // At most 127 · 16,384: far inside an i32.
                weight_sums.push(sum as i32 - WEIGHT_OFFSET * at.inputs as i32);
            }
        }
        if seen > 127 {
            return Err(EmbedError::field(
                "weights",
                "hold a value of more than seven bits",
            ));
        }
        Ok(Self {
            at: at.clone(),
            scales: pack.floats(&at.scales),
            bias: pack.floats(&at.bias),
            weight_sums,
        })
    }

    /// Outputs per row.
    pub fn outputs(&self) -> usize {
        self.at.outputs
    }

    /// Runs over rows of `inputs` floats; `out` has room for as many rows of `outputs`.
    pub fn run(&self, kernel: Kernel, pack: &Pack, input: &[f32], then: Then<'_>, out: &mut [f32]) {
        let inputs = self.at.inputs;
        let mut quantised = vec![0i8; input.len()];
        let rows: Vec<RowScale> = input
            .chunks_exact(inputs)
            .zip(quantised.chunks_exact_mut(inputs))
            .map(|(row, quantised)| quantise(row, quantised))
            .collect();
        let blocks = Blocks::new(pack.slice(&self.at.weights), self.at.outputs, inputs);
        gemm(kernel, &quantised, blocks, |row, output, sums| {
            let at = row * self.at.outputs + output;
            self.finish(rows[row], output, sums, then, at, out);
        });
    }

    /// From integer sums to floats, four outputs at a time.
    #[inline(always)]
    fn finish(
        &self,
        row: RowScale,
        output: usize,
        sums: &[i32],
        then: Then<'_>,
        at: usize,
        out: &mut [f32],
    ) {
        let end = output + sums.len();
        let weights = self.weight_sums[output..end].chunks_exact(4);
        let scales = self.scales[output..end].chunks_exact(4);
        let biases = self.bias[output..end].chunks_exact(4);
        let out = out[at..at + sums.len()].chunks_exact_mut(4);
        let parts = sums
            .chunks_exact(4)
            .zip(weights)
            .zip(scales)
            .zip(biases)
            .zip(out);
        for (i, ((((sums, weights), scales), biases), out)) in parts.enumerate() {
            let mut values = [0.0f32; 4];
            for lane in 0..4 {
                let sum = sums[lane] - row.offset - row.zero * weights[lane];
                values[lane] = sum as f32 * (row.scale * scales[lane]) + biases[lane];
            }
            match then {
                Then::Keep => {}
                Then::Gelu => values = values.map(gelu),
                Then::Add(residual) => {
                    let residual = &residual[at + 4 * i..at + 4 * i + 4];
                    for (v, r) in values.iter_mut().zip(residual) {
                        *v += r;
                    }
                }
            }
            out.copy_from_slice(&values);
        }
    }
}

/// A row to 8 bits, its range always including zero.
fn quantise(row: &[f32], out: &mut [i8]) -> RowScale {
    let (mut low, mut high) = ([0.0f32; 4], [0.0f32; 4]);
    for chunk in row.chunks_exact(4) {
        for lane in 0..4 {
            let v = chunk[lane];
            low[lane] = if v < low[lane] { v } else { low[lane] };
            high[lane] = if v > high[lane] { v } else { high[lane] };
        }
    }
    let low = low.iter().fold(0.0f32, |a, b| a.min(*b));
    let high = high.iter().fold(0.0f32, |a, b| a.max(*b));
    let range = high - low;
    // All zero, or of a size that no encoder reaches: counts as zero. What is not finite stays so, and the
    // final vector is refused for it.
    if !(1e-30..1e30).contains(&range) {
        out.fill(0);
        let scale = if range.is_finite() { 0.0 } else { f32::NAN };
        return RowScale {
            scale,
            ..RowScale::default()
        };
    }
    let inverse = 255.0 / range;
    let zero = round(-128.0 - low * inverse);
    let mut sum = 0i32;
    for (q, v) in out.iter_mut().zip(row) {
        let value = (round(v * inverse) + zero).clamp(-128.0, 127.0) as i32;
        sum += value;
        *q = value as i8;
    }
    RowScale {
        scale: range / 255.0,
        zero: zero as i32,
        offset: WEIGHT_OFFSET * sum,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_survive_quantisation() {
        let rows: [&[f32]; 5] = [
            &[0.0; 8],
            &[1.0, -1.0, 0.5, 0.0],
            &[5.0, 6.0, 7.0, 8.0],
            &[-3.0, -2.0, -1.0, -0.5],
            &[1e-31, 0.0, 0.0, 0.0],
        ];
        for row in rows {
            let mut quantised = vec![0i8; row.len()];
            let scale = quantise(row, &mut quantised);
            for (q, v) in quantised.iter().zip(row) {
                let back = (i32::from(*q) - scale.zero) as f32 * scale.scale;
                assert!(
                    (back - v).abs() <= scale.scale * 0.51 + 1e-30,
                    "{v} came back as {back}"
                );
            }
            let sum: i32 = quantised.iter().map(|q| i32::from(*q)).sum();
            assert_eq!(scale.offset, 64 * sum);
        }
    }
}
