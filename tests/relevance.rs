//! Tools of the bench `relevance`: its labelled queries, how it takes an author's own ways to ask out of a lesson, and its
//! figures; and the least that the ranking has to reach on the sample lessons.
//!
//! Needs the real model in `LESSONLOOP_MODEL_PACK`.
#![forbid(unsafe_code)]

#[path = "benches/relevance/author.rs"]
mod author;
#[path = "benches/relevance/corpus.rs"]
mod corpus;
#[path = "benches/relevance/languages.rs"]
#[allow(dead_code, reason = "the bench prints the figures")]
mod languages;
#[path = "benches/relevance/measure.rs"]
#[allow(dead_code, reason = "the bench names the measures")]
mod measure;
#[path = "benches/relevance/ours.rs"]
#[allow(dead_code, reason = "the bench asks in more ways")]
mod ours;
#[path = "benches/relevance/queries.rs"]
#[allow(dead_code, reason = "the bench prints more")]
mod queries;
#[path = "benches/relevance/reliability.rs"]
mod reliability;

use author::cut;
use measure::{Score, differences, mean, score};
use ours::{Answer, Cached, Engine};
use queries::{Kind, Query};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

// Other clones that share a target folder build their own: the paths below are this one's.
const _: Option<&str> = option_env!("LESSONLOOP_ROOT");

#[test]
fn every_language_has_queries_and_half_of_them_are_held_out() {
    let corpus = corpus::samples().unwrap();
    let asked = languages::labelled(&corpus).unwrap();
    let languages: BTreeSet<&str> = asked.iter().map(|one| one.language).collect();
    assert!(
        asked.len() >= 200 && languages.len() >= 8,
        "{}",
        asked.len()
    );
    let held_out = asked.iter().filter(|one| one.held_out).count();
    assert_eq!(held_out * 2, asked.len());
}

#[test]
fn the_samples_have_enough_queries_and_every_lesson_is_asked_for() {
    let corpus = corpus::samples().unwrap();
    let count = |kind| {
        let of = |query: &&queries::Query| query.kind == kind;
        corpus.queries.iter().filter(of).count()
    };
    assert!(count(Kind::Phrase) >= 80, "phrases");
    assert!(count(Kind::Situation) >= 80, "situations");
    assert_eq!(count(Kind::None), 40, "queries that nothing answers");
    for query in corpus
        .queries
        .iter()
        .filter(|query| query.kind == Kind::Phrase)
    {
        let words = query.text.split_whitespace().count();
        assert!((2..=5).contains(&words), "no short phrase: {}", query.text);
    }
    let asked: BTreeSet<usize> = corpus
        .queries
        .iter()
        .flat_map(|query| query.right.clone())
        .collect();
    for (at, lesson) in corpus.lessons.iter().enumerate() {
        assert!(
            asked.contains(&at),
            "no query has {} as its answer",
            lesson.slug
        );
    }
}

#[test]
fn a_wrong_line_of_queries_is_named_with_its_file() {
    let slugs = BTreeMap::from([("pattern-one".to_owned(), 0)]);
    let good = r#"{"kind": "phrase", "query": "the one", "right": ["pattern-one"]}"#;
    assert_eq!(
        queries::read("q.jsonl", good, &slugs).unwrap()[0].right,
        [0]
    );
    for (line, said) in [
        (
            r#"{"kind": "phrase", "query": "other", "right": ["pattern-two"]}"#,
            "`pattern-two`",
        ),
        (
            r#"{"kind": "phrase", "query": "other", "right": []}"#,
            "`right`",
        ),
        (
            r#"{"kind": "none", "query": "other", "right": ["pattern-one"]}"#,
            "`right`",
        ),
        (
            r#"{"kind": "phrase", "query": "The one", "right": ["pattern-one"]}"#,
            "line 1",
        ),
        (
            r#"{"kind": "word", "query": "other", "right": ["pattern-one"]}"#,
            "word",
        ),
        ("", "EOF"),
    ] {
        let content = format!("{good}\n{line}\n");
        let message = queries::read("q.jsonl", &content, &slugs).unwrap_err();
        assert!(
            message.starts_with("q.jsonl, line 2: ") && message.contains(said),
            "{line}: {message}"
        );
    }
}

