//! The benches: one row each. Numbers are printed as tables by what runs.

pub mod embed;
mod learn;
mod relevance;
mod size;
pub mod web;

pub use size::size;

use std::path::Path;

use anyhow::Result;

use crate::cache::Cache;
use crate::fault::fault;
use crate::needs::{self, Need};
use crate::progress::Plan;
use crate::serve::Site;
use crate::stack::{Data, Stack};
use crate::{browser, engine as module, model, run};

struct Bench {
    name: &'static str,
    about: &'static str,
    needs: &'static [Need],
    run: Run,
}

/// Function of a bench, by what it takes and prints.
enum Run {
    /// It prints tables.
    Table(fn(&Cache) -> Result<()>),
    /// It prints tables and, if asked, ends with one line of JSON.
    Json(fn(&Cache, bool) -> Result<()>),
    /// The same, over the sample lessons or a folder of others.
    Lessons(fn(&Cache, bool, Option<&Path>) -> Result<()>),
    /// It prints tables and writes them into the documentation, with real data where there is a file of it.
    Upworthy(fn(&Cache, Option<&Path>) -> Result<()>),
}

/// Inputs that a bench measures with.
#[derive(Clone, Copy, Default)]
pub struct Inputs<'a> {
    /// A folder of lessons.
    pub lessons: Option<&'a Path>,
    /// Set if queries in other languages are asked, with the multilingual model.
    pub languages: bool,
    /// The exploratory set of the Upworthy Research Archive.
    pub upworthy: Option<&'a Path>,
}

const BENCHES: &[Bench] = &[
    Bench {
        name: "engine",
        about: "retrieval by store size, natively and in Node; SequenceMatcher beside its peers; tool suggestion",
        needs: &[Need::Model, Need::Dist],
        run: Run::Table(engine),
    },
    Bench {
        name: "relevance",
        about: "whether recommend and search find the right lesson, with the model and without, beside BM25, cosine and packages from npm (--json: as JSON too)",
        needs: &[Need::Model, Need::Peers, Need::PeerModel],
        run: Run::Lessons(relevance::run),
    },
    Bench {
        name: "learn",
        about: "whether feedback helps in simulated worlds, intervals under a look at every run, the time of a lift (--upworthy FILE: real data); writes docs/learning.md",
        needs: &[],
        run: Run::Upworthy(learn::run),
    },
    Bench {
        name: "embed",
        about: "the embedding engine beside onnxruntime-web and transformers.js in one Chromium (--json: as JSON too)",
        needs: &[
            Need::Model,
            Need::Dist,
            Need::Browser,
            Need::Peers,
            Need::PeerModel,
        ],
        run: Run::Json(embed::run),
    },
    Bench {
        name: "sync",
        about: "first syncs of 1,000 to 100,000 lessons over the local stack, beside plain rows by REST",
        needs: &[Need::Dist, Need::Stack, Need::Browser],
        run: Run::Table(sync),
    },
    Bench {
        name: "web",
        about: "the built app in Chromium: sizes, Lighthouse, and times with 1,000 to 100,000 lessons",
        needs: &[Need::Dist, Need::Browser, Need::Lighthouse],
        run: Run::Table(web::run),
    },
    Bench {
        name: "edge",
        about: "the edge function in workerd: recommend and search by store size, cold isolate, memory; a load while the store fails",
        needs: &[Need::Dist, Need::Stack, Need::Workerd],
        run: Run::Table(edge),
    },
    Bench {
        name: "scale",
        about: "spaces of 10,000 to 1,000,000 lessons at the edge: recommend, what is lost against exact ranking, the store; takes an hour or more",
        needs: &[Need::Dist, Need::Stack, Need::Workerd],
        run: Run::Table(scale),
    },
    Bench {
        name: "local",
        about: "the package for Node beside @modelcontextprotocol/server-memory: start, one recall, ten sessions, the prompt hook",
        needs: &[Need::Dist, Need::LocalClients],
        run: Run::Table(local),
    },
    Bench {
        name: "size",
        about: "what a browser downloads, raw and gzip, and what each crate adds to the module",
        needs: &[Need::Dist],
        run: Run::Table(sizes),
    },
];

/// The benches' names with what they measure, for the command's help.
pub fn list() -> String {
    let lines: Vec<String> = BENCHES
        .iter()
        .map(|bench| format!("  {:9} {}", bench.name, bench.about))
        .collect();
    format!("Benches:\n{}", lines.join("\n"))
}

/// Lists what all benches need.
pub fn all_needs() -> Vec<Need> {
    BENCHES
        .iter()
        .flat_map(|bench| bench.needs)
        .copied()
        .collect()
}

