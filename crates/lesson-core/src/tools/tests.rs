//! Tool suggestions: the rules by table and by property.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use difflib_exact::sequence_ratio;

const NOW: i64 = 1_760_000_000_000;

fn book(records: &[(&str, &str, i64)]) -> ToolBook {
    let mut book = ToolBook::default();
    for &(query, server, age_days) in records {
        book.record(query, server, NOW - age_days * DAY, &ToolPolicy::default());
    }
    book
}

fn suggest(book: &ToolBook, query: &str) -> Vec<ToolSuggestion> {
    book.suggest(query, NOW, 5, &ToolPolicy::default())
}

#[test]
fn the_score_is_overlap_plus_coverage_plus_fuzzy_times_recency() {
    // query, record, shared words, meaningful words of the query
    let table = [
        ("deploy frontend", "deploy frontend", 2.0, 2.0),
        ("deploy the frontend", "frontend deploy", 2.0, 2.0),
        ("Deploy FRONTEND now", "deploy backend", 1.0, 2.0),
        ("query postgres slow index", "index missing", 1.0, 4.0),
    ];
    for (query, record, shared, words) in table {
        let fuzzy = sequence_ratio(&query.to_lowercase(), &record.to_lowercase());
        let fit: f64 = shared + shared / words + 0.4 * fuzzy;
        for (age, recency) in [(0, 1.0), (3, 0.5), (6, 0.25), (-2, 1.0)] {
            let found = suggest(&book(&[(record, "vercel", age)]), query);
            assert_eq!(found.len(), 1, "{query}");
            assert_eq!(found[0].score, fit * recency, "{query} at {age} days");
            assert_eq!(found[0].because[0].score, found[0].score);
            assert_eq!(found[0].because[0].age_days, age.max(0) as f64);
            assert_eq!(found[0].because[0].query, record);
        }
    }
}

#[test]
fn a_record_counts_by_a_shared_word_or_by_spelling() {
    let table = [
        ("deploy frontend", "deploying frontends", true), // no word in common, but the spelling
        (
            "kubectl rollout",
            "kubectl cache of some very long and unrelated text",
            true,
        ),
        ("how to do it", "how to do this", true), // stop words only: spelling
        ("sell the position", "how the weather is", false), // a shared stop word is no overlap
        ("a", "b", false),
    ];
    for (query, record, counts) in table {
        let found = suggest(&book(&[(record, "server", 0)]), query);
        assert_eq!(!found.is_empty(), counts, "{query} / {record}");
    }
}

#[test]
fn spelling_compares_the_query_with_the_record_in_this_order() {
    let policy = ToolPolicy {
        fuzzy_cutoff: 0.0,
        ..ToolPolicy::default()
    };
    // ratio of (query, record); the swapped pair has the other one.
    for (query, record, ratio) in [("tide", "diet", 0.25), ("diet", "tide", 0.5)] {
        let found = book(&[(record, "server", 0)]).suggest(query, NOW, 5, &policy);
        assert_eq!(found[0].score, 0.4 * ratio, "{query} {record}");
    }
}

#[test]
fn blank_queries_and_an_empty_book_suggest_nothing() {
    for query in ["", "  ", "\n\t"] {
        assert!(suggest(&book(&[("deploy", "vercel", 0)]), query).is_empty());
    }
    assert!(suggest(&ToolBook::default(), "deploy").is_empty());
}

#[test]
fn core_servers_are_never_recorded_nor_suggested() {
    let mut book = ToolBook::default();
    let policy = ToolPolicy::default();
    for server in ["project-memory", "system-control"] {
        assert_eq!(book.record("deploy", server, NOW, &policy), Recorded::Core);
    }
    assert!(book.records().is_empty());

    book.record("deploy", "vercel", NOW, &policy);
    let later = ToolPolicy {
        core_servers: vec!["vercel".to_owned()],
        ..policy
    };
    assert!(book.suggest("deploy", NOW, 5, &later).is_empty());
    let shouted = ToolPolicy {
        core_servers: vec![" Vercel".to_owned()],
        ..ToolPolicy::default()
    };
    assert!(book.suggest("deploy", NOW, 5, &shouted).is_empty());
    assert!(shouted.is_core("VERCEL") && !shouted.is_core("vercel-2"));
}

#[test]
fn a_repeat_refreshes_and_never_goes_back() {
    let mut book = ToolBook::default();
    let policy = ToolPolicy::default();
    let steps = [
        ("Deploy  the app", "vercel", 100, Recorded::New, 100),
        (" deploy the\tAPP ", "vercel", 300, Recorded::Refreshed, 300),
        ("deploy the app", "vercel", 200, Recorded::Refreshed, 300),
    ];
    for (query, server, at, recorded, now_at) in steps {
        assert_eq!(book.record(query, server, at, &policy), recorded);
        assert_eq!(book.records().len(), 1);
        assert_eq!(book.records()[0].at, now_at);
        assert_eq!(book.records()[0].query, "Deploy  the app");
    }
    assert_eq!(
        book.record("deploy the app", "fly", 1, &policy),
        Recorded::New
    );
    assert_eq!(book.records().len(), 2);
}

