//! The review queue, and the near duplicates in it.

use crate::common::{NOW, lesson, space, with, written};
use lesson_core::{
    Keepable, KeywordIndex, Lesson, Measure, NearPair, ReviewCounts, ReviewReason, Space, Trust,
    near_duplicates, pair_key, review_queue,
};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn approved(slug: &str, change: impl FnOnce(&mut Lesson)) -> Lesson {
    with(slug, |lesson| {
        lesson.trust = Trust::Approved;
        change(lesson);
    })
}

fn scored(slug: &str, helpful: u32, not: u32) -> Lesson {
    approved(slug, |lesson| {
        lesson.standing.times_helpful = helpful;
        lesson.standing.times_not_helpful = not;
    })
}

fn pair(first: &str, second: &str, similarity: f64) -> NearPair {
    NearPair {
        first: first.to_owned(),
        second: second.to_owned(),
        similarity,
        measure: Measure::Words,
    }
}

fn near_by_words(space: &Space) -> Vec<NearPair> {
    near_duplicates(
        space,
        &KeywordIndex::of_space(space),
        &[],
        &|_, _| None,
        &crate::common::seeds().review,
    )
}

/// The slugs of the queue in its order.
fn slugs(space: &Space, near: &[NearPair]) -> Vec<String> {
    review_queue(space, near, 1_000, &crate::common::seeds())
        .items
        .into_iter()
        .map(|item| item.lesson.slug.clone())
        .collect()
}

fn key_of(space: &Space, near: &[NearPair], slug: &str) -> Option<String> {
    review_queue(space, near, 1_000, &crate::common::seeds())
        .items
        .into_iter()
        .find(|item| item.lesson.slug == slug)
        .map(|item| item.key)
}

#[test]
fn a_lesson_is_in_the_queue_once_with_all_its_reasons_the_weightiest_first() {
    use ReviewReason::{
        BottomFive, Disqualified, NearDuplicate, NeverRated, Pruning, Quarantined, Unreviewed,
    };
    let applied = |slug: &str, times, successes, row| {
        approved(slug, |lesson| {
            lesson.standing.times_applied = times;
            lesson.standing.success_count = successes;
            lesson.standing.consecutive_failures = row;
        })
    };
    let caused = |slug: &str, effectiveness, hits| {
        approved(slug, |lesson| {
            lesson.standing.effectiveness = effectiveness;
            lesson.standing.use_count = hits;
            lesson.standing.causal_hits = hits;
        })
    };
    let shown = |slug: &str, trust, times| {
        with(slug, |lesson| {
            lesson.trust = trust;
            lesson.standing.times_surfaced = times;
        })
    };
    let newer = |slug: &str, later| with(slug, |lesson| lesson.created_at = NOW + later);
    let space = space([
        newer("new-1", 1),
        newer("new-2", 2),
        shown("new-shown", Trust::Unreviewed, 3),
        shown("new-often", Trust::Unreviewed, 10),
        shown("often", Trust::Approved, 12),
        shown("nine", Trust::Approved, 9),
        shown("held", Trust::Quarantined, 11),
        scored("worst", 0, 4),
        scored("bad", 1, 2),
        scored("middling", 1, 1),
        applied("pending", 3, 1, 2),
        applied("excluded", 6, 1, 5),
        applied("young", 2, 0, 2),
        caused("useless", 0.05, 9),
        caused("harmful", 0.24, 5),
        caused("early", 0.1, 4),
        caused("mixed", 0.25, 9),
        with("gone", |lesson| lesson.archived = true),
        approved("double", |_| {}),
        approved("fine", |lesson| lesson.standing.times_surfaced = 1),
    ]);
    let near = [pair("double", "fine", 0.9)];
    let queue = review_queue(&space, &near, 1_000, &crate::common::seeds());
    let told: Vec<_> = queue
        .items
        .iter()
        .map(|item| (item.lesson.slug.as_str(), item.reasons.clone()))
        .collect();
    assert_eq!(
        told,
        [
            ("held", vec![Quarantined, NeverRated]),
            ("double", vec![NearDuplicate]),
            ("excluded", vec![Disqualified]),
            ("pending", vec![Disqualified]),
            ("useless", vec![Pruning]),
            ("harmful", vec![Pruning]),
            ("worst", vec![BottomFive]),
            ("bad", vec![BottomFive]),
            ("often", vec![NeverRated]),
            ("new-often", vec![NeverRated, Unreviewed]),
            ("new-shown", vec![Unreviewed]),
            ("new-2", vec![Unreviewed]),
            ("new-1", vec![Unreviewed]),
        ]
    );
    assert_eq!(queue.total, 13);
    assert_eq!(
        queue.counts,
        ReviewCounts {
            quarantined: 1,
            hurts: 0,
            near_duplicate: 1,
            disqualified: 2,
            pruning: 2,
            bottom_five: 2,
            never_rated: 3,
            unreviewed: 4,
        }
    );
    // Lessons that may be kept as they are: a person stands behind their text already.
    let kept: Vec<_> = [
        "double", "excluded", "pending", "useless", "harmful", "worst", "bad", "often",
    ]
    .map(|slug| Keepable {
        slug,
        key: key_of(&space, &near, slug).unwrap(),
        pairs: match slug {
            "double" => vec![pair_key(
                space.lesson("fine").unwrap(),
                space.lesson("double").unwrap(),
            )],
            _ => Vec::new(),
        },
    })
    .into();
    assert_eq!(queue.keepable, kept);
    let some = review_queue(&space, &near, 2, &crate::common::seeds());
    assert_eq!((some.items.len(), some.total), (2, 13));
    assert_eq!(some.items[..], queue.items[..2]);
    let none = review_queue(&space, &near, 0, &crate::common::seeds());
    assert_eq!((none.items.len(), none.counts), (0, queue.counts));
    assert_eq!(none.keepable, queue.keepable);
}

