//! The match of query and lesson, and the traces that tell of it.

use crate::common::{space, with, written};
use crate::rank::{domain, query, rank, relevance_of};
use lesson_core::{
    Cosines, ExclusionCode, Explain, FactorKind, KeywordIndex, Lesson, Market, RankPolicy, Ranking,
    Similarity, Situation, Space, TracePart, Trust, recommend,
};

#[test]
fn a_lesson_without_a_vector_has_its_words_on_the_same_scale() {
    let others = (0..8).map(|n| written(&format!("other-{n}"), &format!("About {n}"), "Much."));
    let new = written("new", "Quota errors", "Show what is left of the quota.");
    let old = written("old", "Old one", "Quota is mentioned here.");
    let space = space(others.chain([new, old]));
    let policy = RankPolicy::default();
    let index = KeywordIndex::of_space(&space);
    let told = |similarity: Option<Similarity<'_>>| {
        let told = recommend(
            &space,
            &query("quota"),
            similarity,
            &index,
            &policy,
            Explain::All,
        );
        told.expect("the situation is complete")
    };
    let words = told(None);
    let similarity = |l: &Lesson| (l.slug != "new").then_some(0.1);
    let mixed = told(Some(&similarity));
    assert!(mixed.semantic);
    assert_eq!(mixed.without_vector, 1);
    assert_eq!(relevance_of(&mixed, "new"), relevance_of(&words, "new"));

    // When many have none, all go by words: a part with vectors among others without is worse than that.
    let similarity = |l: &Lesson| l.slug.starts_with("other").then_some(0.9);
    let few = |l: &Lesson| similarity(l).filter(|_| l.slug.as_str() < "other-6");
    let failing = told(Some(&few));
    assert!(!failing.semantic);
    assert_eq!(failing.without_vector, 4);
    assert_eq!(failing.items, words.items);
}

#[test]
fn the_match_is_absolute_but_for_the_rarity_of_words() {
    let one = written("a", "Cache keys", "Name the tenant in every cache key.");
    let alone = rank(&space([one.clone()]), &query("tenant cache"), None);
    // Longer lessons, and better ones, change nothing of it.
    let long = written("b", "Form", &"Long text about nothing much. ".repeat(200));
    let best = written("c", "Deploy", "deploy deploy deploy");
    let among = rank(&space([one, long, best]), &query("tenant cache"), None);
    let (alone, among) = (relevance_of(&alone, "a"), relevance_of(&among, "a"));
    assert!((alone - among).abs() < 0.01, "{alone} {among}");
}

#[test]
fn what_is_explained_is_the_part_that_was_asked_for() {
    let mut lessons: Vec<Lesson> = (0..40)
        .map(|n| {
            written(
                &format!("quota-{n:02}"),
                &format!("Quota {n}"),
                "Show the quota.",
            )
        })
        .collect();
    lessons.extend((0..30).map(|n| written(&format!("far-{n:02}"), &format!("Far {n}"), "Else.")));
    lessons.push(with("held", |l| l.trust = Trust::Quarantined));
    let space = space(lessons);
    fn told(space: &Space, explain: Explain<'_>) -> Ranking {
        let (index, policy) = (KeywordIndex::of_space(space), RankPolicy::default());
        recommend(space, &query("quota"), None, &index, &policy, explain).expect("complete")
    }
    let all = told(&space, Explain::All);
    let full = all.trace.as_ref().expect("explained");
    assert_eq!(full.len(), 71);
    for (reason, text, offset, limit) in [
        (None, "", 0, 5),
        (Some(ExclusionCode::LowRelevance), "", 10, 7),
        (Some(ExclusionCode::BeyondLimit), "", 20, 50),
        (None, "FAR 1", 0, 100),
        (Some(ExclusionCode::Archived), "", 0, 5),
        (None, "", 1_000, 5),
    ] {
        let part = TracePart {
            reason,
            text: text.to_lowercase(),
            offset,
            limit,
        };
        let some = told(&space, Explain::Part(&part));
        assert_eq!(some.items, all.items);
        let fits = |t: &&lesson_core::Trace| {
            part.text.is_empty()
                || t.slug.contains(&part.text)
                || t.title.to_lowercase().contains(&part.text)
        };
        let mut expected: Vec<_> = full.iter().filter(|t| t.exclusion.is_none()).collect();
        let mut counts = Vec::new();
        let mut left = Vec::new();
        for code in ExclusionCode::ALL {
            let of: Vec<_> = full
                .iter()
                .filter(|t| t.exclusion.as_ref().is_some_and(|e| e.code == code))
                .filter(fits)
                .collect();
            if of.is_empty() {
                continue;
            }
            counts.push((code, of.len() as u32));
            if reason.is_none_or(|reason| reason == code) {
                left.extend(of.into_iter().skip(offset).take(limit));
            }
        }
        left.sort_by(|a, b| {
            b.score
                .total_cmp(&a.score)
                .then_with(|| a.slug.cmp(&b.slug))
        });
        expected.extend(left);
        let got: Vec<_> = some.trace.as_ref().expect("explained").iter().collect();
        assert_eq!(got, expected, "{part:?}");
        assert_eq!(some.left_out, counts, "{part:?}");
    }
}