#[test]
fn the_hash_is_the_sha256_of_normalised_query_and_server() {
    // printf 'deploy the app\nvercel' | sha256sum
    let hash = tool_query_hash("  Deploy the\n APP", "vercel");
    assert_eq!(hash, "07788ee5413945182570cc1c28c6bf5c");
    assert_ne!(hash, tool_query_hash("deploy the app", "Vercel"));
}

#[test]
fn past_the_cap_the_oldest_go() {
    let policy = ToolPolicy::default();
    let mut book = ToolBook::default();
    for number in 0..10_000 {
        // Old and new alternate, so that age and order of arrival differ.
        let at = if number % 2 == 0 {
            number
        } else {
            20_000 - number
        };
        book.record(&format!("task {number}"), "server", at, &policy);
    }
    assert_eq!(book.records().len(), 10_000);
    book.record("one more", "server", 50_000, &policy);
    assert_eq!(book.records().len(), 8_000);
    // 0, 2, … 4000 are the 2,001 oldest.
    let oldest = book.records().iter().map(|record| record.at).min();
    assert_eq!(oldest, Some(4_002));
    assert_eq!(book.records()[0].query, "task 1");
    // The index was rebuilt with it.
    assert_eq!(book.record("task 2", "server", 7, &policy), Recorded::New);
    assert_eq!(
        book.record("TASK 4002", "server", 7, &policy),
        Recorded::Refreshed
    );
    let found = book.suggest("one more", 50_000, 1, &policy);
    assert_eq!(found[0].because[0].query, "one more");
}

#[test]
fn extreme_times_and_policies_give_finite_scores() {
    for at in [i64::MIN, i64::MAX, 0] {
        for now in [i64::MIN, i64::MAX, NOW] {
            for half_life_days in [3.0, 0.0, -1.0, f64::NAN, f64::INFINITY, 1e-300] {
                let policy = ToolPolicy {
                    half_life_days,
                    ..ToolPolicy::default()
                };
                let mut book = ToolBook::default();
                book.record("deploy", "vercel", at, &policy);
                let found = book.suggest("deploy", now, 5, &policy);
                assert!(
                    (0.0..=2.4).contains(&found[0].score),
                    "{at} {now} {half_life_days}"
                );
            }
        }
    }
}

#[test]
fn loads_as_a_list_and_mends_what_is_broken() {
    let json = r#"[
        {"query": "deploy", "server": "vercel", "at": 5, "query_hash": "wrong"},
        {"query": "Deploy ", "server": "vercel", "at": 9}
    ]"#;
    let book: ToolBook = serde_json::from_str(json).unwrap();
    assert_eq!(book.records().len(), 1);
    assert_eq!(book.records()[0].at, 9);
    assert_eq!(
        book.records()[0].query_hash,
        tool_query_hash("deploy", "vercel")
    );

    let policy: ToolPolicy = serde_json::from_str("{}").unwrap();
    assert_eq!(policy, ToolPolicy::default());
}

#[test]
fn stop_words_are_sorted() {
    assert!(STOP_WORDS.is_sorted());
}

/// The rules as they are written, with no index and no bound.
fn brute_force(book: &ToolBook, query: &str, now: i64, policy: &ToolPolicy) -> Vec<(String, f64)> {
    let lowered = query.to_lowercase();
    let of_query: BTreeSet<&str> = words::meaningful(&lowered).into_iter().collect();
    let mut servers: Vec<(String, f64)> = Vec::new();
    for record in book.records() {
        let other = record.query.to_lowercase();
        let of_record: BTreeSet<&str> = words::meaningful(&other).into_iter().collect();
        let overlap = of_query.intersection(&of_record).count() as f64;
        let fuzzy = sequence_ratio(&lowered, &other);
        if overlap < 1.0 && fuzzy < policy.fuzzy_cutoff {
            continue;
        }
        let coverage = overlap / (of_query.len() as f64).max(1.0);
        let age = (now - record.at).max(0) as f64 / 86_400_000.0;
        let score = (overlap + coverage + policy.fuzzy_weight * fuzzy) * libm::exp2(-age / 3.0);
        match servers
            .iter_mut()
            .find(|(server, _)| *server == record.server)
        {
            Some((_, sum)) => *sum += score,
            None => servers.push((record.server.clone(), score)),
        }
    }
    servers.sort_by(|x, y| y.1.total_cmp(&x.1).then_with(|| x.0.cmp(&y.0)));
    servers
}

