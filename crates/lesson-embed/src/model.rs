//! A loaded sentence encoder: text in, unit vector out.

use std::sync::Arc;

use crate::EmbedError;
use crate::common::Common;
use crate::encoder::Encoder;
use crate::graph::Graph;
use crate::kernels::Kernel;
use crate::math::{add_unit, to_unit};
use crate::pack::{BODY_AT, Dims, Pack, TokenizerSpec, Usage};
use crate::tokenizer::Tokenizer;
use crate::unigram::Unigram;

/// A sentence encoder over a model pack that it keeps and reads in place. It is immutable: share it behind
/// an [`Arc`].
#[derive(Debug)]
pub struct Model {
    id: String,
    dims: usize,
    shape: Dims,
    tokenizer: Pieces,
    usage: Usage,
    common: Common,
    graph: Graph,
}

/// A tokenizer of either kind.
#[derive(Debug)]
enum Pieces {
    Words(Tokenizer),
    Unigram(Unigram),
}

/// Cost of a kind of op in one embedding.
#[derive(Clone, Debug, PartialEq)]
pub struct StageTime {
    /// `embed`, `qkv`, `attend`, `out`, `norm1`, `up`, `down`, `norm2` or `pool`.
    pub stage: &'static str,
    /// In the clock's unit, over all layers.
    pub time: f64,
    /// Multiply-adds of its matrix products, over all layers; 0 where there are none.
    pub products: u64,
}

impl Model {
    /// Where the part of a pack begins that its SHA-256 covers: what [`Model::load_hashed`] wants hashed.
    pub const HASHED_FROM: usize = BODY_AT;

    /// The length of a whole pack, as its header says that begins with `head`. `None` when that is too short to say it, or
    /// begins no pack. For a host to which a pack comes in pieces: nothing is checked but the magic.
    pub fn pack_len(head: &[u8]) -> Option<u64> {
        Pack::declared_len(head)
    }

    /// Checks the pack (magic, version, length, SHA-256, shape, tokenizer, weights) and builds the encoder
    /// over it. The tables and weights stay where they are in `pack`; beside them loading allocates the
    /// vocabulary and less than a megabyte.
    pub fn load(pack: Vec<u8>) -> Result<Self, EmbedError> {
        Self::build(Pack::read(pack)?)
    }

    /// As [`Model::load`], where the host has hashed `pack[HASHED_FROM..]` already: a browser's own SHA-256 is
    /// several times faster than one in wasm that has just been loaded.
    pub fn load_hashed(pack: Vec<u8>, sha256: [u8; 32]) -> Result<Self, EmbedError> {
        Self::build(Pack::read_hashed(pack, sha256)?)
    }

