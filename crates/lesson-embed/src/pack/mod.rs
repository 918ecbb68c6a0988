//! The model pack: one flat file holding a sentence encoder as the kernels read it.
//!
//! Little-endian. A fixed header, the tokenizer, then tensors in a fixed order, each at a multiple of 64
//! bytes, so that loading slices and never parses:
//!
//! | bytes | what |
//! |---|---|
//! | 0–8 | magic `LLPACK\0\0` |
//! | 8–12 | format version |
//! | 12–20 | length of the whole file |
//! | 20–52 | SHA-256 of everything after this field |
//! | 52–84 | u32 each: hidden, layers, heads, inner, vocabulary rows, positions, LayerNorm epsilon (bits of an f32), tokenizer length |
//! | 84–184 | model name, zero-padded UTF-8 |
//! | 184 | tokenizer: 0 word pieces, 2 Unigram |
//! | 185 | token table: 0 int8, 2 four bits and codes |
//! | 186 | layers' weights: 0 seven bits, 1 four bits |
//! | 187 | 0 |
//! | 188–192 | u32: token rows of four bits |
//! | then | tokenizer ([`TokenizerSpec`]; before a Unigram one [`Usage`]), token rows, position rows, LayerNorm, layers |
//!
//! Embedding rows are int8 with a scale per row; token rows of four bits are blocks of 32 components: an f16 scale, then 16 bytes,
//! each with component `i` + 8 in its lower half and `i + 16` + 8 in its upper one. Coded rows have a byte for every four components,
//! which says the place in the codebook: for each such four of a row 256 times four f16, after the rows. A linear layer has a scale and
//! a bias (f32) per output, then its weights as `w + 64` in seven bits (1 to 127): four outputs by four inputs make one block of 16
//! bytes, inputs running fastest, and the blocks of a group of four outputs follow each other. Weights of four bits are rows of blocks
//! as those of tokens, an output each, and are rounded to seven bits by the output's scale when the pack is loaded.
//! In these files 1 as kind of tokenizer or table is a layout that no build reads any more.

mod bytes;
mod codes;
mod layout;
mod nibbles;
mod quantise;
mod read;
mod spec;
mod unigram_bytes;
mod write;

#[cfg(feature = "runtime")]
pub(crate) use codes::Codebook;
pub(crate) use layout::Layout;
#[cfg(feature = "runtime")]
pub(crate) use layout::{LinearAt, NormAt};
#[cfg(feature = "runtime")]
pub(crate) use nibbles::add_row;
pub use nibbles::half;
#[cfg(all(test, feature = "runtime"))]
pub(crate) use quantise::block_index;
pub(crate) use read::Pack;
pub use read::check_pack;
pub use spec::{
    Dims, LayerSource, LinearSource, NormSource, PackSource, TableKind, TokenizerSpec, UnigramSpec,
    Usage, WeightKind, WordPieceSpec,
};
pub use write::write_pack;

/// First bytes of every pack.
pub(crate) const MAGIC: [u8; 8] = *b"LLPACK\0\0";
/// The one format version that this build reads and writes.
pub const PACK_VERSION: u32 = 1;
/// Where the whole file's length is stored.
pub(crate) const LENGTH_AT: usize = 12;
/// Where the hash is stored; it covers what follows it.
pub(crate) const HASH_AT: usize = 20;
/// Where the hashed part starts.
pub(crate) const BODY_AT: usize = HASH_AT + 32;
/// Where the name is stored.
pub(crate) const NAME_AT: usize = BODY_AT + 8 * 4;
/// Longest name, in bytes.
pub(crate) const NAME_LEN: usize = 100;
/// Where the kinds of tokenizer, token table and weights are stored.
pub(crate) const KINDS_AT: usize = NAME_AT + NAME_LEN;
/// Where the number of token rows of four bits is stored.
pub(crate) const PLAIN_AT: usize = KINDS_AT + 4;
/// Length of the fixed header: a multiple of [`ALIGN`].
pub(crate) const HEADER_LEN: usize = 192;
/// Every section starts at a multiple of this.
pub(crate) const ALIGN: u64 = 64;
/// Added to a weight to make it an unsigned seven-bit number.
pub(crate) const WEIGHT_OFFSET: i32 = 64;