#[test]
fn what_an_author_gave_away_is_taken_out() {
    let lesson = "---\nmatch:\n  keywords:\n    - \"stale lock\"\n    - lock\n    - 'left over pid file'\n  session: [code]\nstatus: active\n\
                  tags: [stale-lock, files]\n---\n# Locks\n\n## Detection\nSigns:\n- The program **says** `already running`\n  after a crash\n- Short one\n\n\
                  ### More\n- a file that nobody owns\n\n## Rule\n- Look at the age first\n";
    let cut = cut(lesson);
    assert_eq!(cut.phrases, ["stale lock", "left over pid file"]);
    assert_eq!(
        cut.situations,
        [
            "The program says already running after a crash",
            "a file that nobody owns"
        ]
    );
    assert_eq!(
        cut.content,
        "---\nmatch:\n  keywords: []\n  session: [code]\nstatus: active\ntags: [\"files\"]\n---\n# Locks\n\n## Rule\n- Look at the age first\n"
    );
}

#[test]
fn lists_in_one_line_are_read_too_and_a_lesson_without_signs_stays() {
    let lesson = "---\nmatch: \n  keywords: [\"two words\", 'one, or two', single]\n---\n# Title\n\n## Detection\nNo list here.\n";
    let cut = cut(lesson);
    assert_eq!(cut.phrases, ["two words", "one, or two"]);
    assert_eq!(cut.situations, [""; 0]);
    assert!(cut.content.contains("No list here."), "{}", cut.content);
    let plain = "# Title\n\nText with keywords: none.\n";
    assert_eq!(author::cut(plain).content, plain);
}

#[test]
fn a_folder_is_asked_by_what_its_authors_wrote() {
    let samples = concat!(env!("CARGO_MANIFEST_DIR"), "/../www/samples/lessons");
    let corpus = corpus::folder(samples.as_ref()).unwrap();
    let of = |kind| {
        corpus
            .queries
            .iter()
            .filter(move |query| query.kind == kind)
    };
    let counts = (of(Kind::Phrase).count(), of(Kind::Situation).count());
    assert!(counts.0 > 150 && counts.1 > 0, "{counts:?}");
    assert_eq!(of(Kind::None).count(), 40);
    for query in of(Kind::Phrase) {
        for place in &query.right {
            let lesson = &corpus.lessons[*place];
            assert!(
                !lesson.text.tags.contains(&query.text),
                "{} still has the tag `{}`",
                lesson.slug,
                query.text
            );
        }
    }
    for query in of(Kind::Situation) {
        for place in &query.right {
            let text = corpus.lessons[*place].text.embedded().to_lowercase();
            assert!(!text.contains(&query.text), "still there: {}", query.text);
        }
    }
    let none = corpus::folder(concat!(env!("CARGO_MANIFEST_DIR"), "/tidy").as_ref());
    assert!(none.is_err_and(|message| message.contains("match.keywords")));
}

#[test]
fn measures_are_those_of_the_books() {
    let answer = |ranked: &[usize]| Answer {
        ranked: ranked.to_vec(),
        words: Vec::new(),
        likely: Vec::new(),
    };
    assert_eq!(score(&answer(&[7, 1, 2]), &[7]), [1.0; 4]);
    assert_eq!(score(&answer(&[]), &[7]), [0.0; 4]);
    // The gain at the third place is one over the binary logarithm of four.
    assert_eq!(score(&answer(&[1, 2, 7]), &[7]), [0.0, 1.0, 1.0 / 3.0, 0.5]);
    assert_eq!(
        score(&answer(&[1, 2, 3, 4, 5, 7]), &[7])[..3],
        [0.0, 0.0, 1.0 / 6.0]
    );
    // Of two right lessons both have to be there.
    let [first, five, reciprocal, gain] = score(&answer(&[7, 1, 8]), &[7, 8]);
    assert_eq!([first, five, reciprocal], [1.0, 1.0, 1.0]);
    assert!(
        (gain - 1.5 / (1.0 + 1.0 / libm::log2(3.0))).abs() < 1e-12,
        "{gain}"
    );
}