#[test]
fn only_five_are_the_worst_and_good_lessons_are_not() {
    let mut lessons: Vec<Lesson> = (1..=7)
        .map(|n| scored(&format!("bad-{n}"), 0, 1 + n))
        .collect();
    lessons.push(scored("good", 2, 0));
    // The more ratings say so, the worse.
    assert_eq!(
        slugs(&space(lessons), &[]),
        ["bad-7", "bad-6", "bad-5", "bad-4", "bad-3"]
    );
    assert_eq!(slugs(&space([scored("good", 2, 0)]), &[]), [""; 0]);
}

#[test]
fn of_two_that_say_the_same_the_one_with_less_behind_it_waits() {
    type Change = fn(&mut Lesson);
    let cases: [(Change, Change, &str); 7] = [
        (|_| {}, |_| {}, "b"),
        (|_| {}, |b| b.created_at -= 1, "a"),
        (
            |a| a.created_at -= 1,
            |b| b.standing.times_surfaced = 1,
            "a",
        ),
        (
            |a| a.standing.times_surfaced = 9,
            |b| b.trust = Trust::Approved,
            "a",
        ),
        (
            |a| a.trust = Trust::Approved,
            |b| b.standing.times_helpful = 1,
            "a",
        ),
        (
            |a| a.standing.times_helpful = 5,
            |b| b.standing.times_applied = 1,
            "a",
        ),
        (
            |a| a.standing.times_applied = 9,
            |b| b.standing.proven_effective = true,
            "a",
        ),
    ];
    for (at, (a, b, waits)) in cases.into_iter().enumerate() {
        let space = space([with("a", a), with("b", b)]);
        let queue = review_queue(&space, &[pair("a", "b", 0.8)], 10, &crate::common::seeds());
        let doubles: Vec<_> = queue
            .items
            .iter()
            .filter(|item| item.reasons.contains(&ReviewReason::NearDuplicate))
            .map(|item| {
                (
                    item.lesson.slug.as_str(),
                    item.others[0].lesson.slug.as_str(),
                )
            })
            .collect();
        let stays = if waits == "a" { "b" } else { "a" };
        assert_eq!(doubles, [(waits, stays)], "case {at}");
        assert_eq!(queue.items[0].others[0].similarity, 0.8);
    }
}

#[test]
fn pairs_that_no_longer_are_pairs_do_not_count() {
    let space = space([
        approved("a", |_| {}),
        approved("archived", |lesson| lesson.archived = true),
        with("held", |lesson| lesson.trust = Trust::Quarantined),
    ]);
    let near = [
        pair("a", "archived", 1.0),
        pair("a", "held", 1.0),
        pair("a", "unknown", 1.0),
    ];
    assert_eq!(slugs(&space, &near), ["held"]);
}

