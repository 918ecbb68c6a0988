//! Formatting, lints for the host and for wasm32, JavaScript, documentation, licences, structure.

use anyhow::Result;

use crate::cache::Cache;
use crate::fault::{fault, told};
use crate::needs::{self, Need};
use crate::progress::{Clock, Plan, say};
use crate::run;
use crate::wasm_target::{TARGET, Toolchain};

/// Packages that only make sense in wasm.
const WASM_ONLY: [&str; 2] = ["lesson-wasm", "web"];

type Check = fn(&Cache) -> Result<()>;

/// Runs all checks, also when one failed; each must pass.
pub fn check(cache: &Cache) -> Result<()> {
    let mut plan = Plan::default();
    needs::plan(cache, &[Need::Npm, Need::WasmClippy], &mut plan)?;
    plan.run()?;
    let checks: [(&str, Check); 7] = [
        ("formatting", formatting),
        ("JavaScript", javascript),
        ("clippy for the host", clippy_host),
        ("clippy for wasm32", clippy_wasm),
        ("documentation", documentation),
        ("licences", licences),
        ("structure", structure),
    ];
    let mut failed = Vec::new();
    for (name, check) in checks {
        if let Err(fault) = announced(name, || check(cache)) {
            say(format_args!("{}\n", told(&fault)));
            failed.push(name);
        }
    }
    if !failed.is_empty() {
        return Err(fault(
            format_args!("failed: {}", failed.join(", ")),
            "each check's message above names the remedy",
        ));
    }
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

/// Checks the code for browsers, the edge and Node: its format, its lints, and its types as far as they are known.
fn javascript(cache: &Cache) -> Result<()> {
    let mut biome = run::program(cache, "biome")?;
    biome.args(["ci", "--error-on-warnings", "."]);
    run::loud(
        biome,
        "run `tests/node_modules/.bin/biome check --write`; mend by hand what is left",
    )?;
    for scope in [
        "tsconfig.json",
        "tsconfig.www.json",
        "tsconfig.edge.json",
        "tsconfig.local.json",
    ] {
        let mut tsc = run::program(cache, "tsc")?;
        tsc.arg("--project")
            .arg(cache.root.join("tests").join(scope));
        run::loud(
            tsc,
            "mend what the compiler names, or tell it the type in a JSDoc comment",
        )?;
    }
    Ok(())
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

/// Links that lead nowhere and broken markup in doc comments.
fn documentation(cache: &Cache) -> Result<()> {
    let mut cargo = run::cargo(cache)?;
    cargo
        .env("RUSTDOCFLAGS", "-D warnings")
        .args(["doc", "--workspace", "--no-deps"]);
    run::loud(cargo, "mend the doc comment that rustdoc names")
}

/// Checks that every linked crate has a licence that we may ship, by `deny.toml`. Building cargo-deny takes longer than
/// all other checks, so set-up leaves it to who wants it, and to the workflow.
fn licences(cache: &Cache) -> Result<()> {
    if run::find(cache, &["cargo-deny"]).is_none() {
        say(format_args!(
            "left out: cargo-deny is not installed (cargo install --locked cargo-deny)\n"
        ));
        return Ok(());
    }
    let mut cargo = run::cargo(cache)?;
    cargo.args(["deny", "--offline", "check", "bans", "licenses", "sources"]);
    run::loud(
        cargo,
        "do without the crate that is named, or allow it in deny.toml with a reason",
    )
}

fn structure(cache: &Cache) -> Result<()> {
    let mut cargo = run::program(cache, "cargo")?;
    cargo.args(["test", "-p", "xtask", "--test", "tidy"]);
    run::loud(cargo, "each failure names the file and what to do")
}
