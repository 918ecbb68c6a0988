//! Running a suite: natively, in the browser through WebDriver, or by Node against the served site.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result};
use serde_json::json;

use crate::cache::Cache;
use crate::fault::{advice, fault};
use crate::needs::Need;
use crate::node_tests::{failures, node_tests};
use crate::serve::Site;
use crate::stack::{Data, Stack};
use crate::wasm_target::{TARGET, Toolchain};
use crate::{bench, browser, clients, model, pieces, python, run, tools};

const REMEDY: &str = "read the failed test's message above";

/// Packages compiled for this machine; the dashboard's tests run in the browser, for which it is compiled anyway. Cargo
/// unifies the features of third-party crates over what it is asked for, so every suite that compiles any of this asks for
/// all of it: else serde and whatever stands on it would be compiled once for each suite.
pub const NATIVE: &[&str] = &[
    "-p",
    "difflib-exact",
    "-p",
    "lesson-core",
    "-p",
    "lesson-screen",
    "-p",
    "lesson-formats",
    "-p",
    "lesson-types",
    "-p",
    "lesson-sync",
    "-p",
    "lesson-service",
    "-p",
    "lesson-mcp",
    "-p",
    "lesson-edge",
    "-p",
    "lesson-clients",
    "-p",
    "lesson-local",
    "--features",
    "lesson-types/schema",
];

/// Arguments by which the package `tests`, and what is compiled with it, is not optimised.
const UNOPTIMISED: [&str; 2] = ["--config", "profile.test.package.tests.opt-level=0"];

/// Tests of a suite, and the way to run them.
pub enum Runner {
    /// The tests of this program, beside it: its packages are compiled there already.
    Own,
    /// `cargo test` with these arguments, on this machine.
    Cargo(&'static [&'static str]),
    /// `cargo test` of targets of the package `tests`, on this machine.
    Tests(&'static [&'static str]),
    /// The same, where little is reckoned by the code that is compiled with the target: optimising it takes longer.
    Unoptimised(&'static [&'static str]),
    /// Compiles the native benches, which measure when they are named.
    Benches,
    /// The tests of the module, of the kernels and of the dashboard's pieces, in headless Chromium.
    Wasm,
    /// Node's test runner over these files of `tests/`, with the built site served, and a fresh local stack beside it
    /// when that is needed.
    Node(&'static [&'static str]),
    /// Node's test runner over these files of `tests/`, with a fresh local stack.
    Stack(&'static [&'static str]),
    /// The TypeScript compiler over the declarations of the module.
    Types,
    /// The sizes of what a browser downloads, against their bars.
    Size,
    /// The coding agents' clients, each from npm.
    Clients,
    /// The pieces of a release, made of `dist/` as it is, and Node's test runner over what reads them.
    Release,
}

impl Runner {
    /// True if it runs files in Node, of which some can be chosen.
    pub const fn is_of_files(&self) -> bool {
        matches!(
            self,
            Self::Node(_) | Self::Stack(_) | Self::Clients | Self::Release
        )
    }

    /// Runs it; `needs` are those that set-up has provided for it. Of files in Node those with `only` in their path.
    pub fn run(&self, cache: &Cache, needs: &[Need], only: &str) -> Result<()> {
        match *self {
            Self::Own => {
                let mut cargo = run::program(cache, "cargo")?;
                cargo.args(["test", "--no-fail-fast", "--profile", "tool", "-p", "xtask"]);
                cargo.env("CARGO_TARGET_DIR", run::own_target()?);
                run::loud(cargo, REMEDY)
            }
            Self::Cargo(arguments) => cargo_test(cache, needs, arguments),
            Self::Tests(targets) => {
                cargo_test(cache, needs, &[NATIVE, &["-p", "tests"], targets].concat())
            }
            Self::Unoptimised(targets) => cargo_test(
                cache,
                needs,
                &[NATIVE, &["-p", "tests"], &UNOPTIMISED, targets].concat(),
            ),
            Self::Benches => {
                let mut cargo = run::cargo(cache)?;
                cargo.args(["build", "--profile", "test"]).args(NATIVE);
                // They are not run.
                cargo.args(UNOPTIMISED);
                cargo.args(["-p", "tests", "--benches"]);
                run::loud(cargo, "mend what the compiler names in tests/benches")?;
                println!("every bench of tests/ compiles");
                Ok(())
            }
            Self::Wasm => in_browser(cache),
            Self::Node(folders) => node(cache, folders, needs, only),
            Self::Stack(folders) => stack(cache, folders, only),
            Self::Types => types(cache),
            Self::Size => bench::size(cache),
            Self::Clients => clients::test(cache, only),
            Self::Release => {
                pieces::make(cache, None)?;
                node(cache, &["release"], needs, only)
            }
        }
    }
}

