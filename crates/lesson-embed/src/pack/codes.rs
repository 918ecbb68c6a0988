//! Token rows of two bits a component: every four of them are one of 256 fours of a codebook (product quantisation, Jégou et al. 2011).

use super::nibbles::{half, half_bits};

/// Components of a code.
pub(crate) const WIDTH: usize = 4;
/// Fours that a code chooses from.
pub(crate) const CENTRES: usize = 256;
/// Rows that a codebook is learned from, at most, and how often its fours are moved: with twice as many of either the error is one
/// per cent less.
const LEARNED_FROM: usize = 16_384;
const ROUNDS: usize = 12;

/// A four of components.
type Four = [f32; WIDTH];

/// For each four of a row the fours that it may be.
#[derive(Debug)]
pub(crate) struct Codebook(Vec<Four>);

impl Codebook {
    /// Learns a codebook from rows of `hidden` components. The same rows give the same codebook on every machine: k-means from rows
    /// at even distances on, its sums in the rows' order.
    pub fn learn(rows: &[f32], hidden: usize) -> Self {
        let count = rows.len() / hidden.max(1);
        let step = count.div_ceil(LEARNED_FROM).max(1);
        let mut fours = Vec::with_capacity(hidden / WIDTH * CENTRES);
        for at in (0..hidden).step_by(WIDTH) {
            let sample: Vec<Four> = rows
                .chunks_exact(hidden)
                .step_by(step)
                .map(|row| four(&row[at..]))
                .collect();
            let mut centres: Vec<Four> = (0..CENTRES)
                .map(|i| sample[i * sample.len() / CENTRES])
                .collect();
            for _ in 0..ROUNDS {
                let mut sums = [([0.0_f32; WIDTH], 0.0_f32); CENTRES];
                for one in &sample {
                    let (sum, members) = &mut sums[usize::from(nearest(&centres, *one))];
                    for (sum, v) in sum.iter_mut().zip(one) {
                        *sum += v;
                    }
                    *members += 1.0;
                }
                // One that nothing is nearest to stays where it is.
                for (centre, (sum, members)) in centres.iter_mut().zip(sums) {
                    if members > 0.0 {
                        *centre = sum.map(|v| v / members);
                    }
                }
            }
            fours.extend(centres.iter().map(|four| four.map(|v| half(half_bits(v)))));
        }
        Self(fours)
    }

    /// Reads what [`Codebook::bytes`] wrote. `None`: one of its numbers is not finite.
    #[cfg_attr(not(feature = "runtime"), allow(dead_code))]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let fours = bytes.as_chunks::<{ 2 * WIDTH }>().0;
        let four = |at: &[u8; 2 * WIDTH]| -> Four {
            std::array::from_fn(|i| half(u16::from_le_bytes([at[2 * i], at[2 * i + 1]])))
        };
        let fours: Vec<Four> = fours.iter().map(four).collect();
        let is_finite = fours.iter().flatten().all(|v| v.is_finite());
        is_finite.then_some(Self(fours))
    }

    pub fn bytes(&self) -> Vec<u8> {
        let numbers = self.0.iter().flatten();
        numbers.flat_map(|v| half_bits(*v).to_le_bytes()).collect()
    }

    /// The codes of a row.
    pub fn code(&self, row: &[f32]) -> Vec<u8> {
        let fours = row.chunks_exact(WIDTH).zip(self.0.chunks_exact(CENTRES));
        fours
            .map(|(row, centres)| nearest(centres, four(row)))
            .collect()
    }

    /// Adds a coded row to `out`, which has four components for each code.
    #[cfg_attr(not(feature = "runtime"), allow(dead_code))]
    pub fn add(&self, codes: &[u8], out: &mut [f32]) {
        let fours = codes.iter().zip(self.0.chunks_exact(CENTRES));
        for (out, (code, centres)) in out.chunks_exact_mut(WIDTH).zip(fours) {
            for (out, v) in out.iter_mut().zip(centres[usize::from(*code)]) {
                *out += v;
            }
        }
    }
}

fn four(row: &[f32]) -> Four {
    std::array::from_fn(|i| row[i])
}

/// The place of the nearest four, of equals the first.
fn nearest(centres: &[Four], one: Four) -> u8 {
    let mut best = (f32::INFINITY, 0);
    for (place, centre) in centres.iter().enumerate() {
        let [a, b, c, d]: Four = std::array::from_fn(|i| one[i] - centre[i]);
        let distance = (a * a + b * b) + (c * c + d * d);
        if distance < best.0 {
            best = (distance, place);
        }
    }
    // There are 256.
    best.1 as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coded_rows_are_near_what_they_were_and_read_as_written() {
        let hidden = 32;
        let mut seed = 3_u32;
        let rows: Vec<f32> = (0..600 * hidden)
            .map(|_| {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (seed >> 8) as f32 / (1 << 24) as f32 - 0.5
            })
            .collect();
        let codebook = Codebook::learn(&rows, hidden);
        let bytes = codebook.bytes();
        assert_eq!(bytes.len(), CENTRES * 2 * hidden);
        let read = Codebook::read(&bytes).expect("finite");
        let (mut off, mut all) = (0.0, 0.0);
        for row in rows.chunks_exact(hidden) {
            let codes = codebook.code(row);
            assert_eq!(codes.len(), hidden / WIDTH);
            let mut out = vec![0.0; hidden];
            read.add(&codes, &mut out);
            for (a, b) in row.iter().zip(&out) {
                off += (a - b) * (a - b);
                all += a * a;
            }
        }
        // Two bits a component, of even numbers: a sixteenth at best.
        assert!(off / all < 0.08, "{}", off / all);
        let mut broken = bytes;
        broken[1] = 0x7c;
        assert!(Codebook::read(&broken).is_none());
    }

    #[test]
    fn few_rows_are_kept_as_they_are() {
        let rows: Vec<f32> = (0..64).map(|i| i as f32 / 8.0).collect();
        let codebook = Codebook::learn(&rows, 32);
        for row in rows.chunks_exact(32) {
            let mut out = vec![0.0; 32];
            codebook.add(&codebook.code(row), &mut out);
            assert_eq!(out, row);
        }
    }
}
