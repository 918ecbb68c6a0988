//! The encoder as a tract graph: our own ops, one node per fused stage, a symbolic sequence length.

use std::sync::Arc;

use tract_core::internal::*;

use crate::EmbedError;
use crate::encoder::{Encoder, Stage};
use crate::ops::{Attend, Embed, Normalise, Pool, Project};

/// A graph ready to run.
pub(crate) struct Graph {
    plan: Arc<TypedSimplePlan>,
}

impl Graph {
    /// Wires embedding, layers and pooling over the encoder's weights.
    pub fn new(encoder: Arc<Encoder>) -> Result<Self, EmbedError> {
        let plan = build(encoder)
            .and_then(TypedSimplePlan::new)
            .map_err(refused)?;
        Ok(Self { plan })
    }

    /// The vector of a sequence of ids; each must be below the token table's length.
    pub fn run(&self, ids: &[u32]) -> Result<Vec<f32>, EmbedError> {
        let outputs = Tensor::from_shape(&[ids.len()], ids)
            .and_then(|ids| self.plan.run(tvec!(ids.into_tvalue())))
            .map_err(refused)?;
        vector_of(&outputs)
    }

    /// As [`Graph::run`]; `each` is told the kind of op before and after it runs, and all kinds are those of
    /// [`Graph::KINDS`].
    pub fn run_watched(
        &self,
        ids: &[u32],
        mut each: impl FnMut(&str, bool),
    ) -> Result<Vec<f32>, EmbedError> {
        let outputs = Tensor::from_shape(&[ids.len()], ids)
            .and_then(|ids| {
                let mut state = self.plan.spawn()?;
                state.run_plan_with_eval(tvec!(ids.into_tvalue()), |context, _, node, inputs| {
                    let kind = node.name.rsplit('.').next().unwrap_or_default();
                    each(kind, true);
                    let outputs = node.op.eval(context, inputs);
                    each(kind, false);
                    outputs
                })
            })
            .map_err(refused)?;
        vector_of(&outputs)
    }

    /// Endings of the nodes' names, in the order in which a layer runs them.
    pub const KINDS: [&str; 9] = [
        "embed", "qkv", "attend", "out", "norm1", "up", "down", "norm2", "pool",
    ];
}

/// The graph's one output.
fn vector_of(outputs: &[TValue]) -> Result<Vec<f32>, EmbedError> {
    let vector = outputs
        .first()
        .ok_or_else(|| EmbedError::Graph("no output".into()))?
        .try_as_plain_ram()
        .and_then(|view| Ok(view.as_slice::<f32>()?.to_vec()))
        .map_err(refused)?;
    if vector.iter().any(|v| !v.is_finite()) {
        return Err(EmbedError::Graph(
            "the pack's weights give a vector that is not finite".into(),
        ));
    }
    Ok(vector)
}

impl std::fmt::Debug for Graph {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Graph({} nodes)", self.plan.model().nodes.len())
    }
}

fn build(encoder: Arc<Encoder>) -> TractResult<TypedModel> {
    let mut model = TypedModel::default();
    let length = model.symbols.sym("S");
    let ids = model.add_source("ids", u32::fact([length.to_dim()]))?;
    let mut wire = |name: String,
                    op: Box<dyn TypedOp>,
                    inputs: &[OutletId]|
     -> TractResult<OutletId> { Ok(model.wire_node(name, op, inputs)?[0]) };
    let project = |layer, stage| Box::new(Project::new(&encoder, layer, stage));
    let mut state = wire("embed".into(), Box::new(Embed::new(&encoder)), &[ids])?;
    for layer in 0..encoder.layers() {
        let qkv = wire(format!("{layer}.qkv"), project(layer, Stage::Qkv), &[state])?;
        let mixed = wire(
            format!("{layer}.attend"),
            Box::new(Attend::new(&encoder)),
            &[qkv],
        )?;
        let out = wire(
            format!("{layer}.out"),
            project(layer, Stage::Out),
            &[mixed, state],
        )?;
        let norm = Box::new(Normalise::new(&encoder, layer, Stage::Out));
        state = wire(format!("{layer}.norm1"), norm, &[out])?;
        let up = wire(format!("{layer}.up"), project(layer, Stage::Up), &[state])?;
        let down = wire(
            format!("{layer}.down"),
            project(layer, Stage::Down),
            &[up, state],
        )?;
        let norm = Box::new(Normalise::new(&encoder, layer, Stage::Down));
        state = wire(format!("{layer}.norm2"), norm, &[down])?;
    }
    let vector = wire("pool".into(), Box::new(Pool::new(&encoder)), &[state])?;
    model.select_output_outlets(&[vector])?;
    Ok(model)
}

fn refused(error: TractError) -> EmbedError {
    EmbedError::Graph(format!("{error:#}"))
}
