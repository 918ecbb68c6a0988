//! Ranking by meaning with the quantised model, which must do it as well as the float model.
//!
//! Built with the feature `model-tests` only; tests/common says what it needs. The measure is Spearman's rank
//! correlation: search orders lessons by cosine, so the order is what quantisation must not change.

mod common;

use std::collections::BTreeSet;
use std::path::PathBuf;

use common::{ask, cosine, model, numbers};
use lesson_embed::{QuantVector, VectorStore};

/// Most by which our correlation with the grades may lie below the float model's.
const LOSS: f64 = 0.005;
/// The float model's correlation on the graded pairs, 0.812, less [`LOSS`] and a little more. It holds when the oracle
/// is as bad as we are: with damaged weights, say. Counting shared words reaches 0.36.
const FLOOR: f64 = 0.80;
/// Texts whose every two cosines are compared: 124,750 pairs.
const TEXTS: usize = 500;
/// Our cosines with the float model's: 0.9973 is measured, and our side is the same to the bit everywhere. What is
/// left allows for half as much disorder again and an oracle that rounds in another order.
const LIKE_FLOAT: f64 = 0.995;
/// Cosines to vectors stored as int8 with our own: 0.999994 is measured. Vectors of 7 bits would reach 0.99997, of
/// 6 bits 0.99989, which fails.
const LIKE_UNSTORED: f64 = 0.9999;

struct Pair {
    grade: f64,
    texts: [String; 2],
}

fn pairs_file() -> PathBuf {
    PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").unwrap())
        .join("../../tests/corpus/embed/pairs.tsv")
}

fn pairs() -> Vec<Pair> {
    let file = std::fs::read_to_string(pairs_file()).expect("the pairs are in the repository");
    file.lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let parts: Vec<&str> = line.split('\t').collect();
            match parts[..] {
                [grade, one, two] => Pair {
                    grade: grade.parse().unwrap_or_else(|_| panic!("grade: {line}")),
                    texts: [one, two].map(String::from),
                },
                _ => panic!("not a grade and two sentences: {line}"),
            }
        })
        .collect()
}

fn embed(text: &str) -> Vec<f32> {
    model().embed(text).expect("every text has a vector")
}

/// Texts with the float model's vectors, as the oracle hands them over.
fn float_vectors(
    script: &str,
    argument: impl AsRef<std::ffi::OsStr>,
    count: usize,
) -> (Vec<String>, Vec<Vec<f32>>) {
    let mut answer = (Vec::new(), Vec::new());
    ask(script, argument, count, |text, vector| {
        answer.0.push(text.to_owned());
        answer.1.push(numbers(vector));
    });
    answer
}

/// The cosine of a query's vector to a stored one, as search computes it.
fn searched(query: &[f32], stored: &[f32]) -> f64 {
    let mut store = VectorStore::new(stored.len()).expect("384 is fine");
    store
        .push(&QuantVector::from_f32(stored).expect("finite"))
        .expect("same length");
    f64::from(store.scan(query).expect("same length")[0])
}

/// `cosine` of every two of the vectors.
fn of_every_two(vectors: &[Vec<f32>]) -> Vec<f64> {
    let later = |at: usize| &vectors[at + 1..];
    vectors
        .iter()
        .enumerate()
        .flat_map(|(at, one)| later(at).iter().map(|two| cosine(one, two)))
        .collect()
}

/// Spearman's rank correlation: Pearson's over ranks, equal values sharing the mean of their ranks. NaN, which passes
/// no bar, when one side is constant.
fn spearman(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let (a, b) = (ranks(a), ranks(b));
    let mean = (a.len() as f64 + 1.0) / 2.0;
    let sum = |a: &[f64], b: &[f64]| -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - mean) * (b - mean)).sum()
    };
    sum(&a, &b) / (sum(&a, &a) * sum(&b, &b)).sqrt()
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    let mut before = 0;
    for equal in order.chunk_by(|a, b| values[*a] == values[*b]) {
        let rank = before as f64 + (equal.len() as f64 + 1.0) / 2.0;
        for at in equal {
            ranks[*at] = rank;
        }
        before += equal.len();
    }
    ranks
}

#[test]
fn spearman_of_worked_values() {
    let check = |a: &[f64], b: &[f64], expected: f64| {
        let found = spearman(a, b);
        assert!((found - expected).abs() < 1e-12, "{found}, not {expected}");
    };
    assert_eq!(
        ranks(&[7.0, -1.0, 7.0, 7.0, 9.0]),
        [3.0, 1.0, 3.0, 3.0, 5.0]
    );
    check(&[1.0, 2.0, 3.0, 4.0], &[0.1, 0.2, 10.0, 1e6], 1.0);
    check(&[1.0, 2.0, 3.0, 4.0], &[4.0, 3.0, 2.0, 1.0], -1.0);
    // Ranks 1, 2.5, 2.5, 4 and 1, 3, 2, 4: 4.5 / √(4.5 · 5).
    check(
        &[1.0, 2.0, 2.0, 3.0],
        &[5.0, 7.0, 6.0, 8.0],
        4.5 / 22.5f64.sqrt(),
    );
    // Without ties 1 − 6 Σd² / n(n² − 1): d = 0, 1, 1, 2, 0.
    check(
        &[1.0, 2.0, 3.0, 4.0, 5.0],
        &[1.0, 3.0, 4.0, 2.0, 5.0],
        1.0 - 6.0 * 6.0 / 120.0,
    );
    assert!(spearman(&[1.0, 1.0], &[1.0, 2.0]).is_nan());
}