#[test]
fn an_interval_is_above_zero_only_where_the_difference_is_sure() {
    let (hit, miss) = ([1.0; 4], [0.0; 4]);
    let none = differences(&[hit, miss], &[hit, miss])[0];
    assert_eq!([none.mean, none.low, none.high], [0.0; 3]);
    // Better by eight of a hundred queries, and worse in none; then better by eight, worse in six.
    let base = vec![miss; 100];
    let mut better = base.clone();
    better[..8].fill(hit);
    let sure = differences(&better, &base)[0];
    assert!(
        (sure.mean - 0.08).abs() < 1e-12 && 0.0 < sure.low && sure.low < 0.08 && 0.08 < sure.high
    );
    let mut other = base;
    other[8..14].fill(hit);
    let unsure = differences(&better, &other)[0];
    assert!(unsure.low < 0.0 && 0.0 < unsure.high, "{unsure:?}");
    let again = differences(&better, &other)[0];
    assert_eq!((unsure.low, unsure.high), (again.low, again.high));
}

/// The place of *high* among the words of relevance.
const HIGH: usize = 2;

/// Features in a word, and the sample lessons that help to build them.
const FEATURES: [(&str, &[&str]); 3] = [
    ("Authentication", &["pattern-session-cookies-done-right"]),
    ("Sign-in", &["pattern-session-cookies-done-right"]),
    ("Payments", &["pattern-idempotency-keys-on-writes"]),
];

#[test]
fn the_model_finds_no_less_and_nothing_is_more_than_low_where_nothing_fits() {
    let pack = std::env::var("LESSONLOOP_MODEL_PACK")
        .expect("LESSONLOOP_MODEL_PACK is not set: run `cargo xtask test relevance`");
    let corpus = corpus::samples().unwrap();
    let of = |kind| {
        corpus
            .queries
            .iter()
            .filter(move |query| query.kind == kind)
    };
    let plain = Engine::open(&corpus, None).unwrap();
    let model = Rc::new(Cached::open(&pack).unwrap());
    let semantic = Engine::open(&corpus, Some(model)).unwrap();

    for kind in [Kind::Phrase, Kind::Situation] {
        let found = |engine: &Engine| {
            let one = |query: &Query| score(&engine.recommend(&query.text).unwrap(), &query.right);
            let scores: Vec<Score> = of(kind).map(one).collect();
            mean(&scores)[1]
        };
        let (with, without) = (found(&semantic), found(&plain));
        assert!(
            with >= without,
            "{}: hit@5 {with:.3} with the model, {without:.3} without",
            kind.plural()
        );
    }

    for (name, engine) in [("with the model", &semantic), ("without", &plain)] {
        let asked = |ask: &dyn Fn(&str) -> Result<Answer, String>| -> Vec<Answer> {
            let queries = corpus.queries.iter();
            queries.map(|query| ask(&query.text).unwrap()).collect()
        };
        let answers = asked(&|text| engine.recommend(text));
        let bins = reliability::bins(&corpus, &answers);
        let error = reliability::error(&bins);
        assert!(
            error <= 0.05,
            "{name}: likelihoods are off by {error:.3}: {bins:?}"
        );
        // Lessons that are left out: half of the tokens, and the right lesson of few queries.
        let few = reliability::cost(&corpus, &answers);
        let all = reliability::cost(&corpus, &asked(&|text| engine.recommend_all(text)));
        assert!(
            few.tokens <= 0.65 * all.tokens,
            "{name}: {few:?} of {all:?}"
        );
        assert!(few.first >= all.first, "{name}: {few:?} of {all:?}");
        assert!(few.five >= all.five - 0.03, "{name}: {few:?} of {all:?}");

        for (feature, right) in FEATURES {
            let found = engine.patterns(feature).unwrap();
            let is_right = found.ranked.first().is_some_and(|place| {
                let slug = corpus.lessons[*place].slug.as_str();
                right.contains(&slug)
            });
            let is_quiet = found.words.iter().all(|word| *word < HIGH);
            let told: Vec<(&str, &str)> = found
                .ranked
                .iter()
                .zip(&found.words)
                .map(|(place, word)| (corpus.lessons[*place].slug.as_str(), ours::WORDS[*word]))
                .collect();
            assert!(is_right || is_quiet, "{name}, {feature}: {told:?}");
        }
    }

    for (name, engine) in [("with the model", &semantic), ("without", &plain)] {
        let loud: Vec<&str> = of(Kind::None)
            .filter(|query| !engine.recommend(&query.text).unwrap().is_modest())
            .map(|query| query.text.as_str())
            .collect();
        assert!(
            loud.len() <= 4,
            "{name}: {} of 40 queries that nothing answers are told more than low: {loud:?}",
            loud.len()
        );
    }
}
