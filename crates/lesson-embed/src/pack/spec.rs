//! Contents of a pack before it is written: the encoder's shape, its float weights and its tokenizer.

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
    /// Prefix of pieces inside a word: `##`.
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

/// A SentencePiece Unigram tokenizer: of all ways to cut a word into pieces the one with the greatest sum of scores.
#[derive(Clone, Debug, PartialEq)]
pub struct UnigramSpec {
    /// Pieces by id, each with its score, the logarithm of a probability. `▁` begins a word.
    pub pieces: Vec<(String, f32)>,
    /// Characters that are written otherwise before a text is cut: full-width forms, ligatures, kinds of white space.
    pub replaced: Vec<(char, String)>,
    /// Id put before a text.
    pub begin: u32,
    /// Id put after a text.
    pub end: u32,
    /// Id of a character that no piece has.
    pub unknown: u32,
}

/// A tokenizer of either kind.
#[derive(Clone, Debug, PartialEq)]
pub enum TokenizerSpec {
    /// As BERT has it.
    WordPiece(WordPieceSpec),
    /// As XLM-RoBERTa has it.
    Unigram(UnigramSpec),
}

/// Settings for giving texts to an encoder and for reading its cosines.
#[derive(Clone, Debug, PartialEq)]
pub struct Usage {
    /// Prefix of a text that is looked for.
    pub query_prefix: String,
    /// Prefix of a text that is found.
    pub passage_prefix: String,
    /// The cosine up to which a text that is looked for and one that is found are about different things, below 1.
    pub meaning_from: f32,
    /// The cosine from which they say the same; above `meaning_from`.
    pub meaning_to: f32,
    /// The cosine up to which two texts that are both found are about different things, below 1.
    pub alike_from: f32,
    /// The cosine from which they say the same; above `alike_from`.
    pub alike_to: f32,
    /// Of a text that is found, the first two lines are embedded by themselves, too, and their vector is added with this weight; 0:
    /// the whole text alone.
    pub head_weight: f32,
    /// The means of vectors of texts that are looked for, a language each: `hidden` numbers for each, or none at all.
    pub query_means: Vec<f32>,
    /// The mean of vectors of texts that are found, in all languages: `hidden` numbers, or none.
    pub passage_mean: Vec<f32>,
    /// Share of the mean over all languages that is taken from each vector, 0 to 1.
    pub mean_share: f32,
    /// Share of their language's own part of the mean that is also taken from vectors of texts that are looked for, 0 to 1.
    pub language_share: f32,
}

impl Default for Usage {
    /// As all-MiniLM-L6-v2 is used: packs with a word-piece tokenizer say nothing of it.
    fn default() -> Self {
        Self {
            query_prefix: String::new(),
            passage_prefix: String::new(),
            meaning_from: 0.1,
            meaning_to: 0.8,
            alike_from: 0.1,
            alike_to: 0.8,
            head_weight: 0.0,
            query_means: Vec::new(),
            passage_mean: Vec::new(),
            mean_share: 0.0,
            language_share: 0.0,
        }
    }
}

/// Encoding of the token table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableKind {
    /// Int8, a scale per row.
    Bytes,
    /// The first `plain` rows of four bits, a scale for every 32 components; of the others every four components are one of 256
    /// fours of a codebook. `hidden` is a multiple of 32.
    Coded {
        /// Rows of four bits, at most all.
        plain: usize,
    },
}

/// Encoding of the layers' weights. In memory they are of seven bits, as the kernels read them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightKind {
    /// Seven bits, in the kernels' order.
    Bytes,
    /// Four bits, a scale for every 32 inputs; `hidden` and `inner` are multiples of 32.
    Nibbles,
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
    pub tokenizer: TokenizerSpec,
    /// Settings for its texts and cosines. A pack with a word-piece tokenizer has the default.
    pub usage: Usage,
    /// Encoding of its token table.
    pub table: TableKind,
    /// Encoding of its layers' weights.
    pub weights: WeightKind,
    /// Token rows: `vocab` × `hidden`.
    pub tokens: Vec<f32>,
    /// Position rows with the first token type's row already added: `positions` × `hidden`.
    pub positions: Vec<f32>,
    /// LayerNorm after the embeddings.
    pub norm: NormSource,
    /// The layers, first to last.
    pub layers: Vec<LayerSource>,
}
