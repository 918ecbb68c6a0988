//! Text to unit vectors: tokenizer, model pack, tract graph, kernels, and the int8 vectors that a search scans.

mod error;
mod model;
mod vectors;

pub use error::EmbedError;
pub use model::Model;
pub use vectors::{QuantVector, VectorStore};
