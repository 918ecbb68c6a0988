//! `cargo xtask`: set-up, build, serve, test, bench and check of the whole project.
#![forbid(unsafe_code)]

mod bench;
mod browser;
mod bundle;
mod cache;
mod check;
mod clients;
mod compressed;
mod debian;
mod demo;
mod edge;
mod engine;
mod fault;
mod fits;
mod integrity;
mod model;
mod needs;
mod node_tests;
mod notices;
mod npm;
mod npm_package;
mod page;
mod pieces;
mod precache;
mod profile;
mod progress;
mod python;
mod relaxed;
mod release;
mod rename;
mod run;
mod runner;
mod samples;
mod serve;
mod source_times;
mod split;
mod stack;
mod styles;
mod suites;
mod tools;
mod wasm_target;
mod watch;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;
use clap::{Parser, Subcommand, ValueEnum};

use cache::Cache;
use engine::Builds;
use profile::Profile;

// Two clones that share a target folder must not run each other's build of this program: its tests hold the clone's path.
const _: Option<&str> = option_env!("LESSONLOOP_ROOT");
use fault::told;
use needs::Need;
use progress::Plan;

/// Each task sets up what it needs. What is downloaded or built is kept in $LESSONLOOP_CACHE, or ~/.cache/lessonloop.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Get what the other tasks need.
    Setup {
        /// Only what this use needs; without it, everything.
        #[arg(long = "for", value_enum)]
        purpose: Option<Purpose>,
    },
    /// Build dist/ for shipping: the dashboard, the engine module, the model pack, the edge function, the package for Node.
    Build {
        /// Compile for daily work: quickly, with checks of overflow and assertions, the dashboard as one module.
        #[arg(long)]
        dev: bool,
    },
    /// Build dist/ and serve it on this machine until Ctrl-C, with the local stack and the edge function beside it.
    Serve {
        /// The port; 0 takes any. Without it: the first free one from 8787 up.
        #[arg(long)]
        port: Option<u16>,
        /// Serve dist/ as it is; the first line printed is the URL.
        #[arg(long)]
        no_build: bool,
        /// Serve the dashboard alone, without the local stack and the edge function.
        #[arg(long)]
        no_stack: bool,
        /// Build anew whenever sources change; pages that are open load the new build.
        #[arg(long, conflicts_with = "no_build")]
        watch: bool,
        /// Compile for daily work: quickly, with checks of overflow and assertions, the dashboard as one module.
        #[arg(long, conflicts_with = "no_build")]
        dev: bool,
        /// Build the module with relaxed SIMD, too, which embeds faster where a host has that.
        #[arg(long, conflicts_with = "no_build")]
        relaxed: bool,
        /// The one project that the dashboard may connect to, in place of every hosted one.
        #[arg(long, value_name = "ADDRESS")]
        supabase: Option<String>,
    },
    /// Run the local stack alone: PostgreSQL, PostgREST and a gateway like Supabase's, until Ctrl-C.
    Stack {
        /// The gateway's port; 0 takes any. Without it: the first free one from 54321 up.
        #[arg(long)]
        port: Option<u16>,
    },
    /// Run one test suite, or all.
    #[command(after_help = suites::list())]
    Test {
        /// The suite's name.
        suite: Option<String>,
        /// Of the suite `clients` one client, as NAME or NAME@VERSION.
        #[arg(conflicts_with = "only")]
        client: Option<String>,
        /// Of a suite that runs in Node, only the test files with this in their path.
        #[arg(long, requires = "suite")]
        only: Option<String>,
    },
    /// Measure.
    #[command(after_help = bench::list())]
    Bench {
        /// The bench's name.
        name: String,
        /// End with the result as one line of JSON.
        #[arg(long)]
        json: bool,
        /// For `relevance`: a folder of markdown lessons with `match.keywords`, instead of the sample lessons.
        #[arg(long, value_name = "DIR")]
        lessons: Option<PathBuf>,
        /// For `relevance`: queries in other languages, with the multilingual model.
        #[arg(long, conflicts_with_all = ["json", "lessons"])]
        languages: bool,
        /// For `learn`: the exploratory set of the Upworthy Research Archive, as CSV.
        #[arg(long, value_name = "FILE")]
        upworthy: Option<PathBuf>,
    },
    /// Make every piece of a release in dist/release/, and check each by its schema or by what takes it in. Publishes nothing.
    Release {
        /// Check as far as it goes before a tag is there.
        #[arg(long, required_unless_present = "tag")]
        dry_run: bool,
        /// For the tag that is pushed, such as v0.1.0: it has to be this version, and the changelog has to be closed.
        #[arg(long, conflicts_with = "dry_run")]
        tag: Option<String>,
        /// Of `dist/` as it is, such as one that was built quickly.
        #[arg(long, conflicts_with = "tag")]
        no_build: bool,
    },
    /// Make a model pack that is no part of a build, and print where it lies.
    Model {
        /// The model.
        #[arg(value_enum)]
        model: ChosenModel,
        /// Put it into `dist/` too, in parts that Cloudflare takes: the dashboard and the edge function offer it then
        #[arg(long)]
        offer: bool,
    },
    /// Formatting, lints for the host and for wasm32, JavaScript, documentation, licences, structure.
    Check,
    /// Stand in for wasm-bindgen while trunk builds the dashboard.
    #[command(hide = true)]
    Bind(split::Bind),
}

