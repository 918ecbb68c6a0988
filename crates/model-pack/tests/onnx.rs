//! The same model from both inputs gives the same pack, and files that are no encoder are refused by name.
//!
//! Built with the feature `onnx` only. `LESSONLOOP_MODEL_WEIGHTS` and `LESSONLOOP_PYTHON` are set by
//! `cargo xtask test embed`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn path(name: &str) -> PathBuf {
    match std::env::var_os(name) {
        Some(path) => path.into(),
        None => panic!("{name} is not set: run `cargo xtask test embed`, which sets it"),
    }
}

fn model_pack(arguments: &[&Path]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_model-pack"))
        .args(arguments)
        .output()
        .expect("model-pack runs")
}

#[test]
fn both_inputs_give_the_same_pack() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let weights = path("LESSONLOOP_MODEL_WEIGHTS");
    let script = Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap())
        .join("../../tests/oracles/embed_onnx.py");
    let onnx = folder.join("minilm.onnx");
    let made = Command::new(path("LESSONLOOP_PYTHON"))
        .arg("-B")
        .arg(script)
        .arg(&weights)
        .arg(&onnx)
        .status();
    assert!(made.expect("python runs").success(), "embed_onnx.py failed");

    let flag = Path::new;
    let [from_weights, from_onnx] = ["weights.pack", "onnx.pack"].map(|name| folder.join(name));
    let name = [flag("--name"), flag("minilm")];
    let out = model_pack(
        &[
            &[
                flag("--safetensors"),
                &weights,
                flag("--out"),
                &from_weights,
            ],
            &name[..],
        ]
        .concat(),
    );
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    let tokenizer = weights.join("tokenizer.json");
    let out = model_pack(
        &[
            &[
                flag("--onnx"),
                &onnx,
                flag("--tokenizer"),
                &tokenizer,
                flag("--out"),
                &from_onnx,
            ],
            &name[..],
        ]
        .concat(),
    );
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    let [a, b] = [&from_weights, &from_onnx].map(|file| std::fs::read(file).expect("written"));
    assert!(a == b, "the packs differ");

    let again = folder.join("again.pack");
    let out = model_pack(
        &[
            &[flag("--safetensors"), &weights, flag("--out"), &again],
            &name[..],
        ]
        .concat(),
    );
    assert!(out.status.success());
    assert!(
        std::fs::read(&again).expect("written") == a,
        "packing twice gives other bytes"
    );
}

#[test]
fn what_is_no_encoder_is_refused_by_name() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let weights = path("LESSONLOOP_MODEL_WEIGHTS");
    let (tokenizer, out) = (weights.join("tokenizer.json"), folder.join("never.pack"));
    let flag = Path::new;
    let noise = folder.join("noise.onnx");
    std::fs::write(&noise, b"no protobuf at all").expect("written");
    let cases = [
        (noise.clone(), tokenizer.clone(), "noise.onnx"),
        (folder.join("absent.onnx"), tokenizer, "absent.onnx"),
        (noise, folder.join("absent.json"), "absent.json"),
    ];
    for (onnx, tokenizer, named) in cases {
        let result = model_pack(&[
            flag("--onnx"),
            &onnx,
            flag("--tokenizer"),
            &tokenizer,
            flag("--out"),
            &out,
        ]);
        let message = String::from_utf8_lossy(&result.stderr).into_owned();
        assert!(
            !result.status.success() && message.contains(named),
            "{message}"
        );
        assert!(!out.exists(), "a refused model left a pack");
    }
}
