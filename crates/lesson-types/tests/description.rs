//! Holds the committed descriptions of the interface to its rows and types.

use std::path::Path;

/// Clients put every tool's name, description and input before each conversation: some 3,700 tokens.
const PROMPT_BYTES: usize = 15_000;
/// The whole list, with the schemas of answers, is read once at a client's start.
const LIST_BYTES: usize = 48_000;

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
        text.len() <= LIST_BYTES,
        "{path} takes {} bytes; shorten descriptions to stay within {LIST_BYTES}",
        text.len()
    );
    let tools: Vec<serde_json::Map<String, serde_json::Value>> =
        serde_json::from_str(&text).expect("a list of tools");
    let prompt: usize = tools
        .iter()
        .flat_map(|tool| ["name", "title", "description", "inputSchema"].map(|part| &tool[part]))
        .map(|part| part.to_string().len())
        .sum();
    assert!(
        (1..=PROMPT_BYTES).contains(&prompt),
        "{path}: names, descriptions and inputs take {prompt} bytes; shorten them to stay within {PROMPT_BYTES}"
    );
}
