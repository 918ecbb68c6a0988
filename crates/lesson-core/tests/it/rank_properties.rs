//! Properties of ranking over lessons and situations of any kind.

use crate::common::{added, folded, with};
use lesson_core::{
    Category, ExclusionCode, Explain, FactorKind, KeywordIndex, Lesson, Market, SearchOptions,
    Similarity, Situation, Space, Trace, Trend, Trust, Volatility, recommend, search,
};
use proptest::prelude::*;

const WORDS: [&str; 6] = ["cache", "row-level", "exit", "loss", "form", "the"];

fn any_lesson(n: usize) -> impl Strategy<Value = Lesson> {
    let slug = prop::sample::select(vec!["warning", "strategy", "evolved", "pattern", "plain"])
        .prop_map(move |prefix| format!("{prefix}-{n}"));
    let words = || prop::sample::subsequence(&WORDS[..], 0..5);
    let counts = (0..14u32, 0..4u32, 0..4u32, 0..6u32, 0..6u32);
    let flags = (0..12u8, 0..3u8, 0..3u8);
    (
        slug,
        words(),
        words(),
        0.0..=1.0f64,
        0.0..=1.0f64,
        counts,
        flags,
    )
        .prop_map(
            |(slug, title, body, confidence, effectiveness, counts, (life, domain, tech))| {
                with(&slug, |l| {
                    l.text.title = format!("Lesson {}", title.join(" "));
                    l.text.recommendation = body.join(" ");
                    l.text.domain = ["", "perps", "spot"][domain as usize].to_owned();
                    l.text.category = [Category::Workflow, Category::Domain][tech as usize % 2];
                    l.text.tech_stacks = [vec![], vec!["rust".to_owned()], vec!["Go".to_owned()]]
                        [tech as usize]
                        .clone();
                    l.archived = life == 0;
                    l.trust = if life == 1 {
                        Trust::Quarantined
                    } else {
                        Trust::Approved
                    };
                    l.standing.confidence = confidence;
                    l.standing.effectiveness = effectiveness;
                    let (surfaced, helpful, not, uses, failures) = counts;
                    l.standing.times_surfaced = surfaced;
                    l.standing.times_helpful = helpful;
                    l.standing.times_not_helpful = not;
                    l.standing.use_count = uses;
                    l.standing.causal_hits = uses / 2;
                    l.standing.consecutive_failures = failures;
                })
            },
        )
}

fn any_space() -> impl Strategy<Value = Space> {
    (0..16usize)
        .prop_flat_map(|n| (0..n).map(any_lesson).collect::<Vec<_>>())
        .prop_map(|lessons| folded(lessons.into_iter().map(added)))
}

fn any_situation() -> impl Strategy<Value = Situation> {
    let market = prop::option::of((any::<bool>(), any::<bool>(), any::<bool>(), 0..3u32)).prop_map(
        |market| {
            market.map(|(rough, bearish, open, losses)| Market {
                volatility: rough.then_some(Volatility::High),
                trend: bearish.then_some(Trend::Bearish),
                has_open_positions: Some(open),
                recent_loss_count: Some(losses),
            })
        },
    );
    (
        prop::option::of(prop::sample::select(&WORDS[..])),
        prop::option::of(prop::sample::select(vec!["perps", "spot"])),
        prop::option::of(prop::sample::select(vec!["trading", "testing"])),
        any::<bool>(),
        market,
        prop::option::of(1..8usize),
    )
        .prop_map(|(query, domain, phase, tech, market, limit)| Situation {
            query: query.map(str::to_owned),
            domain: domain.map(str::to_owned),
            phase: phase.map(str::to_owned),
            tech_stack: if tech {
                vec!["RUST".to_owned()]
            } else {
                Vec::new()
            },
            project_type: Some("web-app".to_owned()),
            market,
            limit,
            for_decision: false,
        })
}

