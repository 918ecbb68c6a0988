//! The multilingual model against its reference: the vectors that the package's own code makes of the uncut model at four bits.
//!
//! Built with the feature `model-tests` only. `LESSONLOOP_MULTILINGUAL_PACK` is the pack, made by `cargo xtask model multilingual`.

use lesson_embed::Model;

/// Least mean and least single cosine to the reference, once both lack what the pack takes from its vectors, which triples what they
/// differ by. Rare pieces have their rows at two bits, and both round in their own ways; the least is of an
/// empty text, of the others 0.967.
const MEAN: f64 = 0.98;
const LEAST: f64 = 0.87;

#[test]
fn vectors_are_those_of_the_reference() {
    let pack = std::env::var("LESSONLOOP_MULTILINGUAL_PACK").expect("the pack's path is set");
    let pack = std::fs::read(&pack).unwrap_or_else(|error| panic!("{pack}: {error}"));
    assert!(pack.len() <= 45_000_000, "{} bytes", pack.len());
    let model = Model::load(pack).expect("the pack loads");
    // Each: query or passage, 384 signed bytes in base64, the text.
    let rows: Vec<[&str; 3]> = include_str!("../../../tests/corpus/embed/multilingual.tsv")
        .lines()
        .map(|line| {
            let mut parts = line.splitn(3, '\t');
            std::array::from_fn(|_| parts.next().expect("three parts"))
        })
        .collect();
    let cosines: Vec<f64> = rows
        .iter()
        .map(|[kind, packed, text]| {
            let mut reference = numbers(packed);
            let found = match *kind {
                "query" => {
                    model.without_common(&mut reference, true);
                    model.embed_query(text)
                }
                _ => {
                    model.without_common(&mut reference, false);
                    model.embed(text)
                }
            };
            cosine(&found.expect("a vector"), &reference)
        })
        .collect();
    for ([_, _, text], cosine) in rows.iter().zip(&cosines) {
        println!("{cosine:.4} {text:.40}");
    }
    for ([_, _, text], cosine) in rows.iter().zip(&cosines) {
        assert!(*cosine >= LEAST, "{cosine} {text}");
    }
    let mean = cosines.iter().sum::<f64>() / cosines.len() as f64;
    assert!(mean >= MEAN, "mean {mean}");
}

fn numbers(packed: &str) -> Vec<f32> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let bytes = packed.as_bytes().as_chunks::<4>().0;
    let bits = bytes.iter().map(|four| {
        four.iter()
            .fold(0, |bits, byte| bits << 6 | u32::from(digit(*byte)))
    });
    bits.flat_map(|bits| [bits >> 16, bits >> 8, bits])
        .map(|byte| f32::from(byte as u8 as i8))
        .collect()
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| -> f64 {
        let products = a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b));
        products.sum()
    };
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}
