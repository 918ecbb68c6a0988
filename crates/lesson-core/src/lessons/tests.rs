//! Lessons and their facts, against a plain map.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::keyword::{KeywordIndex, WordMatch};
use crate::policy::RankPolicy;
use crate::rank::{Explain, Situation, recommend};
use crate::space::Space;
use crate::text::Text;

fn lesson(slug: &str, title: &str, techs: &[&str]) -> Lesson {
    let text = Text {
        title: title.to_owned(),
        tech_stacks: techs.iter().map(|word| (*word).to_owned()).collect(),
        ..Text::default()
    };
    Lesson::new(slug, text, "a test", 0)
}

/// An act on a lesson.
#[derive(Debug, Clone)]
enum Act {
    Put(Box<Lesson>),
    Change(String, u32),
    Remove(String),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let slug = prop::sample::select(vec!["a", "b", "c", "d-e", "d", "f1", "f10", "f2"]);
    let title = prop::sample::select(vec!["One", "ONE ", "Zwei", "ÄÖ", "äö"]);
    let act = prop_oneof![
        3 => (slug.clone(), title).prop_map(|(slug, title)| Act::Put(Box::new(lesson(slug, title, &["Rust"])))),
        2 => (slug.clone(), 0..9_u32).prop_map(|(slug, n)| Act::Change(slug.to_owned(), n)),
        1 => slug.prop_map(|slug| Act::Remove(slug.to_owned())),
    ];
    prop::collection::vec(act, 0..40)
}

proptest! {
    #[test]
    fn they_are_a_map_in_the_order_of_slugs_and_facts_follow(acts in acts()) {
        let mut lessons = Lessons::default();
        let mut plain: BTreeMap<String, Lesson> = BTreeMap::new();
        for act in acts {
            match act {
                Act::Put(one) => {
                    lessons.insert((*one).clone());
                    plain.insert(one.slug.clone(), *one);
                }
                Act::Change(slug, n) => {
                    let held = lessons.get_mut(&slug).map(|mut held| {
                        held.standing.times_surfaced = n;
                        held.text.domain = format!("Domain {n}");
                    });
                    let other = plain.get_mut(&slug).map(|held| {
                        held.standing.times_surfaced = n;
                        held.text.domain = format!("Domain {n}");
                    });
                    prop_assert_eq!(held, other);
                }
                Act::Remove(slug) => {
                    lessons.remove(&slug);
                    plain.remove(&slug);
                }
            }
            prop_assert_eq!(lessons.len(), plain.len());
            prop_assert!(lessons.values().eq(plain.values()));
            for (slug, one) in &plain {
                prop_assert!(lessons.contains_key(slug));
                prop_assert_eq!(lessons.get(slug), Some(one));
            }
            for (held, facts) in lessons.in_order() {
                prop_assert_eq!(facts, &RankFeatures::of(held));
            }
        }
        let anew: Lessons = plain.values().cloned().collect();
        prop_assert_eq!(&anew, &lessons);
        prop_assert_eq!(anew.slugs(), lessons.slugs());
        let twice: Lessons = plain.values().chain(plain.values()).cloned().collect();
        prop_assert_eq!(&twice, &lessons);
    }
}

#[test]
fn words_of_any_case_have_one_hash() {
    for (a, b) in [
        ("Retry Budgets", "RETRY budgets"),
        ("Äpfel", "äPFEL"),
        ("\u{212a}", "K"),
    ] {
        assert_eq!(word_hash(a), word_hash(b), "{a}");
        assert_eq!(bit_of(a).count_ones(), 1);
    }
    assert_ne!(word_hash("retry budgets"), word_hash("retry budget"));
    assert_ne!(domain_hash(""), 0);
}

/// With more technologies than there are bits, some share one, and what only shares a bit is not the same.
#[test]
fn a_shared_bit_is_no_shared_technology() {
    let named: Vec<String> = (0..200).map(|n| format!("tech-{n}")).collect();
    let mut space = Space::new();
    for (n, tech) in named.iter().enumerate() {
        space
            .lessons
            .insert(lesson(&format!("l{n}"), tech, &[tech]));
    }
    let index = KeywordIndex::of_space(&space);
    let mut same_bit = 0;
    for (n, tech) in named.iter().enumerate() {
        let situation = Situation {
            tech_stack: vec![tech.to_uppercase()],
            limit: Some(1),
            ..Situation::default()
        };
        let policy = RankPolicy::default();
        let ranking = recommend(&space, &situation, None, &index, &policy, Explain::All).unwrap();
        assert_eq!(ranking.items[0].slug, format!("l{n}"));
        for trace in ranking.trace.unwrap() {
            let metadata = trace
                .factors
                .iter()
                .find(|one| one.name == "metadata")
                .unwrap();
            let own = trace.slug == format!("l{n}");
            assert_eq!(
                metadata.note.ends_with("1.00"),
                own,
                "{}: {}",
                trace.slug,
                metadata.note
            );
        }
        same_bit += named
            .iter()
            .filter(|other| bit_of(other) == bit_of(tech))
            .count()
            - 1;
    }
    assert!(same_bit > 100, "bits are shared: {same_bit}");
}

/// An index of other lessons still gives each lesson its own words' score.
#[test]
fn scores_go_by_slug_when_the_index_has_other_lessons() {
    let (a, b) = (
        lesson("a", "retry budgets", &[]),
        lesson("b", "bounded queues", &[]),
    );
    let both: Lessons = [a.clone(), b.clone()].into_iter().collect();
    let mut index = KeywordIndex::new();
    index.insert(&b);
    let scored = index.scores("queues", false).in_order(&both);
    assert_eq!(scored[0], WordMatch::default());
    assert!(scored[1].score > 0.0 && scored[1].share == 1.0);
    index.insert(&a);
    assert!(index.scores("queues", false).in_order(&both)[1].score > 0.0);
    // As many lessons, but others.
    index.remove("a");
    index.insert(&lesson("c", "queues of queues", &[]));
    let scored = index.scores("queues", false).in_order(&both);
    assert_eq!(scored[0], WordMatch::default());
    assert!(scored[1].score > 0.0);
}