/// A cosine for each lesson that depends on nothing but its slug; every third has none.
fn cosine(lesson: &Lesson) -> Option<f64> {
    let sum: u32 = lesson.slug.bytes().map(u32::from).sum();
    (!sum.is_multiple_of(3)).then(|| f64::from(sum % 23) / 20.0 - 0.1)
}

/// The score that a trace's factors make, step by step, and whether every step agrees.
fn replayed(trace: &Trace) -> (f64, bool) {
    let mut running = 0.0;
    let mut agrees = true;
    for factor in &trace.factors {
        running = match factor.kind {
            FactorKind::Add => {
                agrees &= factor.contribution.to_bits() == (factor.input * factor.weight).to_bits();
                running + factor.contribution
            }
            FactorKind::Multiply => running * factor.contribution,
            FactorKind::Cap => running.min(factor.contribution),
        };
        agrees &= running.to_bits() == factor.running.to_bits();
    }
    (running, agrees)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Of many lessons, an answer that is not explained looks at the duplicates of few.
    #[test]
    fn the_best_of_many_are_the_same_where_few_are_looked_at(
        lessons in prop::collection::vec((0..9u8, 0..4u8, 0..3u8, any::<bool>()), 30..150),
        limit in 1..5usize,
    ) {
        let space = folded(lessons.iter().enumerate().map(|(n, (title, confidence, effectiveness, proven))| {
            added(with(&format!("pattern-{n}"), |l| {
                l.text.title = format!("Cache {title}");
                l.standing.confidence = f64::from(*confidence) / 3.0;
                l.standing.effectiveness = f64::from(*effectiveness) / 2.0;
                l.standing.proven_effective = *proven;
            }))
        }));
        let index = KeywordIndex::of_space(&space);
        let situation = Situation {
            query: Some("cache".to_owned()),
            limit: Some(limit),
            ..Situation::default()
        };
        let run = |explain| recommend(&space, &situation, None, &index, &crate::common::seeds().rank, explain)
            .expect("the situation is complete");
        prop_assert_eq!(run(Explain::Nothing).items, run(Explain::All).items);
    }

    #[test]
    fn a_recommendation_is_total_exact_and_explained(
        space in any_space(),
        situation in any_situation(),
        model in any::<bool>(),
    ) {
        let index = KeywordIndex::of_space(&space);
        let policy = crate::common::seeds().rank;
        let similarity: Option<Similarity<'_>> =
            if model { Some(&cosine) } else { None };
        let run = |explain| recommend(&space, &situation, similarity, &index, &policy, explain)
            .expect("the situation is complete");
        let told = run(Explain::All);
        let traces = told.trace.as_ref().expect("explained");

        // Explaining changes nothing, nor does doing it again.
        let plain = run(Explain::Nothing);
        prop_assert_eq!(&plain.items, &told.items);
        prop_assert_eq!(plain.trace.as_ref(), None);
        prop_assert_eq!(&run(Explain::All), &told);

        // One entry per lesson, each with a rank or a reason; factors make the score, to the bit.
        prop_assert_eq!(traces.len(), space.lessons().len());
        for trace in traces {
            prop_assert!(trace.rank.is_some() != trace.exclusion.is_some());
            let (score, agrees) = replayed(trace);
            prop_assert!(agrees, "{:?}", trace);
            prop_assert_eq!(score.to_bits(), trace.score.to_bits());
            prop_assert!((0.0..=1.0).contains(&trace.score));
            prop_assert!((0.0..=1.0).contains(&trace.relevance));
            // The cutoff looks at relevance alone.
            if let Some(exclusion) = &trace.exclusion {
                if exclusion.code == ExclusionCode::LowRelevance {
                    let shared = trace.relevance < 0.3 || exclusion.words.contains("shares no word");
                    prop_assert!(shared, "{:?}", trace);
                }
            } else {
                prop_assert!(trace.relevance >= 0.3);
            }
        }

        // Counts add up.
        let with_code = |codes: &[ExclusionCode]| traces
            .iter()
            .filter(|t| t.exclusion.as_ref().is_some_and(|e| codes.contains(&e.code)))
            .count() as u32;
        use ExclusionCode as X;
        let outside = with_code(&[X::Archived, X::Quarantined, X::Unapproved, X::Domain, X::Category]);
        prop_assert_eq!(told.total_considered + outside, traces.len() as u32);
        prop_assert_eq!(told.excluded_low_effectiveness, with_code(&[X::LowEffectiveness]));
        prop_assert_eq!(told.excluded_low_relevance, with_code(&[X::LowRelevance]));

        // Order is total, ranks count from 1, titles are different, scores are the trace's.
        let wanted = situation.limit.unwrap_or(15);
        prop_assert!(told.items.len() <= wanted);
        for (place, item) in told.items.iter().enumerate() {
            prop_assert_eq!(item.rank as usize, place + 1);
            let trace = &traces[place];
            prop_assert_eq!((&trace.slug, trace.rank), (&item.slug, Some(item.rank)));
            prop_assert_eq!(trace.score.to_bits(), item.score.to_bits());
        }
        for pair in told.items.windows(2) {
            let proven = |slug: &str| space.lesson(slug).is_some_and(|l| l.standing.proven_effective);
            let key = |i: &lesson_core::Ranked| (i.score, proven(&i.slug), i.confidence);
            let (a, b) = (key(&pair[0]), key(&pair[1]));
            prop_assert!(a > b || (a == b && pair[0].slug < pair[1].slug));
        }
        let mut titles: Vec<String> = told
            .items
            .iter()
            .filter_map(|item| space.lesson(&item.slug))
            .map(|lesson| lesson.text.title.to_lowercase())
            .collect();
        titles.sort();
        titles.dedup();
        prop_assert_eq!(titles.len(), told.items.len());
    }

    #[test]
    fn a_search_is_exact_and_loses_no_lesson_with_the_word(
        space in any_space(),
        word in prop::sample::select(&WORDS[..]),
        limit in 1..20usize,
        model in any::<bool>(),
    ) {
        let index = KeywordIndex::of_space(&space);
        let policy = crate::common::seeds().rank;
        let similarity: Option<Similarity<'_>> =
            if model { Some(&cosine) } else { None };
        let options = SearchOptions { limit: Some(limit), explain: true, ..SearchOptions::default() };
        let told = search(&space, word, similarity, &index, &policy, options);
        let has = |lesson: &Lesson| {
            let text = format!("{} {}", lesson.text.title, lesson.text.recommendation);
            text.split_whitespace().any(|w| w == word)
        };
        let having = space
            .lessons()
            .filter(|l| !l.archived && l.trust != Trust::Quarantined && has(l))
            .count();
        let found = told
            .items
            .iter()
            .filter(|item| space.lesson(&item.slug).is_some_and(has))
            .count();
        // Of unreviewed lessons of agents' keys, some may be left out: near copies, and more than a key's places.
        let is_keys = |lesson: &Lesson| lesson.unvouched_key().is_some();
        prop_assert!(found <= having.min(limit));
        if !space.lessons().any(is_keys) {
            prop_assert_eq!(found, having.min(limit));
        } else if having <= limit {
            let is_told = |slug: &str| told.items.iter().any(|item| item.slug == slug);
            let all_told = space
                .lessons()
                .filter(|l| !l.archived && l.trust != Trust::Quarantined && has(l) && !is_keys(l))
                .all(|l| is_told(&l.slug));
            prop_assert!(all_told);
        }
        prop_assert!(told.items.len() <= limit);
        for pair in told.items.windows(2) {
            prop_assert!(pair[0].score >= pair[1].score);
        }
        for item in &told.items {
            prop_assert!((0.0..=1.0).contains(&item.score) && (0.0..=1.0).contains(&item.match_score));
            let last = item.factors.last().expect("explained");
            prop_assert_eq!(last.running.to_bits(), item.score.to_bits());
        }
    }
}
