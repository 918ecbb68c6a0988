//! tract ops over an encoder's weights. Each is one fused stage of the graph.

use std::fmt;
use std::sync::Arc;

use tract_core::internal::*;

use crate::EmbedError;
use crate::attention::attention;
use crate::kernels::Kernel;
use crate::linear::{Linear, Then};
use crate::math::{layer_norm, mean_unit};
use crate::pack::{NormAt, Pack};

/// A pack with what loading made of it: checked linear layers and small float tensors.
#[derive(Debug)]
pub(crate) struct Encoder {
    pub pack: Pack,
    kernel: Kernel,
    position_scales: Vec<f32>,
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
    /// Reads what the ops need beside the tables and weights that stay in the pack.
    pub fn new(pack: Pack, kernel: Kernel) -> Result<Self, EmbedError> {
        let norm = |at: &NormAt| Norm {
            gamma: pack.floats(&at.gamma),
            beta: pack.floats(&at.beta),
        };
        let layers = pack
            .layout
            .layers
            .iter()
            .map(|at| {
                Ok(Layer {
                    qkv: Linear::new(&pack, &at.qkv)?,
                    out: Linear::new(&pack, &at.out)?,
                    norm1: norm(&at.norm1),
                    up: Linear::new(&pack, &at.up)?,
                    down: Linear::new(&pack, &at.down)?,
                    norm2: norm(&at.norm2),
                })
            })
            .collect::<Result<_, EmbedError>>()?;
        Ok(Self {
            kernel,
            position_scales: pack.floats(&pack.layout.position_scales),
            norm: norm(&pack.layout.norm),
            layers,
            pack,
        })
    }

    /// Number of layers.
    pub fn layers(&self) -> usize {
        self.layers.len()
    }

    /// Token row plus position row, normalised.
    fn embed(&self, ids: &[u32], out: &mut [f32]) -> TractResult<()> {
        let pack = &self.pack;
        let hidden = pack.dims.hidden;
        ensure!(
            ids.len() <= pack.dims.positions,
            "{} ids, more than positions",
            ids.len()
        );
        let tokens = pack.slice(&pack.layout.tokens);
        let scales = pack.slice(&pack.layout.token_scales);
        let positions = pack.slice(&pack.layout.positions).chunks_exact(hidden);
        let positions = positions.zip(&self.position_scales);
        for ((id, out), (position, position_scale)) in
            ids.iter().zip(out.chunks_exact_mut(hidden)).zip(positions)
        {
            let id = *id as usize;
            ensure!(id < pack.dims.vocab, "id {id} is past the token table");
            let scale = u16::from_le_bytes([scales[2 * id], scales[2 * id + 1]]);
            let scale = f32::from_bits(u32::from(scale) << 16);
            let token = &tokens[id * hidden..(id + 1) * hidden];
            for ((out, t), p) in out.iter_mut().zip(token).zip(position) {
                *out = f32::from(*t as i8) * scale + f32::from(*p as i8) * position_scale;
            }
            layer_norm(out, &self.norm.gamma, &self.norm.beta, pack.epsilon);
        }
        Ok(())
    }
}

/// The encoder behind an op. Two are equal when they are the same one in memory.
#[derive(Clone)]
struct Shared(Arc<Encoder>);

impl PartialEq for Shared {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Shared {}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.pack.name)
    }
}

/// The linear layers of an encoder layer, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Qkv,
    Out,
    Up,
    Down,
}

/// Ids → states: token and position rows, LayerNorm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Embed(Shared);

/// States → states: a quantised linear layer with what follows it; a second input is the residual.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Project {
    encoder: Shared,
    layer: usize,
    stage: Stage,
}

/// Query, key and value → states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Attend(Shared);

/// States → states: the LayerNorm after a stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Normalise {
    encoder: Shared,
    layer: usize,
    stage: Stage,
}

/// States → one unit vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pool(Shared);

impl Embed {
    pub fn new(encoder: &Arc<Encoder>) -> Self {
        Self(Shared(Arc::clone(encoder)))
    }

    fn width(&self) -> usize {
        self.0.0.pack.dims.hidden
    }

    fn run(&self, inputs: &TVec<TValue>) -> TractResult<Tensor> {
        let ids = inputs[0].try_as_plain_ram()?.as_slice::<u32>()?;
        rows(ids.len(), self.width(), |out| self.0.0.embed(ids, out))
    }
}

impl Project {
    pub fn new(encoder: &Arc<Encoder>, layer: usize, stage: Stage) -> Self {
        let encoder = Shared(Arc::clone(encoder));
        Self {
            encoder,
            layer,
            stage,
        }
    }

    fn linear(&self) -> &Linear {
        let layer = &self.encoder.0.layers[self.layer];
        match self.stage {
            Stage::Qkv => &layer.qkv,
            Stage::Out => &layer.out,
            Stage::Up => &layer.up,
            Stage::Down => &layer.down,
        }
    }

