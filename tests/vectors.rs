//! The vectors of `corpus/vector_texts.json`, natively: what other hosts are compared with.
//!
//! Needs the real model in `LESSONLOOP_MODEL_PACK`; `LESSONLOOP_VECTORS_OUT=path` writes the
//! vectors there as JSON.
#![forbid(unsafe_code)]

use lesson_embed::Model;

#[test]
fn every_text_has_a_unit_vector_of_its_own() {
    let pack = std::env::var("LESSONLOOP_MODEL_PACK")
        .expect("LESSONLOOP_MODEL_PACK is not set: run `cargo xtask test parity`");
    let model = Model::load(std::fs::read(pack).unwrap()).unwrap();
    let texts: Vec<String> =
        serde_json::from_str(include_str!("corpus/vector_texts.json")).unwrap();
    let vectors: Vec<Vec<f32>> = texts
        .iter()
        .map(|text| model.embed(text).unwrap())
        .collect();
    for (at, vector) in vectors.iter().enumerate() {
        assert_eq!(vector.len(), model.dims());
        let length: f32 = vector.iter().map(|x| x * x).sum();
        assert!((length - 1.0).abs() < 1e-4, "text {at}: length {length}");
        for other in &vectors[..at] {
            let cosine: f32 = vector.iter().zip(other).map(|(a, b)| a * b).sum();
            assert!(cosine < 0.999, "text {at} is not told apart");
        }
    }
    if let Ok(path) = std::env::var("LESSONLOOP_VECTORS_OUT") {
        std::fs::write(path, serde_json::to_string(&vectors).unwrap()).unwrap();
    }
}
