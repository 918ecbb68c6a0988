//! Dashboard entry.
fn main() {}
