//! A loaded sentence encoder: text in, unit vector out.

use crate::EmbedError;

/// A sentence encoder over a model pack that it keeps and reads in place.
#[derive(Debug)]
pub struct Model {
    id: String,
    dims: usize,
}

impl Model {
    /// Checks the pack and builds the encoder over it. The weights are not copied.
    pub fn load(pack: Vec<u8>) -> Result<Self, EmbedError> {
        let _ = pack;
        Err(EmbedError::NotAPack)
    }

    /// Model name and the first 12 hex digits of the pack's SHA-256: `all-minilm-l6-v2@0123456789ab`.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Length of the vectors that [`Model::embed`] returns.
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// The text's vector, of unit length. The text is cut at the model's length (256 word pieces); an empty
    /// text has the vector of a sentence without words.
    pub fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let _ = text;
        Err(EmbedError::NotAPack)
    }

    /// The word-piece ids that [`Model::embed`] reads, with the marks at both ends.
    pub fn token_ids(&self, text: &str) -> Result<Vec<u32>, EmbedError> {
        let _ = text;
        Err(EmbedError::NotAPack)
    }
}
