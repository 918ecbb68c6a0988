//! Reads a pack: checks it whole, keeps its bytes, slices them.

use std::fmt;
#[cfg(feature = "runtime")]
use std::ops::Range;

use sha2::{Digest, Sha256};

use super::bytes::Reader;
use super::nibbles::BLOCK;
#[cfg(feature = "runtime")]
use super::nibbles::{row_bytes, unpack_row};
use super::{
    BODY_AT, Dims, HASH_AT, HEADER_LEN, KINDS_AT, LENGTH_AT, Layout, MAGIC, NAME_AT, NAME_LEN,
    PACK_VERSION, PLAIN_AT, TableKind, TokenizerSpec, UnigramSpec, Usage, WeightKind,
    WordPieceSpec,
};
#[cfg(feature = "runtime")]
use super::{Codebook, LinearAt};
use crate::EmbedError;

/// Checks a pack without building anything over it, and returns its name and its SHA-256 in hex. The weights'
/// values are looked at by [`Model::load`](crate::Model::load) only.
pub fn check_pack(bytes: Vec<u8>) -> Result<(String, String), EmbedError> {
    let (pack, _) = Pack::read(bytes)?;
    Ok((pack.name, pack.hash))
}

/// A checked pack. The tensors stay where they are in the file's bytes.
#[cfg_attr(not(feature = "runtime"), allow(dead_code))]
pub(crate) struct Pack {
    bytes: Vec<u8>,
    pub name: String,
    /// SHA-256 in hex.
    pub hash: String,
    pub dims: Dims,
    pub epsilon: f32,
    pub layout: Layout,
    pub usage: Usage,
    pub table: TableKind,
    pub weights: WeightKind,
    /// The layers' weights of seven bits, where the file has them of four.
    unpacked: Vec<u8>,
}

impl Pack {
    /// Checks magic, version, length, hash, shape and tokenizer, in this order. Cost: one SHA-256 over the
    /// file; memory beyond the file: the vocabulary.
    pub fn read(bytes: Vec<u8>) -> Result<(Self, TokenizerSpec), EmbedError> {
        Self::read_with(bytes, |body| Sha256::digest(body).into())
    }

    /// As [`Pack::read`], with the SHA-256 of what follows [`BODY_AT`], computed elsewhere.
    #[cfg(feature = "runtime")]
    pub fn read_hashed(
        bytes: Vec<u8>,
        sha256: [u8; 32],
    ) -> Result<(Self, TokenizerSpec), EmbedError> {
        Self::read_with(bytes, |_| sha256)
    }

    /// The length of the whole pack that its first bytes name: `None` where they are too few for it, or of no pack.
    #[cfg(feature = "runtime")]
    pub fn declared_len(head: &[u8]) -> Option<u64> {
        let length = head.get(LENGTH_AT..HASH_AT)?.try_into().ok()?;
        head.starts_with(&MAGIC).then(|| u64::from_le_bytes(length))
    }

    fn read_with(
        bytes: Vec<u8>,
        sha256: impl FnOnce(&[u8]) -> [u8; 32],
    ) -> Result<(Self, TokenizerSpec), EmbedError> {
        let magic = &bytes[..bytes.len().min(MAGIC.len())];
        if magic.is_empty() || !MAGIC.starts_with(magic) {
            return Err(EmbedError::NotAPack);
        }
        let truncated = |expected: u64| EmbedError::Truncated {
            expected,
            found: bytes.len() as u64,
        };
        if bytes.len() < LENGTH_AT {
            return Err(truncated(HEADER_LEN as u64));
        }
        let version = Reader::new(&bytes[8..], "version").u32()?;
        if version != PACK_VERSION {
            return Err(EmbedError::OtherVersion {
                expected: PACK_VERSION,
                found: version,
            });
        }
        if bytes.len() < HEADER_LEN {
            return Err(truncated(HEADER_LEN as u64));
        }
        let mut length = [0; 8];
        length.copy_from_slice(&bytes[LENGTH_AT..HASH_AT]);
        let length = u64::from_le_bytes(length);
        if (bytes.len() as u64) < length {
            return Err(truncated(length));
        }
        if bytes.len() as u64 > length {
            return Err(EmbedError::WrongDims {
                field: "length",
                expected: length,
                found: bytes.len() as u64,
            });
        }
        let expected = hex::encode(&bytes[HASH_AT..BODY_AT]);
        let hash = hex::encode(sha256(&bytes[BODY_AT..]));
        if expected != hash {
            return Err(EmbedError::HashMismatch {
                expected,
                found: hash,
            });
        }
        Self::read_body(bytes, hash)
    }

