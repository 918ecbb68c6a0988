//! The keyword index.

use crate::common::{lesson, space, with, written};
use lesson_core::{KeywordIndex, Lesson, words_asked};
use proptest::prelude::*;

fn index(lessons: &[Lesson]) -> KeywordIndex {
    let mut index = KeywordIndex::new();
    for lesson in lessons {
        index.insert(lesson);
    }
    index
}

#[test]
fn words_are_found_as_people_write_them() {
    for (text, query, found) in [
        ("row-level security", "row-level", true),
        ("row-level security", "level", true),
        ("row level security", "row-level", true),
        ("useState in React", "usestate", true),
        ("useState in React", "state", true),
        ("localStorage quota", "local storage", true),
        ("use node.js 20", "node.js", true),
        ("use node.js 20", "node", true),
        ("C# and C++", "c#", true),
        ("C# and C++", "c++", true),
        ("don’t block", "don't", true),
        ("Größe prüfen", "GRÖSSE", true),
        ("Größe prüfen", "GRÖßE", true),
        ("ΣΊΣΥΦΟΣ", "σίσυφος", true),
        ("データベースの設計", "設計", true),
        ("snake_case::path", "snake_case", true),
        ("categories", "category", true),
        ("a/b testing", "a/b", true),
        ("caching", "cached", true),
        ("caching", "cac", false),
        ("ends with a dot.", "dot", true),
        ("emoji 🎉 party", "party", true),
        ("nothing here", "", false),
        ("nothing here", "🎉 —", false),
    ] {
        let index = index(&[written("a", "Title", text)]);
        let scores = index.scores(query, false);
        assert_eq!(scores.score("a") > 0.0, found, "{query} in {text}");
        assert_eq!(scores.is_empty(), !found, "{query} in {text}");
    }
}

#[test]
fn a_word_in_the_title_counts_more_than_one_in_passing() {
    let fields = [
        written("title", "quota", "x"),
        with("tag", |l| l.text.tags = vec!["quota".to_owned()]),
        with("context", |l| l.text.context = "quota".to_owned()),
        written("recommendation", "x", "quota"),
    ];
    let index = index(&fields);
    let scores = index.scores("quota", false);
    let order: Vec<&str> = scores.best().into_iter().map(|(slug, _)| slug).collect();
    assert_eq!(order, ["title", "tag", "context", "recommendation"]);
}

#[test]
fn stop_words_count_only_alone() {
    let index = index(&[
        written("a", "One", "the cache"),
        written("b", "Two", "what is the matter"),
    ]);
    assert_eq!(index.scores("what is the cache", false).score("b"), 0.0);
    assert!(index.scores("what", false).score("b") > 0.0);
}

#[test]
fn rare_words_weigh_more() {
    let mut lessons: Vec<Lesson> = (0..20)
        .map(|n| written(&format!("common-{n}"), "Cache", "cache"))
        .collect();
    lessons.push(written("rare", "Tenant", "tenant"));
    let index = index(&lessons);
    let scores = index.scores("cache tenant", false);
    assert!(scores.score("rare") > scores.score("common-3"));
    assert!(scores.share("rare") > 0.5 && scores.share("common-3") < 0.5);
}

#[test]
fn a_whole_word_counts_more_than_the_beginning_of_one() {
    let mut lessons: Vec<Lesson> = (0..10)
        .map(|n| written(&format!("longer-{n}"), &format!("Index 97{n}"), "index"))
        .collect();
    lessons.push(written("whole", "Lesson 97", "cache"));
    let index = index(&lessons);
    let scores = index.scores("index 97", true);
    assert_eq!(scores.best()[0].0, "whole");
    assert!(scores.share("whole") > scores.share("longer-3"));
    let alone = index.scores("97", true);
    assert_eq!((alone.best()[0].0, alone.best().len()), ("whole", 11));
    assert_eq!(alone.share("whole"), 1.0);
    let weighed = index.scores("97", false).score("whole");
    assert!((alone.score("whole") - weighed).abs() < 1e-12);
}

