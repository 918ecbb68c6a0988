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

#![deny(unsafe_code)]

mod alike;
#[cfg(feature = "runtime")]
mod attention;
#[cfg(feature = "runtime")]
mod common;
#[cfg(feature = "runtime")]
mod encoder;
mod error;
#[cfg(feature = "runtime")]
mod graph;
#[cfg(feature = "runtime")]
mod kernels;
#[cfg(feature = "runtime")]
mod linear;
#[cfg(feature = "runtime")]
mod math;
#[cfg(feature = "runtime")]
mod model;
#[cfg(feature = "runtime")]
mod ops;
mod pack;
#[cfg(feature = "runtime")]
mod pieces;
#[cfg(feature = "runtime")]
mod tokenizer;
#[cfg(feature = "runtime")]
mod unigram;
mod vectors;

pub use error::EmbedError;
#[cfg(feature = "runtime")]
pub use model::{Model, StageTime};
pub use pack::{
    Dims, LayerSource, LinearSource, NormSource, PACK_VERSION, PackSource, TableKind,
    TokenizerSpec, UnigramSpec, Usage, WeightKind, WordPieceSpec, check_pack, half, write_pack,
};
pub use vectors::{QuantVector, VectorStore};
