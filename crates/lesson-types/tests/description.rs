//! Holds the committed descriptions of the interface to its rows and types.

use std::path::Path;

/// Clients put every tool's name, description and input before each conversation.
const TOOLS_BYTES: usize = 41_000;

#[test]
fn the_committed_descriptions_are_those_of_the_types() {
    // Asked for as it runs: a program that was compiled in another clone may pass for this one's.
    let package = std::env::var("CARGO_MANIFEST_DIR").expect("cargo runs this");
    for (path, text) in lesson_types::description::files() {
        let at = Path::new(&package).join("../..").join(path);
        let held = std::fs::read_to_string(&at).unwrap_or_else(|cause| panic!("{path}: {cause}"));
        let differs = held.lines().zip(text.lines()).position(|(a, b)| a != b);
        let line = differs.map_or_else(|| "its end".to_owned(), |n| format!("line {}", n + 1));
        assert!(
            held == text,
            "{path} differs from the types at {line}; write it anew: \
             cargo run -p lesson-types --features schema --example description"
        );
    }
}

#[test]
fn the_tools_are_short() {
    let [_, (path, text)] = lesson_types::description::files();
    assert!(
        text.len() <= TOOLS_BYTES,
        "{path} takes {} bytes; shorten descriptions to stay within {TOOLS_BYTES}",
        text.len()
    );
}
