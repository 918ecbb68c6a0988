//! The likelihood that a lesson is the right one: its word, what is left out for it, and how it is told.

use crate::common::{space_by, with};
use crate::rank::{domain, query, rank};
use lesson_core::{
    ExclusionCode, Explain, KeywordIndex, Lesson, RankPolicy, Ranking, RelevanceWord,
    SearchOptions, Situation, Space, Trust, recommend, search,
};

fn lesson(slug: &str, text: &str) -> Lesson {
    with(slug, |l| {
        l.text.title = text.to_owned();
        l.text.domain = if slug.ends_with("perps") { "perps" } else { "" }.to_owned();
    })
}

/// One that has every word of the query, one that has nearly all, and one with a common word.
fn lessons() -> Space {
    space_by([
        lesson("full", "Rotate the signing keys of webhooks"),
        lesson("near", "Rotate signing keys of the webhooks yearly"),
        lesson(
            "weak",
            "Rotate the logs of the scheduler before the disk fills",
        ),
        lesson(
            "weak-perps",
            "Rotate collateral between perps venues at night",
        ),
    ])
}

const ASKED: &str = "rotate signing keys webhooks";

fn slugs(ranking: &Ranking) -> Vec<&str> {
    let items = ranking.items.iter();
    items.map(|item| item.slug.as_str()).collect()
}

fn left_out(ranking: &Ranking, slug: &str) -> (ExclusionCode, String) {
    let trace = ranking.trace.as_ref().expect("explained");
    let one = trace.iter().find(|one| one.slug == slug).expect("traced");
    let why = one.exclusion.as_ref().expect("left out");
    (why.code, why.words.clone())
}

#[test]
fn what_is_unlikely_beside_the_best_is_left_out_and_told() {
    let answer = rank(&lessons(), &query(ASKED), None);
    assert_eq!(slugs(&answer), ["full", "near"], "a near tie keeps both");
    assert_eq!(answer.excluded_unlikely + answer.excluded_low_relevance, 2);
    for slug in ["weak", "weak-perps"] {
        let (code, words) = left_out(&answer, slug);
        assert!(
            matches!(code, ExclusionCode::Unlikely | ExclusionCode::LowRelevance),
            "{slug}: {words}"
        );
        if code == ExclusionCode::Unlikely {
            assert!(words.contains("below 0.0"), "{words}");
        }
    }
    // The answer and its trace give the same number.
    for item in &answer.items {
        let trace = answer.trace.as_ref().expect("explained");
        let told = trace.iter().find(|one| one.slug == item.slug);
        let (value, formula) = told.and_then(|one| one.likelihood.as_ref()).expect("told");
        assert_eq!(Some(*value), item.likelihood);
        assert!(formula.contains("1 / (1 + e^−z)"), "{formula}");
        let word = RankPolicy::default().likelihood_word(*value);
        assert_eq!(item.word, word);
    }
    let plain = KeywordIndex::of_space(&lessons());
    let policy = crate::common::seeds().rank;
    let again = recommend(
        &lessons(),
        &query(ASKED),
        None,
        &plain,
        &policy,
        Explain::Nothing,
    );
    assert_eq!(again.expect("complete").items, answer.items);
}

#[test]
fn without_a_query_and_in_a_field_nothing_is_left_out_for_it() {
    let situation = Situation {
        query: Some(ASKED.to_owned()),
        ..domain("perps")
    };
    let answer = rank(&lessons(), &situation, None);
    assert_eq!(answer.items.len(), 4, "a decision by its field");
    assert_eq!(answer.excluded_unlikely, 0);
    let weak = answer.items.iter().find(|item| item.slug == "weak-perps");
    let weak = weak.expect("of the field");
    assert_eq!(weak.word, RelevanceWord::Low, "{:?}", weak.likelihood);
    let answer = rank(&lessons(), &domain("perps"), None);
    assert_eq!(answer.items.len(), 4);
    assert!(answer.items.iter().all(|item| item.likelihood.is_none()));
}

#[test]
fn an_unreviewed_lesson_of_an_agents_key_puts_out_none_of_anybody_else() {
    let by = |key: &str, trust: Trust, mut lesson: Lesson| {
        lesson.by = key.to_owned();
        lesson.trust = trust;
        lesson
    };
    let asked = query("rotate signing keys of webhooks when a partner leaves");
    let held = |key: &str, trust| {
        space_by([
            by(
                "local",
                Trust::Approved,
                lesson("half", "Rotate the keys of the office yearly"),
            ),
            by(
                key,
                trust,
                lesson(
                    "stuffed",
                    "Rotate signing keys of webhooks when a partner leaves",
                ),
            ),
        ])
    };
    let beside = rank(&held("local", Trust::Approved), &asked, None);
    assert_eq!(slugs(&beside), ["stuffed"], "an approved one does");
    let beside = rank(&held("agent:one", Trust::Unreviewed), &asked, None);
    assert_eq!(slugs(&beside), ["stuffed", "half"]);
    assert_eq!(beside.items[1].word, RelevanceWord::Low);
}

