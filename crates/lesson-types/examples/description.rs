//! Writes `www/edge/openapi.json` and the MCP tools' `tools.json` anew, out of the rows and types of the interface.

use std::path::Path;

fn main() -> std::io::Result<()> {
    // Asked for as it runs: a program that was compiled in another clone may pass for this one's.
    let package = std::env::var("CARGO_MANIFEST_DIR").map_err(std::io::Error::other)?;
    for (path, text) in lesson_types::description::files() {
        std::fs::write(Path::new(&package).join("../..").join(path), text)?;
    }
    Ok(())
}
