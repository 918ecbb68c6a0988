//! From float weights to the integers of a pack.

use super::WEIGHT_OFFSET;

/// Largest magnitude of an embedding component.
const ROW_MAX: f32 = 127.0;
/// Largest magnitude of a weight: seven bits once [`WEIGHT_OFFSET`] is added.
const WEIGHT_MAX: f32 = 63.0;
/// Clipping candidates per output: the largest weight itself down to 70 % of it.
const CLIP_STEPS: u32 = 16;

/// One embedding row as int8, and its scale, rounded up to what fits a bf16 when `short` is set.
pub(crate) fn quantise_row(row: &[f32], short: bool) -> (f32, Vec<i8>) {
    let mut scale = largest(row) / ROW_MAX;
    if short {
        scale = bf16_up(scale);
    }
    let data = row
        .iter()
        .map(|v| nearest(*v, scale, ROW_MAX) as i8)
        .collect();
    (scale, data)
}

/// The upper half of a scale that [`quantise_row`] rounded.
pub(crate) fn bf16_bits(scale: f32) -> u16 {
    (scale.to_bits() >> 16) as u16
}

/// Scale per output and the blocks of a linear layer: see the format's description.
pub(crate) fn quantise_linear(
    weight: &[f32],
    outputs: usize,
    inputs: usize,
) -> (Vec<f32>, Vec<u8>) {
    let mut scales = Vec::with_capacity(outputs);
    let mut blocks = vec![0u8; outputs * inputs];
    for (output, row) in weight.chunks_exact(inputs).take(outputs).enumerate() {
        let scale = best_scale(row);
        scales.push(scale);
        for (input, v) in row.iter().enumerate() {
            blocks[block_index(output, input, inputs)] = seven_bits(*v, scale);
        }
    }
    (scales, blocks)
}

/// A weight in seven bits.
pub(super) fn seven_bits(v: f32, scale: f32) -> u8 {
    (nearest(v, scale, WEIGHT_MAX) as i32 + WEIGHT_OFFSET) as u8
}

/// Where a weight lies: groups of four outputs, in them blocks of four inputs.
pub(crate) fn block_index(output: usize, input: usize, inputs: usize) -> usize {
    (output / 4) * 4 * inputs + (input / 4) * 16 + (output % 4) * 4 + input % 4
}

/// The scale with the least squared error: clipping a lone large weight can serve all the others.
pub(crate) fn best_scale(row: &[f32]) -> f32 {
    let full = largest(row) / WEIGHT_MAX;
    let mut best = (f64::INFINITY, full);
    for step in 0..=CLIP_STEPS {
        let scale = full * (1.0 - 0.3 * step as f32 / CLIP_STEPS as f32);
        let error: f64 = row
            .iter()
            .map(|v| {
                let off = f64::from(nearest(*v, scale, WEIGHT_MAX) * scale - v);
                off * off
            })
            .sum();
        if error < best.0 {
            best = (error, scale);
        }
    }
    best.1
}

fn largest(row: &[f32]) -> f32 {
    row.iter().fold(0.0, |most, v| most.max(v.abs()))
}

fn nearest(v: f32, scale: f32, max: f32) -> f32 {
    if scale == 0.0 {
        return 0.0;
    }
    (v / scale).round_ties_even().clamp(-max, max)
}

fn bf16_up(scale: f32) -> f32 {
    f32::from_bits(scale.to_bits().saturating_add(0xffff) & 0xffff_0000)
}
