//! Walks scenarios natively: each line of the input is one, as JSON; each line of the output holds its answers as one
//! JSON string.

mod scenario;

use scenario::{Scenario, walked};
use std::io::{BufRead, Write};

fn main() -> std::io::Result<()> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let scenario: Scenario = serde_json::from_str(&line?)?;
        writeln!(out, "{}", serde_json::Value::from(walked(scenario)))?;
    }
    Ok(())
}