#[derive(Clone, Copy, ValueEnum)]
enum ChosenModel {
    /// multilingual-e5-small: 44 MB, made of a package of 91 MB.
    Multilingual,
}

#[derive(Clone, Copy, ValueEnum)]
enum Purpose {
    Serve,
    Test,
    Bench,
}

fn main() -> ExitCode {
    match start(Arguments::parse().task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("{}", told(&fault));
            ExitCode::FAILURE
        }
    }
}

fn start(task: Task) -> Result<()> {
    let cache = Cache::open()?;
    // Trunk calls it in the midst of a run.
    if !matches!(task, Task::Bind(_)) {
        source_times::settle(
            &cache,
            std::env::var_os("CI").is_some_and(|ci| ci == "true"),
        )?;
    }
    match task {
        Task::Setup { purpose } => setup(&cache, purpose),
        Task::Build { dev } => {
            let profile = if dev { Profile::Dev } else { Profile::Release };
            build(&cache, profile, Builds::Both)
        }
        Task::Serve {
            port,
            no_build,
            no_stack,
            watch,
            dev,
            relaxed,
            supabase,
        } => {
            let profile = if dev { Profile::Dev } else { Profile::Quick };
            let builds = if relaxed { Builds::Both } else { Builds::One };
            let project = supabase.as_deref().map(serve::origin_of).transpose()?;
            if !no_build {
                build(&cache, profile, builds)?;
            }
            let watched = watch.then_some((profile, builds));
            serve(&cache, port, !no_build, no_stack, watched, project)
        }
        Task::Stack { port } => stack(&cache, port),
        Task::Test {
            suite,
            client,
            only,
        } => {
            let chosen = suites::part(suite.as_deref(), client, only)?;
            suites::test(&cache, suite.as_deref(), chosen.as_deref())
        }
        Task::Bench {
            name,
            json,
            lessons,
            languages,
            upworthy,
        } => {
            let inputs = bench::Inputs {
                lessons: lessons.as_deref(),
                languages,
                upworthy: upworthy.as_deref(),
            };
            bench::bench(&cache, &name, json, inputs)
        }
        Task::Release { tag, no_build, .. } => release::release(&cache, tag.as_deref(), !no_build),
        Task::Model {
            model: ChosenModel::Multilingual,
            offer,
        } => {
            println!("{}", model::multilingual(&cache)?.display());
            if offer {
                model::offer_multilingual(&cache)?;
            }
            Ok(())
        }
        Task::Check => check::check(&cache),
        Task::Bind(asked) => split::bind(&cache, asked),
    }
}

fn setup(cache: &Cache, purpose: Option<Purpose>) -> Result<()> {
    let mut needs = match purpose {
        Some(Purpose::Serve) => [
            needs::of_build(Profile::Quick),
            &[Need::Stack, Need::Workerd],
        ]
        .concat(),
        Some(Purpose::Test) => suites::all_needs(),
        Some(Purpose::Bench) => bench::all_needs(),
        None => [
            suites::all_needs(),
            bench::all_needs(),
            vec![Need::WasmClippy],
        ]
        .concat(),
    };
    // Set-up ends where building begins.
    let built = [Need::QuickDist, Need::Dist];
    if needs.iter().any(|need| built.contains(need)) {
        needs.retain(|need| !built.contains(need));
        needs.extend(needs::BUILD);
    }
    let mut plan = Plan::default();
    needs::plan(cache, &needs, &mut plan)?;
    plan.run()
}

