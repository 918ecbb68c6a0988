//! Needs of tasks on the machine, and how each is got.

use anyhow::Result;

use crate::bench::{embed, web};
use crate::cache::Cache;
use crate::engine::Builds;
use crate::profile::Profile;
use crate::progress::Plan;
use crate::{browser, bundle, edge, model, npm, python, stack, tools, wasm_target};

/// Something that set-up provides. The order is the order of set-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// The standard library for wasm32.
    WasmTarget,
    /// Packages from npm.
    Npm,
    /// `trunk`.
    Trunk,
    /// The packed model.
    Model,
    /// The packed multilingual model.
    Multilingual,
    /// The runner of tests in a browser.
    WasmRunner,
    /// Chromium and its driver.
    Browser,
    /// The Python environment of the oracles.
    Oracles,
    /// The packages that benches hold the engine beside.
    Peers,
    /// The model file of those packages.
    PeerModel,
    /// The program that judges pages in benches.
    Lighthouse,
    /// The programs of the local stack.
    Stack,
    /// workerd, which runs the edge function.
    Workerd,
    /// Programs to test the edge function with: MCP's own client and conformance suite, and a fuzzer for OpenAPI.
    EdgeClients,
    /// Programs to test the local host with: MCP's own client, a peer, and the newest Node.
    LocalClients,
    /// The Python environment of the examples.
    ExamplePython,
    /// Validators of a release's pieces.
    ReleaseChecks,
    /// Linting for wasm32.
    WasmClippy,
    /// `dist/`, built quickly.
    QuickDist,
    /// `dist/`, built for release. Takes the place of the one that was built quickly.
    Dist,
}

/// Needs of building the product for shipping.
pub const BUILD: &[Need] = &[Need::WasmTarget, Need::Npm, Need::Trunk, Need::Model];

/// Needs of building what is served on this machine.
const LOCAL_BUILD: &[Need] = &[Need::WasmTarget, Need::Npm, Need::Model];

/// Returns the needs of building by a profile.
pub const fn of_build(profile: Profile) -> &'static [Need] {
    match profile {
        Profile::Dev | Profile::Quick => LOCAL_BUILD,
        Profile::Release => BUILD,
    }
}

/// Build of `dist/` for the suites before the release's; the module with relaxed SIMD is held by the suites of what ships.
pub const QUICK_DIST: (Profile, Builds) = (Profile::Quick, Builds::One);

/// Build of the `dist/` that ships.
pub const DIST: (Profile, Builds) = (Profile::Release, Builds::Both);

/// Adds the steps that provide these needs, and what they need themselves, each once.
pub fn plan<'a>(cache: &'a Cache, needs: &[Need], plan: &mut Plan<'a>) -> Result<()> {
    let mut all: Vec<Need> = needs.to_vec();
    for (dist, (profile, _)) in [(Need::QuickDist, QUICK_DIST), (Need::Dist, DIST)] {
        if all.contains(&dist) {
            all.extend(of_build(profile));
        }
    }
    if all.contains(&Need::WasmClippy) {
        all.push(Need::WasmTarget);
    }
    all.sort();
    all.dedup();
    for need in all {
        match need {
            Need::WasmTarget => plan.step("wasm32 standard library", || wasm_target::ensure(cache)),
            Need::Npm => plan.step("npm packages", || npm::ensure(cache)),
            Need::Trunk => {
                let trunk = tools::trunk();
                plan.step(trunk.title(), move || trunk.ensure(cache));
            }
            Need::Model => plan.step("model pack", || model::ensure(cache)),
            Need::Multilingual => plan.step("multilingual model pack", || {
                model::multilingual(cache).map(|_| "made".to_owned())
            }),
            Need::WasmRunner => plan.step("runner of tests in a browser", || {
                tools::wasm_runner(cache).map(|()| String::new())
            }),
            Need::Browser => plan.step("Chromium and its driver", || browser::ensure(cache)),
            Need::Oracles => plan.step("Python packages of the oracles", || {
                python::ORACLES.ensure(cache)
            }),
            Need::Peers => plan.step("npm packages of the peers", || embed::ensure_peers(cache)),
            Need::PeerModel => plan.step("model of the peers", || embed::ensure_peer_model(cache)),
            Need::Lighthouse => plan.step("Lighthouse", || web::ensure_lighthouse(cache)),
            Need::Stack => plan.step("PostgreSQL, pgvector and PostgREST", || {
                stack::ensure(cache)
            }),
            Need::Workerd => plan.step("workerd", || edge::ensure(cache)),
            Need::EdgeClients => {
                plan.step("MCP client and conformance suite", || {
                    npm::install(cache, &cache.root.join("tests/edge"), "npm-mcp")
                });
                plan.step("schemathesis", || python::FUZZER.ensure(cache));
            }
            Need::LocalClients => plan.step("MCP client and newest Node", || {
                npm::install(cache, &cache.root.join("tests/local"), "npm-local")
            }),
            Need::ExamplePython => plan.step("Python packages of the examples", || {
                python::EXAMPLES.ensure(cache)
            }),
            Need::ReleaseChecks => plan.step("validators of a release's pieces", || {
                npm::install(cache, &cache.root.join("tests/release"), "npm-release")
            }),
            Need::WasmClippy => plan.step("clippy for wasm32", || tools::ensure_wasm_clippy(cache)),
            Need::QuickDist => bundle::plan(cache, QUICK_DIST.0, QUICK_DIST.1, plan),
            Need::Dist => bundle::plan(cache, DIST.0, DIST.1, plan),
        }
    }
    Ok(())
}
