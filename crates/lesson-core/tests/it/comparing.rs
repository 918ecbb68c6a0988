//! Comparing two policies: the draft, what its counts say, and decisions that come in any order.

use lesson_core::learning::{Comparing, Given, Learning, Preference, Run};
use lesson_core::{LiftGuard, Measured, PolicySide, ShadowVerdict, Shadowed};
use proptest::prelude::*;

fn comparing(decision: &str) -> Comparing<'_> {
    Comparing {
        salt: "salt",
        comparison: "c",
        decision,
    }
}

proptest! {
    #[test]
    fn a_draft_takes_each_ranking_in_its_order_and_nothing_twice(
        first in proptest::collection::btree_set(0_u8..12, 0..9).prop_map(|set| set.into_iter().rev().collect::<Vec<_>>()),
        second in proptest::collection::btree_set(0_u8..12, 0..9).prop_map(|set| set.into_iter().collect::<Vec<_>>()),
        places in 0_usize..10,
        decision in "[a-z]{0,3}",
    ) {
        let words = |keys: &[u8]| keys.iter().map(u8::to_string).collect::<Vec<_>>();
        let (first, second) = (words(&first), words(&second));
        let (ours, theirs): (Vec<&str>, Vec<&str>) =
            (first.iter().map(String::as_str).collect(), second.iter().map(String::as_str).collect());
        let drafted = comparing(&decision).draft(&ours, &theirs, places);
        prop_assert_eq!(&drafted, &comparing(&decision).draft(&ours, &theirs, places));
        let picked: Vec<&str> = drafted
            .iter()
            .map(|(side, at)| if *side == PolicySide::First { ours[*at] } else { theirs[*at] })
            .collect();
        let mut all: Vec<&str> = ours.iter().chain(&theirs).copied().collect();
        all.sort_unstable();
        all.dedup();
        let mut once = picked.clone();
        once.sort_unstable();
        once.dedup();
        prop_assert_eq!(once.len(), picked.len());
        prop_assert_eq!(picked.len(), places.min(all.len()));
        // Whoever picks, picks the best of its ranking that is left.
        for (nth, (side, at)) in drafted.iter().enumerate() {
            let ranking = if *side == PolicySide::First { &ours } else { &theirs };
            prop_assert!(ranking[..*at].iter().all(|better| picked[..nth].contains(better)));
        }
        // While both have lessons left, neither is two picks ahead.
        let count = |wanted: PolicySide| drafted.iter().filter(|(side, _)| *side == wanted).count();
        if ours.len() >= 10 && theirs.len() >= 10 {
            prop_assert!(count(PolicySide::First).abs_diff(count(PolicySide::Second)) <= 1);
        }
    }
}

#[test]
fn both_get_as_many_first_places_and_as_many_decisions() {
    let (mut first, mut split) = (0, 0);
    for n in 0..4_000 {
        let decision = n.to_string();
        let drafted = comparing(&decision).draft(&["a"], &["b"], 1);
        first += i32::from(drafted[0].0 == PolicySide::First);
        split += i32::from(comparing(&decision).decides() == PolicySide::First);
    }
    assert!((1_880..2_120).contains(&first), "{first}");
    assert!((1_880..2_120).contains(&split), "{split}");
    // Another comparison draws anew.
    let moved = (0..100).map(|n| n.to_string()).filter(|decision| {
        let other = Comparing {
            comparison: "d",
            ..comparing(decision)
        };
        other.decides() != comparing(decision).decides()
    });
    assert!((30..70).contains(&moved.count()));
}

#[test]
fn no_preference_is_pretended() {
    let of = |first, second| Preference {
        decisions: 1_000,
        first,
        second,
        ties: 0,
    };
    let none = of(0, 0);
    assert_eq!((none.estimate(), none.interval()), (None, None));
    assert_eq!(none.verdict(), ShadowVerdict::Unknown);
    assert!(none.more() > 100);
    // Four of four say little; twelve of twelve say a preference, exactly, though no interval is given.
    assert_eq!(of(0, 4).verdict(), ShadowVerdict::Unknown);
    let sure = of(0, 12);
    assert_eq!(
        (sure.verdict(), sure.guard()),
        (ShadowVerdict::Second, LiftGuard::TooFew)
    );
    assert_eq!(of(200, 120).verdict(), ShadowVerdict::First);
    let even = of(900, 905);
    assert_eq!(even.verdict(), ShadowVerdict::NoDifference);
    let (low, high) = even.interval().unwrap();
    assert!(low < 0.0 && high > 0.0 && high - low < 0.3);
}

