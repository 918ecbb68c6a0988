//! Ranking candidates of a space: a candidate scores to the bit what it does among all lessons.

use crate::common::{space_by, with};
use crate::dice::Dice;
use crate::rank::query;
use lesson_core::{
    Explain, KeywordIndex, Lesson, RankPolicy, Ranking, SearchOptions, Space, SpaceCounts,
    recommend, search, words_asked,
};

const WORDS: [&str; 12] = [
    "retry",
    "retries",
    "tenant",
    "row-level",
    "localStorage",
    "cache",
    "caching",
    "queue",
    "node.js",
    "timeout",
    "the",
    "of",
];

fn lessons() -> Vec<Lesson> {
    let mut dice = Dice::new(7);
    let mut say = |many: usize| -> String {
        let words = (0..many).map(|_| WORDS[dice.below(WORDS.len())]);
        words.collect::<Vec<_>>().join(" ")
    };
    let made = (0..200).map(|n| {
        let (title, description, recommendation) = (say(3), say(6), say(20));
        with(&format!("lesson-{n:03}"), |lesson| {
            lesson.text.title = format!("{n} {title}");
            lesson.text.description = description;
            // Words of its own keep it from being a near duplicate of others.
            let own = |word: usize| {
                let letter = |n: usize| char::from(b'a' + (n % 26) as u8);
                let letters = [n / 26, n, word / 26, word].map(letter);
                letters.iter().collect::<String>() + "zz"
            };
            let own: Vec<String> = (0..40).map(own).collect();
            lesson.text.recommendation = format!("{recommendation} {}", own.join(" "));
            lesson.by = "local".to_owned();
            lesson.standing.confidence = 0.3 + (n % 7) as f64 / 10.0;
        })
    });
    made.collect()
}

/// A cosine that differs from lesson to lesson.
fn cosine(lesson: &Lesson) -> Option<f64> {
    let n: f64 = lesson.slug.trim_start_matches("lesson-").parse().ok()?;
    Some((n * 37.0 % 91.0) / 100.0)
}

/// Counts the lessons of a space that have a form of a word.
fn having(all: &Space, word: &str) -> usize {
    let mut index = KeywordIndex::new();
    let met = |lesson: &&Lesson| {
        index = KeywordIndex::new();
        index.insert(lesson);
        index.scores(word, false).score(&lesson.slug) > 0.0
    };
    all.lessons().filter(met).count()
}

fn candidates_of(
    all: &Space,
    asked: &str,
    chosen: impl Fn(usize) -> bool,
) -> (Space, KeywordIndex) {
    let some = all.lessons().enumerate().filter(|(n, _)| chosen(*n));
    let part = space_by(some.map(|(_, lesson)| lesson.clone()));
    let mut index = KeywordIndex::of_space(&part);
    let words = words_asked(asked, 64);
    let numbers = words.iter().map(|word| (word.as_str(), having(all, word)));
    let count = all.lessons().len();
    index.count_as(SpaceCounts::new(count, Some(count), numbers));
    (part, index)
}

fn told(space: &Space, index: &KeywordIndex, asked: &str) -> Ranking {
    let mut situation = query(asked);
    situation.limit = Some(200);
    // Likelihood is of the lessons beside each other: what is unlikely among all may be the best of some.
    let policy = RankPolicy {
        min_likelihood: 0.0,
        ..RankPolicy::default()
    };
    recommend(
        space,
        &situation,
        Some(&cosine),
        index,
        &policy,
        Explain::All,
    )
    .expect("the situation is complete")
}

#[test]
fn a_candidate_scores_to_the_bit_what_it_does_among_all() {
    let all = space_by(lessons());
    let whole = KeywordIndex::of_space(&all);
    for asked in [
        "retry the tenant cache",
        "row-level localStorage",
        "node.js timeouts that nobody has met",
        "the of",
        "caching queues",
    ] {
        // Every third: some words of the query are in few of them or in none.
        let (part, index) = candidates_of(&all, asked, |n| n % 3 == 0);
        let (among_all, among_some) = (told(&all, &whole, asked), told(&part, &index, asked));
        assert!(among_some.semantic);
        let mut met = 0;
        for one in &among_some.items {
            let Some(same) = among_all.items.iter().find(|other| other.slug == one.slug) else {
                panic!("{} is told of among candidates alone", one.slug);
            };
            assert_eq!(
                one.score.to_bits(),
                same.score.to_bits(),
                "{asked}: {}",
                one.slug
            );
            assert_eq!(
                one.relevance.to_bits(),
                same.relevance.to_bits(),
                "{asked}: {}",
                one.slug
            );
            met += 1;
        }
        assert!(met > 20, "{asked}: {met}");
        let policy = RankPolicy::default();
        let options = SearchOptions {
            limit: Some(200),
            ..SearchOptions::default()
        };
        let found = search(&part, asked, Some(&cosine), &index, &policy, options);
        let of_all = search(&all, asked, Some(&cosine), &whole, &policy, options);
        for one in &found.items {
            let same = of_all.items.iter().find(|other| other.slug == one.slug);
            let same = same.map(|same| same.score.to_bits());
            assert_eq!(Some(one.score.to_bits()), same, "{asked}: {}", one.slug);
        }
    }
}

#[test]
fn without_the_numbers_of_the_space_it_would_not() {
    let all = space_by(lessons());
    let whole = KeywordIndex::of_space(&all);
    let asked = "retry the tenant cache";
    let (part, _) = candidates_of(&all, asked, |n| n % 3 == 0);
    let alone = told(&part, &KeywordIndex::of_space(&part), asked);
    let among_all = told(&all, &whole, asked);
    let same = |slug: &str| {
        among_all
            .items
            .iter()
            .find(|other| other.slug == slug)
            .map(|one| one.score)
    };
    assert!(
        alone
            .items
            .iter()
            .any(|one| same(&one.slug) != Some(one.score))
    );
}

#[test]
fn how_many_lessons_have_a_vector_is_said_by_the_space() {
    let all = space_by(lessons());
    let (part, mut index) = candidates_of(&all, "retry", |n| n % 3 == 0);
    index.count_as(SpaceCounts::new(200, Some(90), [("retry", 100)]));
    // All candidates have one, as they were found by it; of the space less than half.
    let told = told(&part, &index, "retry");
    assert!(!told.semantic);
    assert_eq!(told.without_vector, 110);
}

#[test]
fn stop_words_are_asked_for_where_there_is_nothing_else() {
    assert_eq!(words_asked("the of", 64), ["the", "of"]);
    assert_eq!(
        words_asked("the Row-level of", 64),
        ["row-level", "row", "level"]
    );
    // One of each stem, and no more than may be asked for.
    assert_eq!(
        words_asked("retries retry cached caching queue", 2),
        ["retries", "cached"]
    );
    assert!(words_asked("…", 64).is_empty());
}
