//! Answers that near copies and one agent's key can't fill.

use crate::common::{event, space_by as space, with, written};
use crate::rank::query;
use lesson_core::{
    Cosines, Event, EventKind, ExclusionCode, Explain, KeywordIndex, Lesson, PatternsFor, Policy,
    RankPolicy, Ranking, SearchOptions, Situation, Space, Trust, Verdict, pair_key, patterns,
    recommend, search,
};
use std::collections::BTreeMap;

const KEY: &str = "agent:one";
const OTHER: &str = "agent:two";

/// A lesson on pools that says what `more` says besides.
fn pools(slug: &str, more: &str, change: impl FnOnce(&mut Lesson)) -> Lesson {
    with(slug, |lesson| {
        lesson.text.title = format!("Database connection pools {slug}");
        lesson.text.recommendation = format!("Size the database connection pool. {more}");
        change(lesson);
    })
}

/// Words that no other lesson has.
fn own_words(slug: &str) -> String {
    let letters: String = slug
        .bytes()
        .map(|byte| char::from(b'a' + byte % 26))
        .collect();
    let word = |n: u8| format!("{}{letters}q", char::from(b'a' + n));
    (0..12).map(word).collect::<Vec<_>>().join(" ")
}

fn distinct(slug: &str, change: impl FnOnce(&mut Lesson)) -> Lesson {
    pools(slug, &own_words(slug), change)
}

fn approved(lesson: &mut Lesson) {
    lesson.trust = Trust::Approved;
    lesson.by = "local".to_owned();
}

fn by(key: &str) -> impl Fn(&mut Lesson) + '_ {
    move |lesson| lesson.by = key.to_owned()
}

fn ranked(space: &Space, limit: usize, explain: Explain<'_>) -> Ranking {
    let situation = Situation {
        limit: Some(limit),
        ..query("size the database connection pool")
    };
    let index = KeywordIndex::of_space(space);
    recommend(
        space,
        &situation,
        None,
        &index,
        &RankPolicy::default(),
        explain,
    )
    .expect("the situation is complete")
}

fn slugs(ranking: &Ranking) -> Vec<&str> {
    ranking
        .items
        .iter()
        .map(|item| item.slug.as_str())
        .collect()
}

/// The slugs of an answer, the same whether it is explained or not.
fn answer(space: &Space, limit: usize) -> Vec<String> {
    let plain = ranked(space, limit, Explain::Nothing);
    assert_eq!(plain.items, ranked(space, limit, Explain::All).items);
    slugs(&plain).into_iter().map(str::to_owned).collect()
}

/// Why a lesson is not in the answer: its code and the words.
fn why(space: &Space, limit: usize, slug: &str) -> (ExclusionCode, String) {
    let trace = ranked(space, limit, Explain::All).trace.unwrap();
    let one = trace.into_iter().find(|one| one.slug == slug).unwrap();
    let left = one.exclusion.expect("it is not in the answer");
    (left.code, left.words)
}

#[test]
fn of_near_duplicates_the_approved_one_is_given_however_well_a_copy_scores() {
    let words = own_words("a");
    let held = space([
        pools("a", &words, approved),
        pools("copy-of-a", &words, |lesson| {
            lesson.standing.confidence = 1.0;
            lesson.by = KEY.to_owned();
        }),
        distinct("b", approved),
    ]);
    assert_eq!(answer(&held, 5), ["a", "b"]);
    let (code, words) = why(&held, 5, "copy-of-a");
    assert_eq!(code, ExclusionCode::NearDuplicate);
    assert!(words.contains("`a`"), "{words}");
    assert_eq!(code.as_str(), "near_duplicate");
}

#[test]
fn a_search_and_patterns_are_filled_by_no_key_and_its_copies() {
    let words = own_words("a");
    let copies = (0..12).map(|n| {
        pools(&format!("copy-{n}"), &words, |lesson| {
            lesson.standing.confidence = 1.0;
            lesson.by = KEY.to_owned();
        })
    });
    let others = (0..4).map(|n| distinct(&format!("other-{n}"), approved));
    let held = space(copies.chain([pools("a", &words, approved)]).chain(others));
    let index = KeywordIndex::of_space(&held);
    let policy = RankPolicy::default();
    let text = "size the database connection pool";
    let options = |include_archived| SearchOptions {
        limit: Some(5),
        include_archived,
        ..SearchOptions::default()
    };
    let found = search(&held, text, None, &index, &policy, options(false));
    let wanted = PatternsFor {
        feature: text,
        limit: Some(5),
        ..PatternsFor::default()
    };
    for found in [found, patterns(&held, wanted, None, &index, &policy)] {
        let slugs: Vec<&str> = found.items.iter().map(|one| one.slug.as_str()).collect();
        assert!(slugs.contains(&"a"), "{slugs:?}");
        let copies = slugs.iter().filter(|slug| slug.starts_with("copy-"));
        assert_eq!(copies.count(), 0, "{slugs:?}");
        assert_eq!(slugs.len(), 5);
    }
    // A list for the lessons' owner has all of them.
    let listed = search(&held, text, None, &index, &policy, options(true));
    assert!(listed.items.iter().all(|one| one.slug.starts_with("copy-")));
}