#[test]
fn an_update_forgets_the_old_words_and_a_removal_all() {
    let mut index = index(&[written("a", "Old words", ""), lesson("b")]);
    index.insert(&written("a", "New title", ""));
    assert_eq!(index.len(), 2);
    assert_eq!(index.scores("old", false).score("a"), 0.0);
    assert!(index.scores("new", false).score("a") > 0.0);
    assert!(index.remove("a") && !index.remove("a"));
    assert!(index.scores("new", false).is_empty());
    assert!(index.remove("b") && index.is_empty());
    assert!(index.scores("b", true).is_empty());
}

const TEXTS: [&str; 6] = [
    "cache keys",
    "row-level security for tenants",
    "the cache of the cache",
    "localStorage",
    "",
    "tenants and keys and C++",
];

proptest! {
    /// Whatever came and went, and in whatever order: the index is that of what is left.
    #[test]
    fn an_index_that_followed_equals_a_new_one(
        steps in prop::collection::vec((0..6usize, 0..7usize), 0..60),
        query in prop::sample::select(vec!["cache", "keys tenants", "level", "c++", "ca", "the"]),
        prefix in any::<bool>(),
    ) {
        let mut followed = KeywordIndex::new();
        let mut left = std::collections::BTreeMap::new();
        for (which, text) in steps {
            let slug = format!("l{which}");
            match TEXTS.get(text) {
                Some(text) => {
                    let lesson = written(&slug, text, TEXTS[which]);
                    followed.insert(&lesson);
                    left.insert(slug, lesson);
                }
                None => {
                    prop_assert_eq!(followed.remove(&slug), left.remove(&slug).is_some());
                }
            }
        }
        let fresh = index(&left.into_values().rev().collect::<Vec<_>>());
        prop_assert_eq!(followed.len(), fresh.len());
        let bits = |index: &KeywordIndex| -> Vec<(String, u64, u64)> {
            let scores = index.scores(query, prefix);
            scores
                .best()
                .into_iter()
                .map(|(slug, score)| (slug.to_owned(), score.to_bits(), scores.share(slug).to_bits()))
                .collect()
        };
        prop_assert_eq!(bits(&followed), bits(&fresh));
    }

    /// No text and no query is too odd.
    #[test]
    fn any_text_can_be_indexed_and_found(text in any::<String>(), query in any::<String>()) {
        let index = index(&[written("a", "x", &text)]);
        for prefix in [false, true] {
            let score = index.scores(&query, prefix).score("a");
            prop_assert!(score.is_finite() && score >= 0.0);
        }
    }
}

/// Every way to write a technology finds all others, and one that is written in parts is one word.
#[test]
fn ways_to_write_a_technology_are_one_word() {
    let texts = [
        "Cache nextjs pages",
        "Cache next.js pages",
        "Cache Next.js pages",
        "Cache NextJS pages",
        "Cache Next JS pages",
    ];
    let space = space(
        texts
            .iter()
            .enumerate()
            .map(|(at, title)| written(&format!("way-{at}"), title, ""))
            .chain([
                written("other", "Cache nestjs pages", ""),
                written("tree", "Cache the next node of a tree", ""),
            ]),
    );
    let index = KeywordIndex::of_space(&space);
    for way in ["nextjs", "next.js", "Next.js", "NextJS", "Next JS"] {
        let found: Vec<String> = index
            .scores(way, false)
            .best()
            .into_iter()
            .map(|(slug, _)| slug.to_owned())
            .collect();
        let mut slugs = found.clone();
        slugs.sort();
        assert_eq!(
            slugs,
            ["way-0", "way-1", "way-2", "way-3", "way-4"],
            "{way}"
        );
    }
    let found = |query: &str| -> Vec<String> {
        index
            .scores(query, false)
            .best()
            .into_iter()
            .map(|(slug, _)| slug.to_owned())
            .collect()
    };
    assert!(found("node").contains(&"tree".to_owned()));
    // Without a lesson that has it, its parts are words as any others.
    assert!(found("Solid JS").is_empty() || !found("Solid JS").contains(&"other".to_owned()));
}

#[test]
fn aliases_of_a_technology_find_each_other() {
    let space = space([
        written("pg", "Vacuum PostgreSQL tables", ""),
        written("kube", "Drain kubernetes nodes first", ""),
        written("vue", "Keep Vue.js state flat", ""),
    ]);
    let index = KeywordIndex::of_space(&space);
    for (query, slug) in [
        ("postgres", "pg"),
        ("pgsql", "pg"),
        ("k8s", "kube"),
        ("vue", "vue"),
        ("vuejs", "vue"),
    ] {
        assert!(index.scores(query, false).score(slug) > 0.0, "{query}");
    }
}