#[test]
fn the_pairs_are_a_fair_measure() {
    let pairs = pairs();
    assert!(pairs.len() >= 250, "{} pairs", pairs.len());
    for step in 0..=10 {
        let grade = f64::from(step) / 2.0;
        let count = pairs.iter().filter(|pair| pair.grade == grade).count();
        // An even spread: no grade has less than two thirds of its share.
        assert!(
            count * 33 >= pairs.len() * 2,
            "{count} pairs of grade {grade}"
        );
    }
    assert!(
        pairs
            .iter()
            .all(|pair| (0.0..=5.0).contains(&pair.grade) && (pair.grade * 2.0).fract() == 0.0)
    );
    let different: BTreeSet<_> = pairs.iter().flat_map(|pair| &pair.texts).collect();
    assert_eq!(
        different.len(),
        2 * pairs.len(),
        "a sentence is there twice"
    );

    // Shared words alone must not be enough, or the set would not measure meaning.
    let grades: Vec<f64> = pairs.iter().map(|pair| pair.grade).collect();
    let overlaps: Vec<f64> = pairs.iter().map(|pair| shared_words(&pair.texts)).collect();
    let found = spearman(&grades, &overlaps);
    eprintln!(
        "{} graded pairs; shared words alone: Spearman {found:.4}",
        pairs.len()
    );
    assert!(found < 0.5, "{found}");
}

/// Shared words over all words.
fn shared_words(texts: &[String; 2]) -> f64 {
    let [one, two] = texts.each_ref().map(|text| {
        let words = text.split(|c: char| !c.is_alphanumeric());
        words
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect::<BTreeSet<_>>()
    });
    one.intersection(&two).count() as f64 / one.union(&two).count() as f64
}

#[test]
fn grades_are_met_as_well_as_by_the_float_model() {
    let pairs = pairs();
    let grades: Vec<f64> = pairs.iter().map(|pair| pair.grade).collect();
    let (texts, float) = float_vectors("embed_pairs.py", pairs_file(), 2 * pairs.len());
    assert!(
        texts.iter().eq(pairs.iter().flat_map(|pair| &pair.texts)),
        "the oracle read other sentences"
    );
    let float: Vec<f64> = float
        .chunks_exact(2)
        .map(|v| cosine(&v[0], &v[1]))
        .collect();
    let vectors: Vec<_> = pairs
        .iter()
        .map(|pair| pair.texts.each_ref().map(|text| embed(text)))
        .collect();
    let ours: Vec<f64> = vectors.iter().map(|[one, two]| cosine(one, two)).collect();
    let stored: Vec<f64> = vectors
        .iter()
        .map(|[one, two]| searched(one, two))
        .collect();

    let [float, ours, stored] = [&float, &ours, &stored].map(|found| spearman(&grades, found));
    eprintln!(
        "Spearman with the grades: float model {float:.4}, ours {ours:.4}, ours with one side stored as int8 {stored:.4}"
    );
    for (what, found) in [("ours", ours), ("ours, stored as int8", stored)] {
        assert!(
            found >= float - LOSS,
            "{what}: {found}, the float model: {float}"
        );
        assert!(found >= FLOOR, "{what}: {found}");
    }
}

#[test]
fn texts_are_ordered_as_by_the_float_model() {
    let (texts, float) = float_vectors("embed_vectors.py", TEXTS.to_string(), TEXTS);
    let ours: Vec<Vec<f32>> = texts.iter().map(|text| embed(text)).collect();
    let mut store = VectorStore::new(model().dims()).expect("384 is fine");
    for vector in &ours {
        store
            .push(&QuantVector::from_f32(vector).expect("finite"))
            .expect("same length");
    }
    let stored: Vec<f64> = ours
        .iter()
        .enumerate()
        .flat_map(|(at, query)| store.scan(query).expect("same length").split_off(at + 1))
        .map(f64::from)
        .collect();
    let [float, ours] = [&float, &ours].map(|vectors| of_every_two(vectors));
    let model = spearman(&ours, &float);
    let storage = spearman(&stored, &ours);
    eprintln!(
        "Spearman over {} pairs: our cosines with the float model's {model:.5}, stored as int8 with ours {storage:.6}",
        ours.len()
    );
    assert!(model >= LIKE_FLOAT, "{model}");
    assert!(storage >= LIKE_UNSTORED, "{storage}");
}
