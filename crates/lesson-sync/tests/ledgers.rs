//! Random ledgers fold natively to the hashes that the module is held against, too.
//!
//! `LESSONLOOP_WRITE=1 cargo test -p lesson-sync --test ledgers` writes them anew, after a change of the fold or of the
//! ledgers.

#[path = "../../../tests/stack/ledgers/author.rs"]
mod author;
#[path = "../../../tests/stack/ledgers/hashes.rs"]
mod hashes;

// Other clones that share a target folder build their own: the path below is this one's.
const _: Option<&str> = option_env!("LESSONLOOP_ROOT");

#[test]
fn random_ledgers_fold_to_the_recorded_hashes() {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/corpus/ledger_hashes.json"
    );
    let made = hashes::of_all();
    let distinct: std::collections::BTreeSet<&String> = made.iter().collect();
    assert_eq!(distinct.len(), made.len(), "each ledger is another");
    if std::env::var_os("LESSONLOOP_WRITE").is_some() {
        let text = serde_json::to_string_pretty(&made).unwrap();
        std::fs::write(file, text + "\n").unwrap();
    }
    let recorded: Vec<String> =
        serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    assert_eq!(recorded.len() as u64, hashes::LEDGERS);
    let other: Vec<usize> = (0..made.len())
        .filter(|at| made[*at] != recorded[*at])
        .collect();
    assert!(
        other.is_empty(),
        "these ledgers fold to something else than recorded: {other:?}"
    );
}
