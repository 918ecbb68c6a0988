//! tract ops over an encoder's weights. Each is one fused stage of the graph.

use std::fmt;
use std::sync::Arc;

use tract_core::internal::*;

use crate::encoder::{Encoder, Stage};
use crate::math::mean_unit;

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
        self.0.0.hidden()
    }

    fn run(&self, inputs: &TVec<TValue>) -> TractResult<Tensor> {
        let ids = inputs[0].try_as_plain_ram()?.as_slice::<u32>()?;
        rows(ids.len(), self.width(), |out| {
            self.0
                .0
                .embed(ids, out)
                .map_err(|refused| format_err!("{refused}"))
        })
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

    fn width(&self) -> usize {
        self.encoder.0.width(self.layer, self.stage)
    }

    fn run(&self, inputs: &TVec<TValue>) -> TractResult<Tensor> {
        let input = inputs[0].try_as_plain_ram()?.as_slice::<f32>()?;
        let residual = match inputs.get(1) {
            Some(residual) => Some(residual.try_as_plain_ram()?.as_slice::<f32>()?),
            None => None,
        };
        rows(inputs[0].shape()[0], self.width(), |out| {
            self.encoder
                .0
                .project(self.layer, self.stage, input, residual, out);
            Ok(())
        })
    }
}

impl Attend {
    pub fn new(encoder: &Arc<Encoder>) -> Self {
        Self(Shared(Arc::clone(encoder)))
    }

    fn width(&self) -> usize {
        self.0.0.hidden()
    }

    fn run(&self, inputs: &TVec<TValue>) -> TractResult<Tensor> {
        let qkv = inputs[0].try_as_plain_ram()?.as_slice::<f32>()?;
        rows(inputs[0].shape()[0], self.width(), |out| {
            self.0.0.attend(qkv, out);
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
        self.encoder.0.hidden()
    }

    fn run(&self, inputs: &TVec<TValue>) -> TractResult<Tensor> {
        let input = inputs[0].try_as_plain_ram()?.as_slice::<f32>()?;
        rows(inputs[0].shape()[0], self.width(), |out| {
            out.copy_from_slice(input);
            self.encoder.0.normalise(self.layer, self.stage, out);
            Ok(())
        })
    }
}

impl Pool {
    pub fn new(encoder: &Arc<Encoder>) -> Self {
        Self(Shared(Arc::clone(encoder)))
    }

    fn run(&self, inputs: &TVec<TValue>) -> TractResult<Tensor> {
        let width = self.0.0.hidden();
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

/// Implements tract's traits for an op of ours, which is evaluated from its inputs alone.
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
stage_op!(Pool, "Pool", |self, _inputs| [self.0.0.hidden().to_dim()]);
