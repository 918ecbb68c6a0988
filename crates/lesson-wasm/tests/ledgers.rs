//! Random ledgers fold in the module to the same bits as natively: the same hashes are held by `cargo test -p lesson-sync
//! --test ledgers`.
#![cfg(target_arch = "wasm32")]
#![forbid(unsafe_code)]

use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

#[path = "../../../tests/stack/ledgers/author.rs"]
mod author;
#[path = "../../../tests/stack/ledgers/hashes.rs"]
mod hashes;

wasm_bindgen_test_configure!(run_in_dedicated_worker);

#[wasm_bindgen_test]
fn random_ledgers_fold_to_the_same_bits_as_natively() {
    let native: Vec<String> =
        serde_json::from_str(include_str!("../../../tests/corpus/ledger_hashes.json")).unwrap();
    assert_eq!(native.len() as u64, hashes::LEDGERS);
    let made = hashes::of_all();
    let other: Vec<usize> = (0..made.len())
        .filter(|at| made[*at] != native[*at])
        .collect();
    assert!(
        other.is_empty(),
        "these ledgers fold to something else here than natively: {other:?}"
    );
}
