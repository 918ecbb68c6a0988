//! Recommendations: each step of the pipeline, and the trace that tells of it.

use crate::common::{lesson, space, with, written};
use lesson_core::{
    Category, ExclusionCode, Explain, KeywordIndex, Lesson, Market, RankPolicy, Ranking,
    RelevanceWord, Similarity, Situation, Space, Trend, Trust, Volatility, recommend,
};

pub fn rank(space: &Space, situation: &Situation, cosine: Option<f64>) -> Ranking {
    let same = |_: &Lesson| cosine;
    let similarity: Option<Similarity<'_>> = if cosine.is_some() { Some(&same) } else { None };
    let index = KeywordIndex::of_space(space);
    recommend(
        space,
        situation,
        similarity,
        &index,
        &crate::common::seeds().rank,
        Explain::All,
    )
    .expect("the situation is complete")
}

pub fn query(text: &str) -> Situation {
    Situation {
        query: Some(text.to_owned()),
        ..Situation::default()
    }
}

pub fn domain(name: &str) -> Situation {
    Situation {
        domain: Some(name.to_owned()),
        ..Situation::default()
    }
}

pub fn relevance_of(ranking: &Ranking, slug: &str) -> f64 {
    let trace = ranking.trace.as_ref().expect("explained");
    trace
        .iter()
        .find(|t| t.slug == slug)
        .expect("every lesson is traced")
        .relevance
}

fn close(got: f64, expected: f64, words: &str) {
    assert!(
        (got - expected).abs() < 1e-12,
        "{words}: {got}, not {expected}"
    );
}

/// The cosine that means this much, as the policy maps cosines to meaning.
fn cosine_of(meaning: f64) -> f64 {
    0.1 + 0.7 * meaning
}