/// Shares of fair comparisons that are ever said to differ, looked at after every voice.
#[test]
fn fair_comparisons_are_seldom_told_apart() {
    let (spaces, mut said, mut missed) = (2_000_u32, 0, 0);
    for space in 0..spaces {
        let mut held = Preference::default();
        let (mut wrong, mut out) = (false, false);
        for n in 0..600 {
            let drawn = lesson_core::learning::unit(&[&space.to_string(), &n.to_string()]);
            held.decisions += 1;
            if drawn < 0.5 {
                held.first += 1;
            } else {
                held.second += 1;
            }
            wrong |= matches!(held.verdict(), ShadowVerdict::First | ShadowVerdict::Second);
            out |= held
                .interval()
                .is_some_and(|(low, high)| low > 0.0 || high < 0.0);
        }
        said += u32::from(wrong);
        missed += u32::from(out);
    }
    assert!(
        said * 20 <= spaces && missed * 20 <= spaces,
        "{said} {missed} of {spaces}"
    );
}

fn run<'a>(
    n: i64,
    outcome: Option<bool>,
    measured: &'a Measured,
    lessons: &'a [(&'a str, bool)],
) -> Run<'a> {
    Run {
        at: n,
        outcome: outcome.map(|success| (n, success)),
        domain: "d",
        by: "local",
        measured: Some(measured),
        lessons: Given::List(lessons),
    }
}

#[test]
fn decisions_count_in_any_order_and_are_taken_back() {
    let teams = Measured {
        shadow: Some(Box::new(Shadowed {
            comparison: "teams".to_owned(),
            first: vec!["a".to_owned(), "b".to_owned()],
            second: vec!["c".to_owned()],
            ..Shadowed::default()
        })),
        ..Measured::default()
    };
    let split = |side| Measured {
        shadow: Some(Box::new(Shadowed {
            comparison: "split".to_owned(),
            decided: Some(side),
            ..Shadowed::default()
        })),
        ..Measured::default()
    };
    let (first, second) = (split(PolicySide::First), split(PolicySide::Second));
    let feed = |order: &[usize]| {
        let mut learning = Learning::new();
        for n in order {
            let applied = [("a", n % 2 == 0), ("b", n % 4 == 0), ("c", n % 3 == 0)];
            learning.feed(
                &format!("t{n}"),
                Some(run(*n as i64, None, &teams, &applied)),
            );
            let side = if n % 2 == 0 { &first } else { &second };
            let outcome = (n % 5 != 4).then_some(n % 3 == 0);
            learning.feed(&format!("s{n}"), Some(run(*n as i64, outcome, side, &[])));
        }
        learning
    };
    let forth: Vec<usize> = (0..120).collect();
    let back: Vec<usize> = (0..120).rev().collect();
    let mut learning = feed(&forth);
    let told = learning.effects().comparisons.clone();
    assert_eq!(told, feed(&back).effects().comparisons);
    assert_eq!(told.len(), 2);
    let of = |id: &str| told.iter().find(|one| &*one.id == id).unwrap();
    // Of 12 decisions in a row: a alone 2, a and b with or without c 3, a and c 1, c alone 2, nothing 4.
    let teams_said = of("teams").preference;
    assert_eq!(
        (
            teams_said.decisions,
            teams_said.first,
            teams_said.second,
            teams_said.ties
        ),
        (120, 50, 20, 10)
    );
    let split_said = &of("split").split;
    assert_eq!(
        (
            split_said.running.shown.runs(),
            split_said.running.withheld.runs(),
            split_said.first_open + split_said.second_open,
        ),
        (48, 48, 24)
    );
    assert_eq!(of("teams").between, (0, 119));
    // Taken off again, as a replica does with what the server has by then.
    for n in 0..120 {
        learning.feed(&format!("t{n}"), None);
    }
    let gone = learning.effects().comparisons.clone();
    let gone = gone.iter().find(|one| &*one.id == "teams").unwrap();
    assert_eq!(gone.preference, Preference::default());
}
