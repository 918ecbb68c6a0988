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
