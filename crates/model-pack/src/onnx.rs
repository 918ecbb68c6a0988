//! Weights from an ONNX file: named tensors by name, the nameless weights of linear layers by where they stand
//! in the graph; and the graph itself, run by tract, as the judge of the packed encoder.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use lesson_embed::Model;
use tract_onnx::data_resolver::FopenDataResolver;
use tract_onnx::pb::{GraphProto, NodeProto, TensorProto};
use tract_onnx::prelude::*;
use tract_onnx::tensor::load_tensor;

use crate::bert::{self, Tensor as Floats};
use crate::config::Config;
use crate::fault::{Fault, Result};

/// Texts on which the packed encoder must agree with the graph.
const TEXTS: [&str; 3] = [
    "Row-level security keeps one tenant's rows from another tenant's queries.",
    "How do I stop a flaky end-to-end test from blocking every merge?",
    "The train to Oslo leaves at 7:45 from platform 3.",
];
/// The least cosine that int8 may leave between the two; another architecture lands far below.
const LEAST_COSINE: f32 = 0.97;

/// A parsed ONNX file.
pub struct Encoder {
    file: PathBuf,
    graph: GraphProto,
    tensors: HashMap<String, TensorProto>,
}

impl Encoder {
    /// Parses the file; tensors are read when asked for.
    pub fn read(file: &Path) -> Result<Self> {
        let model = tract_onnx::onnx()
            .proto_model_for_path(file)
            .map_err(|error| at(file, error))?;
        let mut graph = model
            .graph
            .ok_or_else(|| Fault::at(file, "holds no graph"))?;
        let tensors = std::mem::take(&mut graph.initializer);
        Ok(Self {
            file: file.to_owned(),
            graph,
            tensors: tensors
                .into_iter()
                .map(|tensor| (tensor.name.clone(), tensor))
                .collect(),
        })
    }

    /// Reads what config.json would say from the shapes that attention splits its states into.
    pub fn config(&self) -> Result<Config> {
        self.graph
            .node
            .iter()
            .filter(|node| node.op_type == "Reshape")
            .filter_map(|node| self.floats(node.input.get(1)?).ok())
            .find_map(|shape| match shape.values[..] {
                [_, _, heads, size] if heads > 1.0 && size > 0.0 => {
                    Some(Config::with_heads(heads as usize))
                }
                _ => None,
            })
            .ok_or_else(|| {
                Fault::at(
                    &self.file,
                    "the number of heads is not in the graph; give --config",
                )
            })
    }

    /// Runs the graph and the packed encoder on a few texts and refuses the pack where they disagree.
    pub fn hold_against(&self, pack: &[u8]) -> Result<()> {
        let model = Model::load(pack.to_vec()).map_err(Fault::new)?;
        for text in TEXTS {
            let ids = model.token_ids(text).map_err(Fault::new)?;
            let expected = self
                .run(&ids, model.dims())
                .map_err(|error| at(&self.file, error))?;
            let found = model.embed(text).map_err(Fault::new)?;
            let cosine: f32 = found.iter().zip(&expected).map(|(a, b)| a * b).sum();
            if cosine.is_nan() || cosine < LEAST_COSINE {
                return Err(Fault::at(
                    &self.file,
                    format!(
                        "the graph is not the encoder that its names promise: cosine {cosine} on {text:?}"
                    ),
                ));
            }
        }
        Ok(())
    }

    /// The graph's own vector: mean over its last states, unit length.
    fn run(&self, ids: &[u32], width: usize) -> TractResult<Vec<f32>> {
        let mut model = tract_onnx::onnx().model_for_path(&self.file)?;
        let mut inputs = tvec!();
        for (i, outlet) in model.input_outlets()?.to_vec().into_iter().enumerate() {
            let name = model.node(outlet.node).name.clone();
            let values: Vec<i64> = match name {
                name if name.contains("mask") => vec![1; ids.len()],
                name if name.contains("type") => vec![0; ids.len()],
                _ => ids.iter().map(|id| i64::from(*id)).collect(),
            };
            model.set_input_fact(i, i64::fact([1, ids.len()]).into())?;
            inputs.push(Tensor::from_shape(&[1, ids.len()], &values)?.into_tvalue());
        }
        let outputs = model.into_typed()?.into_runnable()?.run(inputs)?;
        let states = outputs[0].to_plain_array_view::<f32>()?;
        let mut mean = vec![0.0f32; width];
        for (i, v) in states.iter().enumerate() {
            mean[i % width] += v;
        }
        let length = mean.iter().map(|v| v * v).sum::<f32>().sqrt();
        Ok(mean.iter().map(|v| v / length).collect())
    }