fn query() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "deploy",
        "deploys",
        "frontend",
        "the",
        "to",
        "query",
        "Index",
        "índice",
        "数据库",
        "x",
        "🚀",
        "position",
        "positions",
        "--",
    ]);
    prop_oneof![
        8 => prop::collection::vec(word, 0..9).prop_map(|words| words.join(" ")),
        1 => "[a-c ]{0,30}",
        1 => "(deploy |frontend |xyz ){20,40}", // over the length at which popular elements drop out
    ]
}

fn entries() -> impl Strategy<Value = Vec<(String, String, i64)>> {
    let server = prop::sample::select(vec!["git", "vercel", "postgres", "browser"]);
    let entry = (query(), server.prop_map(str::to_owned), -DAY..40 * DAY);
    prop::collection::vec(entry, 0..40)
}

fn filled(entries: &[(String, String, i64)], policy: &ToolPolicy) -> ToolBook {
    let mut book = ToolBook::default();
    for (query, server, age) in entries {
        book.record(query, server, NOW - age, policy);
    }
    book
}

proptest! {
    #[test]
    fn pruning_changes_no_bit(entries in entries(), query in query()) {
        let policy = ToolPolicy::default();
        let book = filled(&entries, &policy);
        let pruned: Vec<_> = book
            .suggest(&query, NOW, usize::MAX, &policy)
            .into_iter()
            .map(|found| (found.server, found.score))
            .collect();
        let whole = match query.trim() {
            "" => Vec::new(),
            _ => brute_force(&book, &query, NOW, &policy),
        };
        prop_assert_eq!(pruned, whole);
    }

    #[test]
    fn size_stays_capped_and_pairs_distinct(entries in entries(), max in 0_usize..12, keep in 0_usize..14) {
        let policy = ToolPolicy { max_records: max, keep_records: keep, ..ToolPolicy::default() };
        let mut book = ToolBook::default();
        for (query, server, age) in &entries {
            let before = book.records().to_vec();
            let recorded = book.record(query, server, NOW - age, &policy);
            prop_assert!(book.records().len() <= max);
            if recorded == Recorded::Refreshed {
                prop_assert_eq!(book.records().len(), before.len());
            }
            // A dropped record is no newer than those that stayed.
            let stayed = book.records().iter().map(|record| record.at).min();
            for gone in before.iter().filter(|old| {
                book.records().iter().all(|record| record.query_hash != old.query_hash)
            }) {
                prop_assert!(stayed.is_none_or(|stayed| gone.at <= stayed));
            }
        }
        let hashes: BTreeSet<_> = book.records().iter().map(|record| &record.query_hash).collect();
        prop_assert_eq!(hashes.len(), book.records().len());
    }

    #[test]
    fn recording_twice_changes_nothing(entries in entries()) {
        let policy = ToolPolicy::default();
        let once = filled(&entries, &policy);
        let doubled: Vec<_> = entries.iter().chain(&entries).cloned().collect();
        prop_assert_eq!(filled(&doubled, &policy), once);
    }

    #[test]
    fn order_is_total_and_limits_cut_its_tail(entries in entries(), query in query(), limit in 0_usize..4) {
        let policy = ToolPolicy::default();
        let book = filled(&entries, &policy);
        let all = book.suggest(&query, NOW, usize::MAX, &policy);
        for pair in all.windows(2) {
            prop_assert!(
                pair[0].score > pair[1].score
                    || (pair[0].score == pair[1].score && pair[0].server < pair[1].server)
            );
        }
        for found in &all {
            prop_assert!(!found.because.is_empty() && found.because.len() <= policy.because_limit);
            prop_assert!(found.because.is_sorted_by(|x, y| x.score >= y.score));
        }
        let cut = book.suggest(&query, NOW, limit, &policy);
        prop_assert_eq!(&cut[..], &all[..limit.min(all.len())]);
    }

    #[test]
    fn older_never_scores_higher(query in query(), record in query(), age in 0..90 * DAY, more in 0..90 * DAY) {
        let policy = ToolPolicy::default();
        let score = |age: i64| {
            let mut book = ToolBook::default();
            book.record(&record, "server", NOW - age, &policy);
            book.suggest(&query, NOW, 1, &policy).first().map(|found| found.score)
        };
        prop_assert!(score(age + more) <= score(age));
    }

    #[test]
    fn survives_serialisation(entries in entries(), query in query()) {
        let policy = ToolPolicy::default();
        let book = filled(&entries, &policy);
        let json = serde_json::to_string(&book).unwrap();
        let back: ToolBook = serde_json::from_str(&json).unwrap();
        prop_assert_eq!(&back, &book);
        prop_assert_eq!(back.suggest(&query, NOW, 5, &policy), book.suggest(&query, NOW, 5, &policy));
    }
}