#[test]
fn the_trace_names_its_factors_in_order() {
    let space = space([with("warning-a", |l| {
        l.standing.times_not_helpful = 4;
        l.standing.times_surfaced = 12;
    })]);
    let situation = Situation {
        query: Some("entry".to_owned()),
        market: Some(Market {
            recent_loss_count: Some(1),
            ..Market::default()
        }),
        ..domain("perps")
    };
    let ranking = rank(&space, &situation, Some(0.6));
    let trace = &ranking.trace.expect("explained")[0];
    let told: Vec<_> = trace.factors.iter().map(|f| (&*f.name, f.kind)).collect();
    use FactorKind::{Add, Multiply};
    assert_eq!(
        told,
        [
            ("decision", Add),
            ("warning_after_loss", Add),
            ("match", Add),
            ("metadata", Add),
            ("confidence", Add),
            ("mean", Multiply),
            ("low_rating", Multiply),
            ("never_helpful", Multiply),
            ("causal", Multiply),
        ]
    );
    assert!(trace.factors.iter().all(|f| !f.note.is_empty()));
}

/// The same cosine to every lesson, of a model that reads many languages or English alone.
struct Near {
    cosine: f64,
    reads_languages: bool,
}

impl Cosines for Near {
    fn of(&self, _lesson: &Lesson) -> Option<f64> {
        Some(self.cosine)
    }

    fn reads_languages(&self) -> bool {
        self.reads_languages
    }
}

#[test]
fn meaning_alone_counts_sooner_for_a_query_in_another_language() {
    let space = space([written(
        "queues",
        "Bounded queues",
        "Give every queue a bound.",
    )]);
    let (index, policy) = (KeywordIndex::of_space(&space), RankPolicy::default());
    let (german, english) = (
        "warum wird der Speicher voll und nicht geleert",
        "memory fills up",
    );
    let told = |text: &str, cosine: f64, reads_languages: bool| {
        let near = Near {
            cosine,
            reads_languages,
        };
        let told = recommend(
            &space,
            &query(text),
            Some(&near),
            &index,
            &policy,
            Explain::All,
        );
        let trace = told.expect("complete").trace.expect("explained").remove(0);
        let factors = trace.factors.into_iter();
        let matched = factors.into_iter().find(|factor| factor.name == "match");
        matched.expect("matched").note
    };
    // A match of 0.38: between the two floors.
    let between = 0.1 + 0.7 * 0.38 * 0.38 / policy.meaning_weight;
    assert!(!told(german, between, true).contains("too weak"));
    let note = told(english, between, true);
    assert!(
        note.ends_with("as a query in English has to match by 0.4"),
        "{note}"
    );
    assert!(!told(english, 0.5, true).contains("too weak"));
    // With the English model all is as it is for any query.
    for query in [german, english] {
        assert!(!told(query, between, false).contains("too weak"), "{query}");
    }
    // Below both nothing counts.
    assert!(told(german, 0.2, true).ends_with("too weak to count"));
}
