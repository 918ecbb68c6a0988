//! Queries in other languages: whether the right lesson is found, by language, over the sample lessons, which are in English, and with
//! lessons of the query's own language among them.
//!
//! Every second row is held out: constants are chosen by the others.

use crate::corpus::{self, Corpus};
use crate::measure::{Score, mean, score};
use crate::ours::{Cached, Engine};
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

/// A query in each language for a lesson of the samples.
const QUERIES: &str = include_str!("languages.tsv");
/// Such a lesson in each language: its title, a full stop, its advice.
const LESSONS: &str = include_str!("own_lessons.tsv");
/// Queries in each language that no lesson of the samples answers; the first row has the languages.
const NOTHING: &str = include_str!("nothing.tsv");

/// A row: the lesson's slug, a text in each language, and whether no constant was chosen by it.
struct Row {
    slug: &'static str,
    texts: Vec<&'static str>,
    held_out: bool,
}

/// A table of texts by lesson and language.
struct Table {
    languages: Vec<&'static str>,
    rows: Vec<Row>,
}

/// A query with the lessons that answer it.
pub struct Asked {
    /// Its language's tag.
    pub language: &'static str,
    /// The query.
    pub text: String,
    /// The lessons' places in the corpus.
    pub right: Vec<usize>,
    /// True if no constant was chosen by it.
    pub held_out: bool,
}