    fn build((mut pack, spec): (Pack, TokenizerSpec)) -> Result<Self, EmbedError> {
        let positions = pack.dims.positions;
        let tokenizer = match spec {
            TokenizerSpec::WordPiece(spec) => Pieces::Words(Tokenizer::new(spec, positions)?),
            TokenizerSpec::Unigram(spec) => Pieces::Unigram(Unigram::new(spec, positions)),
        };
        let usage = std::mem::take(&mut pack.usage);
        let common = Common::new(&usage, pack.dims.hidden);
        let id = format!("{}@{}", pack.name, &pack.hash[..12]);
        let dims = pack.dims.hidden;
        let shape = pack.dims;
        let graph = Graph::new(Arc::new(Encoder::new(pack, Kernel::best())?))?;
        Ok(Self {
            id,
            dims,
            shape,
            tokenizer,
            usage,
            common,
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

    /// The vector of a text that is found, of unit length and the same to the bit on every machine. The text is cut at the
    /// model's length (256 word pieces for all-MiniLM-L6-v2); an empty text has the vector of its two marks
    /// alone. Cost grows with the word pieces: milliseconds for a sentence. Some models read the beginning of a text of several lines
    /// once more by itself.
    pub fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let mut vector = self.graph.run(&self.token_ids(text)?)?;
        let weight = self.usage.head_weight;
        if let Some(head) = head(text).filter(|_| weight > 0.0) {
            let head = self.graph.run(&self.token_ids(head)?)?;
            add_unit(&mut vector, &head, weight);
        }
        self.common.take_from_passage(&mut vector);
        Ok(vector)
    }

    /// As [`Model::embed`], of a text that is looked for: some models are trained to be told which is which.
    pub fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let mut vector = self.graph.run(&self.ids(&self.usage.query_prefix, text)?)?;
        self.common.take_from_query(&mut vector);
        Ok(vector)
    }

    /// The cosines between which meanings lie, of a text that is looked for and one that is found: about different things up to the
    /// first, and the same from the second on.
    pub fn meaning(&self) -> (f32, f32) {
        (self.usage.meaning_from, self.usage.meaning_to)
    }

    /// The same of two texts that are both found.
    pub fn alike(&self) -> (f32, f32) {
        (self.usage.alike_from, self.usage.alike_to)
    }

    /// Takes from a vector that the encoder makes of a text, of any length, what all of them have in common, as [`Model::embed`] and
    /// [`Model::embed_query`] do: for comparisons with other builds of the same encoder.
    pub fn without_common(&self, vector: &mut [f32], is_query: bool) {
        to_unit(vector);
        match is_query {
            true => self.common.take_from_query(vector),
            false => self.common.take_from_passage(vector),
        }
    }

    /// True if its pieces are of many languages: a word-piece vocabulary is of English, a Unigram one was cut from a hundred.
    pub fn is_multilingual(&self) -> bool {
        matches!(self.tokenizer, Pieces::Unigram(_))
    }

    /// Embeds `text` once and tells what each kind of op took of it, in the order in which a layer runs them.
    /// `clock` returns the time in any unit; the answer's times are in the same.
    pub fn profile(
        &self,
        text: &str,
        mut clock: impl FnMut() -> f64,
    ) -> Result<Vec<StageTime>, EmbedError> {
        let ids = self.token_ids(text)?;
        let mut stages: Vec<StageTime> = Graph::KINDS
            .into_iter()
            .map(|stage| StageTime {
                stage,
                time: 0.0,
                products: self.products(stage, ids.len() as u64),
            })
            .collect();
        self.graph.run_watched(&ids, |kind, begins| {
            let now = clock();
            if let Some(stage) = stages.iter_mut().find(|stage| stage.stage == kind) {
                stage.time += if begins { -now } else { now };
            }
        })?;
        Ok(stages)
    }

    /// Multiply-adds of a kind of op over all layers.
    fn products(&self, stage: &str, tokens: u64) -> u64 {
        let (hidden, inner) = (self.shape.hidden as u64, self.shape.inner as u64);
        let layer = match stage {
            "qkv" => tokens * 3 * hidden * hidden,
            "attend" => 2 * tokens * tokens * hidden,
            "out" => tokens * hidden * hidden,
            "up" | "down" => tokens * hidden * inner,
            _ => 0,
        };
        layer * self.shape.layers as u64
    }

    /// The word-piece ids that [`Model::embed`] reads, with the marks at both ends. At most the first
    /// 64 KiB of the text are looked at.
    pub fn token_ids(&self, text: &str) -> Result<Vec<u32>, EmbedError> {
        self.ids(&self.usage.passage_prefix, text)
    }

    fn ids(&self, prefix: &str, text: &str) -> Result<Vec<u32>, EmbedError> {
        match &self.tokenizer {
            Pieces::Words(words) => words.ids(text),
            Pieces::Unigram(unigram) => Ok(unigram.ids(prefix, text)),
        }
    }
}

/// The first two lines of a text that has more, of a lesson mostly its title and its description; `None` where there is nothing after
/// them.
fn head(text: &str) -> Option<&str> {
    let (end, _) = text.match_indices('\n').nth(1)?;
    (!text[end..].trim().is_empty()).then_some(&text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_of_a_text_is_its_first_two_lines() {
        for (text, expected) in [
            ("a\nb\nc", Some("a\nb")),
            ("a\nb", None),
            ("a\nb\n \n", None),
            ("", None),
        ] {
            assert_eq!(head(text), expected, "{text:?}");
        }
    }
}
