//! Int8 vectors: close to the floats they stand for, exact among themselves, safe for any input.

use lesson_embed::{QuantVector, VectorStore};
use proptest::prelude::*;

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| -> f64 {
        a.iter()
            .zip(b)
            .map(|(a, b)| f64::from(*a) * f64::from(*b))
            .sum()
    };
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

fn vector(len: usize) -> impl Strategy<Value = Vec<f32>> {
    prop::collection::vec(-1.0f32..1.0, len)
        .prop_filter("not all zero", |v| v.iter().any(|v| v.abs() > 0.01))
}

proptest! {
    #[test]
    fn scan_is_close_to_the_float_cosine(stored in prop::collection::vec(vector(384), 1..20), query in vector(384)) {
        let mut store = VectorStore::new(384).unwrap();
        for v in &stored {
            store.push(&QuantVector::from_f32(v).unwrap()).unwrap();
        }
        let found = store.scan(&query).unwrap();
        prop_assert_eq!(found.len(), stored.len());
        for (found, v) in found.iter().zip(&stored) {
            prop_assert!((f64::from(*found) - cosine(v, &query)).abs() < 5e-3);
        }
    }

    #[test]
    fn scan_is_exact_for_the_stored_bytes(v in vector(40), query in vector(40)) {
        let quantised = QuantVector::from_f32(&v).unwrap();
        let mut store = VectorStore::new(40).unwrap();
        store.push(&quantised).unwrap();
        let found = store.scan(&query).unwrap()[0];
        prop_assert!((f64::from(found) - cosine(&quantised.to_f32(), &query)).abs() < 5e-4);
    }

    #[test]
    fn bytes_are_the_whole_vector(v in vector(384)) {
        let quantised = QuantVector::from_f32(&v).unwrap();
        let bytes = quantised.to_bytes();
        prop_assert_eq!(bytes.len(), 384);
        prop_assert_eq!(QuantVector::from_bytes(&bytes).unwrap(), quantised.clone());
        prop_assert!((quantised.cosine(&quantised).unwrap() - 1.0).abs() < 1e-6);
    }

    #[test]
    fn any_bytes_are_a_vector(bytes in prop::collection::vec(any::<u8>(), 1..500), query in vector(500)) {
        let v = QuantVector::from_bytes(&bytes).unwrap();
        let mut store = VectorStore::new(bytes.len()).unwrap();
        store.push(&v).unwrap();
        let found = store.scan(&query[..bytes.len()]).unwrap()[0];
        prop_assert!((-1.0..=1.0).contains(&found));
    }

    #[test]
    fn the_store_is_a_list(edits in prop::collection::vec((0u8..3, any::<prop::sample::Index>(), vector(8)), 1..40)) {
        let mut store = VectorStore::new(8).unwrap();
        let mut model: Vec<QuantVector> = Vec::new();
        for (edit, index, v) in edits {
            let v = QuantVector::from_f32(&v).unwrap();
            match edit {
                1 if !model.is_empty() => {
                    let at = index.index(model.len());
                    store.replace(at, &v).unwrap();
                    model[at] = v;
                }
                2 if !model.is_empty() => {
                    let at = index.index(model.len());
                    store.swap_remove(at).unwrap();
                    model.swap_remove(at);
                }
                _ => {
                    prop_assert_eq!(store.push(&v).unwrap(), model.len());
                    model.push(v);
                }
            }
            prop_assert_eq!(store.len(), model.len());
        }
        for (i, v) in model.iter().enumerate() {
            let stored = store.get(i);
            prop_assert_eq!(stored.as_ref(), Some(v));
        }
        prop_assert!(store.get(model.len()).is_none());
    }
}

#[test]
fn misfits_are_refused_by_name() {
    let mut store = VectorStore::new(4).unwrap();
    let four = QuantVector::from_f32(&[1.0, 0.0, 0.0, 0.0]).unwrap();
    let three = QuantVector::from_f32(&[1.0, 0.0, 0.0]).unwrap();
    store.push(&four).unwrap();
    let codes = [
        store.push(&three).unwrap_err(),
        store.replace(0, &three).unwrap_err(),
        store.scan(&[1.0; 3]).unwrap_err(),
        four.cosine(&three).unwrap_err(),
    ]
    .map(|error| error.code());
    assert_eq!(codes, ["wrong_dims"; 4]);
    let codes = [
        store.replace(1, &four).unwrap_err(),
        store.swap_remove(1).unwrap_err(),
        store.scan(&[f32::NAN; 4]).unwrap_err(),
        VectorStore::new(0).unwrap_err(),
        VectorStore::new(4097).unwrap_err(),
        QuantVector::from_f32(&[]).unwrap_err(),
        QuantVector::from_f32(&[f32::INFINITY]).unwrap_err(),
        QuantVector::from_bytes(&[]).unwrap_err(),
    ]
    .map(|error| error.code());
    assert_eq!(codes, ["bad_field"; 8]);
}

