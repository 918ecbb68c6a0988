//! Text to unit vectors: tokenizer, model pack, tract graph, kernels, and the int8 vectors that a search scans.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let model = lesson_embed::Model::load(std::fs::read("minilm.pack")?)?;
//! let mut store = lesson_embed::VectorStore::new(model.dims())?;
//! store.push(&lesson_embed::QuantVector::from_f32(&model.embed("row-level security")?)?)?;
//! let cosines = store.scan(&model.embed("database security")?)?;
//! # Ok(()) }
//! ```

mod attention;
mod error;
mod graph;
mod kernels;
mod linear;
mod math;
mod model;
mod ops;
mod pack;
mod tokenizer;
mod vectors;

pub use error::EmbedError;
pub use model::Model;
pub use pack::{
    Dims, LayerSource, LinearSource, NormSource, PACK_VERSION, PackSource, WordPieceSpec,
    write_pack,
};
pub use vectors::{QuantVector, VectorStore};
