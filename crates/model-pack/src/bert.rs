//! Finds a BERT encoder's parts by their names, wherever the weights come from.

use lesson_embed::{
    Dims, LayerSource, LinearSource, NormSource, PackSource, TableKind, TokenizerSpec, Usage,
    WeightKind, WordPieceSpec,
};

use crate::config::Config;
use crate::fault::{Fault, Result};

/// Longest sequence when nothing says otherwise: the length that sentence encoders of this size are trained at.
const MAX_PIECES: usize = 256;
/// Name of every BERT's token table, after a prefix of its own.
const TOKENS: &str = "embeddings.word_embeddings.weight";

/// A float tensor.
pub struct Tensor {
    /// Lengths of its axes.
    pub shape: Vec<usize>,
    /// Its values, the last axis running fastest.
    pub values: Vec<f32>,
}

/// Where weights come from.
pub trait Weights {
    /// Names of all tensors.
    fn names(&self) -> Vec<&str>;
    /// A tensor by name.
    fn tensor(&self, name: &str) -> Result<Tensor>;
    /// The weight (outputs × inputs) of a linear layer, by the layer's name.
    fn linear_weight(&self, name: &str) -> Result<Tensor>;
}

/// Collects an encoder.
pub fn source(
    weights: &dyn Weights,
    config: &Config,
    tokenizer: WordPieceSpec,
    name: &str,
    max_pieces: Option<usize>,
) -> Result<PackSource> {
    let names = weights.names();
    let prefix = names
        .iter()
        .find_map(|name| name.strip_suffix(TOKENS))
        .ok_or_else(|| Fault::new(format!("no tensor is named …{TOKENS}: not a BERT encoder")))?;
    let from = Parts { weights, prefix };

    let tokens = from.tensor(TOKENS)?;
    let [vocab, hidden] = tokens.shape[..] else {
        return Err(Fault::new(format!("{TOKENS} has shape {:?}", tokens.shape)));
    };
    let (positions, table) = from.positions(hidden, max_pieces)?;
    let layers = (0..)
        .take_while(|i| {
            let first = format!("{prefix}encoder.layer.{i}.attention.self.query.bias");
            names.iter().any(|name| *name == first)
        })
        .map(|i| from.layer(&format!("encoder.layer.{i}"), hidden))
        .collect::<Result<Vec<_>>>()?;
    let inner = layers.first().map_or(0, |layer| layer.up.bias.len());
    Ok(PackSource {
        name: name.to_owned(),
        dims: Dims {
            hidden,
            layers: layers.len(),
            heads: config.num_attention_heads,
            inner,
            vocab,
            positions,
        },
        epsilon: config.layer_norm_eps,
        tokenizer: TokenizerSpec::WordPiece(tokenizer),
        usage: Usage::default(),
        table: TableKind::Bytes,
        weights: WeightKind::Bytes,
        tokens: tokens.values,
        positions: table,
        norm: from.norm("embeddings.LayerNorm")?,
        layers,
    })
}

struct Parts<'a> {
    weights: &'a dyn Weights,
    prefix: &'a str,
}

impl Parts<'_> {
    fn tensor(&self, name: &str) -> Result<Tensor> {
        self.weights.tensor(&format!("{}{name}", self.prefix))
    }

    /// Position rows with the first token type's row added: a single sentence has no other type.
    fn positions(&self, hidden: usize, max_pieces: Option<usize>) -> Result<(usize, Vec<f32>)> {
        let table = self.tensor("embeddings.position_embeddings.weight")?;
        let types = self.tensor("embeddings.token_type_embeddings.weight")?;
        if types.values.len() < hidden || table.shape.len() != 2 || table.shape[1] != hidden {
            return Err(Fault::new(
                "position and token type rows are not as wide as token rows",
            ));
        }
        let rows = max_pieces.unwrap_or(MAX_PIECES).min(table.shape[0]);
        let sums = table
            .values
            .chunks_exact(hidden)
            .take(rows)
            .flat_map(|row| row.iter().zip(&types.values).map(|(a, b)| a + b))
            .collect();
        Ok((rows, sums))
    }

    fn layer(&self, name: &str, hidden: usize) -> Result<LayerSource> {
        let [query, key, value] = ["query", "key", "value"]
            .map(|part| self.linear(&format!("{name}.attention.self.{part}"), hidden, hidden));
        let mut qkv = query?;
        for part in [key?, value?] {
            qkv.weight.extend(part.weight);
            qkv.bias.extend(part.bias);
        }
        let inner = self
            .tensor(&format!("{name}.intermediate.dense.bias"))?
            .values
            .len();
        Ok(LayerSource {
            qkv,
            out: self.linear(&format!("{name}.attention.output.dense"), hidden, hidden)?,
            norm1: self.norm(&format!("{name}.attention.output.LayerNorm"))?,
            up: self.linear(&format!("{name}.intermediate.dense"), inner, hidden)?,
            down: self.linear(&format!("{name}.output.dense"), hidden, inner)?,
            norm2: self.norm(&format!("{name}.output.LayerNorm"))?,
        })
    }

    fn linear(&self, name: &str, outputs: usize, inputs: usize) -> Result<LinearSource> {
        let weight = self
            .weights
            .linear_weight(&format!("{}{name}", self.prefix))?;
        if weight.shape != [outputs, inputs] {
            return Err(Fault::new(format!(
                "{name}.weight is {:?}, must be [{outputs}, {inputs}]",
                weight.shape
            )));
        }
        Ok(LinearSource {
            weight: weight.values,
            bias: self.tensor(&format!("{name}.bias"))?.values,
        })
    }

    fn norm(&self, name: &str) -> Result<NormSource> {
        Ok(NormSource {
            gamma: self.tensor(&format!("{name}.weight"))?.values,
            beta: self.tensor(&format!("{name}.bias"))?.values,
        })
    }
}