/// Lessons in many languages, each with a query that has other forms of its words, and the words that the server is asked for.
/// The suite `stack` asks the server for the same.
fn in_many_languages() -> Vec<(Lesson, String, Vec<String>)> {
    #[derive(serde::Deserialize)]
    struct Row {
        slug: String,
        title: String,
        query: String,
        asked: Vec<String>,
    }
    let rows: Vec<Row> =
        serde_json::from_str(include_str!("../../../../tests/corpus/languages.json")).unwrap();
    rows.into_iter()
        .map(|row| (written(&row.slug, &row.title, ""), row.query, row.asked))
        .collect()
}

#[test]
fn a_lesson_is_found_by_other_forms_of_its_words_in_its_language() {
    let rows = in_many_languages();
    let all: Vec<Lesson> = rows.iter().map(|row| row.0.clone()).collect();
    let index = index(&all);
    for (lesson, query, asked) in &rows {
        let scores = index.scores(query, false);
        let best = scores.best().first().map(|best| best.0);
        assert_eq!(best, Some(lesson.slug.as_str()), "{query}");
        assert_eq!(&words_asked(query, 64), asked, "{query}");
    }
    assert!(index.scores("the running migrations", false).score("en") > 0.0);
}

/// A query's scores do not depend on languages that no lesson of the space is in, nor on the order of its lessons.
#[test]
fn english_lessons_score_the_same_beside_those_of_other_languages() {
    let texts = [
        "cached rows of a table",
        "the cache is stale",
        "caching of rows",
    ];
    let english: Vec<Lesson> = (0..)
        .zip(texts)
        .map(|(at, text)| written(&format!("en-{at}"), text, ""))
        .collect();
    let mut mixed = english.clone();
    mixed.push(written(
        "de",
        "Die Zeilen werden nicht zwischengespeichert",
        "",
    ));
    let (alone, beside) = (index(&english), index(&mixed));
    let order = |index: &KeywordIndex| -> Vec<String> {
        let scores = index.scores("caching rows", false);
        scores.best().iter().map(|best| best.0.to_owned()).collect()
    };
    assert_eq!(order(&alone), order(&beside));
}

#[test]
fn stop_words_of_a_language_count_only_alone() {
    let index = index(&[
        written(
            "a",
            "Eins",
            "Die Daten und der Zugriff, nicht mit dem Schlüssel",
        ),
        written("b", "Zwei", "Die Tests und der Lauf, nicht mit dem Zugriff"),
    ]);
    let scores = index.scores("wie kann ich die Schlüssel und nicht der", false);
    assert!(scores.score("a") > 0.0);
    assert_eq!(scores.score("b"), 0.0);
}

#[test]
fn marks_that_stand_apart_from_their_letter_are_the_same_word() {
    let index = index(&[written("a", "Cafe\u{301} u\u{308}ber alles", "")]);
    for query in ["café", "cafe", "cafe\u{301}", "über"] {
        assert!(index.scores(query, false).score("a") > 0.0, "{query}");
    }
}

#[test]
fn long_and_mixed_texts_are_indexed() {
    let long = "x".repeat(10_000);
    let han = "数据".repeat(5_000);
    let mixed =
        format!("Die Datenbanken und der Server 👩\u{200d}💻 שלום עולם {long} {han} مرحبا بالعالم");
    let index = index(&[written("a", &mixed, "Run it before the tests")]);
    for query in ["Datenbank", "שלום", "数据", "بالعالم", "tests", &long] {
        let found = index.scores(query, false).score("a") > 0.0;
        assert_eq!(found, query.len() < 64, "{query:.20}");
    }
}

#[test]
fn the_beginning_of_a_word_finds_it_in_any_language() {
    let index = index(&[
        written("de", "Die Datenbanken werden nicht gesperrt", ""),
        written("zh", "数据库", ""),
    ]);
    assert!(index.scores("datenb", true).score("de") > 0.0);
    assert!(index.scores("数", true).score("zh") > 0.0);
}
