//! Search and patterns.

use crate::common::{space, with, written};
use lesson_core::{
    KeywordIndex, Lesson, PatternsFor, RankPolicy, SearchOptions, SearchRanking, Similarity, Space,
    Trust, patterns, patterns_text, search,
};

fn sample() -> Space {
    space([
        written(
            "pattern-rls",
            "Row-level security",
            "Let the database check tenants.",
        ),
        written(
            "pattern-cache",
            "Cache keys",
            "Name the tenant in every cache key.",
        ),
        written(
            "pattern-forms",
            "Controlled components",
            "Keep form values in state.",
        ),
        with("archived-cache", |l| {
            l.text.title = "Old cache".to_owned();
            l.archived = true;
        }),
        with("held-cache", |l| {
            l.text.title = "Held cache".to_owned();
            l.trust = Trust::Quarantined;
        }),
    ])
}

fn slugs(ranking: &SearchRanking) -> Vec<&str> {
    ranking
        .items
        .iter()
        .map(|item| item.slug.as_str())
        .collect()
}

fn look(
    space: &Space,
    query: &str,
    similarity: Option<Similarity<'_>>,
    options: SearchOptions,
) -> SearchRanking {
    let index = KeywordIndex::of_space(space);
    search(
        space,
        query,
        similarity,
        &index,
        &RankPolicy::default(),
        options,
    )
}

#[test]
fn words_find_lessons_without_a_model() {
    let space = sample();
    let plain = SearchOptions::default();
    for (query, expected) in [
        ("cache", vec!["pattern-cache"]),
        ("CACHE tenant", vec!["pattern-cache", "pattern-rls"]),
        ("row-level", vec!["pattern-rls"]),
        ("security of a row", vec!["pattern-rls"]),
        ("nothing of the kind", vec![]),
        ("", vec![]),
    ] {
        assert_eq!(
            slugs(&look(&space, query, None, plain)),
            expected,
            "{query}"
        );
    }
    let beginning = SearchOptions {
        prefix: true,
        ..plain
    };
    assert_eq!(
        slugs(&look(&space, "comp", None, beginning)),
        ["pattern-forms"]
    );
    assert!(look(&space, "comp", None, plain).items.is_empty());
    let all = SearchOptions {
        include_archived: true,
        ..plain
    };
    let mut found = look(&space, "cache", None, all);
    found.items.sort_by(|a, b| a.slug.cmp(&b.slug));
    assert_eq!(
        slugs(&found),
        ["archived-cache", "held-cache", "pattern-cache"]
    );
}

#[test]
fn scores_are_of_match_and_confidence() {
    let space = sample();
    let similarity = |l: &Lesson| match l.slug.as_str() {
        "pattern-rls" => Some(0.8),
        "pattern-cache" => Some(0.1),
        _ => Some(0.2),
    };
    let options = SearchOptions {
        explain: true,
        ..SearchOptions::default()
    };
    let found = look(&space, "cache", Some(&similarity), options);
    assert!(found.semantic);
    // The cache lesson has the word and nothing of the meaning; the other has it the other way round; the third means
    // too little to count, and is no result.
    let mut told = slugs(&found);
    told.sort_unstable();
    assert_eq!(told, ["pattern-cache", "pattern-rls"]);
    let of = |slug: &str| {
        let found = found.items.iter().find(|item| item.slug == slug);
        found.expect("it is a result")
    };
    assert!((of("pattern-rls").match_score - 0.4_f64.sqrt()).abs() < 1e-12);
    let alone = look(&space, "cache", None, options);
    let words = alone.items[0].match_score;
    // Alone, words count for four fifths of their score; beside meaning, for three.
    let both = of("pattern-cache").match_score;
    assert!((words * words / 0.8 - both * both / 0.6).abs() < 1e-12);
    for item in &found.items {
        assert!((item.score - (0.8 * item.match_score + 0.2 * 0.5)).abs() < 1e-12);
        let names: Vec<&str> = item.factors.iter().map(|f| &*f.name).collect();
        assert_eq!(names, ["match", "confidence"]);
    }
}

#[test]
fn the_exact_word_has_its_place_however_low_its_similarity() {
    let like = (0..20).map(|n| written(&format!("like-{n:02}"), &format!("About {n}"), "Much."));
    let exact = written("exact", "Quux", "Nothing else.");
    let space = space(like.chain([exact]));
    let similarity = |l: &Lesson| Some(if l.slug == "exact" { -0.5 } else { 0.95 });
    for limit in [1, 3, 10] {
        let options = SearchOptions {
            limit: Some(limit),
            ..SearchOptions::default()
        };
        let found = look(&space, "quux", Some(&similarity), options);
        assert_eq!(found.items.len(), limit);
        assert!(slugs(&found).contains(&"exact"), "limit {limit}");
        assert_eq!(found.total, 21);
    }
}

#[test]
fn patterns_merge_words_and_likeness_and_fit_the_project() {
    assert_eq!(
        patterns_text(" login "),
        "implementation patterns for login"
    );
    let mut lessons: Vec<Lesson> = sample().lessons().cloned().collect();
    lessons.push(written(
        "pattern-cache-again",
        "CACHE KEYS",
        "Name the tenant.",
    ));
    lessons.push(with("pattern-go-cache", |l| {
        l.text.title = "Cache in Go".to_owned();
        l.text.tech_stacks = vec!["go".to_owned()];
    }));
    let space = space(lessons);
    let index = KeywordIndex::of_space(&space);
    let policy = RankPolicy::default();
    let similarity = |l: &Lesson| Some(if l.slug == "pattern-forms" { 0.6 } else { 0.1 });
    let wanted = PatternsFor {
        feature: "cache",
        ..PatternsFor::default()
    };
    let found = patterns(&space, wanted, Some(&similarity), &index, &policy);
    assert_eq!(found.items.len(), 3, "three unless told otherwise");
    let mut told = slugs(&found);
    told.sort_unstable();
    assert!(told.contains(&"pattern-forms") && told.contains(&"pattern-go-cache"));
    assert!(!told.contains(&"held-cache") && !told.contains(&"archived-cache"));
    let both = ["pattern-cache", "pattern-cache-again"];
    assert_eq!(
        told.iter().filter(|slug| both.contains(slug)).count(),
        1,
        "one per title"
    );

    let rust = ["Rust".to_owned()];
    let fitting = PatternsFor {
        tech_stack: &rust,
        limit: Some(10),
        ..wanted
    };
    let place = |ranking: &SearchRanking| {
        let found = ranking.items.iter().find(|i| i.slug == "pattern-go-cache");
        let found = found.expect("it has the word");
        (found.score, found.match_score)
    };
    let plain = PatternsFor {
        limit: Some(10),
        ..wanted
    };
    let (without, words) = place(&patterns(&space, plain, None, &index, &policy));
    let (with, _) = place(&patterns(&space, fitting, None, &index, &policy));
    assert!((without - (0.8 * words + 0.1)).abs() < 1e-12);
    // The match is halved, and metadata 0.4·0.5 + 0.6·0 holds the score back by 0.3·(1 − 0.2).
    let expected = (0.8 * words * 0.5 + 0.1) * (1.0 - 0.3 * 0.8);
    assert!((with - expected).abs() < 1e-12);
}