    /// The node that makes a value.
    fn maker(&self, value: &str) -> Option<&NodeProto> {
        self.graph
            .node
            .iter()
            .find(|node| node.output.iter().any(|output| output == value))
    }

    /// The weight that a bias is added after: its name, and whether it is stored outputs by inputs.
    fn weight_before(&self, bias: &str) -> Option<(String, bool)> {
        self.graph
            .node
            .iter()
            .filter(|node| node.input.iter().any(|input| input == bias))
            .find_map(|node| match node.op_type.as_str() {
                "Add" => {
                    let product = node.input.iter().find(|input| *input != bias)?;
                    let product = self
                        .maker(product)
                        .filter(|node| node.op_type == "MatMul")?;
                    let weight = product.input.get(1)?;
                    match self.maker(weight) {
                        Some(turn) if turn.op_type == "Transpose" => {
                            Some((turn.input.first()?.clone(), true))
                        }
                        Some(_) => None,
                        None => Some((weight.clone(), false)),
                    }
                }
                "Gemm" => Some((node.input.get(1)?.clone(), attribute(node, "transB") == 1)),
                _ => None,
            })
    }
}

fn attribute(node: &NodeProto, name: &str) -> i64 {
    node.attribute
        .iter()
        .find(|attribute| attribute.name == name)
        .map_or(0, |attribute| attribute.i)
}

impl bert::Weights for Encoder {
    fn names(&self) -> Vec<&str> {
        self.tensors.keys().map(String::as_str).collect()
    }

    fn tensor(&self, name: &str) -> Result<Floats> {
        self.floats(name)
    }

    fn linear_weight(&self, name: &str) -> Result<Floats> {
        let bias = format!("{name}.bias");
        let (weight, outputs_first) = self
            .weight_before(&bias)
            .ok_or_else(|| Fault::at(&self.file, format!("{bias} is not added after a product")))?;
        let tensor = self.floats(&weight)?;
        match (outputs_first, &tensor.shape[..]) {
            (true, [_, _]) => Ok(tensor),
            (false, [inputs, outputs]) => Ok(transposed(&tensor.values, *inputs, *outputs)),
            (_, shape) => Err(Fault::at(
                &self.file,
                format!("{weight} has shape {shape:?}"),
            )),
        }
    }
}

impl Encoder {
    fn floats(&self, name: &str) -> Result<Floats> {
        let proto = self
            .tensors
            .get(name)
            .ok_or_else(|| Fault::at(&self.file, format!("no tensor is named {name}")))?;
        let folder = self.file.parent().and_then(Path::to_str);
        let values = load_tensor(&FopenDataResolver, proto, folder)
            .and_then(|tensor| {
                let tensor = tensor.cast_to::<f32>()?.into_owned();
                Ok(tensor
                    .to_plain_array_view::<f32>()?
                    .iter()
                    .copied()
                    .collect())
            })
            .map_err(|error| at(&self.file, format!("{name}: {error:#}")))?;
        Ok(Floats {
            shape: proto.dims.iter().map(|dim| *dim as usize).collect(),
            values,
        })
    }
}

fn transposed(values: &[f32], inputs: usize, outputs: usize) -> Floats {
    Floats {
        shape: vec![outputs, inputs],
        values: (0..outputs)
            .flat_map(|output| (0..inputs).map(move |input| values[input * outputs + output]))
            .collect(),
    }
}

fn at(file: &Path, error: impl std::fmt::Display) -> Fault {
    Fault::at(file, format!("{error:#}"))
}
