//! The same encoder natively in both ways: tract's own kernels on the ONNX graph, in f32, beside the engine's int8 kernels on
//! the pack that is made of it. One sentence of 8, 32 and 128 tokens, one thread.
//!
//! `LESSONLOOP_MODEL_GRAPH` is the graph, `LESSONLOOP_MODEL_PACK` the pack; `cargo xtask bench embed` sets both.
#![allow(
    clippy::disallowed_methods,
    reason = "a bench reads the clock; nothing that is measured does"
)]

use lesson_embed::Model;
use std::time::Instant;
use tract_onnx::prelude::*;

/// Rounds of each length; each is timed by itself.
const ROUNDS: usize = 40;
const LENGTHS: [usize; 3] = [8, 32, 128];

fn main() {
    let path = |name: &str| {
        std::env::var(name)
            .unwrap_or_else(|_| panic!("{name} is not set: run `cargo xtask bench embed`"))
    };
    let (graph, pack) = (
        path("LESSONLOOP_MODEL_GRAPH"),
        path("LESSONLOOP_MODEL_PACK"),
    );
    let pack = std::fs::read(&pack).unwrap_or_else(|error| panic!("{pack}: {error}"));
    let model = Model::load(pack).expect("the pack loads");
    println!(
        "Natively, one thread: the engine's int8 kernels, and tract's own on the ONNX graph in f32."
    );
    println!("tokens   ours, median ms   tract's, median ms   times ours   cosine");
    for tokens in LENGTHS {
        let text = vec!["lesson"; tokens - 2].join(" ");
        let ids = model.token_ids(&text).expect("ids");
        assert_eq!(ids.len(), tokens, "the text has another number of tokens");
        let (ours, own) = timed(|| model.embed(&text).expect("a vector"));
        let (plan, inputs) =
            plan(&graph, &ids).unwrap_or_else(|error| panic!("{graph}: {error:#}"));
        let (theirs, other) = timed(|| {
            let states = plan.run(inputs.clone()).expect("the graph runs");
            pooled(&states[0], own.len()).expect("states in f32")
        });
        let cosine: f32 = own.iter().zip(&other).map(|(a, b)| a * b).sum();
        println!(
            "{tokens:6}   {ours:15.2}   {theirs:18.2}   {:10.1}   {cosine:6.4}",
            theirs / ours
        );
    }
}

/// The median time of a run in milliseconds, and what it gives.
fn timed<T>(run: impl Fn() -> T) -> (f64, T) {
    let given = run();
    let mut times: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let begun = Instant::now();
            std::hint::black_box(run());
            begun.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    (times[ROUNDS / 2], given)
}

type Plan = std::sync::Arc<TypedRunnableModel>;

/// The graph for so many tokens, optimised by tract, and what goes in.
fn plan(graph: &str, ids: &[u32]) -> TractResult<(Plan, TVec<TValue>)> {
    let mut model = tract_onnx::onnx().model_for_path(graph)?;
    let mut inputs = tvec!();
    for (at, outlet) in model.input_outlets()?.to_vec().into_iter().enumerate() {
        let name = model.node(outlet.node).name.clone();
        let values: Vec<i64> = match name {
            name if name.contains("mask") => vec![1; ids.len()],
            name if name.contains("type") => vec![0; ids.len()],
            _ => ids.iter().map(|id| i64::from(*id)).collect(),
        };
        model.set_input_fact(at, i64::fact([1, ids.len()]).into())?;
        inputs.push(Tensor::from_shape(&[1, ids.len()], &values)?.into_tvalue());
    }
    Ok((model.into_optimized()?.into_runnable()?, inputs))
}

/// The mean over the last states, at unit length.
fn pooled(states: &Tensor, width: usize) -> TractResult<Vec<f32>> {
    let mut mean = vec![0.0f32; width];
    for (at, value) in states.to_plain_array_view::<f32>()?.iter().enumerate() {
        mean[at % width] += value;
    }
    let length = mean.iter().map(|value| value * value).sum::<f32>().sqrt();
    Ok(mean.iter().map(|value| value / length).collect())
}
