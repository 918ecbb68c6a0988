//! Node's test runner, as every suite of test files starts it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::cache::Cache;
use crate::run;

/// Where the test runner leaves what failed, so that it can be told once more after all suites. Of this process alone, as
/// another one may run another suite.
pub fn failures(cache: &Cache) -> Result<PathBuf> {
    let name = format!("failures-{}.txt", std::process::id());
    Ok(cache.dir("logs")?.join(name))
}

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
        "--test-reporter=./tests/failures.mjs",
    ]);
    let mut at = OsString::from("--test-reporter-destination=");
    at.push(failures(cache)?);
    command
        .arg(at)
        .args(["--test-timeout=900000", "--test-force-exit"]);
    Ok(command)
}
