//! Writes the descriptions of the interface out of its types, and holds the committed ones to
//! them: `www/edge/openapi.json` for HTTP, `crates/lesson-mcp/src/tools.json` for MCP.
//!
//! After a change of the interface:
//! `LESSONLOOP_WRITE=1 cargo test -p lesson-types --features schema --test description`

mod examples;
mod flatten;
mod openapi;
mod operations;
mod schemas;
mod tools;

use std::path::PathBuf;

const OPENAPI: &str = "www/edge/openapi.json";
const TOOLS: &str = "crates/lesson-mcp/src/tools.json";
/// Clients put every tool's name, description and input before each conversation.
const TOOLS_BYTES: usize = 40_000;

#[test]
fn the_committed_openapi_document_is_that_of_the_types() {
    held(OPENAPI, &format!("{:#}\n", openapi::document()));
}

#[test]
fn the_committed_tools_are_those_of_the_types() {
    // A tool a line: it goes into the module, so blanks would cost.
    let lines: Vec<String> = tools::list().iter().map(ToString::to_string).collect();
    let text = format!("[\n{}\n]\n", lines.join(",\n"));
    held(TOOLS, &text);
    assert!(
        text.len() <= TOOLS_BYTES,
        "the tools take {} bytes; shorten descriptions to stay within {TOOLS_BYTES}",
        text.len()
    );
}

/// Writes the file when asked to; else fails when it differs.
#[track_caller]
fn held(path: &str, text: &str) {
    // Asked for as it runs: a program that was compiled in another clone may pass for this one's.
    let package = std::env::var("CARGO_MANIFEST_DIR").expect("cargo runs this");
    let at = PathBuf::from(package).join("../..").join(path);
    if std::env::var_os("LESSONLOOP_WRITE").is_some() {
        std::fs::write(&at, text).unwrap_or_else(|cause| panic!("{path}: {cause}"));
        return;
    }
    let held = std::fs::read_to_string(&at).unwrap_or_else(|cause| panic!("{path}: {cause}"));
    let line = held
        .lines()
        .zip(text.lines())
        .position(|(held, wanted)| held != wanted)
        .map_or_else(|| "its end".to_owned(), |line| format!("line {}", line + 1));
    assert!(
        held == text,
        "{path} differs from the types at {line}; write it anew: \
         LESSONLOOP_WRITE=1 cargo test -p lesson-types --features schema --test description"
    );
}