#[test]
fn a_question_keeps_its_key_until_something_in_it_changes() {
    let near = [pair("a", "b", 0.9)];
    let base = || {
        (
            with("a", |lesson| {
                lesson.trust = Trust::Approved;
                lesson.standing.times_applied = 1;
            }),
            with("b", |lesson| {
                lesson.standing.times_surfaced = 16;
                lesson.standing.times_not_helpful = 0;
            }),
        )
    };
    let (a, b) = base();
    let held = key_of(&space([a, b]), &near, "b").unwrap();
    assert_eq!(held.len(), 16);
    type Change = fn(&mut Lesson, &mut Lesson);
    let changes: [(&str, bool, Change); 7] = [
        ("an approval", true, |_, b| b.trust = Trust::Approved),
        ("a few more showings", true, |_, b| {
            b.standing.times_surfaced = 31
        }),
        ("twice the showings", false, |_, b| {
            b.standing.times_surfaced = 32
        }),
        ("its text", false, |_, b| b.text.description = "x".into()),
        ("the other's text", false, |a, _| {
            a.text.description = "x".into()
        }),
        ("the other's numbers", true, |a, _| {
            a.standing.times_applied = 7
        }),
        ("a rating", false, |_, b| b.standing.times_not_helpful = 2),
    ];
    for (what, same, change) in changes {
        let (mut a, mut b) = base();
        change(&mut a, &mut b);
        let key = key_of(&space([a, b]), &near, "b").unwrap();
        assert_eq!(key == held, same, "{what}");
    }
}

#[test]
fn lessons_that_share_their_words_are_found() {
    let text = "Filter every table by tenant, and let the database enforce it with policies.";
    let space = space([
        written("first", "Keep tenants apart", text),
        written(
            "again",
            "Keep the tenants apart",
            &text.replace("enforce", "check"),
        ),
        written(
            "other",
            "Pin the toolchain",
            "Builds differ between machines otherwise.",
        ),
        written("short", "Pin it", ""),
        written("short-too", "Pin it!", ""),
        written("short-not", "Pin versions", ""),
        with("held", |lesson| {
            lesson.text = written("x", "Keep tenants apart", text).text;
            lesson.trust = Trust::Quarantined;
        }),
        with("gone", |lesson| {
            lesson.text = written("x", "Keep tenants apart", text).text;
            lesson.archived = true;
        }),
        written("dots", "…", ""),
        written("dots-too", "…", ""),
    ]);
    let near = near_by_words(&space);
    let told: Vec<_> = near
        .iter()
        .map(|pair| (pair.first.as_str(), pair.second.as_str(), pair.measure))
        .collect();
    assert_eq!(
        told,
        [
            ("short", "short-too", Measure::Words),
            ("again", "first", Measure::Words)
        ]
    );
    assert_eq!(near[0].similarity, 1.0);
    assert!((0.7..1.0).contains(&near[1].similarity), "{near:?}");
}

#[test]
fn lessons_with_vectors_are_judged_by_their_meaning() {
    let space = space([
        written("a", "One two three four", ""),
        written("b", "One two three four", ""),
        written("c", "Five six seven eight", ""),
        written("d", "Five six seven eight", ""),
        written("e", "Nine ten eleven twelve", ""),
    ]);
    let cosine = |one: &str, two: &str| match (one, two) {
        ("a", "b") => Some(0.5),
        ("c", "d") => Some(0.99),
        _ => None,
    };
    let by_meaning = [
        ("e".to_owned(), "a".to_owned(), 0.9),
        ("d".to_owned(), "c".to_owned(), 0.99),
        ("e".to_owned(), "b".to_owned(), 0.87),
    ];
    let index = KeywordIndex::of_space(&space);
    let near = near_duplicates(
        &space,
        &index,
        &by_meaning,
        &cosine,
        &crate::common::seeds().review,
    );
    let told: Vec<_> = near
        .iter()
        .map(|pair| (pair.first.as_str(), pair.second.as_str(), pair.similarity))
        .collect();
    assert_eq!(told, [("c", "d", 0.99), ("a", "e", 0.9)]);
    assert!(near.iter().all(|pair| pair.measure == Measure::Meaning));
}

#[test]
fn the_queue_holds_so_many_near_duplicates_at_a_time() {
    let lessons: Vec<Lesson> = (0..500).map(|n| lesson(&format!("l{n:03}"))).collect();
    let near: Vec<NearPair> = (1..500)
        .map(|n| pair("l000", &format!("l{n:03}"), 1.0 - f64::from(n) / 1000.0))
        .collect();
    let space = space(lessons);
    let queue = review_queue(&space, &near, 1_000, &crate::common::seeds());
    assert_eq!(queue.counts.near_duplicate, 200);
    assert_eq!(queue.total, 500);
    // Those left out are the least alike.
    assert_eq!(queue.items[0].lesson.slug, "l001");
    assert_eq!(queue.items[199].lesson.slug, "l200");
    assert_eq!(queue.items[200].reasons, [ReviewReason::Unreviewed]);
}

