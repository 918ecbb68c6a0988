//! The figures, as tables and as JSON.

use crate::Run;
use crate::corpus::Corpus;
use crate::measure::{COMPARED, Difference, MEASURES, Score, differences, mean, score};
use crate::ours::WORDS;
use crate::queries::Kind;
use crate::reliability::{self, BINS};
use serde_json::{Value, json};
use std::path::Path;

/// The first runs: recommend and search, each with the model and without.
const OURS: usize = 4;
/// The place of *high*.
const HIGH: usize = 2;

/// Runs whose answers tell likelihoods: recommend, and recommend with all that is unlikely.
const LIKELY: [usize; 4] = [0, 1, OURS, OURS + 1];

const ANSWERABLE: [Kind; 2] = [Kind::Phrase, Kind::Situation];

/// Prints all tables.
pub fn print(corpus: &Corpus, runs: &[Run], folder: Option<&Path>) {
    let count = |kind| places(corpus, kind).len();
    println!(
        "{} lessons, {} phrases, {} situations, {} queries that nothing answers",
        corpus.lessons.len(),
        count(Kind::Phrase),
        count(Kind::Situation),
        count(Kind::None)
    );
    match folder {
        Some(at) => println!(
            "Lessons of {}. Phrases are the authors' keywords of two words or more, situations the bullets of the sections\n\
             that say when a lesson applies; both were taken out of the lessons. The queries that nothing answers are those\n\
             written for the sample lessons.",
            at.display()
        ),
        None => println!(
            "The sample lessons, with the queries of tests/benches/relevance/queries.jsonl."
        ),
    }
    for kind in ANSWERABLE {
        let scores = scores(corpus, runs, kind);
        if scores.iter().all(Vec::is_empty) {
            continue;
        }
        println!(
            "\n{:26} {}",
            kind.plural(),
            MEASURES.map(|name| format!("{name:>8}")).join("")
        );
        for (run, scores) in runs.iter().zip(&scores) {
            let means = mean(scores).map(|value| format!("{value:8.3}"));
            println!("{:26} {}", run.name, means.join(""));
        }
        println!(
            "\n{:26} {}",
            "recommend with the model −",
            MEASURES[..COMPARED]
                .iter()
                .map(|name| format!("{name:>25}"))
                .collect::<String>()
        );
        for (run, other) in runs.iter().zip(&scores).skip(1) {
            let cells = differences(&scores[0], other).map(|one| {
                format!(
                    "{:>25}",
                    format!("{:+.3} [{:+.3}, {:+.3}]", one.mean, one.low, one.high)
                )
            });
            println!("{:26} {}", run.name, cells.concat());
        }
    }
    println!(
        "\nDifferences: the mean, and where it lies in 95 of 100 paired bootstrap draws of the queries.\n"
    );
    words(corpus, runs);
    likelihood(corpus, runs);
}

/// Prints the calibration of likelihoods, and the cost of an answer with and without what is unlikely.
fn likelihood(corpus: &Corpus, runs: &[Run]) {
    println!(
        "\n{:26} {:>8}{:>8}{:>8}{:>9}{:>8}   lessons: said, right; a column for each likelihood from {}",
        "likelihood",
        "error",
        "hit@1",
        "hit@5",
        "lessons",
        "tokens",
        BINS.map(|least| least.to_string()).join(", ")
    );
    for run in LIKELY.map(|at| &runs[at]) {
        let bins = reliability::bins(corpus, &run.answers);
        let cost = reliability::cost(corpus, &run.answers);
        let cells = bins.map(|bin| format!("{}: {:.2}, {:.2}", bin.lessons, bin.said, bin.right));
        println!(
            "{:26} {:8.3}{:8.3}{:8.3}{:9.2}{:8.0}   {}",
            run.name,
            reliability::error(&bins),
            cost.first,
            cost.five,
            cost.lessons,
            cost.tokens,
            cells.join(" / ")
        );
    }
    println!(
        "Error: the mean distance of what is said from the share that is right. Lessons, tokens: of the first five of an\n         answer. *All*: with min_likelihood at 0, as before anything is left out."
    );
}

/// Prints the words of relevance that unanswerable queries and right lessons get.
fn words(corpus: &Corpus, runs: &[Run]) {
    let header: String = ["low at most", "phrases", "situations"]
        .map(|name| format!("{name:>13}"))
        .concat();
    println!(
        "{:26} {header}   the right lesson's word: {}, absent",
        "words of relevance",
        WORDS.join(", ")
    );
    for run in &runs[..OURS] {
        let unanswered = places(corpus, Kind::None);
        let modest = unanswered
            .iter()
            .filter(|at| run.answers[**at].is_modest())
            .count();
        let sure = ANSWERABLE.map(|kind| {
            format!(
                "{:>13}",
                format!("{:.0} %", 100.0 * sure(corpus, run, &[kind]))
            )
        });
        let said = said(corpus, run, &ANSWERABLE).map(|count| count.to_string());
        println!(
            "{:26} {:>13}{}   {}",
            run.name,
            format!("{modest} of {}", unanswered.len()),
            sure.concat(),
            said.join(" / ")
        );
    }
    println!(
        "Low at most: queries that nothing answers, and to which no answer reads above *low*. Phrases, situations: how often\n\
         a right lesson reads *high* or better. Last: the best right lesson's word over both."
    );
}

/// The share of queries to which a right lesson reads *high* or better.
fn sure(corpus: &Corpus, run: &Run, kinds: &[Kind]) -> f64 {
    let said = said(corpus, run, kinds);
    let all: usize = said.iter().sum();
    said[HIGH..WORDS.len()].iter().sum::<usize>() as f64 / all.max(1) as f64
}