#[test]
fn with_vectors_and_without_the_constants_are_the_policys() {
    let held = lessons();
    let index = KeywordIndex::of_space(&held);
    let same = |_: &Lesson| Some(0.5);
    let ask = |semantic: bool, policy: &RankPolicy| {
        let vectors: Option<lesson_core::Similarity<'_>> =
            if semantic { Some(&same) } else { None };
        recommend(
            &held,
            &query(ASKED),
            vectors,
            &index,
            policy,
            Explain::Nothing,
        )
        .expect("complete")
        .items[0]
            .word
    };
    let never = RankPolicy {
        likelihood_base: 100.0,
        min_likelihood: 0.0,
        ..RankPolicy::default()
    };
    assert_eq!(ask(true, &never), RelevanceWord::Low);
    assert_ne!(ask(false, &never), RelevanceWord::Low);
    let wrong = RankPolicy {
        words_likelihood_lead: 100.5,
        ..RankPolicy::default()
    };
    let fault = recommend(&held, &query(ASKED), None, &index, &wrong, Explain::Nothing);
    let fault = fault.expect_err("out of bounds").message;
    assert!(fault.contains("words_likelihood_lead"), "{fault}");
}

#[test]
fn a_search_reads_in_the_same_words_and_drops_nothing() {
    let held = lessons();
    let index = KeywordIndex::of_space(&held);
    let policy = RankPolicy::default();
    let found = search(
        &held,
        ASKED,
        None,
        &index,
        &policy,
        SearchOptions::default(),
    );
    assert_eq!(found.items.len(), 4);
    let told = rank(&held, &query(ASKED), None);
    for item in &told.items {
        let same = found.items.iter().find(|one| one.slug == item.slug);
        assert_eq!(same.expect("found").word, item.word);
    }
    let last = found.items.last().expect("four");
    assert_eq!(last.word, RelevanceWord::Low);
}

#[test]
fn length_alone_never_wins() {
    let text = "Rotate the signing keys of webhooks.";
    let filler: String = (0..900).map(|n| format!(" filler{n}")).collect();
    let held = space_by([
        with("long", |l| {
            l.text.title = "Webhooks".to_owned();
            l.text.recommendation = format!("{text}{filler}");
        }),
        with("short", |l| {
            l.text.title = "Webhooks".to_owned();
            l.text.description = "In short".to_owned();
            l.text.recommendation = text.to_owned();
        }),
    ]);
    let index = KeywordIndex::of_space(&held);
    let policy = RankPolicy::default();
    for asked in ["signing keys", "webhooks rotate", "signing"] {
        let found = search(
            &held,
            asked,
            None,
            &index,
            &policy,
            SearchOptions::default(),
        );
        assert_eq!(found.items[0].slug, "short", "{asked}");
        assert!(found.items[0].match_score > found.items[1].match_score);
    }
}

#[test]
fn one_word_that_a_lesson_has_aside_is_no_sign_that_it_is_about_it() {
    let held = space_by([
        with("aside", |l| {
            l.text.title = "Keep network calls out of transactions".to_owned();
            l.text.recommendation =
                "A provider of payments slows down, and each request holds a lock.".to_owned();
        }),
        with("other", |l| {
            l.text.title = "Size the pool of workers".to_owned();
        }),
    ]);
    let word = |space: &Space, asked: &str| rank(space, &query(asked), None).items[0].word;
    assert_eq!(word(&held, "Payments"), RelevanceWord::Low);
    let about = space_by([with("about", |l| {
        l.text.title = "Payments are idempotent".to_owned();
        l.text.recommendation = "Give each payment a key of its own.".to_owned();
    })]);
    let told = word(&about, "Payments");
    assert!(
        matches!(told, RelevanceWord::High | RelevanceWord::VeryHigh),
        "{told:?}"
    );
    // Asked with more words, the same lesson is the right one.
    let asked = "provider of payments slows down request holds lock";
    assert_ne!(word(&held, asked), RelevanceWord::Low);
}

#[test]
fn a_lesson_in_another_language_is_about_the_word_of_its_title_and_of_its_domain() {
    let text = "Die Zeilen werden nach dem Mandanten gefiltert, und nicht in der Anwendung.";
    let held = space_by([
        with("aside", |l| {
            l.text.title = "Zeilen nach dem Mandanten filtern".to_owned();
            l.text.recommendation =
                format!("{text} Die Datenbanken werden mit einer Regel gesichert.");
        }),
        with("domain", |l| {
            l.text.title = "Regeln für jeden Mandanten".to_owned();
            l.text.recommendation = format!("{text} Das gilt für Abrechnungen.");
            l.text.domain = "Abrechnung".to_owned();
        }),
    ]);
    let word = |space: &Space, asked: &str| rank(space, &query(asked), None).items[0].word;
    assert_eq!(word(&held, "Datenbank"), RelevanceWord::Low);
    assert_ne!(word(&held, "Abrechnung"), RelevanceWord::Low);
    let about = space_by([with("about", |l| {
        l.text.title = "Datenbanken werden mit Regeln gesichert".to_owned();
        l.text.recommendation = text.to_owned();
    })]);
    assert_ne!(word(&about, "Datenbank"), RelevanceWord::Low);
}
