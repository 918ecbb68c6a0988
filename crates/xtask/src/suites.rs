//! The test suites: one row each. Every runner prints its own closing lines; a table closes the run.

use std::process::Command;

use crate::cache::Cache;
use crate::fault::{Fault, Result};
use crate::needs::{self, Need};
use crate::progress::{Clock, Plan, say};
use crate::serve::Site;
use crate::wasm_target::Toolchain;
use crate::{browser, model, python, run};

/// What a suite runs.
enum Runner {
    /// `cargo test` with these arguments, on this machine.
    Cargo(&'static [&'static str]),
    /// `wasm-pack test` of these crates, in headless Chromium.
    WasmPack(&'static [&'static str]),
    /// Node's test runner over these files of `tests/`, with the built site served.
    Node(&'static [&'static str]),
    /// The TypeScript compiler over the declarations of the module.
    Types,
}

struct Suite {
    name: &'static str,
    about: &'static str,
    needs: &'static [Need],
    runner: Runner,
}

/// All suites, in the order in which they are run: quick ones first.
const SUITES: &[Suite] = &[
    Suite {
        name: "tidy",
        about: "the structure of the repository, and the build tool itself",
        needs: &[],
        runner: Runner::Cargo(&[
            "-p", "tests", "--test", "tidy", "-p", "xtask", "--bin", "xtask",
        ]),
    },
    Suite {
        name: "core",
        about: "domain, requests, store and handler, natively",
        needs: &[],
        runner: Runner::Cargo(&[
            "-p",
            "lesson-core",
            "-p",
            "lesson-api",
            "-p",
            "lesson-sync",
            "-p",
            "lesson-service",
        ]),
    },
    Suite {
        name: "oracle",
        about: "the sequence matcher against python3's difflib",
        needs: &[],
        runner: Runner::Cargo(&["-p", "tests", "--test", "sequence_oracle"]),
    },
    Suite {
        name: "embed",
        about: "tokens and vectors against their oracles, the model pack",
        needs: &[Need::Model, Need::Oracles],
        runner: Runner::Cargo(&["-p", "lesson-embed", "-p", "model-pack"]),
    },
    Suite {
        name: "wasm",
        about: "the module in headless Chromium, IndexedDB included",
        needs: &[
            Need::WasmTarget,
            Need::WasmBindgen,
            Need::WasmPack,
            Need::Browser,
        ],
        runner: Runner::WasmPack(&["crates/lesson-wasm", "crates/lesson-embed"]),
    },
    Suite {
        name: "types",
        about: "the module's TypeScript declarations, held by the compiler",
        needs: &[Need::Dist],
        runner: Runner::Types,
    },
    Suite {
        name: "loop",
        about: "the whole loop in the built app, real model, offline",
        needs: &[Need::Dist, Need::Browser],
        runner: Runner::Node(&["browser"]),
    },
    Suite {
        name: "parity",
        about: "one scenario natively, in Chromium and in Node, byte for byte",
        needs: &[Need::Dist, Need::Browser],
        runner: Runner::Node(&["parity"]),
    },
];

/// The suites' names with what they hold, for the command's help.
pub fn list() -> String {
    let lines: Vec<String> = SUITES
        .iter()
        .map(|suite| format!("  {:8} {}", suite.name, suite.about))
        .collect();
    format!("Suites:\n{}", lines.join("\n"))
}

/// What all suites need.
pub fn all_needs() -> Vec<Need> {
    SUITES
        .iter()
        .flat_map(|suite| suite.needs)
        .copied()
        .collect()
}

/// Runs one suite, or all; every one is run even when an earlier one failed.
pub fn test(cache: &Cache, name: Option<&str>) -> Result<()> {
    let chosen: Vec<&Suite> = SUITES
        .iter()
        .filter(|suite| name.is_none_or(|name| suite.name == name))
        .collect();
    if chosen.is_empty() {
        let name = name.unwrap_or_default();
        return Err(Fault::new(
            format_args!("no suite is called {name}"),
            list(),
        ));
    }
    let whole = Clock::start();
    let mut rows = Vec::new();
    for suite in chosen {
        say(format_args!("\n── {}: {} ──\n", suite.name, suite.about));
        let clock = Clock::start();
        let outcome = prepare(cache, suite).and_then(|()| start(cache, suite));
        if let Err(fault) = &outcome {
            say(format_args!("{fault}\n"));
        }
        rows.push((suite.name, outcome.is_ok(), clock.to_string()));
    }
    // On standard output, where a CI reads results.
    println!("\nsuite     result  time");
    for (name, passed, time) in &rows {
        println!(
            "{name:8}  {:6}  {time}",
            if *passed { "ok" } else { "FAILED" }
        );
    }
    let failed: Vec<&str> = rows.iter().filter(|row| !row.1).map(|row| row.0).collect();
    println!(
        "{} of {} suites passed in {whole}",
        rows.len() - failed.len(),
        rows.len()
    );
    if failed.is_empty() {
        return Ok(());
    }
    Err(Fault::new(
        format_args!("failed: {}", failed.join(", ")),
        format_args!("run one alone: cargo xtask test {}", failed[0]),
    ))
}