/// Counts how often the best right lesson reads each of [`WORDS`]; last, how often it is not among the answers.
fn said(corpus: &Corpus, run: &Run, kinds: &[Kind]) -> [usize; WORDS.len() + 1] {
    let mut counts = [0; WORDS.len() + 1];
    for (query, answer) in corpus.queries.iter().zip(&run.answers) {
        if kinds.contains(&query.kind) {
            let found = answer
                .ranked
                .iter()
                .position(|place| query.right.contains(place));
            let word = found.and_then(|at| answer.words.get(at).copied());
            counts[word.unwrap_or(WORDS.len())] += 1;
        }
    }
    counts
}

/// Lists the queries whose right lesson recommend does not put first, and those without an answer that get one.
pub fn misses(corpus: &Corpus, runs: &[Run]) {
    let run = &runs[0];
    println!("\n{}: queries whose right lesson is not first", run.name);
    let name = |place: usize| corpus.lessons[place].slug.as_str();
    for (query, answer) in corpus.queries.iter().zip(&run.answers) {
        let top = answer
            .ranked
            .first()
            .map_or("nothing", |place| name(*place));
        let word = answer.words.first().map_or("-", |word| WORDS[*word]);
        if query.kind == Kind::None {
            if !answer.is_modest() {
                println!("nothing answers | {} | {top}, {word}", query.text);
            }
            continue;
        }
        let found = answer
            .ranked
            .iter()
            .position(|place| query.right.contains(place));
        if found != Some(0) {
            let place = found.map_or("absent".to_owned(), |at| format!("at {}", at + 1));
            let right: Vec<&str> = query.right.iter().map(|place| name(*place)).collect();
            println!(
                "{} | {} | {place}: {} | first: {top}, {word}",
                query.kind.plural(),
                query.text,
                right.join(", ")
            );
        }
    }
}

/// All figures in one value.
pub fn json(corpus: &Corpus, runs: &[Run]) -> Value {
    let names = MEASURES.map(|name| name.to_lowercase().replace('@', "_at_"));
    let kinds = ANSWERABLE.map(|kind| {
        let scores = scores(corpus, runs, kind);
        let arms: Vec<Value> = runs
            .iter()
            .zip(&scores)
            .map(|(run, scores)| {
                let mut arm = json!({ "name": run.name });
                for (name, value) in names.iter().zip(mean(scores)) {
                    arm[name] = round(value);
                }
                arm
            })
            .collect();
        let above: Vec<Value> = runs
            .iter()
            .zip(&scores)
            .skip(1)
            .map(|(run, other)| {
                let mut row = json!({ "name": run.name });
                for (name, one) in names.iter().zip(differences(&scores[0], other)) {
                    let Difference { mean, low, high } = one;
                    row[name] = json!({ "mean": round(mean), "low": round(low), "high": round(high) });
                }
                row
            })
            .collect();
        let count = places(corpus, kind).len();
        json!({ "kind": kind.plural(), "queries": count, "arms": arms, "recommend_with_the_model_above": above })
    });
    let unanswered = places(corpus, Kind::None);
    let words: Vec<Value> = runs[..OURS]
        .iter()
        .map(|run| {
            json!({
                "name": run.name,
                "low_at_most": unanswered.iter().filter(|at| run.answers[**at].is_modest()).count(),
                "unanswerable": unanswered.len(),
                "high_or_better": {
                    "phrases": round(sure(corpus, run, &[Kind::Phrase])),
                    "situations": round(sure(corpus, run, &[Kind::Situation])),
                    "both": round(sure(corpus, run, &ANSWERABLE)),
                },
                "said": said(corpus, run, &ANSWERABLE),
            })
        })
        .collect();
    let likelihood: Vec<Value> = LIKELY
        .iter()
        .map(|at| {
            let run = &runs[*at];
            let bins = reliability::bins(corpus, &run.answers);
            let cost = reliability::cost(corpus, &run.answers);
            let rows: Vec<Value> = BINS
                .iter()
                .zip(&bins)
                .map(|(from, bin)| {
                    json!({
                        "from": from,
                        "lessons": bin.lessons,
                        "said": round(bin.said),
                        "right": round(bin.right),
                    })
                })
                .collect();
            json!({
                "name": run.name,
                "error": round(reliability::error(&bins)),
                "bins": rows,
                "hit_at_1": round(cost.first),
                "hit_at_5": round(cost.five),
                "lessons": round(cost.lessons),
                "tokens": round(cost.tokens),
            })
        })
        .collect();
    json!({ "lessons": corpus.lessons.len(), "kinds": kinds, "words": words, "likelihood": likelihood })
}

fn round(value: f64) -> Value {
    json!((value * 10_000.0).round() / 10_000.0)
}

/// Where the queries of a kind are.
fn places(corpus: &Corpus, kind: Kind) -> Vec<usize> {
    let queries = corpus.queries.iter().enumerate();
    queries
        .filter(|(_, query)| query.kind == kind)
        .map(|(at, _)| at)
        .collect()
}

/// Each run's scores over the queries of a kind.
fn scores(corpus: &Corpus, runs: &[Run], kind: Kind) -> Vec<Vec<Score>> {
    let places = places(corpus, kind);
    let of = |run: &Run| {
        let scores = places
            .iter()
            .map(|at| score(&run.answers[*at], &corpus.queries[*at].right));
        scores.collect()
    };
    runs.iter().map(of).collect()
}
