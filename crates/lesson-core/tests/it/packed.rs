//! A replica as bytes: it comes back as it was, goes on as it would have, and other bytes are none.

use crate::common::{NOW, with};
use crate::replica::{any_ledger, replica_of, rows};
use lesson_core::{
    Category, KeywordIndex, OptimisticOverlay, Row, Space, Text, Trust, pack, packed_shape,
    packed_size, unpack,
};
use proptest::prelude::*;

fn packed(space: &Space, replica: &OptimisticOverlay, index: &KeywordIndex) -> Vec<u8> {
    let mut bytes = Vec::new();
    pack(space, replica, index, &mut |piece| {
        bytes.extend_from_slice(piece)
    });
    bytes
}

/// Lessons with every field set, in an index whose places have been used before.
fn full(count: usize) -> (Space, OptimisticOverlay, KeywordIndex) {
    let rows: Vec<Row> = (0..count)
        .map(|n| {
            let lesson = with(&format!("lesson-{n}"), |lesson| {
                lesson.text = Text {
                    title: format!("Title {n} — naïve 漢字"),
                    description: "Row-level security in node.js".to_owned(),
                    context: "c".to_owned(),
                    recommendation: format!("Do what {n} says. ").repeat(20),
                    category: Category::ALL[n % Category::ALL.len()],
                    domain: "perps".to_owned(),
                    project_types: vec!["web".to_owned()],
                    tech_stacks: vec!["rust".to_owned(), "c++".to_owned()],
                    tags: vec![format!("tag{n}")],
                    extra: format!("{{\"n\":{n}}}"),
                };
                lesson.standing.confidence = 0.1 + n as f64 / 7.0;
                lesson.standing.times_surfaced = u32::MAX - n as u32;
                lesson.standing.last_used_at = (n % 2 == 0).then_some(NOW - n as i64);
                lesson.standing.qualified_at = Some(-1);
                lesson.trust = Trust::ALL[n % 3];
                lesson.findings = vec!["found".to_owned()];
                lesson.archived = n % 5 == 0;
                lesson.merged_into = (n % 7 == 0).then(|| "lesson-1".to_owned());
                lesson.rev = 1 + n as u32;
            });
            Row::Lesson(Box::new(lesson))
        })
        .collect();
    let (space, replica) = replica_of(rows);
    let mut index = KeywordIndex::of_space(&space);
    for gone in ["gone-1", "lesson-0", "lesson-1"] {
        index.insert(&with(gone, |lesson| {
            lesson.text.title = "Only here".to_owned()
        }));
        index.remove(gone);
    }
    for lesson in space.lessons().take(2) {
        index.insert(lesson);
    }
    let held: Vec<_> = space.lessons().skip(2).collect();
    for lesson in held {
        index.insert(lesson);
    }
    (space, replica, index)
}

/// Returns the lessons that a query finds and their scores, to the bit.
fn found(index: &KeywordIndex, query: &str) -> Vec<(String, u64)> {
    let scores = index.scores(query, true);
    let best = scores.best().into_iter();
    best.map(|(slug, score)| (slug.to_owned(), score.to_bits()))
        .collect()
}

#[test]
fn every_field_and_every_word_comes_back() {
    // More than one piece.
    let (space, replica, index) = full(1_500);
    let bytes = packed(&space, &replica, &index);
    assert!(bytes.len() > 600_000);
    assert!(packed_size(&space) < 2 * bytes.len() && packed_size(&space) > bytes.len() / 4);
    let (again, _, words) = unpack(&bytes).unwrap();
    assert_eq!(again, space);
    assert_eq!(words.len(), index.len());
    for query in [
        "row-level",
        "what 7 says",
        "naive 漢字 tag12",
        "c++",
        "only",
        "no",
        "tit",
    ] {
        assert_eq!(found(&words, query), found(&index, query), "{query}");
    }
    assert_eq!(
        words
            .alike(space.lessons().map(|lesson| &*lesson.slug), 0.5)
            .len(),
        index
            .alike(space.lessons().map(|lesson| &*lesson.slug), 0.5)
            .len()
    );
}

#[test]
fn an_index_that_came_back_follows_changes() {
    let (space, replica, mut index) = full(20);
    let (_, _, mut words) = unpack(&packed(&space, &replica, &index)).unwrap();
    for index in [&mut index, &mut words] {
        index.remove("lesson-3");
        index.insert(&with("lesson-4", |lesson| {
            lesson.text.title = "Other words".to_owned()
        }));
        index.insert(&with("new", |lesson| {
            lesson.text.title = "Quite other words".to_owned()
        }));
    }
    for query in ["other words", "says", "quite", "title"] {
        assert_eq!(found(&words, query), found(&index, query), "{query}");
    }
}

#[test]
fn bytes_that_are_none_are_refused_and_never_trap() {
    let (space, replica, index) = full(6);
    let bytes = packed(&space, &replica, &index);
    for length in 0..bytes.len() {
        assert!(unpack(&bytes[..length]).is_none(), "{length}");
    }
    assert!(unpack(&[&bytes[..], &[0]].concat()).is_none());
    // Some other bytes may be another replica, as long as nothing breaks.
    for at in 0..bytes.len() {
        for with in [0, 1, 0x7f, 0x80, 0xff] {
            let mut bent = bytes.clone();
            bent[at] = with;
            if let Some((space, _, index)) = unpack(&bent) {
                let _ = (
                    index.scores("title", true).best().len(),
                    space.lessons().len(),
                );
            }
        }
    }
}

#[test]
fn the_shape_names_every_field_and_is_the_same_every_time() {
    let shape = packed_shape();
    for word in [
        "success_count",
        "tech_stacks",
        "agent_quote",
        "quarantined",
        "row-level:",
        "c++:",
    ] {
        assert!(shape.contains(word), "{word}: {shape}");
    }
    assert_eq!(packed_shape(), shape);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Whatever a ledger folded into; and rows that come later change it as they would have.
    #[test]
    fn a_replica_comes_back_and_goes_on(ledger in any_ledger(), cut in any::<prop::sample::Index>()) {
        let (below, _) = ledger.split_at(cut.index(ledger.len()));
        let (mut space, mut replica) = replica_of(rows(below).1);
        let index = KeywordIndex::of_space(&space);
        prop_assert!(replica.is_bare());
        let (mut again, mut replica_again, _) = unpack(&packed(&space, &replica, &index)).unwrap();
        prop_assert_eq!(&again, &space);
        let later = rows(&ledger).1;
        replica.put(&mut space, later.clone());
        replica_again.put(&mut again, later);
        prop_assert_eq!(again, space);
    }
}