fn prepare(cache: &Cache, suite: &Suite) -> Result<()> {
    let mut plan = Plan::default();
    needs::plan(cache, suite.needs, &mut plan)?;
    plan.run()
}

fn start(cache: &Cache, suite: &Suite) -> Result<()> {
    match suite.runner {
        Runner::Cargo(arguments) => {
            let mut cargo = run::cargo(cache)?;
            cargo.arg("test").args(arguments);
            if suite.needs.contains(&Need::Model) {
                cargo.env("LESSONLOOP_MODEL_PACK", model::pack(cache)?);
                cargo.env("LESSONLOOP_MODEL_WEIGHTS", model::weights(cache)?);
            }
            let oracle = suite.needs.contains(&Need::Oracles);
            cargo.env(
                "LESSONLOOP_PYTHON",
                if oracle {
                    python::oracles(cache)?
                } else {
                    "python3".into()
                },
            );
            run::loud(cargo, "read the failed test's message above")
        }
        Runner::WasmPack(crates) => crates.iter().try_for_each(|krate| wasm_pack(cache, krate)),
        Runner::Node(folders) => node(cache, folders),
        Runner::Types => types(cache),
    }
}

fn wasm_pack(cache: &Cache, krate: &str) -> Result<()> {
    let mut command = run::program(cache, "wasm-pack")?;
    Toolchain::need(cache)?.apply(cache, &mut command)?;
    command
        .args([
            "test",
            "--headless",
            "--chrome",
            "--mode",
            "no-install",
            "--chromedriver",
        ])
        .arg(browser::chromedriver(cache)?)
        .arg(krate);
    run::loud(command, "read the failed test's message above")
}

/// A name that is used but not declared, or declared twice, fails here.
fn types(cache: &Cache) -> Result<()> {
    let mut tsc = run::program(cache, "tsc")?;
    tsc.args([
        "--noEmit",
        "--strict",
        "--target",
        "es2022",
        "--module",
        "esnext",
        "--moduleResolution",
        "bundler",
    ])
    .args(["--lib", "es2022,dom", "--types", ""])
    .arg(cache.root.join("dist/engine/lessonloop.d.ts"));
    run::loud(
        tsc,
        "add the missing type to crates/lesson-api/examples/typescript.rs",
    )?;
    println!("lessonloop.d.ts: every name is declared once");
    Ok(())
}

/// Serves `dist/` from this process for as long as Node runs.
fn node(cache: &Cache, folders: &[&str]) -> Result<()> {
    let dist = cache.root.join("dist");
    let site = Site::open(&dist, Some(0))?;
    site.start();
    let mut command = run::program(cache, "node")?;
    command.args(["--test", "--test-reporter=spec"]);
    for folder in folders {
        command.args(suite_files(cache, folder)?);
    }
    command
        .env("LESSONLOOP_DIST", &dist)
        .env("LESSONLOOP_URL", site.url())
        .env("LESSONLOOP_MODEL_PACK", model::pack(cache)?)
        .env("LESSONLOOP_CHROMIUM", browser::chromium(cache)?)
        .env("LESSONLOOP_CACHE", &cache.home);
    native_target(cache, &mut command)?;
    run::loud(command, "read the failed test's message above")
}

/// A suite that compares with native code runs cargo itself: it must use the same target folder.
fn native_target(cache: &Cache, command: &mut Command) -> Result<()> {
    command.env("CARGO_TARGET_DIR", cache.dir("target/host")?);
    Ok(())
}

/// The test files of a folder under `tests/`. A folder without any is a mistake, not a success.
fn suite_files(cache: &Cache, folder: &str) -> Result<Vec<std::path::PathBuf>> {
    let at = cache.root.join("tests").join(folder);
    let found: Vec<_> = crate::cache::files(&at)?
        .into_iter()
        .filter(|file| file.to_string_lossy().ends_with(".test.mjs"))
        .collect();
    if found.is_empty() {
        return Err(Fault::new(
            format_args!("no *.test.mjs in {}", at.display()),
            "restore the folder from git",
        ));
    }
    Ok(found)
}