    fn read_body(bytes: Vec<u8>, hash: String) -> Result<(Self, TokenizerSpec), EmbedError> {
        let mut reader = Reader::new(&bytes[BODY_AT..NAME_AT], "header");
        let mut next = || Ok::<usize, EmbedError>(reader.u32()? as usize);
        let dims = Dims {
            hidden: next()?,
            layers: next()?,
            heads: next()?,
            inner: next()?,
            vocab: next()?,
            positions: next()?,
        };
        let epsilon = f32::from_bits(reader.u32()?);
        let tokenizer_len = reader.u32()? as usize;
        dims.check()?;
        if !(0.0..1.0).contains(&epsilon) {
            return Err(EmbedError::field(
                "epsilon",
                format!("{epsilon}; must be 0 to 1"),
            ));
        }
        let kind = |at: usize, other: u8, field| match bytes[KINDS_AT + at] {
            0 => Ok(false),
            known if known == other => Ok(true),
            unknown => Err(EmbedError::field(
                field,
                format!(
                    "{unknown} is no kind that this build reads; download the pack that belongs to it"
                ),
            )),
        };
        let unigram = kind(0, 2, "tokenizer kind")?;
        let plain = Reader::new(&bytes[PLAIN_AT..HEADER_LEN], "table kind").u32()? as usize;
        let table = if kind(1, 2, "table kind")? {
            TableKind::Coded { plain }
        } else {
            TableKind::Bytes
        };
        let weights = if kind(2, 1, "weight kind")? {
            WeightKind::Nibbles
        } else {
            WeightKind::Bytes
        };
        table.check(&dims)?;
        weights.check(&dims)?;
        let layout = Layout::new(&dims, table, weights, tokenizer_len)?;
        if layout.total != bytes.len() {
            return Err(EmbedError::WrongDims {
                field: "length",
                expected: layout.total as u64,
                found: bytes.len() as u64,
            });
        }
        let name = &bytes[NAME_AT..][..NAME_LEN];
        let end = name.iter().position(|b| *b == 0).unwrap_or(name.len());
        let name = std::str::from_utf8(&name[..end])
            .map_err(|_| EmbedError::field("name", "is not UTF-8"))?
            .to_owned();
        let section = &bytes[layout.tokenizer.clone()];
        let (usage, tokenizer) = if unigram {
            let (usage, spec) = UnigramSpec::read(section, dims.hidden)?;
            check_unigram(&spec, dims.vocab)?;
            (usage, TokenizerSpec::Unigram(spec))
        } else {
            let spec = WordPieceSpec::read(section)?;
            check_tokenizer(&spec, dims.vocab)?;
            (Usage::default(), TokenizerSpec::WordPiece(spec))
        };
        let pack = Self {
            bytes,
            name,
            hash,
            dims,
            epsilon,
            layout,
            usage,
            table,
            weights,
            unpacked: Vec::new(),
        };
        Ok((pack, tokenizer))
    }

    #[cfg(feature = "runtime")]
    pub fn slice(&self, range: &Range<usize>) -> &[u8] {
        &self.bytes[range.clone()]
    }

    /// Makes weights of seven bits of those of four. Once, before any of them is read.
    #[cfg(feature = "runtime")]
    pub fn unpack_weights(&mut self) -> Result<(), EmbedError> {
        if self.weights == WeightKind::Bytes {
            return Ok(());
        }
        let mut unpacked = vec![0; self.layout.weights];
        for layer in &self.layout.layers {
            for at in [&layer.qkv, &layer.out, &layer.up, &layer.down] {
                let scales = self.floats("scales", &at.scales)?;
                let rows = self.slice(&at.packed).chunks_exact(row_bytes(at.inputs));
                let out = &mut unpacked[at.weights.clone()];
                for (output, (row, scale)) in rows.zip(scales).enumerate() {
                    let group = &mut out[output / 4 * 4 * at.inputs..][..4 * at.inputs];
                    unpack_row(row, scale, output % 4, group);
                }
            }
        }
        self.unpacked = unpacked;
        Ok(())
    }

    /// Gives the memory of the layers' part of the file back, where nothing of it is read any more.
    #[cfg(feature = "runtime")]
    pub fn drop_packed(&mut self) {
        if self.weights == WeightKind::Nibbles {
            self.bytes.truncate(self.layout.layers_at);
            self.bytes.shrink_to_fit();
        }
    }

