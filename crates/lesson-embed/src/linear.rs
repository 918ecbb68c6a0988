//! A fused linear layer: quantise each row, multiply in integers, scale back, add the bias, then GELU or the
//! residual.

use crate::EmbedError;
use crate::kernels::{Blocks, F32x4, Kernel, PANEL, RowScale, gemm, quantise};
use crate::math::Gelu;
use crate::pack::{LinearAt, Pack, WEIGHT_OFFSET};

/// Last step of an output, once its sum is a float.
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

impl Linear {
    /// Checks the weights (seven bits) and sums them.
    pub fn new(pack: &Pack, at: &LinearAt) -> Result<Self, EmbedError> {
        let mut weight_sums = Vec::with_capacity(at.outputs);
        let mut seen = 0u8;
        for group in pack.weights(at).chunks_exact(4 * at.inputs) {
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
            scales: pack.floats("scales", &at.scales)?,
            bias: pack.floats("biases", &at.bias)?,
            weight_sums,
        })
    }

    /// Puts the weights into the kernel's order. Once.
    pub fn lay(&self, kernel: Kernel, pack: &mut Pack) {
        kernel.lay(pack.weights_mut(&self.at), self.at.inputs);
    }

    /// Outputs per row.
    pub fn outputs(&self) -> usize {
        self.at.outputs
    }

    /// Runs over rows of `inputs` floats; `out` has room for as many rows of `outputs`.
    pub fn run(&self, kernel: Kernel, pack: &Pack, input: &[f32], then: Then<'_>, out: &mut [f32]) {
        match then {
            Then::Keep => self.product(kernel, pack, input, out, |value, _| value),
            Then::Gelu => {
                let gelu = Gelu::new();
                self.product(kernel, pack, input, out, |value, _| gelu.of(value));
            }
            Then::Add(residual) => self.product(kernel, pack, input, out, |value, at| {
                value.plus(F32x4::load(&residual[at..]))
            }),
        }
    }

    /// `then` gets four outputs and where the first of them goes.
    #[inline(always)]
    fn product(
        &self,
        kernel: Kernel,
        pack: &Pack,
        input: &[f32],
        out: &mut [f32],
        then: impl Fn(F32x4, usize) -> F32x4,
    ) {
        let LinearAt {
            outputs, inputs, ..
        } = self.at;
        let mut quantised = vec![0i8; input.len()];
        let rows: Vec<RowScale> = input
            .chunks_exact(inputs)
            .zip(quantised.chunks_exact_mut(inputs))
            .map(|(row, quantised)| quantise(row, quantised))
            .collect();
        let blocks = Blocks::new(pack.weights(&self.at), outputs, inputs);
        gemm(kernel, &quantised, blocks, |first, count, sums| {
            let panel = Panel {
                weight_sums: &self.weight_sums[first..first + count],
                scales: &self.scales[first..first + count],
                biases: &self.bias[first..first + count],
            };
            for (row, (scale, sums)) in rows.iter().zip(sums.chunks_exact(PANEL)).enumerate() {
                let at = row * outputs + first;
                panel.finish(*scale, sums, &mut out[at..at + count], |v, i| {
                    then(v, at + i)
                });
            }
        });
    }
}

/// Constants by which a panel's sums become outputs; one entry per output.
#[derive(Clone, Copy)]
struct Panel<'a> {
    weight_sums: &'a [i32],
    scales: &'a [f32],
    biases: &'a [f32],
}

impl Panel<'_> {
    /// One row's outputs. `then` gets four of them and the place of the first in the panel.
    #[inline(always)]
    fn finish(
        self,
        scale: RowScale,
        sums: &[i32],
        out: &mut [f32],
        then: impl Fn(F32x4, usize) -> F32x4,
    ) {
        // A whole panel has lengths that the compiler knows: nothing is checked in the loop.
        if let (Ok(weight_sums), Ok(scales), Ok(biases), Ok(sums), Ok(out)) = (
            <&[i32; PANEL]>::try_from(self.weight_sums),
            <&[f32; PANEL]>::try_from(self.scales),
            <&[f32; PANEL]>::try_from(self.biases),
            <&[i32; PANEL]>::try_from(sums),
            <&mut [f32; PANEL]>::try_from(&mut *out),
        ) {
            let panel = Panel {
                weight_sums,
                scales,
                biases,
            };
            panel.each(scale, sums, out, then);
        } else {
            self.each(scale, sums, out, then);
        }
    }

    #[inline(always)]
    fn each(
        self,
        scale: RowScale,
        sums: &[i32],
        out: &mut [f32],
        then: impl Fn(F32x4, usize) -> F32x4,
    ) {
        let step = F32x4::splat(scale.scale);
        for at in (0..out.len()).step_by(4) {
            let (sums, weights) = (&sums[at..], &self.weight_sums[at..]);
            let value = F32x4::from_sums(sums, weights, scale.offset, scale.zero)
                .times(step.times(F32x4::load(&self.scales[at..])))
                .plus(F32x4::load(&self.biases[at..]));
            then(value, at).store(&mut out[at..]);
        }
    }
}