#[test]
fn project_relevance_weighs_match_metadata_and_confidence() {
    // project types, technologies, meaning → the share of the match that counts, metadata
    type Case<'a> = (&'a [&'a str], &'a [&'a str], f64, f64, f64);
    let cases: [Case<'_>; 8] = [
        (&[], &[], 0.9, 1.0, 0.5),
        (&["web-app"], &["rust", "react"], 0.9, 1.0, 1.0),
        (&["WEB-APP"], &["React"], 0.9, 1.0, 0.4 + 0.6 * 0.5),
        (&["cli"], &[], 0.9, 1.0, 0.3),
        (&[], &["go"], 0.9, 0.5, 0.2),
        (&["cli"], &["go"], 0.9, 0.5, 0.0),
        (&[], &[], 0.32, 1.0, 0.5),
        (&["web-app"], &["rust", "react"], 0.3, 0.0, 1.0),
    ];
    let situation = Situation {
        project_type: Some("Web-App".to_owned()),
        tech_stack: vec![
            "Rust".to_owned(),
            "react".to_owned(),
            " ".to_owned(),
            "RUST".to_owned(),
        ],
        ..query("a form")
    };
    for (types, techs, meaning, counted, metadata) in cases {
        let owned = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect();
        let one = with("a", |l| {
            l.text.project_types = owned(types);
            l.text.tech_stacks = owned(techs);
            l.standing.confidence = 0.7;
        });
        let ranking = rank(&space([one]), &situation, Some(cosine_of(meaning)));
        assert!(ranking.semantic);
        // No word of the query is in the lesson: meaning alone makes the match.
        let found = (0.4 * meaning).sqrt() * counted;
        let expected = 0.5 * found + 0.3 * metadata + 0.2 * 0.7;
        close(
            relevance_of(&ranking, "a"),
            expected,
            &format!("{types:?} {techs:?} {meaning}"),
        );
        let low = expected < 0.3;
        assert_eq!(ranking.items.is_empty(), low);
        assert_eq!(ranking.excluded_low_relevance, u32::from(low));
    }
}

#[test]
fn without_a_model_words_make_the_match_and_nothing_else_is_padded_in() {
    let space = space([
        written(
            "pools",
            "Connection pools",
            "Keep database connections in a pool.",
        ),
        // Neutral in everything but the best in confidence: nothing meets the query.
        with("forms", |l| {
            l.text.title = "Forms".to_owned();
            l.standing.confidence = 1.0;
        }),
        with("odd", |l| l.text.project_types = vec!["cli".to_owned()]),
    ]);
    let ranking = rank(&space, &query("connection pools"), None);
    assert!(!ranking.semantic);
    let slugs = |ranking: &Ranking| -> Vec<String> {
        let items = ranking.items.iter();
        items.map(|item| item.slug.clone()).collect()
    };
    assert_eq!(slugs(&ranking), ["pools"]);
    assert_eq!(ranking.items[0].word, RelevanceWord::VeryHigh);
    assert_eq!(ranking.excluded_low_relevance, 2);
    let trace = ranking.trace.expect("explained");
    let forms = trace.iter().find(|t| t.slug == "forms").expect("traced");
    assert!(forms.relevance >= 0.3, "{}", forms.relevance);
    let reason = forms.exclusion.as_ref().expect("left out");
    assert!(reason.words.contains("shares no word"), "{}", reason.words);

    // A facet in common carries a lesson without a word of the query, but not beside one that has them.
    let situation = Situation {
        project_type: Some("cli".to_owned()),
        ..query("connection pools")
    };
    let ranking = rank(&space, &situation, None);
    assert_eq!(slugs(&ranking), ["pools"]);
    assert_eq!(ranking.excluded_unlikely, 1);

    // Without a query, the project's own words are looked for.
    let situation = Situation {
        project_type: Some("cli".to_owned()),
        tech_stack: vec!["pools".to_owned()],
        ..Situation::default()
    };
    let ranking = rank(&space, &situation, None);
    assert_eq!(slugs(&ranking), ["pools", "odd"]);
}

#[test]
fn decision_relevance_adds_what_the_market_says() {
    let rough = Market {
        volatility: Some(Volatility::High),
        trend: Some(Trend::Bearish),
        has_open_positions: Some(false),
        recent_loss_count: Some(2),
    };
    let calm = Market {
        volatility: Some(Volatility::Normal),
        trend: Some(Trend::Bullish),
        has_open_positions: Some(true),
        recent_loss_count: Some(0),
    };
    let cases: [(&str, &str, &Market, f64); 12] = [
        ("strategy-a", "", &calm, 0.7),
        ("strategy-a", "", &rough, 0.7),
        ("warning-a", "", &calm, 0.5),
        ("warning-a", "", &rough, 0.75),
        ("warning-a", "Set a stop-loss.", &rough, 0.85),
        ("pattern-a", "", &calm, 0.5),
        ("pattern-a", "", &rough, 0.6),
        ("evolved-a", "", &rough, 0.65),
        ("plain", "Exits come first", &rough, 0.7),
        ("plain", "Exits come first", &calm, 0.5),
        ("plain", "A glossary, lossless, existing", &rough, 0.6),
        ("strategy-a", "EXIT when the pool drains", &rough, 0.8),
    ];
    for (slug, text, market, expected) in cases {
        let space = space([with(slug, |l| l.text.recommendation = text.to_owned())]);
        let situation = Situation {
            market: Some(market.clone()),
            ..domain("perps")
        };
        close(
            relevance_of(&rank(&space, &situation, None), slug),
            expected,
            &format!("{slug} {text}"),
        );
    }
    let unknown = Situation {
        market: Some(Market::default()),
        ..Situation::default()
    };
    let space = space([lesson("pattern-a")]);
    close(
        relevance_of(&rank(&space, &unknown, None), "pattern-a"),
        0.5,
        "an empty market",
    );
}

#[test]
fn decision_relevance_is_capped_and_both_are_averaged() {
    let policy = RankPolicy {
        strategy_bonus: 0.9,
        ..crate::common::seeds().rank
    };
    let space = space([lesson("strategy-a")]);
    let index = KeywordIndex::of_space(&space);
    let capped = recommend(
        &space,
        &domain("perps"),
        None,
        &index,
        &policy,
        Explain::All,
    )
    .expect("complete");
    close(relevance_of(&capped, "strategy-a"), 1.0, "capped");

    let both = Situation {
        query: Some("entry".to_owned()),
        ..domain("perps")
    };
    let ranking = rank(&space, &both, Some(cosine_of(0.9)));
    let project = 0.5 * (0.4_f64 * 0.9).sqrt() + 0.3 * 0.5 + 0.2 * 0.5;
    close(
        relevance_of(&ranking, "strategy-a"),
        (project + 0.7) / 2.0,
        "the mean",
    );
}

#[test]
fn the_pool_says_why_each_lesson_is_left_out() {
    let space = space([
        with("archived", |l| l.archived = true),
        with("held", |l| l.trust = Trust::Quarantined),
        with("other-domain", |l| l.text.domain = "spot".to_owned()),
        with("same-domain", |l| l.text.domain = "Perps".to_owned()),
        with("evolved-other", |l| l.text.domain = "spot".to_owned()),
        with("wrong-category", |l| {
            l.text.category = Category::Communication
        }),
        with("right-category", |l| l.text.category = Category::Domain),
        lesson("general"),
    ]);
    let situation = Situation {
        phase: Some("Trading".to_owned()),
        ..domain("perps")
    };
    let ranking = rank(&space, &situation, None);
    assert_eq!(ranking.total_considered, 4);
    let trace = ranking.trace.expect("explained");
    assert_eq!(trace.len(), 8);
    let code = |slug: &str| {
        let entry = trace
            .iter()
            .find(|t| t.slug == slug)
            .expect("every lesson is traced");
        entry.exclusion.as_ref().map(|e| e.code)
    };
    for (slug, expected) in [
        ("archived", Some(ExclusionCode::Archived)),
        ("held", Some(ExclusionCode::Quarantined)),
        ("other-domain", Some(ExclusionCode::Domain)),
        ("wrong-category", Some(ExclusionCode::Category)),
        ("same-domain", None),
        ("evolved-other", None),
        ("right-category", None),
        ("general", None),
    ] {
        assert_eq!(code(slug), expected, "{slug}");
    }
    for entry in &trace {
        assert_eq!(
            entry.rank.is_none(),
            entry.exclusion.is_some(),
            "{}",
            entry.slug
        );
    }
}

#[test]
fn approved_only_leaves_the_others_out() {
    let space = space([lesson("new"), with("seen", |l| l.trust = Trust::Approved)]);
    let policy = RankPolicy {
        approved_only: true,
        ..crate::common::seeds().rank
    };
    let index = KeywordIndex::new();
    let ranking = recommend(
        &space,
        &domain("perps"),
        None,
        &index,
        &policy,
        Explain::All,
    )
    .expect("complete");
    assert_eq!(ranking.items.len(), 1);
    let trace = ranking.trace.expect("explained");
    let code = trace
        .iter()
        .find_map(|t| t.exclusion.as_ref())
        .map(|e| e.code);
    assert_eq!(code, Some(ExclusionCode::Unapproved));
}

#[test]
fn ties_go_to_the_proven_then_the_confident_then_by_slug() {
    let space = space([
        lesson("d"),
        lesson("c"),
        with("b", |l| l.standing.confidence = 0.9),
        with("z", |l| {
            l.standing.proven_effective = true;
            l.standing.times_applied = 3;
            l.standing.success_count = 2;
        }),
        with("y", |l| l.standing.effectiveness = 0.9),
    ]);
    let ranking = rank(&space, &domain("perps"), None);
    let slugs: Vec<&str> = ranking
        .items
        .iter()
        .map(|item| item.slug.as_str())
        .collect();
    assert_eq!(slugs, ["y", "z", "b", "c", "d"]);
    let ranks: Vec<u32> = ranking.items.iter().map(|item| item.rank).collect();
    assert_eq!(ranks, [1, 2, 3, 4, 5]);
}

#[test]
fn lessons_of_one_title_are_merged() {
    let titled = |slug: &str, title: &str, confidence, effectiveness, frequency| {
        with(slug, |l| {
            l.text.title = title.to_owned();
            l.standing.confidence = confidence;
            l.standing.effectiveness = effectiveness;
            l.standing.frequency = frequency;
        })
    };
    let space = space([
        titled("first", "Größe zählt", 0.5, 0.6, 2),
        titled("second", "GRÖSSE zählt", 0.5, 0.5, 1),
        titled("third", "größe ZÄHLT ", 0.9, 0.5, 3),
    ]);
    let ranking = rank(&space, &domain("perps"), None);
    let told: Vec<_> = ranking
        .items
        .iter()
        .map(|i| (i.slug.as_str(), i.confidence, i.frequency))
        .collect();
    // ß and SS differ in lower case: two titles, not one.
    assert_eq!(told, [("first", 0.9, 5), ("second", 0.5, 1)]);
    let trace = ranking.trace.expect("explained");
    let third = trace.iter().find(|t| t.slug == "third").expect("traced");
    let exclusion = third.exclusion.as_ref().expect("left out");
    assert_eq!(exclusion.code, ExclusionCode::DuplicateTitle);
    assert!(exclusion.words.contains("`first`"));
}

#[test]
fn as_many_are_answered_as_wanted() {
    let space = space((0..30).map(|n| written(&format!("l{n:02}"), &format!("Lesson {n}"), "x")));
    let limited = |limit, situation: Situation| {
        rank(&space, &Situation { limit, ..situation }, None)
            .items
            .len()
    };
    assert_eq!(limited(None, domain("perps")), 5);
    assert_eq!(limited(None, query("x")), 15);
    let decision = Situation {
        for_decision: true,
        ..query("x")
    };
    assert_eq!(limited(None, decision), 5);
    assert_eq!(limited(Some(3), domain("perps")), 3);
    assert_eq!(limited(Some(7), domain("perps")), 5);
    assert_eq!(limited(Some(100), query("x")), 30);
    let trace = rank(&space, &domain("perps"), None)
        .trace
        .expect("explained");
    let beyond = trace.iter().filter(|t| {
        t.exclusion
            .as_ref()
            .is_some_and(|e| e.code == ExclusionCode::BeyondLimit)
    });
    assert_eq!(beyond.count(), 25);
}

#[test]
fn a_situation_that_cannot_be_ranked_for_says_what_to_do() {
    let phase = Situation {
        phase: Some("lunch".to_owned()),
        ..query("x")
    };
    let only_phase = Situation {
        phase: Some("planning".to_owned()),
        ..Situation::default()
    };
    let none = Situation {
        limit: Some(0),
        ..query("x")
    };
    let blank = query("  ");
    let space = Space::new();
    let index = KeywordIndex::new();
    for (situation, field, words) in [
        (&phase, "phase", "planning"),
        (&only_phase, "query", "at least one of"),
        (&none, "limit", "at least 1"),
        (&blank, "query", "at least one of"),
        (&Situation::default(), "query", "at least one of"),
    ] {
        let policy = crate::common::seeds().rank;
        let error =
            recommend(&space, situation, None, &index, &policy, Explain::Nothing).expect_err(field);
        assert_eq!(error.field, field);
        assert!(error.message.contains(words), "{error}");
    }
    for bad in [f64::NAN, f64::INFINITY, -0.1, 1.1] {
        let policy = RankPolicy {
            causal_base: bad,
            ..crate::common::seeds().rank
        };
        let error = recommend(&space, &query("x"), None, &index, &policy, Explain::Nothing)
            .expect_err("bad");
        assert_eq!(error.field, "policy");
    }
}

#[test]
fn an_empty_space_is_answered() {
    let ranking = rank(&Space::new(), &query("anything"), None);
    assert_eq!((ranking.items.len(), ranking.total_considered), (0, 0));
    assert_eq!(ranking.trace, Some(Vec::new()));
}

#[test]
fn relevance_reads_in_words() {
    let policy = crate::common::seeds().rank;
    for (relevance, word) in [
        (1.0, "very high"),
        (0.8, "very high"),
        (0.79, "high"),
        (0.6, "high"),
        (0.59, "medium"),
        (0.45, "medium"),
        (0.44, "low"),
        (0.0, "low"),
    ] {
        assert_eq!(policy.relevance_word(relevance).as_str(), word);
    }
    for (likelihood, word) in [
        (1.0, "very high"),
        (0.7, "very high"),
        (0.69, "high"),
        (0.4, "high"),
        (0.39, "medium"),
        (0.15, "medium"),
        (0.14, "low"),
        (0.0, "low"),
    ] {
        assert_eq!(policy.likelihood_word(likelihood).as_str(), word);
    }
}