/// A way of searching: its name, and its model where it has one.
pub type Way = (&'static str, Option<Rc<Cached>>);

fn table(name: &str, text: &'static str) -> Result<Table, String> {
    let mut lines = text.lines().map(|line| line.split('\t'));
    let languages: Vec<&str> = lines.next().into_iter().flatten().skip(1).collect();
    let rows = lines.enumerate().map(|(at, mut line)| {
        let slug = line.next().unwrap_or_default();
        let texts: Vec<&str> = line.collect();
        if texts.len() != languages.len() || texts.contains(&"") {
            return Err(format!("{name}: {slug} has not a text in each language"));
        }
        Ok(Row {
            slug,
            texts,
            held_out: at % 2 == 1,
        })
    });
    Ok(Table {
        rows: rows.collect::<Result<_, _>>()?,
        languages,
    })
}

/// The queries in other languages over a corpus in English.
///
/// # Errors
/// When a row names no lesson or lacks a language; names it.
pub fn labelled(corpus: &Corpus) -> Result<Vec<Asked>, String> {
    let queries = table("languages.tsv", QUERIES)?;
    let mut asked = Vec::new();
    for row in &queries.rows {
        let right = place(corpus, row.slug)?;
        asked.extend(
            queries
                .languages
                .iter()
                .zip(&row.texts)
                .map(|(language, text)| Asked {
                    language,
                    text: (*text).to_owned(),
                    right: vec![right],
                    held_out: row.held_out,
                }),
        );
    }
    Ok(asked)
}

fn place(corpus: &Corpus, slug: &str) -> Result<usize, String> {
    let mut lessons = corpus.lessons.iter();
    lessons
        .position(|lesson| lesson.slug == slug)
        .ok_or_else(|| format!("languages.tsv: `{slug}` is no lesson of the samples"))
}

/// The samples with some of them in another language instead.
fn translated(corpus: &Corpus, lessons: &Table, column: usize) -> Result<Corpus, String> {
    let by_slug: BTreeMap<&str, &str> = lessons
        .rows
        .iter()
        .map(|row| (row.slug, row.texts[column]))
        .collect();
    let files = corpus.files.iter().map(|(path, content)| {
        let stem = Path::new(path).file_stem().and_then(|stem| stem.to_str());
        let text = stem.and_then(|stem| by_slug.get(stem));
        let content = text.map_or_else(
            || content.clone(),
            |text| {
                let end = text.find(". ").map(|at| (at, at + 2));
                let end = end.or_else(|| text.find('。').map(|at| (at, at + '。'.len_utf8())));
                let (title, rule) =
                    end.map_or((*text, ""), |(to, from)| (&text[..to], &text[from..]));
                format!("---\nstatus: active\n---\n# {title}\n\n## Pattern\n{rule}\n")
            },
        );
        (path.clone(), content)
    });
    corpus::of_files(files.collect())
}

fn scores(engine: &Engine, asked: &[Asked]) -> Result<Vec<Score>, String> {
    let each = asked
        .iter()
        .map(|one| Ok(score(&engine.recommend(&one.text)?, &one.right)));
    each.collect()
}

/// Asks everything in all ways, and prints two tables of shares by language, each with hit@1 and hit@5; then what the models cost.
///
/// # Errors
/// When a row names no lesson or lacks a language, or an engine fails; names it.
pub fn print(corpus: &Corpus, ways: &[Way]) -> Result<(), String> {
    let queries = table("languages.tsv", QUERIES)?;
    let lessons = table("own_lessons.tsv", LESSONS)?;
    if lessons.languages != queries.languages {
        return Err("own_lessons.tsv and languages.tsv have other languages".to_owned());
    }
    let mut asked = english(corpus);
    asked.extend(labelled(corpus)?);
    let over_english = ways.iter().map(|(_, model)| {
        let engine = Engine::open(corpus, model.clone())?;
        scores(&engine, &asked)
    });
    let over_english = over_english.collect::<Result<Vec<_>, String>>()?;
    report("English lessons", ways, &asked, &over_english);
    report_nothing(corpus, ways)?;

    let mut own = Vec::new();
    let mut over_own: Vec<Vec<Score>> = vec![Vec::new(); ways.len()];
    for (column, language) in queries.languages.iter().enumerate() {
        let corpus = translated(corpus, &lessons, column)?;
        let mut here = Vec::new();
        for row in queries
            .rows
            .iter()
            .filter(|row| lessons.rows.iter().any(|one| one.slug == row.slug))
        {
            here.push(Asked {
                language,
                text: row.texts[column].to_owned(),
                right: vec![place(&corpus, row.slug)?],
                held_out: row.held_out,
            });
        }
        for ((_, model), all) in ways.iter().zip(&mut over_own) {
            all.extend(scores(&Engine::open(&corpus, model.clone())?, &here)?);
        }
        own.extend(here);
    }
    report(
        "Lessons in the query's language among them",
        ways,
        &own,
        &over_own,
    );

    println!("| model | pack | loads in | the middle text takes |\n|---|---|---|---|");
    for (_, model) in ways {
        if let Some(model) = model {
            println!("{}", model.cost());
        }
    }
    Ok(())
}

/// Prints how many lessons are given, on average, to a query that nothing answers: to those of the samples, and in other languages.
fn report_nothing(corpus: &Corpus, ways: &[Way]) -> Result<(), String> {
    let english = corpus.queries.iter().filter(|query| query.right.is_empty());
    let english: Vec<&str> = english.map(|query| query.text.as_str()).collect();
    let others: Vec<&str> = NOTHING
        .lines()
        .skip(1)
        .flat_map(|row| row.split('\t'))
        .collect();
    println!(
        "| lessons given where nothing answers | {} in English | {} in other languages |\n|---|---|---|",
        english.len(),
        others.len()
    );
    for (name, model) in ways {
        let engine = Engine::open(corpus, model.clone())?;
        let given = |queries: &[&str]| {
            let each = queries
                .iter()
                .map(|query| Ok(engine.recommend(query)?.ranked.len()));
            let all = each.collect::<Result<Vec<usize>, String>>()?;
            Ok::<_, String>(all.iter().sum::<usize>() as f64 / all.len().max(1) as f64)
        };
        println!(
            "| {name} | {:.1} | {:.1} |",
            given(&english)?,
            given(&others)?
        );
    }
    println!();
    Ok(())
}

/// The samples' own queries, which are in English.
fn english(corpus: &Corpus) -> Vec<Asked> {
    let queries = corpus.queries.iter().enumerate();
    queries
        .filter(|(_, query)| !query.right.is_empty())
        .map(|(at, query)| Asked {
            language: "en",
            text: query.text.clone(),
            right: query.right.clone(),
            held_out: at % 2 == 1,
        })
        .collect()
}

fn report(title: &str, ways: &[Way], asked: &[Asked], scored: &[Vec<Score>]) {
    let names = ways.iter().map(|(name, _)| *name).collect::<Vec<_>>();
    println!("| {title} | queries | {} |", names.join(" | "));
    println!("|---|---|{}", "---|".repeat(ways.len()));
    let row = |group: &str, wanted: &dyn Fn(&Asked) -> bool| {
        let shares = scored.iter().map(|scores| {
            let of = asked.iter().zip(scores).filter(|(one, _)| wanted(one));
            let [first, five, ..] = mean(&of.map(|(_, score)| *score).collect::<Vec<_>>());
            format!("{first:.2} / {five:.2}")
        });
        let count = asked.iter().filter(|one| wanted(one)).count();
        println!(
            "| {group} | {count} | {} |",
            shares.collect::<Vec<_>>().join(" | ")
        );
    };
    let mut languages: Vec<&str> = asked.iter().map(|one| one.language).collect();
    languages.sort_unstable();
    languages.dedup();
    for language in languages {
        row(language, &|one| one.language == language);
    }
    let other = |one: &Asked| one.language != "en";
    row("chosen by", &|one| other(one) && !one.held_out);
    row("held out", &|one| other(one) && one.held_out);
    row("all but English", &other);
    println!();
}