fn cargo_test(cache: &Cache, needs: &[Need], arguments: &[&str]) -> Result<()> {
    let mut cargo = run::cargo(cache)?;
    // Every failure is told, not the first alone.
    cargo.args(["test", "--no-fail-fast"]).args(arguments);
    if needs.contains(&Need::Model) {
        cargo.env("LESSONLOOP_MODEL_PACK", model::pack(cache)?);
        cargo.env("LESSONLOOP_MODEL_WEIGHTS", model::weights(cache)?);
    }
    if needs.contains(&Need::Multilingual) {
        cargo.env("LESSONLOOP_MULTILINGUAL_PACK", model::multilingual(cache)?);
    }
    if needs.contains(&Need::Oracles) {
        cargo.env("LESSONLOOP_PYTHON", python::ORACLES.interpreter(cache)?);
    }
    run::loud(cargo, REMEDY)
}

/// Arguments of the test browser: no sandbox, for CIs run as root; nothing that reaches out by itself.
const BROWSER_ARGUMENTS: [&str; 7] = [
    "--headless",
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];

/// Tests that are marked for a browser: the module's, lesson-embed's with every kernel there is, and the dashboard's. As one
/// command and as `dist/` is built quickly, so that what they stand on is compiled once, with the features of all.
const IN_BROWSER: &[&str] = &[
    "--profile",
    "quick",
    "-p",
    "lesson-wasm",
    "-p",
    "lesson-embed",
    "-p",
    "web",
    "--features",
    "lesson-embed/relaxed-simd,lesson-wasm/unified,web/unified",
    "--lib",
    "--bins",
    "--test",
    "browser",
    "--test",
    "indexed_db",
    "--test",
    "ledgers",
    "--test",
    "network",
];

/// Runs tests in headless Chromium.
fn in_browser(cache: &Cache) -> Result<()> {
    let capabilities = json!({ "goog:chromeOptions": { "binary": browser::chromium(cache)?, "args": BROWSER_ARGUMENTS } });
    let settings = cache.home.join("webdriver.json");
    std::fs::write(&settings, capabilities.to_string())
        .with_context(|| advice(settings.display(), "free some space"))?;
    let mut cargo = Toolchain::need(cache)?.cargo(cache)?;
    cargo
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", tools::RUNNER)
        // By its name, as cargo parts the runner's words at spaces.
        .env("PATH", tools::beside_wasm_runner(cache)?)
        .env("CHROMEDRIVER", browser::chromedriver(cache)?)
        .env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", &settings)
        // Where a crate does not say so itself.
        .env("WASM_BINDGEN_USE_BROWSER", "1")
        // Seconds; a busy CI is slow to start a browser.
        .env("WASM_BINDGEN_TEST_TIMEOUT", "300")
        .args(["test", "--no-fail-fast", "--target", TARGET])
        .args(IN_BROWSER);
    run::loud(cargo, REMEDY)
}

/// A name that is used but not declared, or declared twice, fails here.
fn types(cache: &Cache) -> Result<()> {
    let mut tsc = run::program(cache, "tsc")?;
    tsc.args([
        "--noEmit",
        "--strict",
        "--target",
        "esnext",
        "--module",
        "esnext",
        "--moduleResolution",
        "bundler",
    ])
    .args(["--lib", "esnext,dom"])
    .arg(cache.root.join("dist/engine/lessonloop.d.ts"));
    run::loud(
        tsc,
        "see which type the row in crates/lesson-types/src/endpoints lacks",
    )?;
    println!("lessonloop.d.ts: every name is declared once");
    Ok(())
}

