//! The archive's file as people have it, and what evidence gains on one that is made like it.

#[path = "benches/learn/archive.rs"]
mod archive;
#[path = "benches/learn/dice.rs"]
mod dice;
#[path = "benches/learn/spread.rs"]
mod spread;
#[path = "benches/learn/upworthy.rs"]
mod upworthy;
#[path = "benches/learn/wilson.rs"]
mod wilson;

#[test]
fn a_file_that_is_not_there_or_too_small_is_named() {
    let folder = std::env::temp_dir();
    let missing = folder.join("no such archive.csv");
    let error = upworthy::measure(&missing).unwrap_err();
    assert!(error.contains("no such archive.csv"), "{error}");
    let file = folder.join(format!("archive-{}.csv", std::process::id()));
    std::fs::write(&file, "test_id,impressions,clicks\na,3000,30\n").unwrap();
    let error = upworthy::measure(&file).unwrap_err();
    std::fs::remove_file(&file).unwrap();
    assert!(
        error.contains("1 headlines have more than 200 views; 20 are needed"),
        "{error}"
    );
}