    /// A linear layer's weights of seven bits.
    #[cfg(feature = "runtime")]
    pub fn weights(&self, at: &LinearAt) -> &[u8] {
        let held = match self.weights {
            WeightKind::Bytes => &self.bytes,
            WeightKind::Nibbles => &self.unpacked,
        };
        &held[at.weights.clone()]
    }

    /// To put them into another order: the file's hash has been checked by now.
    #[cfg(feature = "runtime")]
    pub fn weights_mut(&mut self, at: &LinearAt) -> &mut [u8] {
        let held = match self.weights {
            WeightKind::Bytes => &mut self.bytes,
            WeightKind::Nibbles => &mut self.unpacked,
        };
        &mut held[at.weights.clone()]
    }

    /// Reads the codebook that coded rows are made of.
    #[cfg(feature = "runtime")]
    pub fn codebook(&self) -> Result<Codebook, EmbedError> {
        Codebook::read(self.slice(&self.layout.codebook))
            .ok_or_else(|| EmbedError::field("codebook", "holds a number that is not finite"))
    }

    /// A small float tensor, copied out: packs may lie at any address, floats may not. Refused: one that is not
    /// finite.
    #[cfg(feature = "runtime")]
    pub fn floats(
        &self,
        field: &'static str,
        range: &Range<usize>,
    ) -> Result<Vec<f32>, EmbedError> {
        let floats: Vec<f32> = self
            .slice(range)
            .chunks_exact(4)
            .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect();
        match floats.iter().find(|v| !v.is_finite()) {
            Some(v) => Err(EmbedError::field(
                field,
                format!("hold {v}, which is not finite"),
            )),
            None => Ok(floats),
        }
    }
}

impl fmt::Debug for Pack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pack")
            .field("name", &self.name)
            .field("hash", &self.hash)
            .field("dims", &self.dims)
            .finish_non_exhaustive()
    }
}

impl TableKind {
    /// Refuses rows that are no whole blocks, and more of four bits than there are.
    pub(super) fn check(self, dims: &Dims) -> Result<(), EmbedError> {
        let Self::Coded { plain } = self else {
            return Ok(());
        };
        if plain > dims.vocab {
            let reason = format!("{plain} rows of four bits among {}", dims.vocab);
            return Err(EmbedError::field("table kind", reason));
        }
        whole_blocks("hidden", dims.hidden)
    }
}

impl WeightKind {
    /// Refuses inputs that are no whole blocks.
    pub(super) fn check(self, dims: &Dims) -> Result<(), EmbedError> {
        if self == Self::Bytes {
            return Ok(());
        }
        whole_blocks("hidden", dims.hidden)?;
        whole_blocks("inner", dims.inner)
    }
}

fn whole_blocks(field: &'static str, length: usize) -> Result<(), EmbedError> {
    if length.is_multiple_of(BLOCK) {
        return Ok(());
    }
    let reason = format!("{length}; must be a multiple of {BLOCK} for four bits");
    Err(EmbedError::field(field, reason))
}

fn check_unigram(spec: &UnigramSpec, rows: usize) -> Result<(), EmbedError> {
    let refuse = |reason: String| Err(EmbedError::field("tokenizer", reason));
    if spec.pieces.len() > rows {
        let pieces = spec.pieces.len();
        return refuse(format!(
            "{pieces} pieces for {rows} rows of the token table"
        ));
    }
    for (name, id) in [
        ("begin", spec.begin),
        ("end", spec.end),
        ("unknown", spec.unknown),
    ] {
        if id as usize >= spec.pieces.len() {
            return refuse(format!("{name} has id {id}, which is no piece"));
        }
    }
    Ok(())
}

fn check_tokenizer(spec: &WordPieceSpec, rows: usize) -> Result<(), EmbedError> {
    let refuse = |reason: String| Err(EmbedError::field("tokenizer", reason));
    if spec.vocab.len() > rows {
        return refuse(format!(
            "{} pieces for {rows} rows of the token table",
            spec.vocab.len()
        ));
    }
    if !spec.vocab.contains(&spec.unknown) {
        return refuse(format!("{:?} is not in the vocabulary", spec.unknown));
    }
    let marks = [("cls", spec.cls), ("sep", spec.sep)];
    let special = spec.special.iter().map(|(text, id)| (text.as_str(), *id));
    for (name, id) in marks.into_iter().chain(special) {
        if id as usize >= rows {
            return refuse(format!(
                "{name} has id {id}, past the {rows} rows of the token table"
            ));
        }
    }
    for (text, _) in &spec.special {
        if text.is_empty() || text.contains(char::is_whitespace) {
            return refuse(format!(
                "special piece {text:?} is empty or holds white space"
            ));
        }
    }
    Ok(())
}
