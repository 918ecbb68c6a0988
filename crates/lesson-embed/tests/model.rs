//! The real model: ids and vectors against their oracles, and what a reader does with damaged copies of its pack.
//!
//! Built with the feature `model-tests` only. What it needs is made by `cargo xtask test embed`, or by hand:
//! `LESSONLOOP_MODEL_PACK` is the pack, `LESSONLOOP_MODEL_WEIGHTS` the folder with model.safetensors and
//! tokenizer.json that it was made of, `LESSONLOOP_PYTHON` an interpreter with tests/oracles/requirements.txt.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use lesson_embed::{EmbedError, Model, QuantVector, VectorStore};

const REMEDY: &str = "run `cargo xtask test embed`, which sets it";

fn path(name: &str) -> PathBuf {
    match std::env::var_os(name) {
        Some(path) => path.into(),
        None => panic!("{name} is not set: {REMEDY}"),
    }
}

fn pack() -> Vec<u8> {
    let file = path("LESSONLOOP_MODEL_PACK");
    std::fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}; {REMEDY}", file.display()))
}

fn model() -> &'static Model {
    static MODEL: OnceLock<Model> = OnceLock::new();
    MODEL.get_or_init(|| Model::load(pack()).expect("the pack loads"))
}

/// Runs an oracle and hands over each line of its answer.
fn ask(script: &str, count: usize, mut each: impl FnMut(&str, &[String])) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/oracles")
        .join(script);
    let mut python = Command::new(path("LESSONLOOP_PYTHON"))
        .arg("-B")
        .arg(&script)
        .arg(path("LESSONLOOP_MODEL_WEIGHTS"))
        .arg(count.to_string())
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

fn numbers<T: std::str::FromStr<Err: std::fmt::Debug>>(words: &[String]) -> Vec<T> {
    words
        .iter()
        .map(|word| word.parse().expect("a number"))
        .collect()
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| -> f64 {
        a.iter()
            .zip(b)
            .map(|(a, b)| f64::from(*a) * f64::from(*b))
            .sum()
    };
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

#[test]
fn token_ids_equal_hugging_face() {
    let mut different = 0;
    ask("embed_tokens.py", 10_000, |text, answer| {
        let expected: Vec<u32> = numbers(answer);
        let found = model().token_ids(text).expect("every text has ids");
        if found != expected {
            different += 1;
            eprintln!("{text:?}\n  found    {found:?}\n  expected {expected:?}");
        }
    });
    assert_eq!(different, 0, "texts with other ids");
}

#[test]
fn vectors_are_close_to_the_float_model() {
    let (mut worst, mut sum, mut count) = ((2.0, String::new()), 0.0, 0);
    ask("embed_vectors.py", 1000, |text, answer| {
        let expected: Vec<f32> = numbers(answer);
        let found = model().embed(text).expect("every text has a vector");
        let cosine = cosine(&found, &expected);
        sum += cosine;
        count += 1;
        if cosine < worst.0 {
            worst = (cosine, text.to_owned());
        }
    });
    let mean = sum / f64::from(count);
    eprintln!(
        "cosine to the float model: mean {mean:.5}, worst {:.5} at {:?}",
        worst.0, worst.1
    );
    assert!(mean >= 0.99, "mean {mean}");
    assert!(worst.0 >= 0.98, "worst {} at {:?}", worst.0, worst.1);
}

#[test]
fn every_text_has_a_unit_vector() {
    let huge = "endless ".repeat(1 << 17);
    let texts = [
        "",
        " ",
        "\0\u{1}\u{200d}",
        "🙂🙃👩‍👩‍👧‍👦",
        "[CLS][SEP]",
        "word",
        &huge,
    ];
    for text in texts {
        let vector = model().embed(text).expect("a vector");
        assert_eq!(vector.len(), 384);
        let length: f64 = vector.iter().map(|v| f64::from(*v) * f64::from(*v)).sum();
        assert!((length - 1.0).abs() < 1e-5, "{length}");
    }
    assert_eq!(model().token_ids(&huge).expect("ids").len(), 256);
    assert_eq!(model().token_ids("").expect("ids"), [101, 102]);
    assert_eq!(model().dims(), 384);
    let (name, hash) = model().id().split_once('@').expect("name@hash");
    assert!(!name.is_empty() && hash.len() == 12, "{}", model().id());
}

#[test]
fn meaning_is_found_without_shared_words() {
    let lessons = [
        "Row-level security keeps one tenant's rows from another tenant's queries.",
        "Use controlled components so that the form's values live in one place.",
        "Close the perpetual position before the funding rate flips.",
        "Pin the base image by digest so that the build is the same tomorrow.",
    ];
    let mut store = VectorStore::new(model().dims()).expect("384 is fine");
    for lesson in lessons {
        let vector = model().embed(lesson).expect("a vector");
        store
            .push(&QuantVector::from_f32(&vector).expect("finite"))
            .expect("same length");
    }
    for (query, expected) in [
        ("database security", 0),
        ("frontend state management", 1),
        ("trading futures", 2),
        ("docker", 3),
    ] {
        let cosines = store
            .scan(&model().embed(query).expect("a vector"))
            .expect("same length");
        let best = (0..lessons.len()).max_by(|a, b| cosines[*a].total_cmp(&cosines[*b]));
        assert_eq!(best, Some(expected), "{query}: {cosines:?}");
    }
}

#[test]
fn damaged_copies_are_refused_by_name() {
    let whole = pack();
    let with = |at: usize, byte: u8| {
        let mut copy = whole.clone();
        copy[at] ^= byte;
        copy
    };
    let code = |bytes: Vec<u8>| Model::load(bytes).expect_err("damaged").code();
    assert_eq!(code(Vec::new()), "pack_magic");
    assert_eq!(code(with(0, 1)), "pack_magic");
    assert_eq!(code(with(8, 1)), "pack_version");
    assert_eq!(code(whole[..whole.len() / 2].to_vec()), "pack_truncated");
    assert_eq!(code([whole.clone(), vec![0]].concat()), "wrong_dims");
    for at in [52, 100, 5000, whole.len() / 2, whole.len() - 1] {
        assert_eq!(code(with(at, 0x10)), "pack_hash", "byte {at}");
    }
    let error = Model::load(whole[..1000].to_vec()).expect_err("truncated");
    assert_eq!(
        error,
        EmbedError::Truncated {
            expected: whole.len() as u64,
            found: 1000
        }
    );
}

#[test]
fn the_pack_fits_an_edge_asset() {
    let len = pack().len();
    assert!(len <= 23_000_000, "{len} bytes");
}
