//! Queries in other languages over the sample lessons, which are in English: whether the right one is found, by language.
//!
//! Every second row is held out: constants are chosen by the others.

use crate::corpus::Corpus;
use crate::measure::{Score, mean, score};
use crate::ours::{Cached, Engine};
use std::collections::BTreeMap;
use std::rc::Rc;

const ROWS: &str = include_str!("languages.tsv");

/// A query that one lesson answers.
pub struct Asked {
    /// Its language's tag.
    pub language: &'static str,
    /// The query.
    pub text: &'static str,
    /// The lesson's place in the corpus.
    pub right: usize,
    /// Whether no constant was chosen by it.
    pub held_out: bool,
}

/// The labelled queries over a corpus.
///
/// # Errors
/// When a row names no lesson or lacks a language; names it.
pub fn labelled(corpus: &Corpus) -> Result<Vec<Asked>, String> {
    let places: BTreeMap<&str, usize> = corpus
        .lessons
        .iter()
        .zip(0..)
        .map(|(lesson, at)| (lesson.slug.as_str(), at))
        .collect();
    let mut rows = ROWS.lines().map(|row| row.split('\t'));
    let languages: Vec<&str> = rows.next().into_iter().flatten().skip(1).collect();
    let mut asked = Vec::new();
    for (at, mut row) in rows.enumerate() {
        let slug = row.next().unwrap_or_default();
        let right = *places
            .get(slug)
            .ok_or_else(|| format!("languages.tsv: `{slug}` is no lesson of the samples"))?;
        let texts: Vec<&str> = row.collect();
        if texts.len() != languages.len() || texts.contains(&"") {
            return Err(format!(
                "languages.tsv: {slug} has not a query in each language"
            ));
        }
        asked.extend(languages.iter().zip(texts).map(|(language, text)| Asked {
            language,
            text,
            right,
            held_out: at % 2 == 1,
        }));
    }
    Ok(asked)
}

/// Asks everything with the model and without, and prints shares by language.
///
/// # Errors
/// When an engine fails.
pub fn print(corpus: &Corpus, model: &Rc<Cached>) -> Result<(), String> {
    let asked = labelled(corpus)?;
    println!(
        "{} queries over {} lessons in English; hit@1 hit@5",
        asked.len(),
        corpus.lessons.len()
    );
    for (name, engine) in [
        (
            "with the model",
            Engine::open(corpus, Some(Rc::clone(model)))?,
        ),
        ("without", Engine::open(corpus, None)?),
    ] {
        let scored: Vec<(&Asked, Score)> = asked
            .iter()
            .map(|one| Ok((one, score(&engine.recommend(one.text)?, &[one.right]))))
            .collect::<Result<_, String>>()?;
        let of = |group: &str, wanted: &dyn Fn(&Asked) -> bool| {
            let scores = scored.iter().filter(|(one, _)| wanted(one));
            let [first, five, ..] = mean(&scores.map(|(_, score)| *score).collect::<Vec<_>>());
            println!("{name:<16} {group:<10} {first:.2} {five:.2}");
        };
        let mut languages: Vec<&str> = asked.iter().map(|one| one.language).collect();
        languages.sort_unstable();
        languages.dedup();
        for language in languages {
            of(language, &|one| one.language == language);
        }
        of("tuned by", &|one| !one.held_out);
        of("held out", &|one| one.held_out);
        of("all", &|_| true);
    }
    Ok(())
}
