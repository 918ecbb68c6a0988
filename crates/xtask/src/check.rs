//! Formatting, lints for the host and for wasm32, structure.

use crate::cache::Cache;
use crate::fault::Result;
use crate::needs::{self, Need};
use crate::progress::{Clock, Plan, say};
use crate::run;
use crate::wasm_target::{TARGET, Toolchain};

/// Packages that only make sense in wasm.
const WASM_ONLY: [&str; 2] = ["lesson-wasm", "web"];

/// Runs all checks; each must pass.
pub fn check(cache: &Cache) -> Result<()> {
    let mut plan = Plan::default();
    needs::plan(cache, &[Need::WasmClippy], &mut plan)?;
    plan.run()?;
    announced("formatting", || formatting(cache))?;
    announced("clippy for the host", || clippy_host(cache))?;
    announced("clippy for wasm32", || clippy_wasm(cache))?;
    announced("structure", || structure(cache))?;
    println!("all checks passed");
    Ok(())
}

fn announced(name: &str, work: impl FnOnce() -> Result<()>) -> Result<()> {
    say(format_args!("── {name} ──\n"));
    let clock = Clock::start();
    work()?;
    say(format_args!("{name}: ok, {clock}\n"));
    Ok(())
}

fn formatting(cache: &Cache) -> Result<()> {
    let mut cargo = run::cargo(cache)?;
    cargo.args(["fmt", "--all", "--check"]);
    run::loud(
        cargo,
        "run `cargo fmt --all`; without rustfmt: rustup component add rustfmt",
    )
}

fn clippy_host(cache: &Cache) -> Result<()> {
    let mut cargo = run::cargo(cache)?;
    cargo.args(["clippy", "--workspace", "--all-targets"]);
    for package in WASM_ONLY {
        cargo.args(["--exclude", package]);
    }
    cargo.args(["--", "-D", "warnings"]);
    run::loud(
        cargo,
        "mend what clippy names; without clippy: rustup component add clippy",
    )
}

fn clippy_wasm(cache: &Cache) -> Result<()> {
    let toolchain = Toolchain::need(cache)?;
    for features in [&[][..], &["--features", "lesson-wasm/relaxed-simd"]] {
        let mut cargo = toolchain.cargo(cache)?;
        cargo.args(["clippy", "--target", TARGET, "--all-targets"]);
        for package in WASM_ONLY {
            cargo.args(["-p", package]);
        }
        cargo.args(features).args(["--", "-D", "warnings"]);
        run::loud(cargo, "mend what clippy names")?;
    }
    Ok(())
}

fn structure(cache: &Cache) -> Result<()> {
    let mut cargo = run::cargo(cache)?;
    cargo.args(["test", "-p", "xtask", "--test", "tidy"]);
    run::loud(cargo, "each failure names the file and what to do")
}
