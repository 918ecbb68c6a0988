//! Descriptions of the interface for others, made of its rows and types: the OpenAPI document for HTTP, the list of
//! tools for MCP. `cargo run -p lesson-types --features schema --example description` writes both.

mod flatten;
mod openapi;
mod refusals;
mod rows;
mod schemas;
mod tools;

/// The described files: where each lies in the repository, and what is to be in it.
///
/// # Panics
/// When an example in a row does not read as its type, or a row lacks what its tool needs.
pub fn files() -> [(&'static str, String); 2] {
    // A tool a line: it goes into the module, so blanks would cost.
    let tools: Vec<String> = tools::list().iter().map(ToString::to_string).collect();
    [
        (
            "www/edge/openapi.json",
            format!("{:#}\n", openapi::document()),
        ),
        (
            "crates/lesson-mcp/src/tools.json",
            format!("[\n{}\n]\n", tools.join(",\n")),
        ),
    ]
}