    fn width(&self) -> usize {
        self.linear().outputs()
    }

    fn run(&self, inputs: &TVec<TValue>) -> TractResult<Tensor> {
        let input = inputs[0].try_as_plain_ram()?.as_slice::<f32>()?;
        let then = match (self.stage, inputs.get(1)) {
            (Stage::Up, _) => Then::Gelu,
            (_, Some(residual)) => Then::Add(residual.try_as_plain_ram()?.as_slice::<f32>()?),
            (_, None) => Then::Keep,
        };
        let encoder = &self.encoder.0;
        rows(inputs[0].shape()[0], self.width(), |out| {
            self.linear()
                .run(encoder.kernel, &encoder.pack, input, then, out);
            Ok(())
        })
    }
}

impl Attend {
    pub fn new(encoder: &Arc<Encoder>) -> Self {
        Self(Shared(Arc::clone(encoder)))
    }

    fn width(&self) -> usize {
        self.0.0.pack.dims.hidden
    }

    fn run(&self, inputs: &TVec<TValue>) -> TractResult<Tensor> {
        let qkv = inputs[0].try_as_plain_ram()?.as_slice::<f32>()?;
        rows(inputs[0].shape()[0], self.width(), |out| {
            attention(qkv, self.width(), self.0.0.pack.dims.heads, out);
            Ok(())
        })
    }
}

impl Normalise {
    pub fn new(encoder: &Arc<Encoder>, layer: usize, stage: Stage) -> Self {
        let encoder = Shared(Arc::clone(encoder));
        Self {
            encoder,
            layer,
            stage,
        }
    }

    fn width(&self) -> usize {
        self.encoder.0.pack.dims.hidden
    }

    fn run(&self, inputs: &TVec<TValue>) -> TractResult<Tensor> {
        let layer = &self.encoder.0.layers[self.layer];
        let norm = match self.stage {
            Stage::Qkv | Stage::Out => &layer.norm1,
            Stage::Up | Stage::Down => &layer.norm2,
        };
        let input = inputs[0].try_as_plain_ram()?.as_slice::<f32>()?;
        rows(inputs[0].shape()[0], self.width(), |out| {
            out.copy_from_slice(input);
            for row in out.chunks_exact_mut(self.width()) {
                layer_norm(row, &norm.gamma, &norm.beta, self.encoder.0.pack.epsilon);
            }
            Ok(())
        })
    }
}

impl Pool {
    pub fn new(encoder: &Arc<Encoder>) -> Self {
        Self(Shared(Arc::clone(encoder)))
    }

    fn run(&self, inputs: &TVec<TValue>) -> TractResult<Tensor> {
        let width = self.0.0.pack.dims.hidden;
        let states = inputs[0].try_as_plain_ram()?.as_slice::<f32>()?;
        Tensor::from_shape(&[width], &mean_unit(states, width))
    }
}

/// A `rows` × `width` tensor that `fill` fills.
fn rows(
    rows: usize,
    width: usize,
    fill: impl FnOnce(&mut [f32]) -> TractResult<()>,
) -> TractResult<Tensor> {
    let mut out = Tensor::zero::<f32>(&[rows, width])?;
    fill(out.try_as_plain_ram_mut()?.as_slice_mut::<f32>()?)?;
    Ok(out)
}

/// What every op of ours has in common: it is evaluated from its inputs alone.
macro_rules! stage_op {
    ($op:ty, $name:literal, |$self:ident, $inputs:ident| $fact:expr) => {
        impl Op for $op {
            fn name(&self) -> StaticName {
                $name.into()
            }

            op_as_typed_op!();
        }

        impl EvalOp for $op {
            op_out_of_plan!();

            fn eval(&self, _ctx: &EvalContext, inputs: TVec<TValue>) -> TractResult<TVec<TValue>> {
                Ok(tvec!(self.run(&inputs)?.into_tvalue()))
            }
        }

        impl TypedOp for $op {
            fn output_facts(&$self, $inputs: &[&TypedFact]) -> TractResult<TVec<TypedFact>> {
                Ok(tvec!(f32::fact($fact)))
            }

            as_op!();
        }
    };
}

stage_op!(Embed, "Embed", |self, inputs| [
    inputs[0].shape[0].clone(),
    self.width().to_dim()
]);
stage_op!(Project, "Project", |self, inputs| [
    inputs[0].shape[0].clone(),
    self.width().to_dim()
]);
stage_op!(Attend, "Attend", |self, inputs| [
    inputs[0].shape[0].clone(),
    self.width().to_dim()
]);
stage_op!(Normalise, "Normalise", |self, inputs| [
    inputs[0].shape[0].clone(),
    self.width().to_dim()
]);
stage_op!(Pool, "Pool", |self, _inputs| [self
    .0
    .0
    .pack
    .dims
    .hidden
    .to_dim()]);