/// Serves `dist/` from this process for as long as Node runs, with a fresh local stack where the suite needs one.
pub fn node(cache: &Cache, folders: &[&str], needs: &[Need], only: &str) -> Result<()> {
    let dist = cache.root.join("dist");
    let stack = needs
        .contains(&Need::Stack)
        .then(|| Stack::start(cache, Data::Fresh, Some(0)))
        .transpose()?;
    let site = Site::open(&dist, Some(0), stack.as_ref().map(Stack::offer))?;
    site.start()?;
    let mut command = node_tests(cache)?;
    if needs.contains(&Need::Browser) {
        command.env("LESSONLOOP_CHROMIUM", browser::chromium(cache)?);
    }
    if needs.contains(&Need::ExamplePython) {
        command.env("LESSONLOOP_PYTHON", python::EXAMPLES.interpreter(cache)?);
    }
    if needs.contains(&Need::EdgeClients) {
        command.env("LESSONLOOP_FUZZER", python::FUZZER.interpreter(cache)?);
    }
    command
        .env("LESSONLOOP_DIST", &dist)
        .env("LESSONLOOP_URL", site.url())
        .env("LESSONLOOP_MODEL_PACK", model::pack(cache)?)
        // A suite that compares with native code runs cargo itself, with the same packages.
        .env("CARGO_TARGET_DIR", cache.dir("target/host")?)
        .env("LESSONLOOP_NATIVE", NATIVE.join(" "));
    if let Some(stack) = &stack {
        command.envs(stack.variables(cache));
    }
    in_turns(cache, command, suite_files(cache, folders, only)?)
}

/// Runs a local stack from this process for as long as Node runs.
fn stack(cache: &Cache, folders: &[&str], only: &str) -> Result<()> {
    let mut examples = run::cargo(cache)?;
    // As the tests are, which have compiled nearly all of it.
    examples.args(["build", "--profile", "test"]).args(NATIVE);
    examples.args(["--example", "client", "--example", "ledgers"]);
    run::loud(examples, REMEDY)?;
    let built = cache.dir("target/host")?.join("debug/examples");
    let stack = Stack::start(cache, Data::Fresh, Some(0))?;
    let mut command = node_tests(cache)?;
    command
        .envs(stack.variables(cache))
        .env("LESSONLOOP_CLIENT", built.join("client"))
        .env("LESSONLOOP_LEDGERS", built.join("ledgers"));
    in_turns(cache, command, suite_files(cache, folders, only)?)
}

/// Comment by which a test file forbids another beside it, with the reason: times that it holds, a server that it breaks.
const ALONE: &str = "\n// Alone: ";

/// Runs test files with Node's runner as it is prepared: two at a time, as tests wait more than they reckon, and then those
/// that are to be alone.
fn in_turns(cache: &Cache, command: Command, files: Vec<PathBuf>) -> Result<()> {
    let is_alone =
        |file: &PathBuf| std::fs::read_to_string(file).is_ok_and(|text| text.contains(ALONE));
    let (alone, together): (Vec<_>, Vec<_>) = files.into_iter().partition(is_alone);
    let told = failures(cache)?;
    let shared = Shared::new()?;
    let mut failed = String::new();
    let mut outcome = Ok(());
    for (files, at_once) in [(together, 2), (alone, 1)] {
        if files.is_empty() {
            continue;
        }
        let mut turn = run::again(&command);
        turn.env("LESSONLOOP_SUITE", &shared.0)
            .arg(format!("--test-concurrency={at_once}"))
            .args(files);
        outcome = outcome.and(run::loud(turn, REMEDY));
        failed += &std::fs::read_to_string(&told).unwrap_or_default();
    }
    std::fs::write(&told, failed).with_context(|| advice(told.display(), "free some space"))?;
    outcome
}

/// A folder for what the files of a suite make once for all of them; gone with the suite.
struct Shared(PathBuf);

impl Shared {
    fn new() -> Result<Self> {
        let at = std::env::temp_dir().join(format!("lessonloop-suite-{}", std::process::id()));
        std::fs::create_dir_all(&at).with_context(|| {
            advice(at.display(), "make the folder for temporary files writable")
        })?;
        Ok(Self(at))
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // A failure leaves a folder of temporary files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The test files of folders under `tests/` that have `only` in their path. A folder without any is a mistake, not a
/// success, and so is a word that no path has.
fn suite_files(cache: &Cache, folders: &[&str], only: &str) -> Result<Vec<PathBuf>> {
    let mut chosen = Vec::new();
    for folder in folders {
        let at = cache.root.join("tests").join(folder);
        let mut found = crate::cache::files(&at)?;
        found.retain(|file| file.to_string_lossy().ends_with(".test.mjs"));
        if found.is_empty() {
            return Err(fault(
                format_args!("no *.test.mjs in {}", at.display()),
                "restore the folder from git",
            ));
        }
        found.retain(|file| {
            let below = file.strip_prefix(&cache.root).unwrap_or(file);
            below.to_string_lossy().contains(only)
        });
        chosen.extend(found);
    }
    if chosen.is_empty() {
        return Err(fault(
            format_args!("no test file of the suite has `{only}` in its path"),
            format_args!("choose among those of tests/{}", folders.join(", tests/")),
        ));
    }
    Ok(chosen)
}
