//! Fixtures of the suites over the real model: the model, its pack, and the oracles in Python.
//!
//! The files are made by `cargo xtask test embed`, or named by hand: `LESSONLOOP_MODEL_PACK` is the pack,
//! `LESSONLOOP_MODEL_WEIGHTS` the folder with model.safetensors and tokenizer.json that it was made of,
//! `LESSONLOOP_PYTHON` an interpreter with tests/oracles/requirements.txt.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use lesson_embed::Model;

const REMEDY: &str = "run `cargo xtask test embed`, which sets it";

fn path(name: &str) -> PathBuf {
    match std::env::var_os(name) {
        Some(path) => path.into(),
        None => panic!("{name} is not set: {REMEDY}"),
    }
}

/// The real pack's bytes.
pub fn pack() -> Vec<u8> {
    let file = path("LESSONLOOP_MODEL_PACK");
    std::fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}; {REMEDY}", file.display()))
}

/// The real model, loaded once.
pub fn model() -> &'static Model {
    static MODEL: OnceLock<Model> = OnceLock::new();
    MODEL.get_or_init(|| Model::load(pack()).expect("the pack loads"))
}

/// Runs an oracle of tests/oracles with the model's folder and `argument`, and hands over each of the `count` lines of
/// its answer: the text, the numbers.
pub fn ask(
    script: &str,
    argument: impl AsRef<OsStr>,
    count: usize,
    mut each: impl FnMut(&str, &[String]),
) {
    let script = Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap())
        .join("../../tests/oracles")
        .join(script);
    let mut python = Command::new(path("LESSONLOOP_PYTHON"))
        .arg("-B")
        .arg(&script)
        .arg(path("LESSONLOOP_MODEL_WEIGHTS"))
        .arg(argument)
        // One text's matrices are too small for threads: they would only wait for each other.
        .envs([("OPENBLAS_NUM_THREADS", "1"), ("OMP_NUM_THREADS", "1")])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{}: {error}; {REMEDY}", script.display()));
    let answer = BufReader::new(python.stdout.take().expect("stdout is piped"));
    let mut lines = 0;
    for line in answer.lines() {
        let line = line.expect("UTF-8");
        let (text, numbers) = line.split_once('\t').expect("a text, a tab, numbers");
        let numbers: Vec<String> = numbers.split_whitespace().map(str::to_owned).collect();
        each(&from_hex(text), &numbers);
        lines += 1;
    }
    let status = python.wait().expect("python ran");
    assert!(
        status.success() && lines == count,
        "{}: {status}, {lines} lines",
        script.display()
    );
}

fn from_hex(text: &str) -> String {
    let digit = |byte: u8| (byte as char).to_digit(16).expect("hex") as u8;
    let bytes = text
        .as_bytes()
        .chunks_exact(2)
        .map(|pair| digit(pair[0]) * 16 + digit(pair[1]));
    String::from_utf8(bytes.collect()).expect("UTF-8")
}

/// A vector or ids, as an oracle wrote them.
pub fn numbers<T: std::str::FromStr<Err: std::fmt::Debug>>(words: &[String]) -> Vec<T> {
    words
        .iter()
        .map(|word| word.parse().expect("a number"))
        .collect()
}

/// In f64, whatever the lengths.
pub fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| -> f64 {
        a.iter()
            .zip(b)
            .map(|(a, b)| f64::from(*a) * f64::from(*b))
            .sum()
    };
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}
