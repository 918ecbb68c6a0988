//! What goes into a pack: the encoder's shape, its float weights and its tokenizer.

use crate::EmbedError;

/// Shape of a BERT-like encoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dims {
    /// Length of a token's state and of the final vector.
    pub hidden: usize,
    /// Number of encoder layers.
    pub layers: usize,
    /// Attention heads per layer; they share `hidden` evenly.
    pub heads: usize,
    /// Length of the feed-forward state.
    pub inner: usize,
    /// Rows of the token table.
    pub vocab: usize,
    /// Longest sequence in word pieces, both marks included.
    pub positions: usize,
}

impl Dims {
    /// Refuses a shape that no kernel runs, naming the field.
    pub fn check(&self) -> Result<(), EmbedError> {
        let within = |field, value: usize, low: usize, high: usize, step: usize| {
            if (low..=high).contains(&value) && value.is_multiple_of(step) {
                return Ok(());
            }
            Err(EmbedError::field(
                field,
                format!("{value}; must be {low} to {high} and a multiple of {step}"),
            ))
        };
        within("hidden", self.hidden, 4, 4096, 4)?;
        within("layers", self.layers, 1, 48, 1)?;
        within("heads", self.heads, 1, 64, 1)?;
        within("inner", self.inner, 4, 16_384, 4)?;
        within("vocab", self.vocab, 1, 1_000_000, 1)?;
        within("positions", self.positions, 3, 2048, 1)?;
        if !self.hidden.is_multiple_of(self.heads) {
            return Err(EmbedError::field(
                "heads",
                format!("{} do not share {} evenly", self.heads, self.hidden),
            ));
        }
        Ok(())
    }
}

/// A BERT word-piece tokenizer: normaliser, vocabulary and marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordPieceSpec {
    /// Drop control characters and turn every white space into a space.
    pub clean_text: bool,
    /// Put spaces around CJK ideographs.
    pub handle_chinese_chars: bool,
    /// Drop accents; absent means: as `lowercase` says.
    pub strip_accents: Option<bool>,
    /// Lower-case the text.
    pub lowercase: bool,
    /// The piece that stands for an unknown word; must be in the vocabulary.
    pub unknown: String,
    /// What pieces inside a word begin with: `##`.
    pub prefix: String,
    /// Words longer than this many characters are unknown.
    pub max_word_chars: u32,
    /// Id put before a text.
    pub cls: u32,
    /// Id put after a text.
    pub sep: u32,
    /// Texts that stand for one id wherever they appear: `[CLS]`, `[MASK]`, …
    pub special: Vec<(String, u32)>,
    /// Pieces by id.
    pub vocab: Vec<String>,
}

/// A linear layer in floats.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearSource {
    /// One row of inputs per output, row after row.
    pub weight: Vec<f32>,
    /// One number per output.
    pub bias: Vec<f32>,
}

/// A LayerNorm.
#[derive(Clone, Debug, PartialEq)]
pub struct NormSource {
    /// Factor per component.
    pub gamma: Vec<f32>,
    /// Summand per component.
    pub beta: Vec<f32>,
}

/// One encoder layer in floats.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerSource {
    /// Query, key and value, their outputs one after the other.
    pub qkv: LinearSource,
    /// The projection after attention.
    pub out: LinearSource,
    /// LayerNorm after attention and its residual.
    pub norm1: NormSource,
    /// First feed-forward layer; GELU follows it.
    pub up: LinearSource,
    /// Second feed-forward layer.
    pub down: LinearSource,
    /// LayerNorm after feed-forward and its residual.
    pub norm2: NormSource,
}

/// A whole encoder in floats, ready to be packed.
#[derive(Clone, Debug, PartialEq)]
pub struct PackSource {
    /// Name that becomes part of the model's id; at most 100 bytes.
    pub name: String,
    /// Its shape.
    pub dims: Dims,
    /// LayerNorm's epsilon.
    pub epsilon: f32,
    /// Its tokenizer.
    pub tokenizer: WordPieceSpec,
    /// Token rows: `vocab` × `hidden`.
    pub tokens: Vec<f32>,
    /// Position rows with the first token type's row already added: `positions` × `hidden`.
    pub positions: Vec<f32>,
    /// LayerNorm after the embeddings.
    pub norm: NormSource,
    /// The layers, first to last.
    pub layers: Vec<LayerSource>,
}