#[test]
fn zero_vectors_have_no_direction() {
    let zero = QuantVector::from_f32(&[0.0; 4]).unwrap();
    let mut store = VectorStore::new(4).unwrap();
    store.push(&zero).unwrap();
    store
        .push(&QuantVector::from_f32(&[0.0, 2.0, 0.0, 0.0]).unwrap())
        .unwrap();
    assert_eq!(store.scan(&[0.0, 1.0, 0.0, 0.0]).unwrap(), [0.0, 1.0]);
    assert_eq!(store.scan(&[0.0; 4]).unwrap(), [0.0, 0.0]);
    assert_eq!(zero.to_f32(), [0.0; 4]);
}

#[test]
fn extremes_do_not_overflow() {
    let mut store = VectorStore::new(4096).unwrap();
    store
        .push(&QuantVector::from_bytes(&[0x80; 4096]).unwrap())
        .unwrap();
    let found = store.scan(&[-1e30; 4096]).unwrap()[0];
    assert!((found - 1.0).abs() < 1e-5, "{found}");
}

/// Unit-like vectors from a seed.
fn drawn(seed: u64, len: usize) -> Vec<f32> {
    let mut seed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    (0..len)
        .map(|_| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
        })
        .collect()
}

/// `vector` moved so that its cosine to the old one is about `cosine`.
fn moved(vector: &[f32], cosine: f32, seed: u64) -> Vec<f32> {
    let away = (1.0 / (cosine * cosine) - 1.0).sqrt();
    vector
        .iter()
        .zip(drawn(seed, vector.len()))
        .map(|(a, b)| a + away * b)
        .collect()
}

#[test]
fn vectors_that_point_the_same_way_are_found_among_thousands() {
    let mut store = VectorStore::new(384).unwrap();
    let mut push = |vector: &[f32]| store.push(&QuantVector::from_f32(vector).unwrap()).unwrap();
    for n in 0..3_000 {
        push(&drawn(n, 384));
    }
    for n in 0..200 {
        push(&moved(&drawn(n, 384), 0.95, 10_000 + n));
        push(&moved(&drawn(n, 384), 0.70, 20_000 + n));
    }
    let rows: Vec<usize> = (0..store.len()).collect();
    let found = store.alike(&rows, 0.88);
    assert!(found.len() >= 198, "{} of 200", found.len());
    for (one, two, cosine) in &found {
        assert!(one < two, "{one} {two}");
        assert_eq!(Some(*cosine), store.cosine(*one, *two));
        assert!((0.88..1.0).contains(cosine), "{cosine}");
        assert_eq!((two - 3_000) / 2, *one);
    }
    assert_eq!(store.alike(&rows, 0.88), found);
    // Places are those in the rows that were asked for; what is not there is left out.
    let some = [3_002, 9_999, 1, 1];
    let found: Vec<(usize, usize)> = store
        .alike(&some, 0.88)
        .iter()
        .map(|(one, two, _)| (*one, *two))
        .collect();
    assert_eq!(found.len(), 3);
    for pair in [(0, 2), (0, 3), (2, 3)] {
        assert!(found.contains(&pair), "{pair:?} in {found:?}");
    }
}

#[test]
fn odd_stores_have_no_alike_vectors() {
    assert!(VectorStore::default().alike(&[0, 1], 0.9).is_empty());
    let mut store = VectorStore::new(3).unwrap();
    assert!(store.alike(&[], 0.9).is_empty());
    for vector in [[0.0; 3], [0.0; 3], [1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]] {
        store
            .push(&QuantVector::from_f32(&vector).unwrap())
            .unwrap();
    }
    assert!(store.alike(&[0, 1, 2, 3], 0.9).is_empty());
    assert_eq!(store.cosine(0, 4), None);
    assert_eq!(store.cosine(2, 3), Some(-1.0));
}
