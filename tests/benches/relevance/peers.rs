//! Asks the packages from npm, in Node: `peers.mjs` beside this file gets lessons, queries and vectors as JSON, and
//! answers with ranked lessons.

use crate::Run;
use crate::corpus::Corpus;
use crate::ours::{Answer, Cached};
use lesson_service::Embedder;
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};

// Other clones that share a target folder build their own: the path below is this one's.
const _: Option<&str> = option_env!("LESSONLOOP_ROOT");

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/relevance/peers.mjs");

#[derive(Deserialize)]
struct Answered {
    name: String,
    ranked: Vec<Vec<usize>>,
}

/// Has each package answer the queries; `packages` is the folder that they are installed in.
///
/// # Errors
/// When Node or the script fails.
pub fn runs(packages: &str, corpus: &Corpus, model: &Cached) -> Result<Vec<Run>, String> {
    let vector = |text: &str| model.embed(text).map_err(|error| error.to_string());
    let lessons: Vec<Value> = corpus
        .lessons
        .iter()
        .map(|lesson| {
            let text = &lesson.text;
            Ok(json!({
                "title": text.title,
                "description": text.description,
                "context": text.context,
                "recommendation": text.recommendation,
                "tags": text.tags,
                "embedded": text.embedded(),
                "vector": vector(&text.embedded())?,
            }))
        })
        .collect::<Result<_, String>>()?;
    let queries: Vec<Value> = corpus
        .queries
        .iter()
        .map(|query| Ok(json!({ "text": query.text, "vector": vector(&query.text)? })))
        .collect::<Result<_, String>>()?;
    let asked = json!({ "lessons": lessons, "queries": queries }).to_string();

    let fault = |error: std::io::Error| format!("node {SCRIPT}: {error}");
    let mut node = Command::new("node")
        .arg(SCRIPT)
        .env("LESSONLOOP_PEERS", packages)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(fault)?;
    if let Some(mut input) = node.stdin.take() {
        input.write_all(asked.as_bytes()).map_err(fault)?;
    }
    let output = node.wait_with_output().map_err(fault)?;
    if !output.status.success() {
        return Err(format!("node {SCRIPT} failed: read the message above"));
    }
    let answered: Vec<Answered> = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("what {SCRIPT} printed: {error}"))?;
    let run = |peer: Answered| {
        if peer.ranked.len() != corpus.queries.len() {
            return Err(format!(
                "{} answered {} queries of {}",
                peer.name,
                peer.ranked.len(),
                corpus.queries.len()
            ));
        }
        let answers = peer.ranked.into_iter().map(|ranked| Answer {
            ranked,
            words: Vec::new(),
            likely: Vec::new(),
        });
        Ok(Run {
            name: peer.name,
            answers: answers.collect(),
        })
    };
    answered.into_iter().map(run).collect()
}