fn build(cache: &Cache, profile: Profile, builds: Builds) -> Result<()> {
    let mut plan = Plan::default();
    needs::plan(cache, needs::of_build(profile), &mut plan)?;
    bundle::plan(cache, profile, builds, &mut plan);
    plan.run()
}

/// Serves `dist/`, and with `watched` builds it in that way whenever sources change. `hints`: what to do there is told.
/// Pages connect to `project` alone, where one is named.
fn serve(
    cache: &Cache,
    port: Option<u16>,
    hints: bool,
    no_stack: bool,
    watched: Option<(Profile, Builds)>,
    project: Option<String>,
) -> Result<()> {
    // The dashboard is whole without a server.
    let stack = if no_stack {
        None
    } else {
        stack_kept(cache, None)
            .inspect_err(|fault| {
                eprintln!(
                    "\nThe local stack did not start; the dashboard is served without it.\n{}\n",
                    told(fault)
                )
            })
            .ok()
    };
    let offer = stack.as_ref().map(stack::Stack::offer);
    let told = offer.as_ref().map(|offer| Arc::clone(&offer.edge));
    let (builds, waiting) = tokio::sync::watch::channel(0);
    let waiting = watched.map(|_| waiting);
    let site = serve::Site::open_for(&cache.root.join("dist"), port, offer, waiting, project)?;
    let thread = site.start()?;
    println!("{}", site.url());
    if hints {
        println!(
            "\nOpen it in a browser. From a shell:\n  curl {0}/engine/manifest.json\n  node --input-type=module -e '{1}'",
            site.url(),
            TRY
        );
    }
    if let Some(stack) = &stack {
        println!(
            "\nThe local stack, to connect to in *Settings*:\n{}",
            stack.describe()
        );
    }
    let edge = stack
        .as_ref()
        .and_then(|stack| edge_beside(cache, stack, &site.url()));
    if let Some(edge) = &edge {
        println!("\nThe edge function, for agents:\n{}", edge.describe());
        if let Some(told) = told {
            // Nothing has set it before.
            let _ = told.set(edge.url().to_owned());
        }
    }
    println!("\nCtrl-C ends it.");
    if let Some((profile, modules)) = watched {
        return watch::watch(cache, profile, modules, &builds);
    }
    let _ = thread.join();
    Ok(())
}

/// The edge function over the stack; the dashboard is whole without it.
fn edge_beside(cache: &Cache, stack: &stack::Stack, dashboard: &str) -> Option<edge::Edge> {
    let start = || {
        let mut plan = Plan::default();
        needs::plan(cache, &[Need::Workerd], &mut plan)?;
        plan.run()?;
        edge::Edge::start(cache, stack, dashboard)
    };
    start()
        .inspect_err(|fault| {
            eprintln!(
                "\nThe edge function did not start; the dashboard is served without it.\n{}\n",
                told(fault)
            )
        })
        .ok()
}

fn stack(cache: &Cache, port: Option<u16>) -> Result<()> {
    let stack = stack_kept(cache, port)?;
    println!("{}\nCtrl-C ends it.", stack.describe());
    stack.serve();
    Ok(())
}

/// The local stack over the data that is kept between runs.
fn stack_kept(cache: &Cache, port: Option<u16>) -> Result<stack::Stack> {
    let mut plan = Plan::default();
    needs::plan(cache, &[Need::Stack], &mut plan)?;
    plan.run()?;
    stack::Stack::start(cache, stack::Data::Kept, port)
}

/// The module outside a browser, in one line; prints 0.75.
const TRY: &str = r#"import init, { sequence_ratio } from "./dist/engine/lessonloop.js"; import { readFileSync } from "node:fs"; await init({ module_or_path: readFileSync("dist/engine/lessonloop_bg.wasm") }); console.log(sequence_ratio("abcd", "bcde"))"#;
