//! Rows of four bits, of tokens and of weights: blocks of 32 components with a scale each.

use super::quantise::seven_bits;

/// Components of a block.
pub(crate) const BLOCK: usize = 32;
/// Bytes of a block: an f16 scale, then 16 bytes of two components each.
pub(crate) const BLOCK_BYTES: usize = 2 + BLOCK / 2;

/// Bytes of a row of so many components.
pub(crate) fn row_bytes(hidden: usize) -> usize {
    hidden / BLOCK * BLOCK_BYTES
}

/// A row as blocks. The largest component of a block becomes -8 times its scale, so that what was of such blocks before stays what it was.
pub(crate) fn quantise_nibbles(row: &[f32]) -> Vec<u8> {
    let mut out = Vec::with_capacity(row_bytes(row.len()));
    for block in row.as_chunks::<BLOCK>().0 {
        let largest = block.iter().fold(
            0.0_f32,
            |most, v| if v.abs() > most.abs() { *v } else { most },
        );
        let bits = half_bits(largest / -8.0);
        let scale = half(bits);
        out.extend(bits.to_le_bytes());
        let code = |v: f32| {
            let steps = if scale == 0.0 { 0.0 } else { v / scale };
            (steps.round_ties_even().clamp(-8.0, 7.0) as i8 + 8) as u8
        };
        out.extend((0..BLOCK / 2).map(|i| code(block[i]) | code(block[i + BLOCK / 2]) << 4));
    }
    out
}

/// Adds a row of blocks to `out`, which is as long as the row has components.
#[cfg_attr(not(feature = "runtime"), allow(dead_code))]
pub(crate) fn add_row(row: &[u8], out: &mut [f32]) {
    let blocks = row.as_chunks::<BLOCK_BYTES>().0;
    for (block, out) in blocks.iter().zip(out.as_chunks_mut::<BLOCK>().0) {
        let scale = half(u16::from_le_bytes([block[0], block[1]]));
        for (i, byte) in block[2..].iter().enumerate() {
            out[i] += f32::from((byte & 15) as i8 - 8) * scale;
            out[i + BLOCK / 2] += f32::from((byte >> 4) as i8 - 8) * scale;
        }
    }
}

/// Weights of four bits of one output, as the blocks that a kernel reads: rounded to seven bits by the output's scale, each put at its
/// input's place of `out`, which has the group of the output's four.
#[cfg_attr(not(feature = "runtime"), allow(dead_code))]
pub(crate) fn unpack_row(row: &[u8], scale: f32, place: usize, out: &mut [u8]) {
    for (at, block) in row.as_chunks::<BLOCK_BYTES>().0.iter().enumerate() {
        let step = half(u16::from_le_bytes([block[0], block[1]]));
        // The weight that each of the sixteen values becomes.
        let weights: [u8; 16] =
            std::array::from_fn(|code| seven_bits((code as f32 - 8.0) * step, scale));
        for (i, byte) in block[2..].iter().enumerate() {
            let low = at * BLOCK + i;
            for (input, code) in [(low, byte & 15), (low + BLOCK / 2, byte >> 4)] {
                let to = input / 4 * 16 + place * 4 + input % 4;
                out[to] = weights[usize::from(code)];
            }
        }
    }
}

/// An f16's value.
pub fn half(bits: u16) -> f32 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let mantissa = f32::from(bits & 0x3ff);
    match bits >> 10 & 31 {
        // 2⁻²⁴: what the last bit counts below the smallest normal number.
        0 => sign * mantissa / 16_777_216.0,
        31 if mantissa == 0.0 => sign * f32::INFINITY,
        31 => f32::NAN,
        exponent => {
            let power = f32::from_bits((u32::from(exponent) + 112) << 23);
            sign * (1.0 + mantissa / 1024.0) * power
        }
    }
}

/// The bits of the f16 nearest to a value, of those within the range of f16.
pub(super) fn half_bits(value: f32) -> u16 {
    let sign = ((value.to_bits() >> 16) & 0x8000) as u16;
    let size = value.abs();
    if size < half(0x400) {
        return sign | (size * 16_777_216.0).round_ties_even() as u16;
    }
    // Rounds to eleven bits of mantissa; a carry counts up the exponent, as it has to.
    let bits = size.to_bits();
    let rounded = bits + 0xfff + (bits >> 13 & 1);
    let short = (rounded >> 13).saturating_sub(112 << 10);
    sign | short.min(0x7bff) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finite_half_is_read_and_written() {
        for bits in 0..=u16::MAX {
            let value = half(bits);
            if value.is_finite() {
                assert_eq!(half_bits(value), bits, "{value}");
            }
        }
    }

    #[test]
    fn rows_of_blocks_stay_what_they_are() {
        let row: Vec<f32> = (0..64)
            .map(|i| ((i * 37 % 64) as f32 - 30.0) / 90.0)
            .collect();
        let decoded = |bytes: &[u8]| {
            let mut out = vec![0.0; 64];
            add_row(bytes, &mut out);
            out
        };
        let once = quantise_nibbles(&row);
        assert_eq!(once.len(), row_bytes(64));
        let back = decoded(&once);
        for (a, b) in row.iter().zip(&back) {
            assert!((a - b).abs() < 0.05, "{a} {b}");
        }
        assert_eq!(quantise_nibbles(&back), once);
    }
}
