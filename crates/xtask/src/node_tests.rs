//! Node's test runner, as every suite of test files starts it.

use std::process::Command;

use anyhow::Result;

use crate::cache::Cache;
use crate::run;

/// Node's test runner, which ends with the ten slowest tests. A test that hangs fails after a quarter of an hour, and what a
/// failed test left open ends with its file, so that a fault is told and takes no CI's whole time.
pub fn node_tests(cache: &Cache) -> Result<Command> {
    let mut command = run::program(cache, "node")?;
    command.args([
        "--test",
        "--test-reporter=spec",
        "--test-reporter-destination=stdout",
        "--test-reporter=./tests/slowest.mjs",
        "--test-reporter-destination=stdout",
        "--test-timeout=900000",
        "--test-force-exit",
    ]);
    Ok(command)
}
