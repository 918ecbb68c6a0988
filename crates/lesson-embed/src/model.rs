//! A loaded sentence encoder: text in, unit vector out.

use std::sync::Arc;

use crate::EmbedError;
use crate::encoder::Encoder;
use crate::graph::Graph;
use crate::kernels::Kernel;
use crate::pack::Pack;
use crate::tokenizer::Tokenizer;

/// A sentence encoder over a model pack that it keeps and reads in place. It is immutable: share it behind
/// an [`Arc`].
#[derive(Debug)]
pub struct Model {
    id: String,
    dims: usize,
    tokenizer: Tokenizer,
    graph: Graph,
}

impl Model {
    /// Checks the pack (magic, version, length, SHA-256, shape, tokenizer, weights) and builds the encoder
    /// over it. The tables and weights stay where they are in `pack`; beside them loading allocates the
    /// vocabulary and less than a megabyte.
    pub fn load(pack: Vec<u8>) -> Result<Self, EmbedError> {
        Self::load_with(pack, Kernel::best())
    }

    fn load_with(pack: Vec<u8>, kernel: Kernel) -> Result<Self, EmbedError> {
        let (pack, spec) = Pack::read(pack)?;
        let tokenizer = Tokenizer::new(spec, pack.dims.positions)?;
        let id = format!("{}@{}", pack.name, &pack.hash[..12]);
        let dims = pack.dims.hidden;
        let graph = Graph::new(Arc::new(Encoder::new(pack, kernel)?))?;
        Ok(Self {
            id,
            dims,
            tokenizer,
            graph,
        })
    }

    /// Model name and the first 12 hex digits of the pack's SHA-256: `all-minilm-l6-v2@0123456789ab`.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Length of the vectors that [`Model::embed`] returns: 384 for all-MiniLM-L6-v2.
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// The text's vector, of unit length and the same to the bit on every machine. The text is cut at the
    /// model's length (256 word pieces for all-MiniLM-L6-v2); an empty text has the vector of its two marks
    /// alone. Cost grows with the word pieces: milliseconds for a sentence.
    pub fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.graph.run(&self.token_ids(text)?)
    }

    /// The word-piece ids that [`Model::embed`] reads, with the marks at both ends. At most the first
    /// 64 KiB of the text are looked at.
    pub fn token_ids(&self, text: &str) -> Result<Vec<u32>, EmbedError> {
        self.tokenizer.ids(text)
    }
}