#[test]
fn thousands_of_equal_lessons_are_not_all_compared_with_each_other() {
    let text = "the very same words in each of them, word for word";
    let space = space((0..2_000).map(|n| written(&format!("l{n}"), "Equal", text)));
    let index = KeywordIndex::of_space(&space);
    let alike = index.alike(space.lessons().map(|lesson| lesson.slug.as_str()), 0.6);
    let met: BTreeSet<&str> = alike
        .iter()
        .flat_map(|pair| [pair.first, pair.second])
        .collect();
    assert_eq!(met.len(), 2_000);
    assert!(alike.len() <= 2_000 * 8, "{}", alike.len());
}

#[test]
fn short_lessons_that_are_much_alike_are_found_as_surely_as_long_ones() {
    let text = |words: &[String]| words.join(" ");
    // Words that both have and that one has, of 500 pairs how many may be missed.
    for (both, only, most) in [(9, 1, 0), (27, 3, 0), (6, 4, 25), (12, 8, 25), (60, 40, 25)] {
        let missed = (0..500).filter(|pair| {
            let words: Vec<String> = (0..both + only).map(|n| format!("w{pair}n{n}")).collect();
            let first = written("l0", &text(&words[..both + only / 2]), "");
            let second = [&words[..both], &words[both + only / 2..]].concat();
            let index = KeywordIndex::of_space(&space([first, written("l1", &text(&second), "")]));
            index.alike(["l0", "l1"], 0.6).is_empty()
        });
        let missed = missed.count();
        assert!(missed <= most, "{both} of {}: {missed} missed", both + only);
    }
}

/// Lessons of a few words each, many of them much alike.
fn texts() -> impl Strategy<Value = Vec<BTreeSet<u8>>> {
    let one = prop::collection::btree_set(0_u8..24, 4..16);
    prop::collection::vec(one, 1..6).prop_flat_map(|seeds| {
        let of_seed = (0..seeds.len(), prop::collection::vec(0_u8..60, 0..3)).prop_map(
            move |(seed, more)| {
                let mut words = seeds[seed].clone();
                words.extend(more);
                words
            },
        );
        prop::collection::vec(of_seed, 2..24)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn what_shares_most_of_its_words_is_found_and_told_exactly(texts in texts(), turn in 0_usize..24) {
        let word = |n: &u8| format!("word{n}x");
        let lessons: Vec<Lesson> = texts
            .iter()
            .enumerate()
            .map(|(n, words)| {
                let text = words.iter().map(word).collect::<Vec<_>>().join(" the ");
                written(&format!("l{n:02}"), &text, "")
            })
            .collect();
        let space = space(lessons.clone());
        let index = KeywordIndex::of_space(&space);
        let slugs = || space.lessons().map(|lesson| lesson.slug.as_str());
        let alike = index.alike(slugs(), 0.6);
        let share = |a: usize, b: usize| {
            let both = texts[a].intersection(&texts[b]).count();
            both as f64 / texts[a].union(&texts[b]).count() as f64
        };
        let place = |slug: &str| slug[1..].parse::<usize>().unwrap();
        for pair in &alike {
            prop_assert!(pair.first < pair.second);
            prop_assert_eq!(pair.share, share(place(pair.first), place(pair.second)));
        }
        // Sketches of equal sets are equal; of lessons at nine tenths one pair in 10⁹ is missed.
        let found: BTreeSet<(&str, &str)> =
            alike.iter().map(|pair| (pair.first, pair.second)).collect();
        for (b, second) in slugs().enumerate() {
            let first = slugs().take(b).enumerate().find(|(a, _)| share(*a, b) >= 0.9);
            if let Some((_, first)) = first {
                let near = found.iter().any(|pair| pair.1 == second || pair.0 == second);
                prop_assert!(near, "{} and {}", first, second);
            }
        }
        // The order in which lessons came does not matter.
        let mut again = KeywordIndex::new();
        let (late, early) = lessons.split_at(turn.min(lessons.len()));
        for lesson in early.iter().chain(late) {
            again.insert(lesson);
        }
        prop_assert_eq!(again.alike(slugs(), 0.6), alike);
    }
}
