//! The test suites: one row each. Every runner prints its own closing lines; a table closes the run.
//!
//! Suites run on modules that were built quickly, which behave as those that ship. What ships is held by the last ones: its
//! sizes, the platform's limits, and that it answers and embeds as native code does, in both builds and in each host.

use std::fs;
use std::thread::JoinHandle;

use anyhow::Result;

use crate::bundle;
use crate::cache::Cache;
use crate::fault::{fault, told};
use crate::needs::{self, Need};
use crate::node_tests::failures;
use crate::progress::{Clock, Plan, say};
use crate::runner::{NATIVE, Runner};

struct Suite {
    name: &'static str,
    about: &'static str,
    needs: &'static [Need],
    runner: Runner,
}

/// All suites, in the order in which they are run: quick ones first, those of the release last.
const SUITES: &[Suite] = &[
    Suite {
        name: "tidy",
        about: "the structure of the repository, and the build tool itself",
        needs: &[],
        runner: Runner::Own,
    },
    Suite {
        name: "core",
        about: "domain, requests, store and handler, natively",
        needs: &[],
        runner: Runner::Cargo(NATIVE),
    },
    Suite {
        name: "oracle",
        about: "the sequence matcher against python3's difflib; what is learned of lessons against numpy",
        needs: &[Need::Oracles],
        runner: Runner::Tests(&[
            "--test",
            "sequence_oracle",
            "--test",
            "learning_oracle",
            "--test",
            "upworthy",
        ]),
    },
    Suite {
        name: "sync",
        about: "syncing under faults, simulated from 1,000 seeds; planted bugs that have to be caught",
        needs: &[],
        runner: Runner::Tests(&["--test", "simulator", "--", "--nocapture"]),
    },
    Suite {
        name: "stack",
        about: "the migrations on PostgreSQL and PostgREST: tenants apart, the fold in SQL, devices that sync",
        needs: &[Need::Npm, Need::Stack],
        runner: Runner::Stack(&["stack"]),
    },
    Suite {
        name: "embed",
        about: "tokens and vectors against their oracles, the model pack",
        needs: &[Need::Model, Need::Multilingual, Need::Oracles],
        runner: Runner::Cargo(&[
            "-p",
            "lesson-embed",
            "-p",
            "model-pack",
            "--features",
            "lesson-embed/model-tests,model-pack/onnx",
        ]),
    },
    Suite {
        name: "relevance",
        about: "the least that recommend has to find by the labelled queries, and how the bench of that name measures",
        needs: &[Need::Model],
        runner: Runner::Unoptimised(&["--test", "relevance"]),
    },
    Suite {
        name: "benches",
        about: "the native benches compile; they measure when they are named",
        needs: &[],
        runner: Runner::Benches,
    },
    Suite {
        name: "wasm",
        about: "the module in headless Chromium, IndexedDB included; random ledgers fold as natively; the kernels, and the dashboard's reckoning and pieces there",
        needs: &[Need::WasmTarget, Need::WasmRunner, Need::Browser],
        runner: Runner::Wasm,
    },
    Suite {
        name: "types",
        about: "the module's TypeScript declarations, held by the compiler",
        needs: &[Need::QuickDist],
        runner: Runner::Types,
    },
    Suite {
        name: "examples",
        about: "the examples: Node, a page, a Worker, agents in Node and Python, an action, each as it stands",
        needs: &[
            Need::QuickDist,
            Need::Browser,
            Need::Workerd,
            Need::LocalClients,
            Need::ExamplePython,
        ],
        runner: Runner::Node(&["examples"]),
    },
    Suite {
        name: "edge",
        about: "the edge function in workerd with the local stack: JSON and MCP, attacks, faults",
        needs: &[
            Need::QuickDist,
            Need::Stack,
            Need::Workerd,
            Need::EdgeClients,
        ],
        runner: Runner::Node(&["edge"]),
    },
    Suite {
        name: "local",
        about: "the package for Node, installed without the network: commands, hooks, MCP on stdio, kills, git, a full disk",
        needs: &[Need::QuickDist, Need::Browser, Need::LocalClients],
        runner: Runner::Node(&["local"]),
    },
    Suite {
        name: "release",
        about: "every piece of a release, made and read by its schema or by what takes it in",
        needs: &[
            Need::QuickDist,
            Need::Browser,
            Need::Workerd,
            Need::ReleaseChecks,
        ],
        runner: Runner::Release,
    },
    Suite {
        name: "loop",
        about: "the whole loop in the built app, real model, offline and with the local stack",
        needs: &[Need::Dist, Need::Browser, Need::Stack],
        runner: Runner::Node(&["browser"]),
    },
    Suite {
        name: "replica",
        about: "devices and browsers that sync with the real servers: they converge, nothing is lost or counted twice",
        needs: &[Need::Dist, Need::Browser, Need::Stack],
        runner: Runner::Node(&["replica"]),
    },
    Suite {
        name: "size",
        about: "what a browser downloads, against its bars",
        needs: &[Need::Dist],
        runner: Runner::Size,
    },
    Suite {
        name: "platform",
        about: "the edge function that ships, deployed as a rehearsal: sizes, memory and start-up within Cloudflare's limits",
        needs: &[Need::Stack, Need::Workerd, Need::Dist],
        runner: Runner::Node(&["platform"]),
    },
    Suite {
        name: "parity",
        about: "one scenario natively, in Chromium and in Node, byte for byte, by the modules that ship",
        needs: &[Need::Dist, Need::Browser],
        runner: Runner::Node(&["parity"]),
    },
    Suite {
        name: "clients",
        about: "the coding agents' clients from npm, walked through against a model by script; only when it is named",
        needs: &[Need::QuickDist],
        runner: Runner::Clients,
    },
];