#[test]
fn of_near_duplicates_alike_in_trust_the_better_one_is_given() {
    let words = own_words("a");
    let held = space([
        pools("a", &words, |_| {}),
        pools("b", &words, |lesson| lesson.standing.confidence = 0.9),
    ]);
    assert_eq!(answer(&held, 5), ["b"]);
}

#[test]
fn a_copy_is_one_however_much_it_is_padded_or_titled() {
    let words = own_words("a");
    let padded = format!("{words} {} {}", own_words("pad"), own_words("more"));
    let held = space([
        pools("a", &words, approved),
        pools("padded", &padded, by(KEY)),
        // The title of the approved lesson, and another advice.
        with("titled", |lesson| {
            lesson.text.title = "Database connection pools a".to_owned();
            lesson.text.recommendation =
                "Size the database connection pool: database connection pool size.".to_owned();
            lesson.standing.confidence = 1.0;
            lesson.by = KEY.to_owned();
        }),
    ]);
    assert_eq!(answer(&held, 5), ["a"]);
    assert_eq!(why(&held, 5, "padded").0, ExclusionCode::NearDuplicate);
    assert_eq!(why(&held, 5, "titled").0, ExclusionCode::DuplicateTitle);
}

#[test]
fn places_that_copies_leave_go_to_the_next_lessons() {
    let words = own_words("a");
    let copies = (0..300).map(|n| {
        pools(&format!("copy-{n}"), &words, |lesson| {
            lesson.standing.confidence = 0.9;
            lesson.by = format!("agent:{}", n % 3);
        })
    });
    let good = ["b", "c", "d", "e"].map(|slug| distinct(slug, approved));
    let held = space(copies.chain([pools("a", &words, approved)]).chain(good));
    assert_eq!(answer(&held, 5), ["a", "b", "c", "d", "e"]);
}

#[test]
fn a_person_who_keeps_both_is_given_both() {
    let words = own_words("a");
    let (a, b) = (pools("a", &words, approved), pools("b", &words, approved));
    let mut held = space([a.clone(), b.clone()]);
    assert_eq!(answer(&held, 5), ["a"]);
    let apart = EventKind::PolicyChanged {
        changes: BTreeMap::from([(
            format!("{}{}", lesson_core::APART_SETTING, pair_key(&a, &b)),
            serde_json::Value::Bool(true),
        )]),
    };
    let apart = event(100, apart);
    held.fold(&apart, &Policy::default()).unwrap();
    assert_eq!(answer(&held, 5), ["a", "b"]);
}

/// Cosines of pairs: lessons whose titles end alike mean the same.
struct Meaning;

impl Cosines for Meaning {
    fn of(&self, _: &Lesson) -> Option<f64> {
        Some(0.7)
    }

    fn between(&self, one: &Lesson, two: &Lesson) -> Option<f64> {
        let last = |lesson: &Lesson| lesson.slug.bytes().last();
        Some(if last(one) == last(two) { 0.9 } else { 0.2 })
    }
}

#[test]
fn lessons_with_vectors_are_compared_by_meaning() {
    let held = space([
        distinct("one-1", approved),
        // Other words, the same meaning.
        distinct("two-1", by(KEY)),
        distinct("one-2", approved),
        // The same words, another meaning: a person may write so, a key may not.
        pools("one-3", &own_words("one-2"), approved),
        pools("one-4", &own_words("one-1"), by(KEY)),
    ]);
    let index = KeywordIndex::of_space(&held);
    let situation = query("size the database connection pool");
    let policy = RankPolicy::default();
    let ranking = recommend(
        &held,
        &situation,
        Some(&Meaning),
        &index,
        &policy,
        Explain::Nothing,
    );
    let ranking = ranking.unwrap();
    let mut given = slugs(&ranking);
    given.sort_unstable();
    assert_eq!(given, ["one-1", "one-2", "one-3"]);
}

#[test]
fn at_most_two_of_five_places_go_to_unreviewed_lessons_of_one_key() {
    let mine = (0..8).map(|n| {
        distinct(&format!("mine-{n}"), |lesson| {
            lesson.standing.confidence = 0.9;
            lesson.by = KEY.to_owned();
        })
    });
    let others = ["x", "y", "z"].map(|slug| distinct(slug, by(OTHER)));
    let people = ["a", "b"].map(|slug| distinct(slug, by("local")));
    let held = space(mine.clone().chain(others).chain(people));
    let given = answer(&held, 5);
    let count =
        |given: &[String], of: &str| given.iter().filter(|slug| slug.starts_with(of)).count();
    assert_eq!(count(&given, "mine-"), 2, "{given:?}");
    assert_eq!(given.len(), 5);
    let left = mine.clone().map(|lesson| lesson.slug);
    let left: Vec<String> = left.filter(|slug| !given.contains(slug)).collect();
    assert_eq!(left.len(), 6);
    let (code, words) = why(&held, 5, &left[0]);
    assert_eq!(code.as_str(), "key_limit", "{words}");
    // In any five places in a row, in longer answers too.
    let longer = answer(&held, 15);
    for five in longer.windows(5) {
        assert!(count(five, "mine-") <= 2, "{longer:?}");
    }
}

