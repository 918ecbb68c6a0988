//! The embedding engine beside what a page would take instead. Measured and printed by `tests/benches/embed/bench.mjs`.

use std::path::PathBuf;

use anyhow::Result;

use crate::cache::{self, Cache, Made};
use crate::{browser, model, npm, python, run};

/// The folder whose lock file pins the peers.
const PEERS: &str = "tests/benches/peers";

/// Script that writes the peers' model file.
const WRITER: &str = "tests/benches/embed/peer_model.py";

/// Files that decide that file's bytes: the script that writes it, and the pin of the weights.
const INPUTS: [&str; 4] = [
    WRITER,
    "tests/oracles/embed_onnx.py",
    "tests/oracles/embed_vectors.py",
    "crates/xtask/src/model.rs",
];

/// Installs the peers from npm.
pub fn ensure_peers(cache: &Cache) -> Result<String> {
    npm::install(cache, &cache.root.join(PEERS), "npm-peers")
}

/// Makes the peers' model: the same weights, as onnxruntime quantises them.
pub fn ensure_peer_model(cache: &Cache) -> Result<String> {
    Ok(match peer_model(cache)?.1 {
        Made::Before => "already there".into(),
        Made::Now => String::new(),
    })
}

/// The folder that the peers are installed in.
pub fn peers(cache: &Cache) -> PathBuf {
    cache.root.join(PEERS).join("node_modules")
}

/// The folder of the peers' model; it is made when absent.
pub fn peer_model(cache: &Cache) -> Result<(PathBuf, Made)> {
    let key = || {
        cache::key_of(
            &cache.root,
            &[&INPUTS, python::PEERS.requirements].concat(),
            &[],
        )
    };
    cache.made("peer-model", key, |at| {
        let mut writer = run::program(cache, python::PEERS.interpreter(cache)?)?;
        writer.arg(WRITER).arg(model::weights(cache)?).arg(at);
        run::quiet(
            cache,
            "peer-model",
            writer,
            None,
            "read the log: the quantiser names what it could not do",
        )
    })
}

/// Prints what native code takes, then both sides in a table; as one line of JSON too, if asked.
pub fn run(cache: &Cache, json: bool) -> Result<()> {
    let mut cargo = run::cargo(cache)?;
    cargo
        .env("LESSONLOOP_MODEL_PACK", model::pack(cache)?)
        .args(["bench", "-p", "tests", "--bench", "embed"]);
    run::loud(cargo, "read the message above")?;
    let mut tract = run::cargo(cache)?;
    tract
        .env("LESSONLOOP_MODEL_PACK", model::pack(cache)?)
        .env("LESSONLOOP_MODEL_GRAPH", model::graph(cache)?)
        .args(["bench", "-p", "model-pack", "--features", "onnx"]);
    run::loud(tract, "read the message above")?;
    let mut node = run::program(cache, "node")?;
    node.arg("tests/benches/embed/bench.mjs")
        .env("LESSONLOOP_DIST", cache.root.join("dist"))
        .env("LESSONLOOP_CHROMIUM", browser::chromium(cache)?)
        .env("LESSONLOOP_PEERS", peers(cache))
        .env("LESSONLOOP_PEER_MODEL", peer_model(cache)?.0);
    if json {
        node.arg("--json");
    }
    run::loud(node, "read the message above")
}
