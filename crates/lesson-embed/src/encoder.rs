//! The encoder's stages over a pack: what the graph's ops run, without the graph.

use crate::EmbedError;
use crate::attention::attention;
use crate::kernels::Kernel;
use crate::linear::{Linear, Then};
use crate::math::layer_norm;
use crate::pack::{Codebook, NormAt, Pack, TableKind, add_row};

/// The linear layers of an encoder layer, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Qkv,
    Out,
    Up,
    Down,
}

/// A pack with what loading made of it: checked linear layers and small float tensors.
#[derive(Debug)]
pub(crate) struct Encoder {
    pub pack: Pack,
    kernel: Kernel,
    position_scales: Vec<f32>,
    codebook: Codebook,
    norm: Norm,
    layers: Vec<Layer>,
}

#[derive(Debug)]
struct Norm {
    gamma: Vec<f32>,
    beta: Vec<f32>,
}

#[derive(Debug)]
struct Layer {
    qkv: Linear,
    out: Linear,
    norm1: Norm,
    up: Linear,
    down: Linear,
    norm2: Norm,
}

impl Encoder {
    /// Reads what the ops need beside the tables and weights that stay in the pack, and lays the weights for `kernel`.
    pub fn new(mut pack: Pack, kernel: Kernel) -> Result<Self, EmbedError> {
        pack.unpack_weights()?;
        let codebook = pack.codebook()?;
        let norm = |at: &NormAt| {
            Ok::<_, EmbedError>(Norm {
                gamma: pack.floats("gammas", &at.gamma)?,
                beta: pack.floats("betas", &at.beta)?,
            })
        };
        let layers = pack
            .layout
            .layers
            .iter()
            .map(|at| {
                Ok::<_, EmbedError>(Layer {
                    qkv: Linear::new(&pack, &at.qkv)?,
                    out: Linear::new(&pack, &at.out)?,
                    norm1: norm(&at.norm1)?,
                    up: Linear::new(&pack, &at.up)?,
                    down: Linear::new(&pack, &at.down)?,
                    norm2: norm(&at.norm2)?,
                })
            })
            .collect::<Result<Vec<_>, EmbedError>>()?;
        let position_scales = pack.floats("position scales", &pack.layout.position_scales)?;
        let norm = norm(&pack.layout.norm)?;
        for layer in &layers {
            for linear in [&layer.qkv, &layer.out, &layer.up, &layer.down] {
                linear.lay(kernel, &mut pack);
            }
        }
        pack.drop_packed();
        Ok(Self {
            kernel,
            codebook,
            position_scales,
            norm,
            layers,
            pack,
        })
    }

    /// Number of layers.
    pub fn layers(&self) -> usize {
        self.layers.len()
    }

    /// Width of a state.
    pub fn hidden(&self) -> usize {
        self.pack.dims.hidden
    }

    /// Outputs per row of a linear layer.
    pub fn width(&self, layer: usize, stage: Stage) -> usize {
        self.linear(layer, stage).outputs()
    }

    fn linear(&self, layer: usize, stage: Stage) -> &Linear {
        let layer = &self.layers[layer];
        match stage {
            Stage::Qkv => &layer.qkv,
            Stage::Out => &layer.out,
            Stage::Up => &layer.up,
            Stage::Down => &layer.down,
        }
    }

    /// Token row plus position row, normalised. Ids must be below the token table's length and no more than
    /// there are positions.
    pub fn embed(&self, ids: &[u32], out: &mut [f32]) -> Result<(), EmbedError> {
        let pack = &self.pack;
        let hidden = pack.dims.hidden;
        if ids.len() > pack.dims.positions {
            let reason = format!(
                "{} ids, more than {} positions",
                ids.len(),
                pack.dims.positions
            );
            return Err(EmbedError::field("ids", reason));
        }
        let tokens = pack.slice(&pack.layout.tokens);
        let codes = pack.slice(&pack.layout.codes);
        let scales = pack.slice(&pack.layout.token_scales);
        let positions = pack.slice(&pack.layout.positions).chunks_exact(hidden);
        let positions = positions.zip(&self.position_scales);
        for ((id, out), (position, position_scale)) in
            ids.iter().zip(out.chunks_exact_mut(hidden)).zip(positions)
        {
            let id = *id as usize;
            if id >= pack.dims.vocab {
                let reason = format!(
                    "{id} is past the {} rows of the token table",
                    pack.dims.vocab
                );
                return Err(EmbedError::field("ids", reason));
            }
            let position = position
                .iter()
                .map(|p| f32::from(*p as i8) * position_scale);
            match pack.table {
                TableKind::Bytes => {
                    let token = &tokens[id * hidden..(id + 1) * hidden];
                    let scale = u16::from_le_bytes([scales[2 * id], scales[2 * id + 1]]);
                    let scale = f32::from_bits(u32::from(scale) << 16);
                    for ((out, t), p) in out.iter_mut().zip(token).zip(position) {
                        *out = f32::from(*t as i8) * scale + p;
                    }
                }
                TableKind::Coded { plain } => {
                    for (out, p) in out.iter_mut().zip(position) {
                        *out = p;
                    }
                    if id < plain {
                        let row = tokens.len() / plain;
                        add_row(&tokens[id * row..(id + 1) * row], out);
                    } else {
                        let row = codes.len() / (pack.dims.vocab - plain);
                        let at = (id - plain) * row;
                        self.codebook.add(&codes[at..at + row], out);
                    }
                }
            }
            layer_norm(out, &self.norm.gamma, &self.norm.beta, pack.epsilon);
        }
        Ok(())
    }

    /// A linear layer with what follows it: GELU, or the sum with `residual`.
    pub fn project(
        &self,
        layer: usize,
        stage: Stage,
        input: &[f32],
        residual: Option<&[f32]>,
        out: &mut [f32],
    ) {
        let then = match (stage, residual) {
            (Stage::Up, _) => Then::Gelu,
            (_, Some(residual)) => Then::Add(residual),
            (_, None) => Then::Keep,
        };
        self.linear(layer, stage)
            .run(self.kernel, &self.pack, input, then, out);
    }

    /// Self-attention over rows of query, key and value.
    pub fn attend(&self, qkv: &[f32], out: &mut [f32]) {
        attention(qkv, self.pack.dims.hidden, self.pack.dims.heads, out);
    }

    /// The LayerNorm after a stage, in place.
    pub fn normalise(&self, layer: usize, stage: Stage, rows: &mut [f32]) {
        let layer = &self.layers[layer];
        let norm = match stage {
            Stage::Qkv | Stage::Out => &layer.norm1,
            Stage::Up | Stage::Down => &layer.norm2,
        };
        for row in rows.chunks_exact_mut(self.pack.dims.hidden) {
            layer_norm(row, &norm.gamma, &norm.beta, self.pack.epsilon);
        }
    }
}