/// Suites that are run when they are named, and not with all: their downloads are as large as the others' together.
const BY_NAME: &[&str] = &["clients"];

fn is_of_all(suite: &Suite) -> bool {
    !BY_NAME.contains(&suite.name)
}

/// Chooses the part of a suite to run: some of its files, or one client of the suite `clients`.
pub fn part(
    suite: Option<&str>,
    client: Option<String>,
    only: Option<String>,
) -> Result<Option<String>> {
    match (suite, client) {
        (_, None) => Ok(only),
        (Some("clients"), client) => Ok(client),
        (suite, Some(client)) => Err(fault(
            format_args!(
                "the suite {} has no part {client}",
                suite.unwrap_or_default()
            ),
            "only the suite `clients` takes a client's name; --only chooses files of others",
        )),
    }
}

/// The suites' names with what they hold, for the command's help.
pub fn list() -> String {
    let lines: Vec<String> = SUITES
        .iter()
        .map(|suite| format!("  {:9} {}", suite.name, suite.about))
        .collect();
    format!("Suites:\n{}", lines.join("\n"))
}

/// Lists what all suites need.
pub fn all_needs() -> Vec<Need> {
    SUITES
        .iter()
        .filter(|suite| is_of_all(suite))
        .flat_map(|suite| suite.needs)
        .copied()
        .collect()
}

/// Runs one suite, or all; every one is run even when an earlier one failed.
pub fn test(cache: &Cache, name: Option<&str>, only: Option<&str>) -> Result<()> {
    let chosen: Vec<&Suite> = SUITES
        .iter()
        .filter(|suite| name.map_or_else(|| is_of_all(suite), |name| suite.name == name))
        .collect();
    if chosen.is_empty() {
        let name = name.unwrap_or_default();
        return Err(fault(format_args!("no suite is called {name}"), list()));
    }
    if only.is_some() && !chosen.iter().all(|suite| suite.runner.is_of_files()) {
        return Err(fault(
            "--only chooses files of suites that run in Node",
            "leave it out, or see CONTRIBUTING.md for a single test of cargo's",
        ));
    }
    let only = only.unwrap_or_default();
    let whole = Clock::start();
    let mut rows = Vec::new();
    let mut again = Vec::new();
    let mut build = if chosen.len() > 1 { ahead(cache) } else { None };
    for suite in chosen {
        say(format_args!("\n── {}: {} ──\n", suite.name, suite.about));
        let clock = Clock::start();
        // From the first suite with all servers on, tests hold times: nothing is compiled beside them.
        let built = [Need::QuickDist, Need::Dist];
        if suite.needs.contains(&Need::Stack) && suite.needs.iter().any(|it| built.contains(it)) {
            wait(build.take());
        }
        let failures = failures(cache)?;
        let outcome =
            prepare(cache, suite).and_then(|()| suite.runner.run(cache, suite.needs, only));
        if let Err(fault) = &outcome {
            say(format_args!("{}\n", told(fault)));
            let tests = fs::read_to_string(&failures).unwrap_or_default();
            let what = match tests.is_empty() {
                true => format!("  {}\n", told(fault)),
                false => tests,
            };
            again.push(format!("{}:\n{what}", suite.name));
        }
        let _ = fs::remove_file(&failures);
        rows.push((suite.name, outcome.is_ok(), clock.to_string()));
    }
    // On standard output, where a CI reads results.
    if !again.is_empty() {
        println!("\nWhat failed:\n{}", again.join("\n"));
    }
    println!("\nsuite      result  time");
    for (name, passed, time) in &rows {
        println!(
            "{name:9}  {:6}  {time}",
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
    Err(fault(
        format_args!("failed: {}", failed.join(", ")),
        format_args!("run one alone: cargo xtask test {}", failed[0]),
    ))
}

/// Builds what later suites run on, in a thread beside the native suites: the last link of a release is the work of one
/// core for minutes. What fails here fails again, and is told, in the suite that needs it.
fn ahead(cache: &Cache) -> Option<JoinHandle<()>> {
    let mut plan = Plan::default();
    needs::plan(cache, needs::BUILD, &mut plan).ok()?;
    plan.run().ok()?;
    let cache = cache.clone();
    Some(std::thread::spawn(move || {
        let _ = [needs::QUICK_DIST, needs::DIST]
            .into_iter()
            .try_for_each(|(profile, builds)| bundle::ahead(&cache, profile, builds));
    }))
}

fn wait(build: Option<JoinHandle<()>>) {
    if let Some(build) = build
        && !build.is_finished()
    {
        say(format_args!("waiting for the builds …\n"));
        // A build that panicked is told by the suite that needs it.
        let _ = build.join();
    }
}

fn prepare(cache: &Cache, suite: &Suite) -> Result<()> {
    let mut plan = Plan::default();
    needs::plan(cache, suite.needs, &mut plan)?;
    plan.run()
}