#[test]
fn a_key_that_is_alone_or_approved_is_not_limited() {
    let mine: Vec<Lesson> = (0..8)
        .map(|n| distinct(&format!("mine-{n}"), by(KEY)))
        .collect();
    assert_eq!(answer(&space(mine.clone()), 5).len(), 5);
    let mut held = space(mine.clone().into_iter().chain([distinct("a", approved)]));
    assert!(answer(&held, 5).len() <= 2);
    for (n, one) in (100..).zip(&mine) {
        let review = EventKind::LessonReviewed {
            lesson: one.slug.clone(),
            verdict: Verdict::Approve,
            content_hash: one.text.content_hash(),
            reason: String::new(),
        };
        let review = Event {
            by: "person:ada".to_owned(),
            ..event(n, review)
        };
        held.fold(&review, &Policy::default()).unwrap();
    }
    assert_eq!(answer(&held, 6).len(), 6);
}

/// The answer to a question, and how many of it are a key's.
fn asked(held: &Space, text: &str) -> (usize, usize) {
    let index = KeywordIndex::of_space(held);
    let policy = RankPolicy::default();
    let ranking = recommend(held, &query(text), None, &index, &policy, Explain::Nothing).unwrap();
    let given = slugs(&ranking);
    let mine = given.iter().filter(|slug| slug.starts_with("mine-"));
    (given.len(), mine.count())
}

#[test]
fn beside_approved_lessons_a_keys_unreviewed_ones_are_tried_in_few_answers() {
    let mine = (0..8).map(|n| distinct(&format!("mine-{n}"), by(KEY)));
    let good = ["a", "b", "c"].map(|slug| distinct(slug, approved));
    let held = space(mine.clone().chain(good));
    let questions = (0..200).map(|n| format!("size the database connection pool n{n}"));
    let answers: Vec<(usize, usize)> = questions.map(|text| asked(&held, &text)).collect();
    assert!(
        answers
            .iter()
            .all(|(all, mine)| *mine <= 1 && all - mine == 3)
    );
    let tried = answers.iter().filter(|(_, mine)| *mine == 1).count();
    assert!((10..=40).contains(&tried), "in {tried} of 200");
    // The same question has the same answer.
    assert_eq!(
        answers[7],
        asked(&held, "size the database connection pool n7")
    );
}

#[test]
fn what_nothing_approved_answers_as_well_is_given_at_once() {
    let new = written(
        "mine-new",
        "Kafka consumer lag",
        "Watch the lag of each Kafka consumer group.",
    );
    let new = Lesson {
        by: KEY.to_owned(),
        trust: Trust::Unreviewed,
        ..new
    };
    let aside = written("aside", "Queues", "A group of workers drains the queue.");
    let aside = Lesson {
        by: "local".to_owned(),
        trust: Trust::Approved,
        ..aside
    };
    let held = space([new, aside, distinct("a", by(OTHER))]);
    for n in 0..40 {
        let (_, mine) = asked(&held, &format!("kafka consumer group lag n{n}"));
        assert_eq!(mine, 1, "n{n}");
    }
}

#[test]
fn a_lesson_and_its_denial_are_both_given_and_marked() {
    let words = own_words("a");
    let says = |slug: &str, text: &str, by: &str, trust: Trust| {
        with(slug, |lesson| {
            lesson.text.title = format!("Database connection pools {slug}");
            lesson.text.recommendation = format!("{text} the database connection pool. {words}");
            lesson.by = by.to_owned();
            lesson.trust = trust;
        })
    };
    let held = |by: &str, trust| {
        space([
            says("size", "Size", "local", Trust::Approved),
            says("size-not", "Never size", by, trust),
        ])
    };
    let both = held("local", Trust::Unreviewed);
    let given = answer(&both, 5);
    assert_eq!(given.len(), 2, "{given:?}");
    let lessons: Vec<&Lesson> = given.iter().filter_map(|slug| both.lesson(slug)).collect();
    let items: Vec<(&Lesson, lesson_core::RelevanceWord)> = lessons
        .iter()
        .map(|lesson| (*lesson, lesson_core::RelevanceWord::High))
        .collect();
    let prompt = lesson_core::prompt_text(&items, None).text;
    for (slug, other) in [("size", "size-not"), ("size-not", "size")] {
        let heading = prompt.split(&format!("### {slug}\n")).nth(1).unwrap();
        let badge = heading.lines().next().unwrap();
        assert!(
            badge.ends_with(&format!("contradicts '{other}'")),
            "{badge}"
        );
    }
    assert_eq!(lesson_core::contradictions(&lessons), [vec![1], vec![0]]);
    // A contradiction by an agent's key of a lesson that a person stands behind waits in Review.
    let key = held(KEY, Trust::Unreviewed);
    assert_eq!(answer(&key, 5), ["size"]);
}
