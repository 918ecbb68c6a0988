//! Measures how well the right lesson is found, and how well calibrated the answer's certainty is: recommend and search, with
//! the model and without, beside BM25, cosine, both as a plain hybrid, and packages from npm.
//!
//! `LESSONLOOP_MODEL_PACK` is the pack. `--lessons DIR` takes another folder of lessons, `--misses` lists the queries
//! whose right lesson is not first, `--json` ends with one line of JSON, `--languages` asks in other languages
//! instead, with the pack in `LESSONLOOP_MULTILINGUAL_PACK`, too. With `LESSONLOOP_PEERS` and
//! `LESSONLOOP_PEER_MODEL`, as `cargo xtask bench relevance` sets them, the packages take part.

mod author;
mod baselines;
mod corpus;
mod languages;
mod measure;
mod ours;
mod peers;
mod queries;
mod reliability;
mod report;

use corpus::Corpus;
use ours::{Answer, Cached, Engine};
use queries::Query;
use std::path::PathBuf;
use std::process::ExitCode;
use std::rc::Rc;

/// A way of searching, and what it answered to each query of the corpus.
pub struct Run {
    /// Its name.
    pub name: String,
    /// Its answers, in the order of the queries.
    pub answers: Vec<Answer>,
}

/// The options of the command line.
#[derive(Default)]
struct Arguments {
    lessons: Option<PathBuf>,
    misses: bool,
    json: bool,
    languages: bool,
}

fn main() -> ExitCode {
    match measured() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn measured() -> Result<(), String> {
    let arguments = arguments(std::env::args().skip(1))?;
    let pack = std::env::var("LESSONLOOP_MODEL_PACK")
        .map_err(|_| "LESSONLOOP_MODEL_PACK is not set: run `cargo xtask bench relevance`")?;
    let corpus = match &arguments.lessons {
        Some(at) => corpus::folder(at)?,
        None => corpus::samples()?,
    };
    let model = Rc::new(Cached::open(&pack)?);
    if arguments.languages {
        let other = std::env::var("LESSONLOOP_MULTILINGUAL_PACK").map_err(|_| {
            "LESSONLOOP_MULTILINGUAL_PACK is not set: run `cargo xtask bench relevance --languages`"
        })?;
        let other = Rc::new(Cached::open(&other)?);
        return languages::print(
            &corpus,
            &[
                ("words alone", None),
                ("English model", Some(model)),
                ("multilingual model", Some(other)),
            ],
        );
    }
    let runs = runs(&corpus, &model)?;
    report::print(&corpus, &runs, arguments.lessons.as_deref());
    if arguments.misses {
        report::misses(&corpus, &runs);
    }
    if arguments.json {
        println!("{}", report::json(&corpus, &runs));
    }
    Ok(())
}

fn arguments(mut given: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let mut arguments = Arguments::default();
    while let Some(argument) = given.next() {
        match argument.as_str() {
            "--lessons" => {
                let at = given.next().ok_or("--lessons needs a folder")?;
                arguments.lessons = Some(at.into());
            }
            "--misses" => arguments.misses = true,
            "--json" => arguments.json = true,
            "--languages" => arguments.languages = true,
            // Cargo says so to every bench.
            "--bench" => {}
            other => {
                return Err(format!(
                    "{other} is not known; there are --lessons DIR, --misses, --languages and --json"
                ));
            }
        }
    }
    Ok(arguments)
}

/// Asks everyone everything; the engine's own ways come first, in the order that the report expects.
fn runs(corpus: &Corpus, model: &Rc<Cached>) -> Result<Vec<Run>, String> {
    let semantic = Engine::open(corpus, Some(Rc::clone(model)))?;
    let plain = Engine::open(corpus, None)?;
    let each = |name: &str, ask: &dyn Fn(&str) -> Result<Answer, String>| {
        let answers = corpus.queries.iter().map(|query: &Query| ask(&query.text));
        Ok::<_, String>(Run {
            name: name.to_owned(),
            answers: answers.collect::<Result<_, _>>()?,
        })
    };
    let mut runs = vec![
        each("recommend with the model", &|text| semantic.recommend(text))?,
        each("recommend without", &|text| plain.recommend(text))?,
        each("search with the model", &|text| semantic.search(text))?,
        each("search without", &|text| plain.search(text))?,
        each("all, with the model", &|text| semantic.recommend_all(text))?,
        each("all, without", &|text| plain.recommend_all(text))?,
    ];
    let baselines = baselines::Baselines::open(&corpus.lessons, model)?;
    runs.extend([
        each("BM25", &|text| Ok(baselines.ask(text)?.words))?,
        each("cosine", &|text| Ok(baselines.ask(text)?.cosine))?,
        each("plain hybrid", &|text| Ok(baselines.ask(text)?.hybrid))?,
    ]);
    if let Ok(packages) = std::env::var("LESSONLOOP_PEERS") {
        runs.extend(peers::runs(&packages, corpus, model)?);
    }
    Ok(runs)
}
