//! Where each tensor lies, computed from the shape alone, so that reader and writer cannot disagree.

use std::ops::Range;

use super::codes::{CENTRES, WIDTH};
use super::nibbles::row_bytes;
use super::{ALIGN, Dims, HEADER_LEN, TableKind, WeightKind};
use crate::EmbedError;

/// Where a linear layer's parts lie.
#[derive(Clone, Debug)]
pub(crate) struct LinearAt {
    pub outputs: usize,
    pub inputs: usize,
    pub scales: Range<usize>,
    pub bias: Range<usize>,
    /// The weights in the file.
    pub packed: Range<usize>,
    /// The weights of seven bits: in the file, or in what is made of those of four bits.
    #[cfg_attr(not(feature = "runtime"), allow(dead_code))]
    pub weights: Range<usize>,
}

/// Where a LayerNorm's parts lie.
#[derive(Clone, Debug)]
pub(crate) struct NormAt {
    pub gamma: Range<usize>,
    pub beta: Range<usize>,
}

/// Where an encoder layer's parts lie.
#[derive(Clone, Debug)]
pub(crate) struct LayerAt {
    pub qkv: LinearAt,
    pub out: LinearAt,
    pub norm1: NormAt,
    pub up: LinearAt,
    pub down: LinearAt,
    pub norm2: NormAt,
}

/// Where everything lies.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub tokenizer: Range<usize>,
    /// One bf16 per row: rounded up before the row was quantised, so nothing is lost by the short scale. Empty where rows are of four bits.
    pub token_scales: Range<usize>,
    pub tokens: Range<usize>,
    /// A byte for every four components of the rows that are coded.
    pub codes: Range<usize>,
    /// The values that the codes stand for; empty where no row is coded.
    pub codebook: Range<usize>,
    /// One f32 per row.
    pub position_scales: Range<usize>,
    pub positions: Range<usize>,
    pub norm: NormAt,
    pub layers: Vec<LayerAt>,
    /// Where the layers begin: nothing but layers follows.
    #[cfg_attr(not(feature = "runtime"), allow(dead_code))]
    pub layers_at: usize,
    /// Bytes of the layers' weights of seven bits.
    #[cfg_attr(not(feature = "runtime"), allow(dead_code))]
    pub weights: usize,
    /// Length of the file.
    pub total: usize,
}

impl Layout {
    /// Lays out an encoder of a checked shape. Refused: a file larger than this machine can address.
    pub fn new(
        dims: &Dims,
        table: TableKind,
        weights: WeightKind,
        tokenizer_len: usize,
    ) -> Result<Self, EmbedError> {
        let mut cursor = Cursor {
            next: HEADER_LEN as u64,
            kind: weights,
            unpacked: 0,
        };
        let hidden = dims.hidden;
        let tokenizer = cursor.take(tokenizer_len, 1)?;
        let (scale, row, plain) = match table {
            TableKind::Bytes => (2, hidden, dims.vocab),
            TableKind::Coded { plain } => (0, row_bytes(hidden), plain.min(dims.vocab)),
        };
        let coded = dims.vocab - plain;
        let token_scales = cursor.take(dims.vocab, scale)?;
        let tokens = cursor.take(plain, row)?;
        let codes = cursor.take(coded, hidden / WIDTH)?;
        let codebook = cursor.take(if coded > 0 { CENTRES } else { 0 }, 2 * hidden)?;
        let position_scales = cursor.take(dims.positions, 4)?;
        let positions = cursor.take(dims.positions, hidden)?;
        let norm = cursor.norm(hidden)?;
        let layers_at = cursor.take(0, 1)?.start;
        let layers = (0..dims.layers)
            .map(|_| {
                Ok(LayerAt {
                    qkv: cursor.linear(3 * hidden, hidden)?,
                    out: cursor.linear(hidden, hidden)?,
                    norm1: cursor.norm(hidden)?,
                    up: cursor.linear(dims.inner, hidden)?,
                    down: cursor.linear(hidden, dims.inner)?,
                    norm2: cursor.norm(hidden)?,
                })
            })
            .collect::<Result<_, EmbedError>>()?;
        let total = cursor.take(0, 1)?.end;
        Ok(Self {
            tokenizer,
            token_scales,
            tokens,
            codes,
            codebook,
            position_scales,
            positions,
            norm,
            layers,
            layers_at,
            weights: cursor.unpacked,
            total,
        })
    }
}

/// Next free byte. u64, so that no product of checked dims overflows it.
struct Cursor {
    next: u64,
    kind: WeightKind,
    /// The end of what is made of weights of four bits.
    unpacked: usize,
}

impl Cursor {
    fn take(&mut self, count: usize, size: usize) -> Result<Range<usize>, EmbedError> {
        let start = self.next;
        let end = start + count as u64 * size as u64;
        self.next = end.next_multiple_of(ALIGN);
        match (usize::try_from(start), usize::try_from(self.next)) {
            (Ok(start), Ok(_)) => Ok(start..start + count * size),
            _ => Err(EmbedError::field(
                "length",
                "the encoder is larger than this machine can address",
            )),
        }
    }

    fn norm(&mut self, len: usize) -> Result<NormAt, EmbedError> {
        Ok(NormAt {
            gamma: self.take(len, 4)?,
            beta: self.take(len, 4)?,
        })
    }

    fn linear(&mut self, outputs: usize, inputs: usize) -> Result<LinearAt, EmbedError> {
        let scales = self.take(outputs, 4)?;
        let bias = self.take(outputs, 4)?;
        let (packed, weights) = match self.kind {
            WeightKind::Bytes => {
                let at = self.take(outputs, inputs)?;
                (at.clone(), at)
            }
            WeightKind::Nibbles => {
                let start = self.unpacked;
                let packed = self.take(outputs, row_bytes(inputs))?;
                // About twice what has just fitted.
                self.unpacked = start.saturating_add(outputs.saturating_mul(inputs));
                (packed, start..self.unpacked)
            }
        };
        Ok(LinearAt {
            outputs,
            inputs,
            scales,
            bias,
            packed,
            weights,
        })
    }
}
