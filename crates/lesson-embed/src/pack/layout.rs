//! Where each tensor lies, computed from the shape alone, so that reader and writer cannot disagree.

use std::ops::Range;

use super::nibbles::row_bytes;
use super::{ALIGN, Dims, HEADER_LEN, TableKind};
use crate::EmbedError;

/// Where a linear layer's parts lie.
#[derive(Clone, Debug)]
pub(crate) struct LinearAt {
    pub outputs: usize,
    pub inputs: usize,
    pub scales: Range<usize>,
    pub bias: Range<usize>,
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
    /// One f32 per row.
    pub position_scales: Range<usize>,
    pub positions: Range<usize>,
    pub norm: NormAt,
    pub layers: Vec<LayerAt>,
    /// Length of the file.
    pub total: usize,
}

impl Layout {
    /// Lays out an encoder of a checked shape. Refused: a file larger than this machine can address.
    pub fn new(dims: &Dims, table: TableKind, tokenizer_len: usize) -> Result<Self, EmbedError> {
        let mut cursor = Cursor(HEADER_LEN as u64);
        let hidden = dims.hidden;
        let tokenizer = cursor.take(tokenizer_len, 1)?;
        let (scale, row) = match table {
            TableKind::Bytes => (2, hidden),
            TableKind::Nibbles => (0, row_bytes(hidden)),
        };
        let token_scales = cursor.take(dims.vocab, scale)?;
        let tokens = cursor.take(dims.vocab, row)?;
        let position_scales = cursor.take(dims.positions, 4)?;
        let positions = cursor.take(dims.positions, hidden)?;
        let norm = cursor.norm(hidden)?;
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
            position_scales,
            positions,
            norm,
            layers,
            total,
        })
    }
}

/// Next free byte. u64, so that no product of checked dims overflows it.
struct Cursor(u64);

impl Cursor {
    fn take(&mut self, count: usize, size: usize) -> Result<Range<usize>, EmbedError> {
        let start = self.0;
        let end = start + count as u64 * size as u64;
        self.0 = end.next_multiple_of(ALIGN);
        match (usize::try_from(start), usize::try_from(self.0)) {
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
        Ok(LinearAt {
            outputs,
            inputs,
            scales: self.take(outputs, 4)?,
            bias: self.take(outputs, 4)?,
            weights: self.take(outputs, inputs)?,
        })
    }
}