/// Runs one bench; with `json`, its last line is the result as JSON.
pub fn bench(cache: &Cache, name: &str, json: bool, inputs: Inputs<'_>) -> Result<()> {
    let Inputs {
        lessons,
        languages,
        upworthy,
    } = inputs;
    let Some(bench) = BENCHES.iter().find(|bench| bench.name == name) else {
        return Err(fault(format_args!("no bench is called {name}"), list()));
    };
    if json && matches!(bench.run, Run::Table(_) | Run::Upworthy(_)) {
        return Err(fault(
            format_args!("--json: bench {name} prints tables only"),
            format_args!("run it without: cargo xtask bench {name}"),
        ));
    }
    if let Some(lessons) = lessons {
        if !matches!(bench.run, Run::Lessons(_)) {
            return Err(fault(
                format_args!("--lessons: bench {name} has lessons of its own"),
                "only `cargo xtask bench relevance` takes a folder",
            ));
        }
        if !lessons.is_dir() {
            return Err(fault(
                format_args!("--lessons: {} is no folder", lessons.display()),
                "name a folder of markdown lessons",
            ));
        }
    }
    if languages {
        if !matches!(bench.run, Run::Lessons(_)) {
            return Err(fault(
                format_args!("--languages: bench {name} asks in English"),
                "only `cargo xtask bench relevance` asks in other languages",
            ));
        }
        return relevance::languages(cache);
    }
    if let Some(file) = upworthy {
        if !matches!(bench.run, Run::Upworthy(_)) {
            return Err(fault(
                format_args!("--upworthy: bench {name} has data of its own"),
                "only `cargo xtask bench learn` takes a file",
            ));
        }
        if !file.is_file() {
            return Err(fault(
                format_args!("--upworthy: {} is no file", file.display()),
                "name the archive's exploratory set, a CSV file",
            ));
        }
    }
    let mut plan = Plan::default();
    needs::plan(cache, bench.needs, &mut plan)?;
    plan.run()?;
    match bench.run {
        Run::Upworthy(run) => run(cache, upworthy),
        Run::Table(run) => run(cache),
        Run::Json(run) => run(cache, json),
        Run::Lessons(run) => run(cache, json, lessons),
    }
}

/// Natively, then the same through the built module.
fn engine(cache: &Cache) -> Result<()> {
    let remedy = "read the message above";
    for target in ["engine", "matcher"] {
        let mut cargo = run::cargo(cache)?;
        cargo
            .env("LESSONLOOP_MODEL_PACK", model::pack(cache)?)
            .args(["bench", "-p", "tests", "--bench", target]);
        run::loud(cargo, remedy)?;
    }
    let mut node = run::program(cache, "node")?;
    node.arg("tests/benches/engine.mjs")
        .env("LESSONLOOP_DIST", cache.root.join("dist"))
        .env("LESSONLOOP_MODEL_PACK", model::pack(cache)?);
    run::loud(node, remedy)
}

/// Whole engines in Node, and the app in Chromium, over a fresh local stack.
fn sync(cache: &Cache) -> Result<()> {
    let stack = Stack::start(cache, Data::Fresh, Some(0))?;
    let site = Site::open(&cache.root.join("dist"), Some(0), Some(stack.offer()))?;
    site.start()?;
    let mut node = run::program(cache, "node")?;
    node.arg("tests/benches/sync.mjs")
        .env("LESSONLOOP_DIST", cache.root.join("dist"))
        .env("LESSONLOOP_URL", site.url())
        .env("LESSONLOOP_CHROMIUM", browser::chromium(cache)?)
        .envs(stack.variables(cache));
    run::loud(node, "read the message above")
}

/// workerd over a fresh local stack.
fn edge(cache: &Cache) -> Result<()> {
    let stack = Stack::start(cache, Data::Fresh, Some(0))?;
    let mut node = run::program(cache, "node")?;
    node.arg("tests/benches/edge.mjs")
        .env("LESSONLOOP_DIST", cache.root.join("dist"))
        .envs(stack.variables(cache));
    run::loud(node, "read the message above")
}

/// workerd over a fresh local stack with large spaces.
fn scale(cache: &Cache) -> Result<()> {
    let stack = Stack::start(cache, Data::Fresh, Some(0))?;
    let mut node = run::program(cache, "node")?;
    node.arg("tests/benches/scale.mjs")
        .env("LESSONLOOP_DIST", cache.root.join("dist"))
        .envs(stack.variables(cache));
    run::loud(node, "read the message above")
}

/// The installed package, and the peer as npm has it.
fn local(cache: &Cache) -> Result<()> {
    let mut node = run::program(cache, "node")?;
    node.arg("tests/benches/local.mjs")
        .env("LESSONLOOP_DIST", cache.root.join("dist"));
    run::loud(node, "read the message above")
}

/// Prints what a browser downloads, then the module's code by crate.
fn sizes(cache: &Cache) -> Result<()> {
    size(cache)?;
    let mut node = run::program(cache, "node")?;
    node.arg("tests/benches/size_by_crate.mjs")
        .arg(module::with_names(cache)?);
    run::loud(node, "read the message above")
}
